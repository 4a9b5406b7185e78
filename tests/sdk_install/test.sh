#!/usr/bin/env bash
# tests/sdk_install/test.sh BUILD: installs the SDK of BUILD into a temporary folder, builds this project against what was
# installed, by CMake and by pkg-config, and runs it.
set -euo pipefail
build=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

expect() {
  local said
  said=$("$1")
  [[ $said == 42 ]] || { echo "$1 said '$said', not 42" >&2; exit 1; }
}

cmake --install "$build" --component sdk --prefix "$dir/pawl" >/dev/null
cmake -G Ninja -S . -B "$dir/build" -DCMAKE_PREFIX_PATH="$dir/pawl" >/dev/null
cmake --build "$dir/build" >/dev/null
expect "$dir/build/sample"

# Packages that are not there are named together.
said=$(cmake -G Ninja -S . -B "$dir/missing" -DCMAKE_PREFIX_PATH="$dir/pawl" -DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON \
  -DCMAKE_DISABLE_FIND_PACKAGE_date=ON 2>&1) && { echo "configured without fmt and date" >&2; exit 1; }
said=$(tr -s '[:space:]' ' ' <<<"$said")
for expected in 'did not find: fmt, date.' 'apt-get install libfmt-dev libhowardhinnant-date-dev'; do
  [[ $said == *"$expected"* ]] || { echo "CMake did not say '$expected': $said" >&2; exit 1; }
done

PKG_CONFIG_PATH=$(dirname "$(find "$dir/pawl" -name pawl.pc)")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046
g++ main.cpp $(pkg-config --cflags --libs pawl) -o "$dir/by_pkg_config"
expect "$dir/by_pkg_config"
echo "built and run against the installed package"
