#!/usr/bin/env python3
"""Adds up the regions and says what the report would say."""
import json
import sys

report = json.load(sys.stdin)
total = sum(region["sales"] for region in report["regions"])
names = ", ".join(region["region"] for region in report["regions"])
json.dump({"day": report["day"], "total": total, "title": f"Sales of {names}"}, sys.stdout)
