#!/usr/bin/env bash
# fuzz.sh PROGRAM [--seconds N] [TARGET...]: runs each target for its share of the time (60 s in total by default).
# build/fuzz/corpus keeps inputs that reached new code, as seeds for the next run. Inputs that fail, or that take more
# than 50 ms of CPU time or 64 MiB, are reported and kept in build/fuzz/found.
set -euo pipefail
program=$1
shift
seconds=60
targets=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --seconds) seconds=${2:?--seconds needs a number}; shift ;;
    --seconds=*) seconds=${1#*=} ;;
    *) targets+=("$1") ;;
  esac
  shift
done
if [[ ! $seconds =~ ^[1-9][0-9]*$ ]]; then echo "fuzz.sh: --seconds must be a number above 0, not '$seconds'" >&2; exit 2; fi
mapfile -t known < <("$program" list)
if [[ ${#targets[@]} -eq 0 ]]; then targets=("${known[@]}"); fi
for target in "${targets[@]}"; do
  if [[ " ${known[*]} " != *" $target "* ]]; then
    printf "fuzz.sh: there is no target '%s'; there are: %s\n" "$target" "${known[*]}" >&2
    exit 2
  fi
done

share=$((seconds / ${#targets[@]}))
if ((share < 1)); then share=1; fi
mkdir -p build/fuzz/found
status=0
for target in "${targets[@]}"; do
  corpus=build/fuzz/corpus/$target
  mkdir -p "$corpus"
  export PAWL_FUZZ_TARGET=$target
  "$program" seeds "$corpus"
  if output=$("$program" "$corpus" -max_total_time="$share" -timeout=5 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="build/fuzz/found/$target-" 2>&1); then
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' <<<"$output")
    most=$(sed -n 's/^fuzz: most: *//p' <<<"$output")
    printf '%-12s %9s inputs, %5s kept, at most %s, nothing found\n' "$target" "$runs" "$(find "$corpus" -type f | wc -l)" "$most"
  else
    status=1
    printf '%-12s FAILED\n%s\n' "$target" "$(tail -40 <<<"$output")"
  fi
done
exit "$status"
