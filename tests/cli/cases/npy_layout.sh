# Versions 1 to 3, Fortran order, axes, key order, Python 2 integers, bytes behind the array, odd alignment.
f64 1 4 2 5 3 6 | npy '<f8' '2, 3' True >f.npy
f64 1 2 3 4 5 6 | npy '<f8' '2, 3' >c.npy
big 8 $(float_bits 11 52 1 4 2 5 3 6) | npy '>f8' '2, 3' True >b.npy
for file in f c b; do
    try sum $file.npy --axis 0
    try sum $file.npy --axis 1
    try argmax $file.npy
    try first $file.npy
    cat $file.npy | try sum - --axis 0
    cat $file.npy | try argmax -
done
for version in 2 3; do
    { npy_header "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }" $version; f64 1 2; } >v.npy
    try sum v.npy
    cat v.npy | try sum -
done
{ npy_header '{ "shape" : ( 2L , 1, ) ,"fortran_order":False,"descr":"<f8"}'; f64 1 2; } >odd.npy
try stats odd.npy
{ npy_header "{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}" && f64 1 2 && printf 'more bytes'; } >behind.npy
try sum behind.npy
cat behind.npy | try sum -
{ printf '\x93NUMPY\x01\x00'; little 2 56; printf '%-55s\n' "{'descr':'<f8','fortran_order':False,'shape':(2,)}"; f64 1 2; } >odd_offset.npy
try sum odd_offset.npy
npy '<f8' '0, 5' </dev/null >empty.npy
try sum empty.npy
try sum empty.npy --axis 0
try sum empty.npy --axis 1
try max empty.npy
try max empty.npy --axis 1
try max empty.npy --initial 3
try max empty.npy --axis 0 --initial 3
