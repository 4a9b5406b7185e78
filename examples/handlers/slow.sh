#!/bin/sh
# Long enough to kill something meanwhile.
sleep 20
echo '"slept well"'
