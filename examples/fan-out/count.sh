#!/bin/sh
# Counts the words of one text: reads a JSON string, prints a number.
tr -d '"' | wc -w
