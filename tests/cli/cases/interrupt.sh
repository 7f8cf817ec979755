# A command that is stopped leaves no temporary file.
{ echo 1000000000000; exec sleep 3; } | "$TALLY" scan sum - -o y.npy &
for ((i = 0; i < 50; i++)); do
    [ -n "$(show_files)" ] && break
    sleep 0.1
done
show_files | sed 's/tally-.*/tally-XXXXXX/'
kill -TERM $!
wait $! 2>/dev/null
echo "[status $?]"
show_files
