#!/bin/sh
# The least a handler can be: payload on stdin, result on stdout.
read -r payload
printf '{"greeting":"hello","to":%s}\n' "${payload:-null}"
