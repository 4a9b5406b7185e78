#!/usr/bin/env bash
# tools/with_pgbouncer.sh COMMAND [ARGS...]
#
# Runs COMMAND with PgBouncer, in transaction pooling mode, between it and the PostgreSQL of PAWL_TEST_POSTGRES
# (tools/with_postgres.sh starts one). Consecutive transactions use different server connections if any are free, so
# that code that relies on session state fails immediately. PgBouncer and its folder are removed when COMMAND ends.
set -euo pipefail

[[ $# -gt 0 ]] || { echo "usage: tools/with_pgbouncer.sh COMMAND [ARGS...]" >&2; exit 2; }

fail() { echo "with_pgbouncer: $*" >&2; exit 1; }

PATH=$PATH:/usr/sbin
command -v pgbouncer >/dev/null || fail "PgBouncer is not installed (./dev test installs it)"
server=${PAWL_TEST_POSTGRES:?is not set: run this below tools/with_postgres.sh}
part() { sed -E "s/.*\b$1=([^ ]*).*/\1/" <<<"$server"; }

as_pooler=()
if [[ $(id -u) == 0 ]]; then as_pooler=(--reuid=postgres --regid=postgres --init-groups); fi  # it refuses root

dir=$(mktemp -d "${TMPDIR:-/tmp}/pawl-pgbouncer.XXXXXX")
pooler=
stop() {
  if [[ -n $pooler ]]; then
    kill -TERM "$pooler" 2>/dev/null || true
    wait "$pooler" 2>/dev/null || true
  fi
  rm -rf "$dir"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# Clients connect through a socket in a folder that only its owner can access, so no password and port are needed.
echo "\"$(part user)\" \"\"" >"$dir/users"
cat >"$dir/pgbouncer.ini" <<INI
[databases]
* = host=$(part host) port=$(part port)
[pgbouncer]
listen_port = 6432
unix_socket_dir = $dir
auth_type = trust
auth_file = $dir/users
pool_mode = transaction
default_pool_size = 10
server_round_robin = 1
max_client_conn = 500
INI
if [[ $(id -u) == 0 ]]; then chown -R postgres: "$dir"; fi

start() {
  local i
  setpriv --pdeathsig TERM "${as_pooler[@]}" "$(command -v pgbouncer)" -q "$dir/pgbouncer.ini" </dev/null >"$dir/log" 2>&1 &
  pooler=$!
  for ((i = 0; i < 600; ++i)); do
    if [[ -S $dir/.s.PGSQL.6432 ]]; then
      export PAWL_TEST_POSTGRES="host=$dir port=6432 dbname=postgres user=$(part user)"
      return
    fi
    kill -0 "$pooler" 2>/dev/null || break
    sleep 0.05
  done
  cat "$dir/log" >&2
  fail "PgBouncer did not start"
}

start
status=0
"$@" || status=$?
exit "$status"
