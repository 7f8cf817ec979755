# tally life --live in a terminal of its own: keys steer it, and the terminal is as before, however it ends.
command -v script >/dev/null || skip 'no script (Debian: apt install bsdutils)'
script -qec true /dev/null >seen 2>&1 </dev/null || skip 'no terminal can be made here'
printf 'x = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n' >glider.rle
# in_terminal COMMAND: what was drawn goes to seen; standard input is the keyboard.
in_terminal() {
    TERM=xterm-256color script -qec "stty rows 12 cols 60; stty -a >before; $1; stty -a >after" /dev/null >seen
    cmp before after && echo 'the terminal is as before'
}
last_line() { tr '\033\r' '\n' <seen | sed -n 's/.*\(generation.*  .*\)/\1/p' | tail -n 1; }
report() { tr '\033\r' '\n' <seen | sed -n 's/.*\(generation [0-9]*: .*\)/\1/p' | tail -n 1; }

in_terminal "'$TALLY' life glider.rle --live --rate 60 -m 5" </dev/null
last_line
report
# A pattern from a pipe leaves the keys to the terminal; without one there are none. Paused at once, it stays as it was.
{ printf ' '; sleep 1; printf q; } | in_terminal "cat glider.rle | '$TALLY' life - --live --rate 1 -q"
last_line
report
script -qec "setsid -w '$TALLY' life - --live <glider.rle" /dev/null </dev/null | tr -d '\r'
# Other signals than kill's own.
in_terminal "'$TALLY' life glider.rle --live -q --rate 1 & sleep 1; kill -USR1 \$!; wait \$!; echo status \$? >status" </dev/null
cat status
# Space, two steps, zoom, an arrow, an unknown key, quit: what comes at once is taken at once.
{ printf ' '; sleep 0.3; printf 's'; sleep 0.3; printf 's'; sleep 0.3; printf 'z+\033[Ax'; sleep 1; printf q; } |
    in_terminal "'$TALLY' life glider.rle --live --rate 1"
last_line
cat >run.sh <<'END'
(sleep 1; kill $(cat pid)) &
sh -c 'echo $$ >pid; exec "$TALLY" life glider.rle --live'
echo "status $?" >status
END
sleep 2 | in_terminal 'sh run.sh 2>error'
cat status
