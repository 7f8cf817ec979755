# Element-wise maps of up to four files.
command -v cc >/dev/null || command -v gcc >/dev/null || command -v clang >/dev/null || skip "no C compiler"
seq 1 6 >six.txt
"$TALLY" map 'x * x' six.txt | tr '\n' ' '
echo
"$TALLY" map 'x > 3 ? y : -y' --type i32 six.txt six.txt | tr '\n' ' '
echo
"$TALLY" map 'x + y * z - w' six.txt six.txt six.txt six.txt | tr '\n' ' '
echo
"$TALLY" map 'x + i' --dtype u8 six.txt -o sums.raw
"$TALLY" sum --raw u8 sums.raw
"$TALLY" scan sum six.txt -o running.npy
"$TALLY" map 'x / 2' running.npy -o half.npy
"$TALLY" max half.npy
"$TALLY" map 'clamp(x)' --helpers 'static f64 clamp(f64 v) { return v < 2 ? 2 : v > 5 ? 5 : v; }' six.txt | tr '\n' ' '
echo
seq 1 2 >two.txt
printf '10\n' >one.txt
"$TALLY" map 'x * y' two.txt one.txt | tr '\n' ' '
echo
"$TALLY" map 'f64 v = x; for (int k = 0; k < 3; k++) v = v * v; return v;' --dtype f64 two.txt | tail -n 1
echo "-- mistakes"
try map 'x' six.txt two.txt
try map
try map x
try map x two.txt two.txt two.txt two.txt two.txt
try map 'x + q' two.txt 2>&1 | grep -o 'expression.lift:1:5: error' | head -n 1
try map 'x' --plain two.txt
try map 'x' missing.txt
