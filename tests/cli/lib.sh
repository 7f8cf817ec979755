# SPDX-License-Identifier: MIT
#
# lib.sh - what the cases use: run the command and show what it did, and make small binary files without NumPy.

# Shows a command line, its output, its errors and its status when that is not 0.
try() {
    local status=0
    echo "$ tally $*"
    "$TALLY" "$@" 2>&1 || status=$?
    [ $status -eq 0 ] || echo "[status $status]"
}

skip() {
    echo "$*" >&2
    exit 77
}

# little BYTES VALUE...: integers as that many bytes each, the lowest first; big: the highest first.
little() {
    local bytes=$1 value i text
    shift
    for value; do
        text=
        for ((i = 0; i < bytes; i++)); do
            text+=$(printf '\\x%02x' $(((value >> (8 * i)) & 255)))
        done
        printf "$text"
    done
}

big() {
    local bytes=$1 value i text
    shift
    for value; do
        text=
        for ((i = bytes - 1; i >= 0; i--)); do
            text+=$(printf '\\x%02x' $(((value >> (8 * i)) & 255)))
        done
        printf "$text"
    done
}

# float_bits EXPONENT_BITS FRACTION_BITS VALUE...: the bits of small whole numbers, nan, inf and -inf.
float_bits() {
    local exponent_bits=$1 fraction_bits=$2 value magnitude exponent sign
    shift 2
    local bias=$(((1 << (exponent_bits - 1)) - 1)) top=$((exponent_bits + fraction_bits))
    for value; do
        sign=0
        [ "${value:0:1}" = - ] && sign=$((1 << top)) && value=${value:1}
        if [ "$value" = inf ]; then
            echo $((sign | ((1 << exponent_bits) - 1) << fraction_bits))
        elif [ "$value" = nan ]; then
            echo $((((1 << exponent_bits) - 1) << fraction_bits | 1 << (fraction_bits - 1)))
        elif [ "$value" = 0 ]; then
            echo $sign
        else
            exponent=0
            magnitude=$value
            while ((magnitude >> (exponent + 1))); do exponent=$((exponent + 1)); done
            echo $((sign | (exponent + bias) << fraction_bits |
                (value << (fraction_bits - exponent)) & ((1 << fraction_bits) - 1)))
        fi
    done
}

f16() { little 2 $(float_bits 5 10 "$@"); }
bf16() { little 2 $(float_bits 8 7 "$@"); }
f32() { little 4 $(float_bits 8 23 "$@"); }
f64() { little 8 $(float_bits 11 52 "$@"); }

# npy_header TEXT [VERSION]: a .npy file up to its elements, with this dict.
npy_header() {
    local text=$1 version=${2:-1} prefix=10
    [ "$version" -gt 1 ] && prefix=12
    while (((${#text} + prefix + 1) % 64 != 0)); do text+=' '; done
    printf '\x93NUMPY'
    little 1 "$version" 0
    little $((prefix - 8)) $((${#text} + 1))
    printf '%s\n' "$text"
}

# npy DESCR SHAPE [True]: a .npy file whose elements are read from standard input; True is Fortran order.
npy() {
    npy_header "{'descr': '$1', 'fortran_order': ${3:-False}, 'shape': ($2), }"
    cat
}

# The elements of a .npy file that tally wrote, as hexadecimal bytes, and its header.
show_npy() {
    local length
    length=$(od -An -tu2 -j8 -N2 "$1")
    dd if="$1" bs=1 skip=10 count=$((length)) status=none | sed 's/ *$//'
    tail -c +$((length + 11)) "$1" | od -An -v -tx1
}

# The files that are left in this folder, temporary ones included.
show_files() {
    find . -mindepth 1 | sort
}
