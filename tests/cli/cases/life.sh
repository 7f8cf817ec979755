# tally life: patterns through generations, formats, soups, periods and frames.
printf 'x = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n' >glider.rle
printf '#N R-pentomino\nx = 3, y = 3\nb2o$2o$bo!\n' >r.rle
try life r.rle -m 200 -i 100
try life r.rle -m 10 --stats --threads 2
try life glider.rle -m 4 -o -
try life glider.rle --torus 12,9 --period 20
try life glider.rle --torus 12,9 --period 3
try life glider.rle --dead 12,9 -m 100 --period 20
try life glider.rle --json --threads 2 -m 2 -i 1 --period 5
try life glider.rle --torus 8 -r HighLife --stats -q --threads 2
try life glider.rle --torus 8 -r 23/36:P100 --stats --threads 2
try life glider.rle -r B3/S23:P12,9 -m 1 -o -
"$TALLY" life glider.rle -r 'Day & Night:T12,9' -m 1 -o - | try life - -o -
# The world that is chosen: powers of two, four times the pattern.
printf 'o300bo!' | try life - --stats --threads 2
printf '#P 60 -100\no!' | try life - -o -
# ... or once, or as it is where that would be too large.
printf 'o19998bo8999$o!' | try life - --stats --threads 2
printf 'o67108862bo!' | try life - --stats --threads 2
printf '#P 1000000 -3\nx = 1, y = 1\no!' | try life - --stats --threads 2
# A size that was given is written, one that was chosen is not.
for ending in rle mc; do
    try life glider.rle -q -o chosen.$ending
    try life glider.rle -q --torus 256 -o given.$ending
    try life given.$ending -q -o again.$ending
    grep -h -o 'B3/S23.*' chosen.$ending given.$ending again.$ending
done
# Soups: the same everywhere, and a larger one holds the smaller.
try life
try life --soup 0.5 --seed 2 --torus 40,3 -o -
try life --soup 0.5 --seed 2 --torus 20,3 -o -
try life --soup 0 --torus 5
try life --soup 1 --torus 5 -m 1
# Formats, each from the one before.
try life r.rle -m 20 -o a.cells
try life a.cells -o b.lif
try life b.lif -o c.mc
try life c.mc -o d.rle
try life d.rle -o e.cells
grep -v ! a.cells | cmp - e.cells
cat a.cells b.lif c.mc d.rle
# One file for each step.
try life glider.rle -m 20 -i 10 -o out.rle
show_files
cat out-10.rle
rm out-*
try life glider.rle -q -m 1 -i 1 -o v1.5.rle
try life glider.rle -q -i 1 -o ./v2.cells
ls v*
# Frames without a terminal.
try life glider.rle --live -m 1 --dead 5,4 --cells ascii
try life glider.rle --live -m 4 -i 4 --dead 6,6
try life glider.rle --live -m 1 --dead 6,6 --cells braille
try life glider.rle --live -m 0 --dead 3,3 --stats --threads 2 </dev/null
