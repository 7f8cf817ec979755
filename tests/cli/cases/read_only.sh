# Targets that may not be written.
[ "$(id -u)" -ne 0 ] || command -v setpriv >/dev/null || skip 'root without setpriv may write everything'
# Builds that measure coverage complain about their own files there.
as_user() {
    if [ "$(id -u)" -eq 0 ]; then set -- setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; fi
    "$@" 2>&1 | grep -v '^profiling:'
    return "${PIPESTATUS[0]}"
}
cp "$TALLY" tally && chmod 755 . tally
printf '1 2' >x.txt
echo old >y.txt
mkdir folder
echo old >folder/y.txt
chmod 444 y.txt folder/y.txt
chmod 555 folder
TALLY=./tally
as_user ./tally info >/dev/null 2>&1 || skip 'the folder of the tests cannot be entered by another user'
for target in y.txt folder/y.txt folder/z.txt; do
    as_user ./tally sum x.txt -o $target
    echo "[status $?]"
done
chmod 000 x.txt
as_user ./tally sum x.txt
echo "[status $?]"
chmod 755 folder
rm tally
show_files
cat y.txt folder/y.txt
