# One use of each option of a reduction.
f64 1 2 3 4 5 nan | npy '<f8' '2, 3' >x.npy
printf 'true false true' >mask.txt
try sum x.npy --axis 0
try sum x.npy --axis 1
try sum x.npy --axis -1
try sum x.npy --axis 0,1
try sum x.npy --axis=-1,-2
try sum x.npy --axis 0 --keepdims
try sum x.npy --keepdims
try sum x.npy --skip-nan
try max x.npy --skip-nan --axis 1
try sum x.npy --where mask.txt --axis 0
try sum x.npy --skip-nan --where mask.txt
little 1 1 0 1 0 1 0 | npy '|b1' '2, 3' >mask.npy
try sum x.npy --where mask.npy
try max x.npy --where mask.npy --axis 0
try sum x.npy --skip-nan --dtype f32
try sum x.npy --skip-nan --initial 100
try sum x.npy --skip-nan --initial=-0.5 --axis 1
try var x.npy --skip-nan --correction 1
try sum x.npy --skip-nan --plain
try sum x.npy --skip-nan --threads 2
try sum x.npy --skip-nan --device cpu:2
try sum x.npy --skip-nan --device reference
try sum x.npy --skip-nan --device auto
try sum x.npy --skip-nan --quiet
try sum x.npy --skip-nan -q
try sum --axis 1 -- x.npy
try sum --type f32 --dtype f64 mask.txt --type bool --dtype u8
printf '200 100' | try sum --type u8 -
printf '200 100' | try sum --type u8 --dtype u8 -
printf '200 100' | try sum --type u8 --dtype u8 --check-overflow -
printf '9223372036854775807 1' | try sum --type i64 -
printf '9223372036854775807 1' | try sum --type i64 --check-overflow -
