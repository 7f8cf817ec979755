# Scans: modes, axes, vectors in chunks and arrays from view to view.
printf '1 2 3 4' >v.txt
try scan sum v.txt
try scan sum v.txt --exclusive
try scan sum v.txt --reverse
try scan sum v.txt --exclusive --reverse
try scan sum v.txt --initial 10
try scan sum v.txt --exclusive --initial 10
try scan prod v.txt --type i32
try scan sum v.txt --dtype f32 --json
printf '3 1 4 1 5' | try scan min -
printf '3 1 4 1 5' | try scan max -
printf '0 0 1 0' | try scan any -
printf '1 1 0 1' | try scan all -
printf '1 2 4' | try scan bit_or --type u8 -
printf '7 6 4' | try scan bit_and --type u8 -
printf '7 6 4' | try scan bit_xor --type u8 -
printf '0 0' | try scan logsumexp -
printf '1 nan 2' | try scan sum --skip-nan -
printf '1 nan 2' | try scan sum -
printf 'true false true true' >mask.txt
try scan sum v.txt --where mask.txt
little 4 1 2 3 4 5 6 | npy '<i4' '2, 3' >m.npy
try scan sum m.npy --axis 0
try scan sum m.npy --axis 1
try scan sum m.npy --axis -1 --reverse
try scan sum m.npy
try scan sum m.npy --axis 2
try scan sum m.npy --axis 0,1
cat m.npy | try scan sum - --axis 1
big 4 1 2 3 4 5 6 | npy '>i4' '2, 3' | try scan sum - --axis 0
little 4 1 4 2 5 3 6 | npy '<i4' '2, 3' True | try scan sum - --axis 1
try scan mean v.txt
try scan argmax v.txt
try scan dot v.txt
