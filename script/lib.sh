# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
#
# What the scripts share: messages, installing what is missing, counting test results. Sourced, not run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=$(nproc)

say() { printf '\n== %s\n' "$*"; }
skipped() { printf '== SKIPPED: %s\n' "$*"; }
fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}
have() { [ -n "$(command -v "$1")" ]; }

# ---- Installing ----

# A need is "package command NAME", "package header NAME" or "package file GLOB"; commands and headers are looked for
# first, so that a machine that has everything never runs apt.
need_is_met() { # kind, name
    case $1 in
    command) have "$2" ;;
    header)
        have cc && printf '#include <stddef.h>\n#include <stdio.h>\n#include <%s>\n' "$2" |
            cc -E -I/usr/include/hdf5/serial - >/dev/null 2>&1
        ;;
    file) compgen -G "$2" >/dev/null ;;
    python) have python3 && python3 -c "import $2" >/dev/null 2>&1 ;;
    esac
}

missing_packages() { # needs...
    local need package kind name
    for need in "$@"; do
        read -r package kind name <<<"$need"
        need_is_met "$kind" "$name" || printf '%s\n' "$package"
    done
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif have sudo; then
        sudo "$@"
    else
        return 1
    fi
}

apt_updated=no
apt_install() { # packages...
    have apt-get || return 1
    if [ "$apt_updated" = no ]; then
        as_root apt-get update -qq || return 1
        apt_updated=yes
    fi
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" </dev/null >/dev/null
}

# Installs the packages behind unmet needs, or stops and names them.
require() { # needs...
    local packages
    mapfile -t packages < <(missing_packages "$@")
    [ "${#packages[@]}" -gt 0 ] || return 0
    say "Installing ${packages[*]}"
    apt_install "${packages[@]}" || fail "please install: ${packages[*]} (as root: apt-get install ${packages[*]})"
}

# The same for what makes the tests better but not possible.
prefer() { # needs...
    local packages
    mapfile -t packages < <(missing_packages "$@")
    [ "${#packages[@]}" -gt 0 ] || return 0
    say "Installing ${packages[*]}"
    apt_install "${packages[@]}" && return 0
    local package
    for package in "${packages[@]}"; do
        apt_install "$package" || skipped "could not install $package; what needs it is left out"
    done
}

build_needs=("gcc command cc" "libc6-dev header stdio.h" "make command make" "cmake command cmake")

# ---- Counting ----

# Reads `ctest -V` output; prints "passed failed". A test program ends with "NAME: N passed, N failed"; one that does
# not (it crashed, or it is a plain command) counts as one, and one left out as none; what was left out is in the log.
count_ctest() { # log
    awk '
        match($0, /^[0-9]+: /) { id = substr($0, 1, RLENGTH - 2) }
        /^[0-9]+: .*: [0-9]+ passed, [0-9]+ failed/ {
            n = split($0, word, " ")
            for (i = 2; i <= n; i++) {
                if (word[i] ~ /^passed,?$/) p[id] += word[i - 1]
                if (word[i] ~ /^failed,?$/) f[id] += word[i - 1]
            }
        }
        /^ *[0-9]+\/[0-9]+ Test +#[0-9]+: / {
            id = $0; sub(/^[^#]*#/, "", id); sub(/:.*/, "", id)
            if ($0 ~ /\*\*\*Skipped/) next
            ok = ($0 ~ /   Passed  /)
            if (ok && !p[id] && !f[id]) p[id] = 1
            if (!ok && !f[id]) f[id] = 1
        }
        END { for (i in p) passed += p[i]; for (i in f) failed += f[i]; print passed + 0, failed + 0 }
    ' "$1"
}

# The same for the plain output of one program that ended with the given status.
count_program() { # log, status
    awk -v status="$2" '
        /: [0-9]+ passed, [0-9]+ failed/ {
            n = split($0, word, " ")
            for (i = 2; i <= n; i++) {
                if (word[i] ~ /^passed,?$/) p += word[i - 1]
                if (word[i] ~ /^failed,?$/) f += word[i - 1]
            }
        }
        END {
            if (status != 0 && !f) f = 1
            if (status == 0 && !p && !f) p = 1
            print p + 0, f + 0
        }
    ' "$1"
}
