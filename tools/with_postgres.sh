#!/usr/bin/env bash
# tools/with_postgres.sh COMMAND [ARGS...]
#
# Runs COMMAND with a private PostgreSQL server and its connection string in PAWL_TEST_POSTGRES. The server lives in a
# temporary folder; both are removed when COMMAND ends, even if it is killed. As root, the server runs as the user
# `postgres`, because it refuses root. fsync stays on, so that tests and benchmarks are durable.
set -euo pipefail

[[ $# -gt 0 ]] || { echo "usage: tools/with_postgres.sh COMMAND [ARGS...]" >&2; exit 2; }

fail() { echo "with_postgres: $*" >&2; exit 1; }

# Debian installs the server's programs outside PATH, in a folder per version.
server_programs() {
  local newest
  newest=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
  if [[ -x $newest/initdb ]]; then echo "$newest"; return; fi
  command -v initdb >/dev/null || fail "PostgreSQL is not installed (./dev test installs it)"
  dirname "$(command -v initdb)"
}

as_server=()
user=$(id -un)
if [[ $(id -u) == 0 ]]; then
  user=postgres
  id postgres >/dev/null 2>&1 || fail "the user 'postgres' does not exist; it comes with Debian's package"
  as_server=(setpriv --reuid=postgres --regid=postgres --init-groups)
fi

programs=$(server_programs)
dir=
server=
command=

stop() {
  trap '' INT TERM HUP
  if [[ -n $command ]]; then kill -TERM -- "-$command" 2>/dev/null || true; fi
  if [[ -n $server ]]; then
    kill -INT "$server" 2>/dev/null || true  # fast shutdown: disconnects open sessions
    wait "$server" 2>/dev/null || true
  fi
  if [[ -n $dir ]]; then rm -rf "$dir"; fi
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# A Unix socket's path must fit into 107 bytes, and the server's user must be able to access it.
make_folder() {
  local parent
  for parent in "${TMPDIR:-/tmp}" /tmp; do
    dir=$(mktemp -d "$parent/pawl-postgres.XXXXXX") || continue
    if [[ $(id -u) == 0 ]]; then chown postgres: "$dir"; fi
    if [[ ${#dir} -lt 80 ]] && "${as_server[@]}" test -x "$dir"; then return; fi
    rm -rf "$dir"
  done
  dir=
  fail "no temporary folder that the server can use"
}

port_is_free() { ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

ready() {
  local i
  for ((i = 0; i < 600; ++i)); do
    "$programs/pg_isready" -q -h "$dir" -p "$1" && return 0
    kill -0 "$server" 2>/dev/null || return 1
    sleep 0.05
  done
  return 1
}

# --pdeathsig: if this script is killed before it can clean up, the server still shuts down.
start() {
  local try port
  for ((try = 0; try < 5; ++try)); do
    port=$((20000 + RANDOM % 12000))
    port_is_free "$port" || continue
    (cd "$dir" && exec setpriv --pdeathsig QUIT "${as_server[@]:1}" "$programs/postgres" -D "$dir/data" -p "$port" -k "$dir" \
      -c listen_addresses=127.0.0.1 -c max_connections=200 -c log_min_messages=warning) </dev/null >>"$dir/log" 2>&1 &
    server=$!
    if ready "$port"; then
      export PAWL_TEST_POSTGRES="host=$dir port=$port dbname=postgres user=$user password=$password"
      return
    fi
    kill -QUIT "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
    server=
  done
  cat "$dir/log" >&2
  fail "the server did not start"
}

make_folder
# The socket needs no password, because only its owner can access the folder. Others can reach the TCP port, so it does.
password=$(</proc/sys/kernel/random/uuid)
"${as_server[@]}" bash -c 'cat >"$1"' - "$dir/password" <<<"$password"
(cd "$dir" && "${as_server[@]}" "$programs/initdb" -D "$dir/data" -U "$user" -E UTF8 --locale=C.UTF-8 --no-sync \
  --auth-local=trust --auth-host=scram-sha-256 --pwfile="$dir/password") >"$dir/initdb.log" 2>&1 \
  || { cat "$dir/initdb.log" >&2; fail "initdb failed"; }
start

# A process group of its own, so that no process of the command outlives it. Unlike plain `&`, SIGINT is not ignored.
set -m
"$@" <&0 &
command=$!
set +m
status=0
wait "$command" || status=$?
exit "$status"
