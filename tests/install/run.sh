#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Installs the build into a temporary prefix and uses it as others would: through find_package, through pkg-config, and
# as a command with a manual page.
# Usage: run.sh BUILD_DIR C_COMPILER
set -euo pipefail

build=$1
cc=$2
here=$(cd "$(dirname "$0")" && pwd)
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
prefix=$temporary/prefix
passed=0
failed=0

check() { # name, command...
    local name=$1
    shift
    if "$@" >"$temporary/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "install: $name failed:" >&2
        cat "$temporary/log" >&2
    fi
}

prints() { # expected, command...
    local expected=$1 got
    shift
    got=$("$@") || return 1
    [ "$got" = "$expected" ] || { echo "expected '$expected', got '$got'" && return 1; }
}

find_one() { # pattern: exactly one such file under the prefix
    [ "$(find "$prefix" -path "$1" | wc -l)" -eq 1 ] || { echo "not one $1" && find "$prefix" && return 1; }
}

build_consumer() {
    cmake -S "$here" -B "$temporary/consumer" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" &&
        cmake --build "$temporary/consumer"
}

build_by_pkg_config() {
    local flags
    read -r -a flags <<<"$(pkg-config --cflags --libs tally)"
    "$cc" "$here/consumer.c" -o "$temporary/by_pkg_config" "${flags[@]}"
}

check "cmake --install" cmake --install "$build" --prefix "$prefix"
version=$(sed -n 's/^Version: //p' "$build/tally.pc")
for pattern in "*/include/tally.h" "*/libtally.a" "*/libtally.so.0" "*/libtally.so.$version" "*/pkgconfig/tally.pc" \
    "*/bin/tally" "*/man/man1/tally.1"; do
    check "installed $pattern" find_one "$pattern"
done
library_dir=$(dirname "$(find "$prefix" -name libtally.so.0)")
export LD_LIBRARY_PATH=$library_dir PKG_CONFIG_PATH=$library_dir/pkgconfig

check "find_package" build_consumer
check "tally::tally" prints "$version 1" "$temporary/consumer/consumer_shared"
check "tally::static" prints "$version 1" env -u LD_LIBRARY_PATH "$temporary/consumer/consumer_static"
if command -v pkg-config >"$temporary/log"; then
    check "pkg-config" build_by_pkg_config
    check "program built by pkg-config" prints "$version 1" "$temporary/by_pkg_config"
else
    echo "install: SKIPPED the pkg-config part: no pkg-config (Debian: apt install pkg-config)"
fi
check "installed command" prints 1 sh -c "printf '1e100 1 -1e100' | env -u LD_LIBRARY_PATH '$prefix/bin/tally' sum -"

echo "build_install: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
