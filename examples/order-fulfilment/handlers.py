#!/usr/bin/env python3
"""All tasks of an order in one program: PAWL_TYPE says which one, stdin has its input, stdout takes its output.

Exit 3 is a refusal that no repetition would change; the workflow says so with non_retryable: [exit_3].
Exit 75 is tried again. With ORDER_LEDGER set, each thing that was done is a line of that file.
"""
import json
import os
import sys


def note(what):
    if "ORDER_LEDGER" in os.environ:
        with open(os.environ["ORDER_LEDGER"], "a") as ledger:
            ledger.write(what + "\n")


def refuse(why):
    print(why, file=sys.stderr)
    sys.exit(3)


def reserve(order):
    note(f"reserve {order['order']}")
    return {"order": order["order"], "reservation": "R-" + order["order"]}


def release(reserved):
    note(f"release {reserved['order']}")
    return {"released": reserved["reservation"]}


def charge(payment):
    if payment["card"] == "declined":
        refuse("the card was declined")
    if payment["card"] == "slow" and os.environ["PAWL_ATTEMPT"] == "1":
        print("the bank did not answer", file=sys.stderr)
        sys.exit(75)
    note(f"charge {payment['order']}")
    # The bank's idempotency key: the same for every attempt, so that a crash or a retry does not charge twice.
    return {"order": payment["order"], "key": os.environ["PAWL_OPERATION_KEY"]}


def refund(charged):
    note(f"refund {charged['order']}")
    return {"refunded": charged["key"]}


def ship(order):
    if order.get("address") == "nowhere":
        refuse("there is no such address")
    note(f"ship {order['order']}")
    return {"parcel": "P-" + order["order"]}


HANDLERS = {
    "inventory.reserve": reserve,
    "inventory.release": release,
    "payment.charge": charge,
    "payment.refund": refund,
    "shipping.create": ship,
}
json.dump(HANDLERS[os.environ["PAWL_TYPE"]](json.load(sys.stdin)), sys.stdout)
