#!/usr/bin/env bash
# examples/sdk/kill_everywhere.sh [BUILD]
#
# Extracts the C++ program from README.md, builds it against the SDK of BUILD (default: build/release) and
# runs it without a crash. Then runs it again for every line of its ledger: kills it with -9 as soon as that
# line is written, and restarts it. Prints the ledgers. Fails if the output ever differs or a finished step is
# repeated.
set -euo pipefail
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
build=$(realpath "${1:-$root/build/release}")
dir=$(mktemp -d)
program=
trap 'kill -9 $program 2>/dev/null || true; rm -rf "$dir"' EXIT

cmake --install "$build" --component sdk --prefix "$dir/pawl" >/dev/null
PKG_CONFIG_PATH=$(dirname "$(find "$dir/pawl" -name pawl.pc)")
export PKG_CONFIG_PATH
sed -n '/^```cpp$/,/^```$/p' "$root/README.md" | sed '/^```/d' >"$dir/shop.cpp"
# shellcheck disable=SC2046
g++ -std=c++20 "$dir/shop.cpp" $(pkg-config --cflags --libs pawl) -o "$dir/shop"

run_in() { (cd "$1" && exec "$dir/shop" 2>/dev/null); }
fail() { echo "kill_everywhere: $*" >&2; exit 1; }

mkdir "$dir/whole"
said=$(run_in "$dir/whole")
mapfile -t lines <"$dir/whole/ledger.txt"
echo "whole: $said"
printf '  %s\n' "${lines[@]}"

for ((at = 1; at <= ${#lines[@]}; ++at)); do
  place=$dir/killed-$at
  mkdir "$place"
  run_in "$place" >/dev/null &
  program=$!
  until [[ -f $place/ledger.txt && $(wc -l <"$place/ledger.txt") -ge $at ]]; do
    kill -0 "$program" 2>/dev/null || break
  done
  kill -9 "$program" 2>/dev/null || true
  wait "$program" 2>/dev/null || true
  again=$(run_in "$place")
  echo "killed at '${lines[at - 1]}', started again: $again"
  sed 's/^/  /' "$place/ledger.txt"
  [[ $again == "$said" ]] || fail "it said '$said' before"
  # Only the step that was running at the kill may appear twice.
  [[ $(uniq "$place/ledger.txt") == "$(printf '%s\n' "${lines[@]}")" ]] || fail "the ledger is another one"
  [[ $(wc -l <"$place/ledger.txt") -le $((${#lines[@]} + 1)) ]] || fail "a finished step was done again"
done
