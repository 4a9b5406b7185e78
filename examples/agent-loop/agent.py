#!/usr/bin/env python3
"""An agent that thinks, acts and remembers in a loop, and may be killed at any moment.

After each iteration it writes down what it knows as a checkpoint of its run. When it is started again it asks
for the last `iteration_end` and goes on behind it: an iteration that was finished is never done twice. The
model is a stand-in: it proposes the next number, and the tool says whether that is prime.

Only the standard library. With AGENT_CRASHES=N the first N attempts are killed somewhere on their way.
"""
import json
import os
import random
import signal
import sys
import urllib.request

SERVER = os.environ.get("PAWL_ADDRESS", "http://127.0.0.1:7717")
CHECKPOINTS = SERVER + "/v1/" + os.environ.get("PAWL_NAMESPACE", "default") + "/checkpoints"
RUN = os.environ["PAWL_RUN_ID"]


def call(url, body=None):
    request = urllib.request.Request(url, data=None if body is None else json.dumps(body).encode())
    request.add_header("content-type", "application/json")
    if "AGENT_TOKEN" in os.environ:  # handlers do not see the worker's PAWL_TOKEN
        request.add_header("authorization", "Bearer " + os.environ["AGENT_TOKEN"])
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def note(kind, snapshot):
    maybe_die()
    call(CHECKPOINTS, {"run_id": RUN, "type": kind, "snapshot": snapshot})
    maybe_die()


def last_end():
    found = call(f"{CHECKPOINTS}?run_id={RUN}&type=iteration_end&latest=true")["items"]
    return found[0]["snapshot"] if found else {"iteration": 0, "primes": []}


# Each attempt has its own random sequence, which is the same on every replay.
FATE = random.Random(os.environ["PAWL_EXECUTION_KEY"])
IS_DOOMED = int(os.environ["PAWL_ATTEMPT"]) <= int(os.environ.get("AGENT_CRASHES", "0"))


def maybe_die():
    if IS_DOOMED and FATE.random() < 0.2:
        os.kill(os.getpid(), signal.SIGKILL)


def model(iteration):
    return {"tool": "is_prime", "number": iteration + 1}


def is_prime(number):
    return number > 1 and all(number % divisor for divisor in range(2, int(number**0.5) + 1))


def main():
    goal = json.load(sys.stdin)
    known = last_end()
    for iteration in range(known["iteration"] + 1, goal["iterations"] + 1):
        note("iteration_start", {"iteration": iteration})
        wish = model(iteration)
        note("llm_response", wish)
        found = is_prime(wish["number"])
        note("tool_executed", {"number": wish["number"], "is_prime": found})
        primes = known["primes"] + ([wish["number"]] if found else [])
        known = {"iteration": iteration, "primes": primes}
        note("iteration_end", known)
    json.dump({"primes": known["primes"]}, sys.stdout)


main()
