# What only the data can show to be wrong: status 1.
printf '1 2 3' >x.txt
: >empty.txt
try sum x.txt --axis 1
try sum x.txt --axis -2
try sum x.txt --axis 0,0
try sum x.txt --axis 0,-1
try bit_xor x.txt
try min empty.txt
try argmax empty.txt
try first empty.txt
try min empty.txt --initial 5
try minmax empty.txt
try mean empty.txt
try sum x.txt --initial abc
try sum --type u8 x.txt --dtype u8 --initial 256
try sum x.txt --dtype bool
try sum x.txt --where x.txt
printf 'true false' >mask.txt
try sum x.txt --where mask.txt
printf '1+1j' | try max --type c64 -
printf '1+1j' | try argmin --type c64 -
