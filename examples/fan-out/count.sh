#!/bin/sh
# The words of one text: a JSON string comes in, a number goes out.
tr -d '"' | wc -w
