# A full file system, streaming and mapped.
mkdir disk
mount -t tmpfs -o size=1m tally-test disk 2>/dev/null || skip 'mounting a tmpfs is not permitted here'
trap 'umount disk' EXIT
echo old >disk/y.npy
head -c 8000000 /dev/zero | npy '<f8' '1000, 1000' >x.npy
try scan sum x.npy --axis 0 -o disk/y.npy
try scan sum x.npy --axis 1 -o disk/y.txt
head -c 8000000 /dev/zero | try scan sum --raw f64 - -o disk/y.npy
cat disk/y.npy
(cd disk && show_files)
