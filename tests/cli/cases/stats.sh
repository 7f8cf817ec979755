# One pass over everything; text and JSON; every kind of input.
printf '3 -1 nan 4 0 -1 4' >x.txt
try stats x.txt
try stats x.txt --json
try stats x.txt --correction 1
try stats x.txt --skip-nan
f64 1 2 nan 7 -5 6 | npy '<f8' '2, 3' >m.npy
try stats m.npy
try stats m.npy --json
try stats x.txt m.npy
try stats x.txt m.npy --json
cat m.npy | try stats -
f64 1 nan 2 7 -5 6 | npy '<f8' '2, 3' True | try stats -
little 1 1 0 1 | npy '|b1' '3,' | try stats -
little 8 5 -7 0 | npy '<i8' '3,' | try stats -
printf '1+2j 0 nan' | try stats --type c128 -
printf '1+2j 0 nan' | try stats --type c128 - --json
printf '' | try stats -
printf '' | try stats - --json
printf 'nan nan' | try stats -
printf 'inf 1 -inf' | try stats -
f32 3 | npy '<f4' '' | try stats - --json
printf '1 2' >'quote".txt'
try stats 'quote".txt' --json
yes 0.1 | head -n 10000 | try stats --type f32 - --threads 2 --quiet
