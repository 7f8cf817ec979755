# What tally bench says, with its numbers left out.
unset TALLY_COMMIT
numbers() { sed -E 's/-?[0-9]+\.[0-9]+/N/g; s/ +/ /g; s/^cpu:[0-9]+: .*/cpu/; s/\(max of [fi]32\)/(MAX)/'; }
lines() { sed -E 's/("[a-z_]*(us|ms|gbps|percent|scratch_bytes)": )-?[0-9.]+/\1N/g; s/"(description|version|read_by)": "[^"]*"/"\1": TEXT/g; s/"runs": [0-9]+/"runs": R/' "$@"; }

try bench --help
try bench --size 0
try bench --op summ
try bench --type f31
try bench --device nowhere
try bench file.npy
try bench --device cpu:1 --quick --op max --type i32 --size 4096 --json out.json | numbers
lines out.json
try bench --device cpu:1 --quick --op max --type i32 --size 64 --json /nonexistent/out.json

# The grid: what it refuses, and a little of it.
try bench --grid half
try bench --part reduce
try bench --compile 1/2
try bench --seconds 5
try bench --first-call 1
try bench --grid quick --part reduce,colums
try bench --grid quick --part ,
try bench --grid quick --compile 3/2
try bench --grid quick --compile 1
try bench --grid quick --commit 'a"b'
try bench --grid quick --seconds 0
try bench --grid quick --first-call 99
try bench --grid quick --first-call 1 --compile 1/2
TALLY_COMMIT=abc try bench --device cpu:1 --grid quick --part reduce,scan --op sum --type i8 --json grid.json | numbers
lines grid.json
try bench --device cpu:1 --grid quick --part rows,misaligned --op max --type f16 --commit def --json more.json | numbers
try bench --device cpu:1 --grid quick --part axes --op sum --type f64 --compile 2/3
lines more.json | head -n 3


# Several axes, and what is measured but time.
try bench --device cpu:1 --grid quick --part axes --op argmax --type f32 --json axes.json | numbers
grep '"axis": \[' axes.json | lines | head -n 1
try bench --device cpu:1 --grid quick --first-call 2 | numbers
try bench --device cpu:1 --grid quick --part jit,scratch --op max --json figures.json | numbers
lines figures.json | grep '"verb"'
ls -d "${TMPDIR:-/tmp}"/tally-bench.* 2>/dev/null

# One shape.
try bench --axis 0
try bench --shape 10,x
try bench --shape 10,10 --axis 2
try bench --shape 10,10,10 --axis 1,0
try bench --shape 2,2,2,2,2
try bench --shape 10,0
try bench --shape 10,10 --grid quick
try bench --shape 10,10 --verb fold
try bench --shape 10,10 --spread 9
try bench --device cpu:1 --quick --shape 10,10 --op var --verb scan | numbers
try bench --device cpu:1 --quick --shape 100,30 --axis 0 --json shape.json | numbers
try bench --device cpu:1 --quick --shape 40,5,60 --axis 0,2 --op sum --type f64 --spread all --plain --json shape.json | numbers
lines shape.json | grep '"verb"'

# Each part has its turn, whatever the time.
"$TALLY" bench --device cpu:1 --grid quick --part columns,axes,misaligned --seconds 1 >part.log
sed -nE 's/^-- ([a-z]+): [0-9.]+ s.*/\1/p' part.log
grep -q 'cases left out: its time was over' part.log && echo "some are left out"

# The elements, for peers: a period of them.
try bench --data x.raw
try bench --data x.raw --type f32 --spread 9
try bench --data /nonexistent/x.raw --type f32
try bench --data x.raw --type i16
try bench --data y.raw --type f32 --spread all
wc -c x.raw y.raw
