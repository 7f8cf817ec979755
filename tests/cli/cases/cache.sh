# The cache of compiled kernels: empty, with other files, cleared; warming needs a GPU.
export TALLY_CACHE_DIR=$PWD/kernels
shown() { try "$@" | sed -e "s|$PWD|FOLDER|" -e 's/20[0-9-]* [0-9:]*/DATE/'; }
shown cache
shown cache list --json
mkdir kernels
name=0123456789abcdef0123456789abcdef
printf 1234 >kernels/$name.so
printf 12 >kernels/$name.cubin.7.0.tmp
printf 123 >kernels/other
shown cache list
shown cache clear
shown cache
show_files
chmod 777 kernels
shown cache
try cache worm
try cache shrink
try cache list list
try cache warm | sed 's/ (.*//'
try cache warm --device cpu
