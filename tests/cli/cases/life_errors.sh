# tally life: what is asked for wrongly, and broken files.
printf 'x = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n' >glider.rle
printf 'x = 3, y = 3, rule = B3/S23\nbo$2bz$3o!\n' >broken.rle
try life no_such_file.rle
try life broken.rle
try life glider.rle -r B3/S2x
try life glider.rle -r 'B3/S23:K30,20'
try life glider.rle -m many
try life glider.rle -m -1
try life glider.rle -i 0
try life glider.rle --torus 2,2
try life glider.rle --torus 12x9
try life glider.rle --torus 0,9
try life glider.rle --torus 12,9 --dead 12,9
try life glider.rle --torus 4000000,4000000
try life glider.rle --soup 0.5
try life --soup 2
try life --soup half
try life --seed x
try life glider.rle --engine niave
try life glider.rle --device gpu
try life glider.rle --cells brail
try life glider.rle --rate 100
try life glider.rle -o out.bmp
try life glider.rle -o out.png.gz
try life glider.rle -o nowhere/out.rle
try life glider.rle --live
try life glider.rle --live -o out.rle
try life glider.rle --scale 1/0
try life glider.rle --colours red,blue
try life glider.rle another.rle
try life glider.rle --generation 5
printf '#CXRLE Pos=100,0\nx = 1, y = 1\no!\n' | try life - --torus 50
printf 'o99999$99999bo!' | try life -
printf '#P 1000000 1000000\no!' | try life -
try life - </dev/null
# What would be mixed into a pattern, and what cannot be written: said before the run.
try life glider.rle -o - --json
try life glider.rle -o - --stats
try life glider.rle -o - --period 4
try life glider.rle -o - -b
try life glider.rle -o - -m 4 -i 2
mkdir folder.rle out-1.rle
try life glider.rle -o folder.rle
try life glider.rle -m 1000000000000 -o folder.rle
try life glider.rle --json -m 1000000000000 -i 1 -o out.rle
rmdir out-1.rle
mkdir out-12345.rle
try life glider.rle -m 20000 -i 1 -o out.rle
rmdir folder.rle out-12345.rle
# JSON that has begun is ended, whatever fails.
ln -s /dev/full out-101.rle
"$TALLY" life glider.rle --json -m 200 -i 1 -o out.rle --torus 9 2>error | grep -o '.......generation": 101.*'
cat error
rm -r error out-*
show_files
