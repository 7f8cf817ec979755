# HDF5 datasets, where libhdf5 is there and h5import can make some.
"$TALLY" info | grep -q 'hdf5 *not built' && skip 'built without HDF5'
command -v h5import >/dev/null || skip 'no h5import (Debian: apt install hdf5-tools)'
seq 1 24 >x.txt
make_set() { # make_set PATH CLASS SIZE ARCHITECTURE DIMENSIONS...: the numbers of x.txt
    printf 'PATH %s\nINPUT-CLASS TEXT%s\nINPUT-SIZE %s\nRANK %s\nDIMENSION-SIZES %s\n' \
        "$1" "$2" "$3" $(($# - 4)) "${*:5}" >config
    printf 'OUTPUT-CLASS %s\nOUTPUT-SIZE %s\nOUTPUT-ARCHITECTURE %s\nOUTPUT-BYTE-ORDER %s\n' "$2" "$3" "$4" BE >>config
    h5import x.txt -c config -o x.h5 >errors 2>&1 || { cat errors; rm -f x.h5; }
}
make_set group/f64 FP 64 IEEE 2 3 4
make_set big32 FP 32 IEEE 24
make_set ints IN 16 STD 4 6
# Larger than a chunk, with rows that do not fill one.
seq 1 400000 >x.txt
make_set long IN 64 STD 2 2 100000
try stats x.h5:/long
try sum x.h5:/long --axis 2
try stats x.h5:/group/f64
try sum x.h5:/group/f64 --axis 1
try sum x.h5:/big32
try stats x.h5:/ints
try sum x.h5:/ints --axis 0
try scan sum x.h5:/ints --axis 1
try sum x.h5:/missing
try sum x.h5:/
try sum x.h5
try sum missing.h5:/set
try sum x.txt:/set
