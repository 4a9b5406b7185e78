#!/usr/bin/env python3
"""Plants every bug of docs/canaries.md in turn and requires that the named tests catch it.

    tests/canaries/run.py BUILD_DIR [CANARY...] [--jobs N] [--every-test]

BUILD_DIR is a build with PAWL_CANARIES (the preset asan). The tests of the stores need PostgreSQL: run it inside
tools/with_postgres.sh. A canary counts as caught when a test fails or aborts. A test program that finds no test, or
that hangs, fails this run, and so does a test that fails without a canary.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import time
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs/canaries.md"
HEADER = ROOT / "src/core/base/canary.hpp"
ROW = re.compile(r"^\| `(?P<name>\w+)` \| (?P<bug>[^|]+) \| (?P<suite>\w+) \| (?:`(?P<tests>[^`]+)`)? ?\|$")
SECONDS_MOST = 300


class Canary(NamedTuple):
    name: str
    suite: str
    tests: str


class Outcome(NamedTuple):
    failed: list  # the tests that failed or aborted
    problem: str  # why the run proves nothing; empty if it does
    output: str


def read_table() -> list[Canary]:
    rows = [ROW.match(line) for line in DOCS.read_text().splitlines() if line.startswith("| `")]
    if None in rows:
        sys.exit(f"{DOCS}: row {rows.index(None) + 1} is not '| `canary` | the bug | suite | `tests` |'")
    table = [Canary(row["name"], row["suite"], row["tests"] or "") for row in rows]
    listed = [canary.name for canary in table]
    declared = [name for name in re.findall(r"\bX\((\w+)\)", HEADER.read_text()) if name != "none"]
    if sorted(listed) != sorted(declared):
        sys.exit(f"{DOCS} and {HEADER} differ in {sorted(set(listed) ^ set(declared)) or 'repeated names'}")
    return table


def execute(command: list[str], canary: str) -> tuple[int, str]:
    env = dict(os.environ, ASAN_OPTIONS="detect_leaks=0")
    env.pop("GTEST_BRIEF", None)  # the begun tests are read from the output
    if canary:
        env["PAWL_CANARY"] = canary
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace") as process:
        try:
            output, _ = process.communicate(timeout=SECONDS_MOST)
        except subprocess.TimeoutExpired:
            process.kill()
            output, _ = process.communicate()
            return 0, output + f"\nthe tests hang: stopped after {SECONDS_MOST} s"
    return process.returncode, output


def run_tests(program: pathlib.Path, tests: str, canary: str, stops_early: bool) -> Outcome:
    command = [str(program), f"--gtest_filter={tests}"] + (["--gtest_fail_fast"] if stops_early else [])
    status, output = execute(command, canary)
    begun = re.findall(r"^\[ RUN      \] (\S+)", output, re.MULTILINE)
    failed = list(dict.fromkeys(re.findall(r"^\[  FAILED  \] ([^\s,]+\.[^\s,]+)", output, re.MULTILINE)))
    if not begun:
        return Outcome([], f"no test was run for {tests}", output)
    if status == 0 and "the tests hang" in output:
        return Outcome([], f"{begun[-1]} hangs", output)
    if status != 0 and "[  PASSED  ]" not in output:  # the summary at the end of every complete run
        failed.append(f"{begun[-1]} (aborted)")
    if status != 0 and not failed:
        return Outcome([], f"exit code {status} without a failed test", output)
    return Outcome(failed if status != 0 else [], "", output)


def run_simulation(program: pathlib.Path, canary: str) -> Outcome:
    status, output = execute([str(program), "--canary", canary, "--runs", "60", "--lives", "400"], "")
    broken = re.search(r"^seed \d+ failed: ([^:\n]+)", output, re.MULTILINE)
    if status not in (0, 1) and broken is None:
        return Outcome([], f"exit code {status}", output)
    return Outcome([broken[1]] if broken else [], "", output)


def try_canary(build: pathlib.Path, canary: Canary, stops_early: bool) -> tuple[Canary, Outcome, float]:
    began = time.monotonic()
    if canary.suite == "sim":
        outcome = run_simulation(build / "pawl_sim", canary.name)
    else:
        program = build / "tests" / f"test_{canary.suite}"
        outcome = run_tests(program, canary.tests, canary.name, stops_early)
    return canary, outcome, time.monotonic() - began


def check_without_canary(build: pathlib.Path, table: list[Canary], pool) -> bool:
    """Requires that the same tests pass without a planted bug."""
    filters: dict[str, dict] = {}
    for canary in table:
        if canary.suite != "sim":
            filters.setdefault(canary.suite, {})[canary.tests] = None
    runs = {suite: pool.submit(run_tests, build / "tests" / f"test_{suite}", ":".join(tests), "", False)
            for suite, tests in filters.items()}
    is_good = True
    for suite, run in runs.items():
        outcome = run.result()
        if outcome.failed or outcome.problem:
            is_good = False
            print(f"without a canary, {suite} fails: {outcome.problem or ' '.join(outcome.failed)}")
            print(outcome.output[-4000:])
    return is_good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("canaries", nargs="*", help="only these")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--every-test", action="store_true", help="name all tests that fail, not the first")
    parser.add_argument("--suite", help="only the canaries of this suite")
    options = parser.parse_args()

    table = read_table()
    if options.canaries:
        table = [canary for canary in table if canary.name in options.canaries]
    if options.suite:
        table = [canary for canary in table if canary.suite == options.suite]
    began = time.monotonic()
    missed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        is_good = check_without_canary(options.build, table, pool)
        runs = [pool.submit(try_canary, options.build, canary, not options.every_test) for canary in table]
        for run in runs:
            canary, outcome, seconds = run.result()
            caught_by = " ".join(outcome.failed if options.every_test else outcome.failed[:1])
            caught_by = caught_by or f"NOT CAUGHT {outcome.problem}"
            print(f"{canary.name:<38}{canary.suite:<12}{seconds:5.1f} s  {caught_by}", flush=True)
            missed += not outcome.failed
    print(f"{len(table) - missed} of {len(table)} canaries were caught in {time.monotonic() - began:.0f} s")
    return 0 if is_good and missed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
