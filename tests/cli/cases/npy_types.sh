# Every element type of .npy, little and big-endian.
little 1 0 1 1 | npy '|b1' '3,' | try sum -
little 1 1 2 253 | npy '|i1' '3,' | try sum -
little 1 1 2 253 | npy '|u1' '3,' | try sum -
for bytes in 2 4 8; do
    for kind in i u; do
        little $bytes 1 2 -3 | npy "<$kind$bytes" '3,' >little.npy
        big $bytes 1 2 -3 | npy ">$kind$bytes" '3,' >big.npy
        try max little.npy
        try max big.npy
        try max - <big.npy
        cat big.npy | try max -
    done
done
f16 1 2 -3 | npy '<f2' '3,' | try sum -
f32 1 2 -3 | npy '<f4' '3,' | try sum -
f64 1 2 -3 | npy '<f8' '3,' | try sum -
big 2 $(float_bits 5 10 1 2 -3) | npy '>f2' '3,' | try sum -
big 4 $(float_bits 8 23 1 2 -3) | npy '>f4' '3,' | try sum -
big 8 $(float_bits 11 52 1 2 -3) | npy '>f8' '3,' | try sum -
f32 1 2 3 4 | npy '<c8' '2,' | try sum -
f64 1 2 3 4 | npy '<c16' '2,' | try sum -
big 4 $(float_bits 8 23 1 2 -3 -5) | npy '>c8' '2,' | try sum -
big 8 $(float_bits 11 52 1 2 -3 -5) | npy '>c16' '2,' | try sum -
f32 5 | npy '=f4' '' | try sum -
f32 5 | npy 'f4' '1,1,1,1,1,1,1,1' | try sum -
