# Numbers as text and JSON: shortest that reads back; rows, matrices, special values.
f64 1 2 3 4 5 6 7 8 9 10 11 12 | npy '<f8' '2, 2, 3' >x.npy
try scan max x.npy --axis 2
try scan max x.npy --axis 2 --json
try sum x.npy --axis 1
try sum x.npy --axis 1 --json
try sum x.npy --json
try argmax x.npy --json
try minmax x.npy
try minmax x.npy --axis 0 --json
printf '0.1 100000 1e15 1e16 1e22 1e23 5e-324 1.7976931348623157e308 123456.789 -0.5' | try scan max -
printf '0.1 16777216 1e10 3.4028235e38 1e-45' | try scan max --type f32 -
printf '0.1 2048 65504 6e-8' | try scan max --type f16 -
printf '0.1 256 1e30 9.2e-41' | try scan max --type bf16 -
printf 'nan' | try sum - --json
printf 'inf' | try sum - --json
printf -- '-inf' | try sum -
printf '1 0' | try any - --json
printf '1 0' | try all -
printf '1.5+2j 1-0.25j' | try sum --type c64 - --json
printf '1.5+2j 1-0.25j' | try sum --type c64 -
printf '1+infj' | try sum --type c128 - --json
npy '<f8' '0,' </dev/null | try scan sum -
npy '<f8' '0,' </dev/null | try scan sum - --json
npy '<f8' '3, 0' </dev/null | try scan sum - --axis 1 --json
