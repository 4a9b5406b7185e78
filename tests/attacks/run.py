#!/usr/bin/env python3
"""Attacks a real Pawl server in the ways that a penetration test found.

    tests/attacks/run.py PAWL [ATTACK...] [--store sqlite|postgres|both] [--max-slowdown N] [--json FILE]

Each attack has a server and a store of its own. While it runs, a well-behaved client in another namespace goes on. The
attack fails if it gets what it wants, if the server ends, exceeds 512 MiB, refuses or loses a call of the other client,
or does not start again on what the attack has stored. PostgreSQL is the one that PAWL_TEST_POSTGRES names.
The table shows the p99 of the other client before and during the attack; with --max-slowdown their ratio is judged too.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import threading
import time

import access
import cost
import edges
from server import NEIGHBOR, Breach, Server, require, wait_until

MEMORY_MOST_MIB = 512
QUIET_SECONDS = 1.0
FOLDER = pathlib.Path(__file__).resolve().parent


class Neighbor:
    def __init__(self, server: Server):
        token = server.new_token("operator", [NEIGHBOR])
        self.process = subprocess.Popen([sys.executable, FOLDER / "neighbor.py", str(server.port), token, NEIGHBOR],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def next_period(self) -> None:
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def end(self) -> list[dict]:
        out, _ = self.process.communicate(timeout=60)
        return json.loads(out)


def p99(latencies: list[float]) -> float:
    ordered = sorted(latencies)
    return ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))] if ordered else 0.0


class MemoryWatch:
    def __init__(self, server: Server):
        self.server, self.has_ended = server, threading.Event()
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()

    def watch(self) -> None:
        while not self.has_ended.wait(0.05):
            try:
                self.server.note_memory()
            except OSError:
                pass  # the process has just ended

    def end(self) -> None:
        self.has_ended.set()
        self.thread.join()


def check_server(server: Server, failures: list[str]) -> None:
    require(server.is_alive(), f"the server ended with {server.process.poll()}: {server.log.read_text()[-1500:]}")
    require(server.peak_mib <= MEMORY_MOST_MIB, f"the server used {server.peak_mib:.0f} MiB (at most {MEMORY_MOST_MIB})")
    require(not failures, f"{len(failures)} calls of the neighbor failed, the first: {failures[:1]}")


def check_restart(server: Server) -> None:
    before = server.admin(NEIGHBOR).expect(200, "GET", "queues")["items"][0]["counts"]["pending"]
    server.restart()
    neighbor = server.admin(NEIGHBOR)
    kept = wait_until(lambda: neighbor.expect(200, "GET", "queues")["items"], "the neighbor's queue is gone")
    require(kept[0]["counts"]["pending"] >= before, "tasks of the neighbor were lost")
    neighbor.expect(201, "POST", "tasks", {"type": "note"})


def execute(attack, binary: str, store: str) -> dict:
    row = {"attack": attack.name, "store": store, "breach": "", "quiet_ms": 0.0, "attacked_ms": 0.0, "peak_mib": 0.0}
    begin = time.monotonic()
    try:
        with Server(binary, store, attack.settings) as server:
            neighbor = Neighbor(server)
            watch = MemoryWatch(server)
            try:
                time.sleep(QUIET_SECONDS)
                neighbor.next_period()
                attack.function(server)
            finally:
                watch.end()
                quiet, attacked = neighbor.end()[:2] if neighbor.process.poll() is None else ({}, {})
                row["peak_mib"] = server.peak_mib
            row["quiet_ms"], row["attacked_ms"] = p99(quiet["latencies"]), p99(attacked["latencies"])
            check_server(server, attacked["failures"])
            check_restart(server)
            row["peak_mib"] = server.peak_mib
    except (Breach, RuntimeError, OSError, ValueError, KeyError) as error:
        row["breach"] = f"{type(error).__name__}: {error}"
    row["seconds"] = time.monotonic() - begin
    return row


def show(row: dict, max_slowdown: float | None) -> bool:
    slowdown = row["attacked_ms"] / row["quiet_ms"] if row["quiet_ms"] else 0.0
    if not row["breach"] and max_slowdown and slowdown > max_slowdown:
        row["breach"] = f"the neighbor's p99 is {slowdown:.1f} times its quiet one (at most {max_slowdown:g})"
    print(f"{row['store']:<9} {row['attack']:<34} {'BROKEN' if row['breach'] else 'held':<7}"
          f"{row['quiet_ms']:8.1f} {row['attacked_ms']:8.1f} {slowdown:6.1f} {row['peak_mib']:7.0f} {row['seconds']:6.1f}", flush=True)
    if row["breach"]:
        print(f"          {row['breach']}", flush=True)
    return not row["breach"]


def main() -> None:
    attacks = cost.ATTACKS + access.ATTACKS + edges.ATTACKS
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", metavar="PAWL")
    parser.add_argument("names", nargs="*", metavar="ATTACK", help="all of them if none is named")
    parser.add_argument("--store", choices=["sqlite", "postgres", "both"], default="both")
    parser.add_argument("--max-slowdown", type=float)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_intermixed_args()
    unknown = set(options.names) - {attack.name for attack in attacks}
    if unknown:
        sys.exit(f"unknown attack {', '.join(sorted(unknown))} (expected {', '.join(attack.name for attack in attacks)})")
    stores = ["sqlite", "postgres"] if options.store == "both" else [options.store]
    print(f"{'store':<9} {'attack':<34} {'':<7}{'p99 ms':>8} {'attacked':>8} {'ratio':>6} {'MiB':>7} {'s':>6}", flush=True)
    rows = []
    held = 0
    for store in stores:
        for attack in attacks:
            if store not in attack.stores or (options.names and attack.name not in options.names):
                continue
            rows.append(execute(attack, options.binary, store))
            held += show(rows[-1], options.max_slowdown)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    print(f"{held} of {len(rows)} attacks held")
    sys.exit(0 if held == len(rows) and rows else 1)


if __name__ == "__main__":
    main()
