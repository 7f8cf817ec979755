#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# tally life beside bgolly (Debian: golly): the same cells after the same generations, on tori, dead planes and for
# several rules; and bgolly reads what tally writes. golly.sh TALLY; leaves itself out (77) where there is no bgolly.
set -u
TALLY=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
command -v bgolly >/dev/null || {
    echo "golly: SKIPPED, no bgolly (Debian: apt install golly)"
    exit 77
}
work=$(mktemp -d "${TMPDIR:-/tmp}/tally-golly.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0

# The cells of a file, without where they lie: bgolly does not say that of worlds with edges.
cells_of() { "$TALLY" life "$1" -q -o "$2"; }

compare() { # name, file of bgolly's, file of tally's
    if cells_of "$2" golly.cells && cells_of "$3" tally.cells && cmp -s golly.cells tally.cells; then
        passed=$((passed + 1))
    else
        echo "FAIL $1"
        failed=$((failed + 1))
    fi
}

run_both() { # name, start.rle, generations
    bgolly -q -q -m "$3" -o golly.rle "$2" >golly.log 2>&1 || tail -n 1 golly.log
    "$TALLY" life "$2" -q -m "$3" -o tally.rle
    compare "$1" golly.rle tally.rle
}

seed=1
for rule in B3/S23 B36/S23 B2/S B3678/S34678 B1357/S1357 B35678/S5678 B3/S012345678 B4678/S35678; do
    for world in T30,20 P30,20 T65,33 P128,7 T64,64 P64,64 T127,3 T200,61; do
        size=${world:1}
        "$TALLY" life --soup 0.4 --seed $seed -r "$rule:$world" -q -o start.rle
        run_both "$rule:$world after 100" start.rle 100
        run_both "$rule:$world after 7" start.rle 7
        seed=$((seed + 1))
    done
done

# Rules that bring empty space to life: bgolly turns dead and alive round in every other generation.
for rule in B0/S B03/S23 B02468/S1357 B01245/S0125; do
    for world in T30,20 T65,33 T128,7; do
        "$TALLY" life --soup 0.4 --seed $seed -r "$rule:$world" -q -o start.rle
        run_both "$rule:$world after 8" start.rle 8
        seed=$((seed + 1))
    done
done

# Without edges there, and with edges that are not reached here.
printf 'x = 3, y = 3, rule = B3/S23\nb2o$2o$bo!\n' >r.rle
run_both "R-pentomino" r.rle 200
for ending in rle cells lif mc rle.gz mc.gz; do
    "$TALLY" life --soup 0.3 --seed 5 --torus 100,90 -r B36/S23 -q -o "soup.$ending"
    rm -f golly.rle
    bgolly -q -q -a HashLife -m 0 -o golly.rle "soup.$ending" >golly.log 2>&1
    compare "bgolly reads .$ending" golly.rle soup.rle
done
bgolly -q -q -a HashLife -m 60 -o golly.mc r.rle >golly.log 2>&1
"$TALLY" life r.rle -q -m 60 -o tally.rle
compare "tally reads bgolly's .mc" golly.mc tally.rle

# Where cells lie in macrocells: beside others, read and written, a generation later and many.
expect() { # name, got, wanted
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        echo "FAIL $1: $2, expected $3"
        failed=$((failed + 1))
    fi
}
place_of() { "$TALLY" life "$1" --torus 256 -q -o place.rle && sed -n 's/#CXRLE Pos=\([-0-9,]*\).*/\1/p' place.rle; }
for place in 0,0 2,0 2,-7 -3,1 5,8 -8,-8 7,9; do
    printf '#CXRLE Pos=%s\nx = 3, y = 3, rule = B3/S23\nb2o$2o$bo!\n' "$place" >placed.rle
    bgolly -q -q -a HashLife -m 0 -o placed.mc placed.rle >golly.log 2>&1
    expect "the place in bgolly's .mc" "$(place_of placed.mc)" "$place"
    "$TALLY" life placed.rle -q -o tally.mc
    expect "the place in tally's .mc" "$(place_of tally.mc)" "$place"
    for rule in T24,24 P24,24; do # edges that are reached tell where the cells were
        sed "s|^#R .*|#R B3/S23:$rule|" tally.mc >edges.mc
        bgolly -q -q -a HashLife -m 50 -o golly.rle edges.mc >golly.log 2>&1
        "$TALLY" life placed.rle -r "B3/S23:$rule" -q -m 50 -o tally.rle
        compare "bgolly goes on with tally's .mc at $place, $rule" golly.rle tally.rle
    done
done
echo "golly: $passed passed, $failed failed"
[ $failed -eq 0 ]
