#!/bin/sh
# Sums an array of numbers.
tr -c '0-9' '\n' | awk '{ sum += $1 } END { print sum + 0 }'
