#!/bin/sh
# Fails twice (exit code 75 is retried), then succeeds: the third attempt completes.
if [ "$PAWL_ATTEMPT" -lt 3 ]; then
  echo "the line is busy (attempt $PAWL_ATTEMPT)" >&2
  exit 75
fi
echo "{\"attempts\":$PAWL_ATTEMPT}"
