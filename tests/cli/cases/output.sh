# -o by suffix; the file is there only when everything went well.
f32 1 2 3 4 5 6 | npy '<f4' '2, 3' >x.npy
for name in y.npy y.raw y.bin y.txt y.text y.json; do
    try sum x.npy --axis 0 -o $name
done
show_npy y.npy
od -An -v -tx1 y.raw
cmp y.raw y.bin
cat y.txt y.json
try sum x.npy -o scalar.npy
show_npy scalar.npy
try sum x.npy --output=scalar.json
cat scalar.json
try sum x.npy -o -
try max x.npy --axis 0,1 -oother.txt
cat other.txt
echo old >keep.txt
try sum missing.npy -o keep.txt
cat keep.txt
bf16 1 2 3 | try sum --raw bf16 - -o bf16.npy
bf16 1 2 3 | try sum --raw bf16 - -o bf16.raw
od -An -v -tx1 bf16.raw
try scan sum x.npy --axis 0 -o x.npy
show_npy x.npy
ln -s y.txt link.txt
try sum x.npy -o link.txt
cat y.txt
ls -l link.txt | sed 's/.*link.txt/link.txt/'
try sum x.npy -o /dev/null
show_files
