#!/bin/sh
# Stands for the message to the one who decides.
echo '{"asked": "the head of the team"}'
