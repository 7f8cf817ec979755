# Files that are not there or cannot be read.
try sum missing.txt
try sum .
mkdir folder
try stats folder
printf '1 2' >x.txt
try sum x.txt -o folder
try sum x.txt -o nowhere/y.txt
try sum x.txt -o y.dat
try sum x.txt -o y.npy --json
try sum x.txt --where missing.npy
try sum x.txt missing.txt
try dot x.txt missing.txt
printf '1 2 3' >z.txt
try dot x.txt z.txt
try sum 'missing.h5:/set'
try sum "$(printf 'two\nlines')"
show_files
