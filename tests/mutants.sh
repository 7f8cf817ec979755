#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Do the tests notice? Each row breaks one line of a copy of the sources - an identity, a carry, a tail, a rounding
# case - and at least one of the row's test programs must then fail. A row whose expression no longer changes its file,
# or whose result does not compile, is itself a failure: repair the row.
# Usage: tests/mutants.sh [NAME]    NAME: only that row
set -euo pipefail

# name | file | sed expression | test programs (names without .c)
table='
'

root=$(cd "$(dirname "$0")/.." && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
build=$copy/build
seconds=300 # for one test program: a mutation may make it run forever
passed=0
failed=0

verdict() { # passed or failed, text
    echo "mutants: $2"
    [ "$1" = passed ] && passed=$((passed + 1)) && return 0
    failed=$((failed + 1))
}

# One instruction set and little optimisation: what is tested is the tests.
configure() {
    cp -R "$root"/{CMakeLists.txt,cmake,include,src,tests} "$copy"
    mkdir -p "$copy/examples" "$copy/cli" "$copy/docs"
    cmake -S "$copy" -B "$build" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O1 -DTALLY_TESTS=ON \
        -DTALLY_HDF5=OFF -DTALLY_ONLY_ISA=base >"$copy/log" 2>&1
}

compile() { # programs...
    cmake --build "$build" --parallel "$(nproc)" --target "${@/#/test_}" >"$copy/log" 2>&1
}

# Runs the programs until one fails; prints its name.
first_failure() { # programs...
    local program
    for program in "$@"; do
        (cd "$build/tests" && timeout "$seconds" "./$program") >"$copy/log" 2>&1 || { echo "$program" && return 0; }
    done
}

try_row() { # name, file, expression, programs
    local name=$1 file=$2 expression=$3 programs noticed
    read -r -a programs <<<"$4"
    sed -i "$expression" "$copy/$file"
    if cmp -s "$root/$file" "$copy/$file"; then
        verdict failed "$name: the expression changes nothing in $file"
    elif ! compile "${programs[@]}"; then
        verdict failed "$name: does not compile"
        tail -n 5 "$copy/log"
    elif noticed=$(first_failure "${programs[@]}") && [ -n "$noticed" ]; then
        verdict passed "$name: noticed by $noticed"
    else
        verdict failed "$name: NOT NOTICED by $4"
    fi
    cp "$root/$file" "$copy/$file"
}

field() { sed 's/^[[:blank:]]*//; s/[[:blank:]]*$//' <<<"$1"; }

rows=()
while IFS= read -r row; do
    [ -n "$row" ] || continue
    [ -z "${1:-}" ] || [[ $row == "$1 "* ]] || continue
    rows+=("$row")
done <<<"$table"

configure || { cat "$copy/log" && exit 1; }
mapfile -t all < <(printf '%s\n' "${rows[@]}" | awk -F'|' '{ print $NF }' | tr -s ' ' '\n' | sed '/^$/d' | sort -u)
if [ "${#all[@]}" -gt 0 ]; then
    compile "${all[@]}" || { tail -n 20 "$copy/log" && exit 1; }
    broken=$(first_failure "${all[@]}")
    [ -z "$broken" ] || { cat "$copy/log" && echo "mutants: $broken fails before any mutation" && exit 1; }
fi
for row in "${rows[@]}"; do
    # The expression may hold "|" itself: the name and file are the first two fields, the programs the last.
    name=$(field "${row%%|*}") rest=${row#*|}
    file=$(field "${rest%%|*}") rest=${rest#*|}
    try_row "$name" "$file" "$(field "${rest%|*}")" "$(field "${rest##*|}")"
done
echo "mutants: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
