#!/bin/sh
# A minimal handler: payload on stdin, result on stdout.
read -r payload
printf '{"greeting":"hello","to":%s}\n' "${payload:-null}"
