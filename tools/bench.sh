#!/usr/bin/env bash
# tools/bench.sh [ARGS...]: runs `pawl bench ARGS`, or without ARGS the workloads jobs, latency and deep on SQLite and
# PostgreSQL, each with its baseline. PAWL_TEST_POSTGRES names the PostgreSQL server; tools/with_postgres.sh starts one.
set -euo pipefail
pawl=build/release/pawl

if [[ $# -gt 0 ]]; then exec "$pawl" bench "$@"; fi

dir=$(mktemp -d "${TMPDIR:-/tmp}/pawl-bench.XXXXXX")
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# Each workload starts on an empty store, so that data of the previous one does not slow it down.
for workload in jobs latency deep; do
  "$pawl" bench "$workload" --store "sqlite:$dir/$workload.db" --baseline
  createdb --maintenance-db="$PAWL_TEST_POSTGRES" "bench_$workload"
  "$pawl" bench "$workload" --store "postgres:$PAWL_TEST_POSTGRES dbname=bench_$workload" --baseline
done
