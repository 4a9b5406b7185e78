#!/bin/sh
# The execution key makes a repeated payment one payment.
echo "{\"paid\": true, \"key\": \"$PAWL_EXECUTION_KEY\"}"
