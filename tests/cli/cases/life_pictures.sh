# tally life: compressed patterns, PNG and GIF, where the build has the libraries.
printf 'x = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n' >glider.rle
for name in x.rle.gz x.png x.gif; do
    "$TALLY" life glider.rle -q -o $name 2>error || skip "$(cat error)"
done
try life x.rle.gz -o -
gzip -dc x.rle.gz
head -c 30 x.rle.gz | try life -
cat x.rle.gz | tr '\001-\003' '\004-\006' | try life - 2>&1 | sed 's/damaged.*/damaged/'
cat x.rle.gz x.rle.gz | try life - --torus 10,10 -o -
{ cat x.rle.gz; head -c 5000 /dev/zero; } | try life - --torus 10,10 -o -
gzip </dev/null | try life -
# What the pictures say of themselves: sizes, bits, frames.
try life glider.rle --torus 20,10 --scale 3 -o a.png
od -An -tx1 -j16 -N10 a.png
try life --torus 3000,1000 -q -o b.png
od -An -tx1 -j16 -N10 b.png
try life glider.rle --torus 20,10 --colours '#102030,ffcc00' -m 8 -i 2 -o c.gif
od -An -tx1 -N19 c.gif
try life glider.rle --torus 20,10 -m 8 -o d.gif
grep -c NETSCAPE d.gif
try life glider.rle -m 4 -i 2 -q -o e.png
# The delays of frames, which add up to the rate: 6.67, 3.33 and 1.67 hundredths of a second, the last too few.
for rate in 15 30 60; do
    try life glider.rle --torus 8,8 -m 5 -q --rate $rate -o rate.gif
    od -An -v -tx1 -w1 rate.gif | tr -d '\n' | grep -o '21 f9 04 04 ..' | tr '\n' ','
    echo
done
# Sides that the formats cannot say.
try life --torus 4294967297,1 --scale 1 -o f.png
try life --torus 40000000,1 --scale 64 -o f.png
try life --torus 70000,1 --scale 1 -o f.gif
show_files
