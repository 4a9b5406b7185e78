#!/usr/bin/env bash
# tests/compile_errors/test.sh: compiles each file of this folder, which is wrong in the way that its name says, and checks
# that the compiler reports one error, the one that the file's first line expects.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
include=$(realpath ../../include)
failed=0

fail() { printf '%s: %s\n' "$1" "$2" >&2; failed=1; }

for file in *.cpp; do
  expected=$(sed -n '1s|^// expect: ||p' "$file")
  if said=$(g++ -std=c++20 -fsyntax-only -I"$include" "$file" 2>&1); then fail "$file" "compiles"; continue; fi
  mapfile -t errors < <(grep 'error:' <<<"$said")
  [[ ${errors[0]} == *"$expected"* ]] || fail "$file" "expected '$expected', found '${errors[0]}'"
  [[ ${#errors[@]} -eq 1 ]] || { fail "$file" "${#errors[@]} errors, not one"; printf '  %s\n' "${errors[@]}" >&2; }
done
exit "$failed"
