# Bad usage: status 2, one line that says what to do.
printf '1 2' >x.txt
try
try frobnicate x.txt
try summ x.txt
try statz x.txt
try sum
try stats
try scan
try scan sum
try scan sun x.txt
try scan sum x.txt x.txt
try reduce
try reduce xyzzy x.txt
try reduce sum
try dot x.txt
try dot x.txt x.txt x.txt
try info x.txt
try help frobnicate
try help sum mean
try sum x.txt --axs 0
try sum x.txt --exclusive
try sum x.txt -z
try sum x.txt --axis
try sum x.txt --axis 0,
try sum x.txt --axis x
try sum x.txt --axis 0,1,2,3,4,5,6,7,8
try sum x.txt --dtype f31
try sum x.txt --type float
try sum x.txt --raw zzzzzz
try sum x.txt --correction x
try sum x.txt --threads 0
try sum x.txt --threads 5000
try sum x.txt --threads x
try sum x.txt --threads 2 --device reference
try sum x.txt --device warp
try sum x.txt --device cpu:0
try sum x.txt --device cuda:x
try sum x.txt --json=yes
try stats x.txt -o y.txt
