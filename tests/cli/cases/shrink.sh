# A file that loses its end while it is mapped: an error, and no output.
command -v mkfifo >/dev/null || skip 'no mkfifo'
head -c 80000128 /dev/zero | npy '<f8' '10000000,' >x.npy
mkfifo gate
# The second input blocks on the pipe while the first is already open and measured.
"$TALLY" dot x.npy gate --quiet -o y.txt 2>errors &
sleep 0.5
exec 4<>gate
truncate -s 4096 x.npy
head -c 80000000 /dev/zero | npy '<f8' '10000000,' >&4
exec 4>&-
wait $!
echo "[status $?]"
cat errors
show_files
