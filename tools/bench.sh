#!/usr/bin/env bash
# tools/bench.sh [ARGS...]: `pawl bench ARGS`, or without ARGS every workload on SQLite and PostgreSQL, each beside its
# baseline. PAWL_TEST_POSTGRES names the PostgreSQL server to use; tools/with_postgres.sh starts one.
set -euo pipefail
pawl=build/release/pawl

if [[ $# -gt 0 ]]; then exec "$pawl" bench "$@"; fi

dir=$(mktemp -d "${TMPDIR:-/tmp}/pawl-bench.XXXXXX")
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# Each starts on an empty store, so that none is slowed by what the one before has left.
for workload in jobs latency deep; do
  "$pawl" bench "$workload" --store "sqlite:$dir/$workload.db" --baseline
  createdb --maintenance-db="$PAWL_TEST_POSTGRES" "bench_$workload"
  "$pawl" bench "$workload" --store "postgres:$PAWL_TEST_POSTGRES dbname=bench_$workload" --baseline
done
