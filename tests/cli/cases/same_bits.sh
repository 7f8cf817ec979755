# The same bits from text, .npy in both byte orders and orders of axes, raw, pipes, threads and devices.
seq 1 200000 | awk '{printf "%.17g\n", sin($1) * exp($1 % 50)}' >x.txt
"$TALLY" scan max x.txt -o running.npy
for op in sum mean std norm1 norm2 prod logsumexp min argmax; do
    "$TALLY" $op x.txt >expected
    for threads in 1 2 7; do
        "$TALLY" $op x.txt --threads $threads | cmp - expected
        cat x.txt | "$TALLY" $op - --threads $threads | cmp - expected
    done
    "$TALLY" $op x.txt --device reference | cmp - expected
done
"$TALLY" sum running.npy >expected
cat running.npy | "$TALLY" sum - | cmp - expected
"$TALLY" sum --raw f64 <(tail -c 1600000 running.npy) | cmp - expected
tail -c 1600000 running.npy | perl -e 'local $/; print pack("Q>*", unpack("Q<*", <STDIN>))' |
    npy '>f8' '400, 500' >big.npy
"$TALLY" sum big.npy | cmp - expected
cat big.npy | "$TALLY" sum - | cmp - expected
tail -c 1600000 running.npy | npy '<f8' '400, 500' True >fortran.npy
"$TALLY" sum fortran.npy | cmp - expected
"$TALLY" sum fortran.npy --axis 0 -o columns.npy
"$TALLY" sum fortran.npy --axis 0,1 | cmp - expected
tail -c 1600000 running.npy | npy '<f8' '500, 400' >transposed.npy
"$TALLY" sum transposed.npy --axis 1 -o rows.npy
cmp rows.npy columns.npy
echo done
