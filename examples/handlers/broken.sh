#!/bin/sh
# Never works: ends among the dead letters.
echo "no such account" >&2
exit 1
