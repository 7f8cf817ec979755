# No progress bar without a terminal, whatever the time.
{ printf '1 '; sleep 1.2; printf '2 3'; } | try sum -
command -v script >/dev/null || skip 'no script command to make a terminal'
{ seq 1 500000; sleep 1.3; seq 1 500000; } >/dev/null
script -qec "{ seq 1 300000; sleep 1.2; seq 1 300000; } | \"$TALLY\" sum - --quiet" /dev/null </dev/null | tr -d '\r' >quiet
script -qec "{ seq 1 300000; sleep 1.2; seq 1 300000; } | \"$TALLY\" sum -" /dev/null </dev/null >shown
tail -n 1 quiet
grep -c 'elements/s' shown
grep -c 'elements/s' quiet
exit 0
