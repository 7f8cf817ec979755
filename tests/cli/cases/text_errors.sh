# A word that is no number is named with its line and column.
printf '1 2\n3 abc 4\n' >x.txt
try sum x.txt
try stats x.txt
try scan sum x.txt -o y.txt
show_files
printf '1\n  1.2.3' | try sum -
printf '1,,2' | try sum -
printf ',1' | try sum -
printf '1 0x10' | try sum -
printf '1 1e' | try sum -
printf '1 1e999' | try sum -
printf '1 70000' | try sum --type f16 -
printf '1 300' | try sum --type u8 -
printf '1 -1' | try sum --type u8 -
printf '1 1.0' | try sum --type i32 -
printf '99999999999999999999' | try sum --type i64 -
printf '2' | try any --type bool -
printf '1+j' | try sum --type c64 -
printf '\x00\x01\x02\x03' | try sum -
printf '1\n2\nx\x1b[31m' | try sum -
head -c 1100000 /dev/zero | tr '\0' 1 | try sum -
head -c 1100000 /dev/zero | tr '\0' 1 | try sum --column 1 -
try sum --type f64 - <&-
