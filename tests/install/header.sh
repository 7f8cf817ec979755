#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# The public header compiles alone, without a warning, as C11 and as C++.
# Usage: header.sh C_COMPILER INCLUDE_DIR
set -euo pipefail

cc=$1
include=$2
passed=0
failed=0
warnings=(-Wall -Wextra -Wpedantic -Werror -Wconversion -Wstrict-prototypes)

check() { # name, compiler and flags...
    local name=$1
    shift
    if printf '#include <tally.h>\ntally_options options = TALLY_OPTIONS_INIT;\n' | "$@" -fsyntax-only -I "$include" -; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "header does not compile as $name" >&2
    fi
}

check C11 "$cc" -x c -std=c11 "${warnings[@]}"
check C17 "$cc" -x c -std=c17 "${warnings[@]}"
cxx=$(command -v c++ || command -v g++ || command -v clang++ || true)
if [ -n "$cxx" ]; then
    for standard in c++11 c++17 c++20; do
        check "$standard" "$cxx" -x c++ -std=$standard "${warnings[@]:0:4}"
    done
else
    echo "header: SKIPPED the C++ part: no C++ compiler (Debian: apt install g++)"
fi
echo "build_header: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
