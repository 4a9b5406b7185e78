#!/bin/sh
# The words of one text: a JSON string comes in, a number goes out.
wc -w
