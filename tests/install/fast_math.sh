#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Configuring with a flag that lets the compiler change floating-point results stops with a message that names it.
# Usage: fast_math.sh SOURCE_DIR C_COMPILER
set -euo pipefail

source_dir=$1
cc=$2
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
passed=0
failed=0

for flag in -ffast-math -Ofast -funsafe-math-optimizations -fassociative-math; do
    if cmake -S "$source_dir" -B "$temporary/build" -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS="-O2 $flag" \
        -DTALLY_TESTS=OFF >"$temporary/log" 2>&1; then
        echo "configure accepted $flag" >&2
        failed=$((failed + 1))
    elif ! grep -q -e "cannot be built with $flag" "$temporary/log"; then
        echo "configure failed with $flag, but did not say why" >&2
        failed=$((failed + 1))
    else
        passed=$((passed + 1))
    fi
    rm -rf "$temporary/build"
done
echo "build_fast_math: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
