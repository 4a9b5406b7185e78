#!/usr/bin/env bash
# tools/with_slow_disk.sh MILLISECONDS COMMAND [ARGS...]
#
# Runs COMMAND and its child processes with slower flushes: a preloaded library sleeps after each fdatasync and fsync.
# This simulates a slow disk on any machine; everything else is unchanged.
set -euo pipefail

usage() { echo "usage: tools/with_slow_disk.sh MILLISECONDS COMMAND [ARGS...]" >&2; exit 2; }
[[ $# -ge 2 && $1 =~ ^[0-9]{1,4}$ ]] || usage
milliseconds=$1
shift

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cc -shared -fPIC -O2 -x c -o "$folder/slow_disk.so" - <<SOURCE
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

static int slowly(const char* name, int file) {
  int (*flush)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  const int result = flush(file);
  const struct timespec time = {.tv_sec = $milliseconds / 1000, .tv_nsec = $milliseconds % 1000 * 1000000L};
  nanosleep(&time, 0);
  return result;
}
int fdatasync(int file) { return slowly("fdatasync", file); }
int fsync(int file) { return slowly("fsync", file); }
SOURCE
LD_PRELOAD=$folder/slow_disk.so "$@"
