# A full disk: an error, the old file stays, nothing is left behind.
printf '1 2 3' | try scan sum - -o /dev/full
printf '1 2 3' >x.txt
echo '$ tally scan sum x.txt >/dev/full'
"$TALLY" scan sum x.txt 2>&1 >/dev/full
echo "[status $?]"
"$TALLY" stats x.txt 2>&1 >/dev/full
echo "[status $?]"
"$TALLY" help 2>&1 >/dev/full
echo "[status $?]"
