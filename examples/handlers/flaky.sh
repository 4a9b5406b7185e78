#!/bin/sh
# Fails twice for now (exit 75 is tried again), then works: the third attempt completes.
if [ "$PAWL_ATTEMPT" -lt 3 ]; then
  echo "the line is busy (attempt $PAWL_ATTEMPT)" >&2
  exit 75
fi
echo "{\"attempts\":$PAWL_ATTEMPT}"
