# Every operator on the same numbers.
printf '3 -1 4 1 -5 9 2 6' >x.txt
for op in sum prod min max argmin argmax minmax mean var std norm1 norm2 norminf logsumexp any all count first last; do
    try $op x.txt
done
try dot x.txt x.txt
for op in bit_and bit_or bit_xor; do
    try $op --type i32 x.txt
    try $op x.txt
done
try count_nonzero x.txt
try reduce sum x.txt
try reduce count x.txt
try reduce dot x.txt x.txt
