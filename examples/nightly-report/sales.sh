#!/bin/sh
# The sales of a region on a day; here a number derived from the region's name.
region=$(sed 's/.*"region"[^"]*"\([^"]*\)".*/\1/')
printf '%s' "$region" | cksum | awk '{ print $1 % 1000 }'
