# Scans into files: .npy of unknown length, in chunks, and mapped; the same bytes from every kind of input.
yes '0.1 1e10 -1e10' | head -n 300000 >x.txt
try scan sum x.txt -o a.npy
"$TALLY" scan sum - -o b.npy <a.npy >/dev/null
cat a.npy | "$TALLY" scan sum - -o c.npy
cmp b.npy c.npy
"$TALLY" scan sum a.npy -o d.npy --threads 1
cmp b.npy d.npy
"$TALLY" scan sum a.npy -o e.raw
tail -c 7200000 d.npy | cmp - e.raw
"$TALLY" scan sum a.npy -o f.txt
tail -n 1 f.txt
"$TALLY" sum a.npy
"$TALLY" scan sum --reverse a.npy -o g.npy
"$TALLY" first g.npy
"$TALLY" sum a.npy --initial 0
show_files
# A vector longer than one chunk, of known length.
head -c 40000000 /dev/zero | npy '<f4' '10000000,' >long.npy
"$TALLY" scan sum long.npy -o long_scan.npy
"$TALLY" stats long_scan.npy
