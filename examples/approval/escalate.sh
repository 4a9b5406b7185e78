#!/bin/sh
# Nobody answered in time.
echo '{"escalated_to": "the board"}'
