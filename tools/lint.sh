#!/usr/bin/env bash
# tools/lint.sh BUILD_DIR [JOBS]: clang-tidy over our own sources of a finished build.
#
# A source that passed is not checked again until it changes. What counts as a change: the source, a header of ours
# that it includes (Ninja knows them from the build), its compile command, the checks, the version of clang-tidy. Where
# the sources lie is none: all clones of a user share the verdicts, as they share what ccache keeps.
set -euo pipefail
root=$PWD
cd "$1"
jobs=${2:-$(nproc)}
tidy=clang-tidy-16
verdicts=${XDG_CACHE_HOME:-$HOME/.cache}/pawl-lint
mkdir -p "$verdicts"  # an empty file for each verdict "passed", named by its key
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The compile commands with each source once: one that is built into two programs is checked as it is built first.
each_source_once() {
  awk 'BEGIN { print "[" }
    /^  "directory":/ { directory = $0 }
    /^  "command":/   { command = $0 }
    /^  "file":/      { sub(/,$/, ""); if (!seen[$0]++) { print separator "{\n" directory "\n" command "\n" $0 "\n}"; separator = "," } }
    END { print "]" }' compile_commands.json
}

# "object<TAB>source<TAB>compile command" for each source that is ours.
units() {
  awk -v root="$root/" '
    /^  "command":/ { command = $0; match(command, / -o [^ ]+/); object = substr(command, RSTART + 4, RLENGTH - 4) }
    /^  "file":/ {
      path = $2; gsub(/[",]/, "", path)
      if (index(path, root) == 1 && substr(path, length(root) + 1) ~ /^(src|bench|examples|tests|tools)\//)
        print object "\t" path "\t" command
    }' "$work/compile_commands.json"
}

# "object<TAB>file" for each file of ours that the object was built from; paths outside of the build are absolute.
dependencies() {
  ninja -t deps | awk -v root="$root/" '
    /^[^ ]/ { object = $0; sub(/: #deps.*/, "", object) }
    /^ /    { sub(/^ +/, ""); if (!/^\// || index($0, root) == 1) print object "\t" $0 }'
}

# "key source" for each unit: the key is the hash of all that the verdict depends on.
keys() {
  local common object source command
  common=$({ "$tidy" --version; cat "$root/.clang-tidy"; } | sha256sum)
  declare -A inputs=()
  while IFS=$'\t' read -r object hashes; do inputs[$object]=$hashes; done < <(
    awk -F'\t' 'NR == FNR { hash[substr($0, 67)] = substr($0, 1, 64); next }
                { all[$1] = all[$1] " " hash[$2] } END { for (o in all) print o "\t" all[o] }' \
      <(cut -f2 "$work/dependencies" | sort -u | xargs -d '\n' -r sha256sum) "$work/dependencies")
  while IFS=$'\t' read -r object source command; do
    command=${command//$root/}
    printf '%s %s\n' "$(printf '%s' "$common$command${inputs[$object]:-unbuilt}" | sha256sum | cut -c1-64)" "$source"
  done < <(units)
}

# The compiler's warnings are g++'s to give; what clang thinks of the same flags is no fault of the code.
check() {
  local key=$1 source=$2 out
  if out=$("$tidy" -p "$work" --quiet --extra-arg=-Wno-error "$source" 2>"$work/stderr.$$"); then
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
dependencies >"$work/dependencies"
keys >"$work/keys"
# What was written last comes first: that is where the mistakes are.
while read -r _ key source; do
  if [[ -e $verdicts/$key ]]; then touch "$verdicts/$key"; else printf '%s\0%s\0' "$key" "$source"; fi
done < <(while read -r key source; do printf '%s %s %s\n' "$(stat -c %Y "$source")" "$key" "$source"; done <"$work/keys" | sort -rn) >"$work/todo"
find "$verdicts" -type f -mtime +30 -delete

total=$(wc -l <"$work/keys")
count=$(($(tr -cd '\0' <"$work/todo" | wc -c) / 2))
echo "$count of $total sources to check, the others have not changed since they passed"
xargs -0 -r -n 2 -P "$jobs" bash -c 'check "$@"' - <"$work/todo" || { echo "clang-tidy found the above" >&2; exit 1; }
