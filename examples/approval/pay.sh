#!/bin/sh
# The operation key is the same for every attempt, so the bank takes a repeated payment for the same payment.
echo "{\"paid\": true, \"key\": \"$PAWL_OPERATION_KEY\"}"
