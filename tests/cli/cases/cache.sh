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
try cache compile
try cache compile sm_90
try cache compile sm_91 kernels
try cache compile sm_90 /dev/null/kernels
mkdir tally-kernels
TALLY_KERNELS=$PWD/tally-kernels shown cache list
TALLY_KERNELS=$PWD/tally-kernels shown cache list --json
TALLY_KERNELS=$PWD/absent shown cache list
try cache warm | sed 's/ (.*//'
try cache warm --device cpu
