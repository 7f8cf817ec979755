# Several files are one long vector.
printf '1 2 3' >a.txt
f64 4 5 | npy '<f8' '2,' >b.npy
f64 6 7 8 9 | npy '>f8' '2, 2' >c.npy
try sum a.txt b.npy
try argmax a.txt b.npy
try last a.txt b.npy a.txt
try sum a.txt b.npy --keepdims
try sum a.txt b.npy --axis 0
printf '1 2' | try sum --type f32 a.txt b.npy
