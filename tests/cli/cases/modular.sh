# Totals and running totals modulo a number.
printf '2130706432 5 -1 7' >x.txt
printf '3 1000000007 2 2130706432' >y.txt
try sum x.txt --mod koalabear
try sum x.txt --mod 2130706433
try sum x.txt --mod 0x7f000001
try prod x.txt --mod koalabear
try dot x.txt y.txt --mod babybear
try sum x.txt --mod 12 --initial=-1
try sum x.txt --mod 256 --dtype u8
try scan sum x.txt --mod mersenne31
try scan prod x.txt --mod 10 --exclusive
try scan sum x.txt --mod 10 --reverse
printf '18446744069414584320 18446744069414584320 2' | try sum --type u64 --mod goldilocks -
printf '18446744073709551615 3' | try prod --type u64 --mod 18446744073709551615 -
printf '200 100' | try sum --type u8 --mod 1000 --json -
f64 1 2 | npy '<f8' '2,' >x.npy
little 4 2130706432 1 2 3 4 5 | npy '<u4' '2, 3' >m.npy
try sum m.npy --mod koalabear --axis 0
try prod m.npy --mod koalabear --axis 1 --keepdims
printf 'true false true' >mask.txt
try sum m.npy --mod koalabear --axis 1 --where mask.txt
try sum m.npy --mod koalabear --device reference
try sum x.npy --mod 7
try mean m.npy --mod 7
try scan max m.npy --mod 7 --axis 0
try sum m.npy --mod 257 --dtype u8
try sum m.npy --mod 1
try sum m.npy --mod 0
try sum m.npy --mod -5
try sum m.npy --mod 0x
try sum m.npy --mod koalabaer
try sum m.npy --mod 18446744073709551616
try stats m.npy --mod 7
