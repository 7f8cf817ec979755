# Columns by number and by name; what separates fields; quotes.
printf 'name,x,y\na,1,10\nb,2,20\n# c,3,30\n\nd,4,40\n' >t.csv
try sum --column 2 t.csv
try sum --column y t.csv
try stats --column x t.csv
printf 'x\ty z\n1\t2\n3\t4\n' | try sum --column 'y z' -
printf '1 2\n  3   4  \n' | try sum --column 2 -
printf '"a, b","c # d"\n"1.5",2\n2.5,"3"\n' | try sum --column 'a, b' -
printf '1,nan\n2,5\n' | try sum --column 2 --skip-nan -
try sum --column 4 t.csv
try sum --column 1 t.csv
try sum --column z t.csv
try sum --column 0 t.csv
printf '1,2\n3\n' | try sum --column 2 -
printf '1,2\n3,\n' | try sum --column 2 -
printf '1,2\n3,x\n' | try sum --column 2 -
printf '' | try sum --column 2 -
printf '' | try sum --column x -
