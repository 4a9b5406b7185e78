#!/usr/bin/env bash
# tools/lint.sh BUILD_DIR [JOBS]: runs clang-tidy on our sources, with the compile commands of BUILD_DIR.
#
# The sources of a folder are checked together, as they are compiled together: most of a check's time is spent on the
# headers that they share. A source that passed is checked again only when one of our files that it includes, its compile
# command, the checks or the version of clang-tidy change. The location of the sources does not matter: all clones of a
# user share the verdicts, as they share ccache's cache.
set -euo pipefail
root=$PWD
cd "$1"
jobs=${2:-$(nproc)}
tidy=clang-tidy-16
verdicts=${XDG_CACHE_HOME:-$HOME/.cache}/pawl-lint
mkdir -p "$verdicts"  # an empty file per passed check, named by its key
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The compile commands with each source once: a source built into two programs is checked with its first command.
each_source_once() {
  awk 'BEGIN { print "[" }
    /^  "directory":/ { directory = $0 }
    /^  "command":/   { command = $0 }
    /^  "file":/      { sub(/,$/, ""); if (!seen[$0]++) { print separator "{\n" directory "\n" command "\n" $0 "\n}"; separator = "," } }
    END { print "]" }' compile_commands.json
}

# -Wno-error: g++ reports compiler warnings; clang's warnings for the same flags must not fail the check. -Wno-shadow:
# clang, unlike g++, compares names across the sources that are checked together.
check() {
  local key=$1 source=$2 out
  if out=$("$tidy" -p "$work" --quiet --extra-arg=-Wno-error --extra-arg=-Wno-shadow "$source" 2>"$work/stderr.$$"); then
    [[ -z $out ]] || printf '%s\n' "$out"
    : >"$verdicts/$key"
  else
    printf '%s\n' "$out" "$(grep -v 'warnings\? generated\|^Suppressed\|^Use -header' "$work/stderr.$$")"
    return 1
  fi
}
export -f check
export tidy work verdicts

each_source_once >"$work/compile_commands.json"
{ "$tidy" --version; cat "$root/.clang-tidy"; } >"$work/common"
"$root/tools/lint_keys.py" "$root" "$work/compile_commands.json" "$work/common" >"$work/keys"
while read -r key source; do
  if [[ -e $verdicts/$key ]]; then touch "$verdicts/$key"; else printf '%s\0%s\0' "$key" "$source"; fi
done <"$work/keys" >"$work/todo"
find "$verdicts" -type f -mtime +30 -delete

total=$(wc -l <"$work/keys")
count=$(($(tr -cd '\0' <"$work/todo" | wc -c) / 2))
echo "$count of $total sources to check, the others have not changed since they passed"
xargs -0 -r -n 2 -P "$jobs" bash -c 'check "$@"' - <"$work/todo" || { echo "clang-tidy found the above" >&2; exit 1; }
