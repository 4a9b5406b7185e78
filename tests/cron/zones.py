#!/usr/bin/env python3
"""Compares the UTC offsets of every time zone after 2037 with those of Python's zoneinfo, another reader of the same files.

    tests/cron/zones.py PROGRAM    # tests/cron_slots
"""
import subprocess
import sys
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo, available_timezones

YEARS = (2038, 2050, 2087, 2100, 2399)
NOT_NAMES = {"localtime", "posixrules", "Factory"}


def offset(zone: ZoneInfo, moment: datetime) -> int:
    return int(moment.astimezone(zone).utcoffset().total_seconds())


def main() -> None:
    names = sorted(name for name in available_timezones() - NOT_NAMES if not name.startswith(("posix/", "right/")))
    cases = [(name, datetime(year, month, 1, tzinfo=timezone.utc))
             for name in names for year in YEARS for month in range(1, 13)]
    lines = "".join(f"0 0 1 1 *\t{name}\t{at.timestamp():.0f}\t{at.timestamp():.0f}\tshift\tfirst\n" for name, at in cases)
    answers = subprocess.run([sys.argv[1]], input=lines, capture_output=True, text=True, check=True).stdout.splitlines()
    faults, changes = [], 0
    for (name, at), answer in zip(cases, answers, strict=True):
        zone = ZoneInfo(name)
        if answer == "refused":
            faults.append(f"{name}: refused")
            continue
        end, before, after = (int(part) for part in answer.split()[:3])
        expected = offset(zone, at)
        if expected != before:
            faults.append(f"{name} at {at}: {before}, expected {expected}")
        if before == after:
            continue
        change = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=end)
        changes += 1
        if (offset(zone, change - timedelta(seconds=1)), offset(zone, change)) != (before, after):
            faults.append(f"{name}: no change from {before} to {after} at {change}")
    print(f"{len(names)} zones, {len(cases)} times, {changes} changes of the clocks")
    if len(names) < 300 or changes < 1_000:
        faults.append("too few cases were compared")
    if faults:
        sys.exit("\n".join(faults[:20]) + f"\n{len(faults)} differences")


main()
