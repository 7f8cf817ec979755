#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Golden tests of the command: run.sh [--refresh] TALLY [NAME...]
# Each cases/NAME.sh runs in an empty folder. Its standard output must equal NAME.stdout; its standard error must match
# NAME.stderr line by line, where * ? and [...] are patterns (none: must be empty); its status must be the number in
# NAME.status (none: 0). A case that cannot run here calls skip. --refresh writes what was seen into those files.
set -u
here=$(cd "$(dirname "$0")" && pwd)
refresh=no
if [ "${1:-}" = --refresh ]; then
    refresh=yes
    shift
fi
if [ $# -lt 1 ] || [ ! -x "$1" ]; then
    echo "usage: run.sh [--refresh] TALLY [NAME...]" >&2
    exit 2
fi
TALLY=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
export TALLY LC_ALL=C
work=$(mktemp -d "${TMPDIR:-/tmp}/tally-cli.XXXXXX")
trap 'rm -rf "$work"' EXIT
# What is shown must not depend on the GPUs and libraries of this machine, nor on the user's cache. The build's tests have
# a cache of their own, which spares them the compiler.
export TALLY_CUDA_DRIVER=/nonexistent/libcuda.so TALLY_NVRTC=/nonexistent/libnvrtc.so
export TALLY_CACHE_DIR=${TALLY_TEST_CACHE:-$work/cache}
passed=0 failed=0 skipped=0

# Compares line by line with patterns.
matches() {
    local expected actual
    while IFS= read -r -u 3 expected; do
        IFS= read -r -u 4 actual || return 1
        # shellcheck disable=SC2053
        [[ $actual == $expected ]] || return 1
    done 3<"$1" 4<"$2"
    [ "$(wc -l <"$1")" -eq "$(wc -l <"$2")" ]
}

keep() { # keep SEEN GOLDEN: an empty file is kept as no file
    if [ -s "$1" ]; then cp "$1" "$2"; else rm -f "$2"; fi
}

complain() {
    echo "FAIL $1: $2"
    failed=$((failed + 1))
}

run_case() {
    local name=$1 golden=$here/cases/$1 seen=$work/$1 status wanted=0
    mkdir -p "$seen.d"
    (cd "$seen.d" && timeout 60 bash -c '. "$1/lib.sh"; . "$2"' case "$here" "$golden.sh") >"$seen.out" 2>"$seen.err" </dev/null
    status=$?
    if [ $status -eq 77 ]; then
        echo "SKIPPED $name: $(tail -n 1 "$seen.err")"
        skipped=$((skipped + 1))
        return
    fi
    if [ $refresh = yes ]; then
        keep "$seen.out" "$golden.stdout"
        matches "$golden.stderr" "$seen.err" 2>/dev/null || keep "$seen.err" "$golden.stderr"
        if [ $status -ne 0 ]; then echo $status >"$golden.status"; else rm -f "$golden.status"; fi
        return
    fi
    [ -f "$golden.status" ] && wanted=$(cat "$golden.status")
    touch "$seen.none"
    local expected_out=$seen.none expected_err=$seen.none
    [ -f "$golden.stdout" ] && expected_out=$golden.stdout
    [ -f "$golden.stderr" ] && expected_err=$golden.stderr
    if [ "$status" != "$wanted" ]; then
        complain "$name" "status $status instead of $wanted"
        sed 's/^/    /' "$seen.err"
    elif ! cmp -s "$expected_out" "$seen.out"; then
        complain "$name" "standard output differs"
        diff -u "$expected_out" "$seen.out" | sed 's/^/    /' | head -n 40
    elif ! matches "$expected_err" "$seen.err"; then
        complain "$name" "standard error differs"
        diff -u "$expected_err" "$seen.err" | sed 's/^/    /' | head -n 40
    else
        passed=$((passed + 1))
    fi
}

if [ $# -eq 0 ]; then
    for file in "$here"/cases/*.sh; do
        set -- "$@" "$(basename "$file" .sh)"
    done
fi
for name; do
    run_case "$name"
done
echo "cli: $passed passed, $failed failed$([ $skipped -gt 0 ] && echo ", $skipped SKIPPED")"
[ $failed -eq 0 ]
