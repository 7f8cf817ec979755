#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# The shared library exports the functions that the header declares, and nothing else.
# Usage: symbols.sh LIBTALLY.SO TALLY.H
set -euo pipefail

library=$1
header=$2
passed=0
failed=0

verdict() { # text, failed lines
    if [ -z "$2" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf '%s:\n%s\n' "$1" "$2" >&2
    fi
}

exported=$(nm -D --defined-only "$library" | awk '{print $NF}' | sort -u)
declared=$(sed -n 's/^TALLY_API .*[ *]\(tally_[a-z0-9_]*\)(.*/\1/p' "$header" | sort -u)

verdict "exported but not declared in tally.h" "$(comm -23 <(echo "$exported") <(echo "$declared"))"
verdict "declared in tally.h but not exported" "$(comm -13 <(echo "$exported") <(echo "$declared"))"
verdict "soname is not libtally.so.0" "$(readelf -d "$library" | grep SONAME | grep -v '\[libtally\.so\.0\]' || true)"
# Instrumented or not, users must not need anything beyond the C library.
verdict "libraries needed beyond the C library" \
    "$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vE '^(libc|libm|libpthread|ld-linux[-a-z0-9_]*)\.so' || true)"

echo "build_symbols: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
