# The GPU's kernels, run by the host: files go through partials and carried scans as on a GPU. Needs a C++ compiler.
seq 1 9000 >x.txt
seq 1 3 | sed 's/$/e300/' >wide.txt
f64 1 2 3 4 5 6 | npy '<f8' '2, 3' >m.npy
printf '1e-300\n-1e300\n' >>wide.txt
if ! message=$("$TALLY" sum --device simt x.txt 2>&1); then
    case $message in
    *"not in this build"* | *"needs a C++ compiler"* | *TALLY_CXX*) skip "${message%%$'\n'*}" ;;
    esac
fi
for op in sum max argmin last logsumexp; do
    try $op --device simt x.txt
    cmp <("$TALLY" $op --device simt x.txt) <("$TALLY" $op x.txt)
done
try sum --device simt wide.txt
try prod --device simt m.npy
try mean --device simt --axis 0 m.npy
try stats --device simt x.txt
try scan sum --device simt --axis 1 m.npy
cmp <("$TALLY" scan sum --device simt x.txt) <("$TALLY" scan sum x.txt)
cmp <("$TALLY" scan logsumexp --exclusive --device simt x.txt) <("$TALLY" scan logsumexp --exclusive x.txt)
