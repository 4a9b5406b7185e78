#!/bin/sh
# Stands for a message to the approver.
echo '{"asked": "the head of the team"}'
