#!/bin/sh
# Always fails, so the task becomes a dead letter.
echo "no such account" >&2
exit 1
