#!/usr/bin/env bash
# tools/run_examples.sh PAWL [DEV ARGS...]: runs pawl dev with the example handlers, a few tasks and a few runs of the
# example workflows, until Ctrl-C.
set -euo pipefail

pawl=$1
shift
handlers=()
for script in examples/handlers/*.sh; do
  name=$(basename "$script" .sh)
  handlers+=(--handle "example.$name=$script")
done
# The handlers of the example workflows, taken from their README pages.
while read -r handle; do handlers+=(--handle "$handle"); done < <(
  sed -n "s/--handle '\([^']*\)'/\n\1\n/gp" examples/*/README.md | grep '=examples/')

# Ctrl-C goes to all processes of the terminal: pawl dev ends on its own, and this script waits for it.
trap ':' INT
trap 'kill -TERM "$dev" 2>/dev/null || true' TERM
said=$(mktemp)
trap 'rm -f "$said"' EXIT
"$pawl" dev "${handlers[@]}" "$@" >"$said" &
dev=$!
until grep -q '^stop' "$said"; do
  kill -0 "$dev" 2>/dev/null || { wait "$dev"; exit 1; }
  sleep 0.05
done
cat "$said"

PAWL_ADDRESS=$(sed -n 's/^server *//p' "$said")
export PAWL_ADDRESS
enqueue() { "$pawl" task enqueue "$@" >/dev/null; }
for name in ada bob eve; do enqueue example.greet "{\"name\":\"$name\"}" --label tour=1; done
enqueue example.flaky --label tour=1
enqueue example.broken --max-attempts 2 --label tour=1
enqueue example.slow --label tour=1
for step in packed shipped delivered; do enqueue example.greet "\"$step\"" --key order-7 --label tour=1; done

for file in examples/*/*.yaml; do "$pawl" workflow apply "$file" >/dev/null; done
start() { "$pawl" run start "$@" --label tour=1 >/dev/null; }
start order-fulfilment '{"order":"A-1","card":"good"}'
start order-fulfilment '{"order":"A-2","card":"declined"}'
start order-fulfilment '{"order":"A-3","card":"good","address":"nowhere"}'
start word-count '{"texts":["to be or not to be","that is the question",""]}'
start nightly-report '{"day":"2026-01-29","regions":["north","south","west"]}'
start expense-approval '{"amount":250}'

cat <<TEXT

Nine tasks are in it: greetings, one that fails twice and then works, one that never works, one that takes 20 s,
and three of one order, done strictly in turn. And six runs of the workflows in examples/: an order that goes well and two
that are undone, a fan-out, a report with child runs, and an expense that waits for an approval. In another terminal:

  export PAWL_ADDRESS=$PAWL_ADDRESS
  $pawl task list                        # what became of them
  $pawl top                              # live
  $pawl run list                         # the runs; then: run show ID, run watch ID, run events ID
  $pawl run start order-fulfilment '{"order":"A-4","card":"declined"}' --wait
  $pawl run signal ID decision '{"ok":true}'   # to the run of expense-approval
  $pawl task enqueue example.greet '"you"'
  $pawl task dead                        # the one that never works, and its error
  curl -s \$PAWL_ADDRESS/v1/default/queues
TEXT

# A signal interrupts `wait`, but pawl dev needs time for its handlers: wait until it has ended.
while true; do
  status=0
  wait "$dev" || status=$?
  kill -0 "$dev" 2>/dev/null || break
done
if ((status > 128)); then status=0; fi
exit "$status"
