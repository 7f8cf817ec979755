# Damaged .npy files, each as a file and from a pipe.
bad() { # bad WHAT: the file is on standard input
    echo "-- $1"
    cat >bad.npy
    try sum bad.npy
    cat bad.npy | try sum -
}
dict() {
    npy_header "$1"
    f64 1 2
}
f64 1 2 3 | npy '<f8' '3,' >good.npy
head -c 5 good.npy | bad 'shorter than the magic'
head -c 9 good.npy | bad 'shorter than the prefix'
head -c 60 good.npy | bad 'truncated header'
head -c 151 good.npy | bad 'truncated data'
head -c 128 good.npy | bad 'no data'
printf 'text' >bad.npy
try sum bad.npy
{ printf '\x93NUMPY\x04\x00'; tail -c +9 good.npy; } | bad 'version'
{ printf '\x93NUMPY\x02\x00\xff\xff\xff\x7f{'; } | bad 'header length'
for shape in '(2)' '(-2,)' '(1,1,1,1,1,1,1,1,1)' '(4611686018427387904,4611686018427387904,0)' '(99999999999999999999,)' \
    '(2' '(2 3)' '[2]' '(,)' 'None' '(1000000,)' '(1152921504606846975,)'; do
    dict "{'descr': '<f8', 'fortran_order': False, 'shape': $shape, }" | bad "shape $shape"
done
for descr in "'<f3'" "'|u2'" "'<U5'" "'|O'" "'<V2'" "'<M8[s]'" "'" "'f8\\'" 'None' "[('a', '<f8')]"; do
    dict "{'descr': $descr, 'fortran_order': False, 'shape': (2,), }" | bad "descr $descr"
done
dict "{'descr': '<f8', 'fortran_order': 0, 'shape': (2,), }" | bad 'fortran_order'
dict "{'descr': '<f8', 'shape': (2,), }" | bad 'missing key'
dict "{'descr': '<f8', 'descr': '<f8', 'shape': (2,), }" | bad 'repeated key'
dict "{'other': 3}" | bad 'unknown key'
dict "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), } x" | bad 'something behind'
dict "{'descr': '<f8' 'fortran_order': False, 'shape': (2,), }" | bad 'no comma'
dict '{}' | bad 'empty dict'
dict 'x' | bad 'no dict'
{ printf '\x93NUMPY\x01\x00\x01\x00{more text'; } | bad 'header of one byte'
