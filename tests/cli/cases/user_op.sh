# Operators of the user's own: from options and from files, in reductions and scans.
"$TALLY" info >/dev/null 2>&1
ops=$1/../../examples/ops
command -v cc >/dev/null || command -v gcc >/dev/null || command -v clang >/dev/null || skip "no C compiler"
seq 1 10 >ten.txt
printf '0.5\n0.25\n0.75\n0.5\n' >four.txt
printf '1 1 -1 1 -1 -1 -1 0 1' | tr ' ' '\n' >brackets.txt
printf '3 3 5 5 5 3 4' | tr ' ' '\n' >runs.txt

echo "-- options"
"$TALLY" reduce --lift 'x*x' --combine 'a+b' --identity 0 --finish 'sqrt(s/n)' ten.txt
"$TALLY" reduce --combine 'max(a, b)' --commutative --check-op ten.txt
"$TALLY" scan --combine 'a*b' --dtype i64 ten.txt | tail -n 2
"$TALLY" scan --combine 'a+b' --exclusive --initial 100 ten.txt | head -n 2
"$TALLY" reduce --inputs 2 --lift 'x*y' --combine 'a+b' ten.txt ten.txt
"$TALLY" scan --inputs 2 --lift 'x*y' --combine 'a+b' ten.txt ten.txt | tail -n 1
"$TALLY" reduce --combine 'a+b' --initial 0.5 --skip-nan --json ten.txt
"$TALLY" reduce --combine 'a+b' --identity 0 /dev/null

echo "-- files"
for name in rms geometric_mean histogram16 welford runs; do
    echo "$name: $("$TALLY" reduce --op-file "$ops/$name.op" --check-op four.txt)"
done
"$TALLY" reduce --op-file "$ops/bounding_box.op" ten.txt ten.txt
"$TALLY" reduce --op-file "$ops/brackets.op" --type i32 brackets.txt
"$TALLY" scan --op-file "$ops/running_maximum.op" runs.txt | tail -n 2
"$TALLY" scan --op-file "$ops/linear_recurrence.op" ten.txt | tail -n 1
"$TALLY" scan --op-file "$ops/runs.op" runs.txt | tr '\n' ' '
echo

echo "-- chunk by chunk on a device"
if "$TALLY" info --device simt >/dev/null 2>&1; then device=simt; else device=cpu; fi
seq 1 10000 | "$TALLY" scan --device $device --combine 'a+b' --type i64 - | tail -n 2
seq 1 10000 | "$TALLY" reduce --device $device --lift 'x*i' --combine 'a+b' --type i64 -

echo "-- mistakes"
"$TALLY" reduce --combine 'a + c' ten.txt 2>&1 | grep -o 'op.combine:1:[0-9]*: error' | head -n 1
"$TALLY" reduce --combine 'a - b' --check-op ten.txt
"$TALLY" reduce --lift x ten.txt
"$TALLY" reduce --combine 'a+b' --inputs 2 ten.txt
"$TALLY" reduce --combine 'a+b' --inputs 4 ten.txt
"$TALLY" scan --combine 'a+b' --exclusive ten.txt
"$TALLY" reduce --combine 'a+b' /dev/null
"$TALLY" reduce --combine 'STATE(a.p)' --state 'f64 p;' ten.txt
printf 'combin: a+b\n' >bad.op
"$TALLY" reduce --op-file bad.op ten.txt
printf 'lift: x\n' >bad.op
"$TALLY" reduce --op-file bad.op ten.txt
printf 'combine: a\ncombine: b\n' >bad.op
"$TALLY" reduce --op-file bad.op ten.txt
printf 'combine: a\nresults: many\n' >bad.op
"$TALLY" reduce --op-file bad.op ten.txt
printf 'combine: a\nflags: quick\n' >bad.op
"$TALLY" reduce --op-file bad.op ten.txt
"$TALLY" reduce --op-file missing.op ten.txt
TALLY_CC=/nonexistent "$TALLY" reduce --combine 'a+b+0' ten.txt
exit 0
