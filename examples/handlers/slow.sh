#!/bin/sh
# Runs long enough to kill its worker or the server meanwhile.
sleep 20
echo '"slept well"'
