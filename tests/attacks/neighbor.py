#!/usr/bin/env python3
"""neighbor.py PORT TOKEN NAMESPACE: a well-behaved client in a process of its own.

Repeatedly enqueues a task and reads the queues, until its standard input ends. Then it prints its latencies in ms and
the unexpected answers, as JSON. A line on standard input begins a new period.
"""
import json
import sys
import threading
import time

from server import Client

PAUSE = 0.01  # seconds between two calls, so that the client itself adds little load


def main() -> None:
    port, token, namespace = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    periods = [{"latencies": [], "failures": []}]
    has_ended = threading.Event()

    def read_periods() -> None:
        for _ in sys.stdin:
            periods.append({"latencies": [], "failures": []})
        has_ended.set()

    threading.Thread(target=read_periods, daemon=True).start()
    client = Client(port, token, namespace, timeout=10)
    while not has_ended.is_set():
        period = periods[-1]
        for method, path, body, status in (("POST", "tasks", {"type": "note", "payload": {"n": 1}}, 201),
                                           ("GET", "queues", None, 200)):
            begin = time.monotonic()
            try:
                answer = client.call(method, path, body)
                if answer.status != status:
                    period["failures"].append(repr(answer))
            except Exception as error:  # pylint: disable=broad-except
                period["failures"].append(repr(error))
            period["latencies"].append((time.monotonic() - begin) * 1000)
        time.sleep(PAUSE)
    print(json.dumps(periods))


main()
