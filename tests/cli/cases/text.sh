# White space, commas, comments, special values, byte order mark, line ends, types.
printf '1, 2,3 # four\n4\r\n\n  5\t6 #' | try sum -
printf '# nothing' | try sum -
printf '' | try sum -
printf '\xef\xbb\xbf1 2' | try sum -
printf '1,2,\n3,4,\n' | try sum -
printf 'nan 1' | try max -
printf 'inf 1 -Infinity +3' | try minmax -
printf '%s' '+1.5e1 .5 5. 0e999 1E-2' | try sum -
printf '0 1 true False' | try count --type bool -
printf '1+2j -3j 4 1e1-5e-1j nan+infj' | try stats --type c64 -
printf '1+2j -3j 4 1e1-5e-1j' | try sum --type c128 -
printf '18446744073709551615 0' | try max --type u64 -
printf '%s' '-9223372036854775808 +7' | try min --type i64 -
