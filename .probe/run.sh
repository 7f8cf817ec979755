#!/bin/bash
# builds on the device machine, runs the comparisons in shards, then the probe
set -o pipefail
export TALLY_CACHE_DIR=/tmp/tcache
( cmake -S . -B /tmp/b -DTALLY_ONLY_ISA=base -DTALLY_HDF5=OFF && cmake --build /tmp/b -j16 --target tally_static tally_cli test_device_agree ) >/tmp/build.log 2>&1 || { tail -30 /tmp/build.log; exit 1; }
/tmp/b/tally info | head -30
gcc -O2 -Iinclude .probe/probe.c /tmp/b/libtally.a -o /tmp/probe -lm -lpthread -ldl
[ "$1" = probe ] || { pids=; for i in $(seq 1 14); do ( TALLY_TEST_SEED=$i TALLY_TEST_DEVICE=cuda TALLY_TEST_SCANS=${SCANS:-1} TALLY_TEST_PROGRAMS=${PROGRAMS:-40} timeout ${LIMIT:-150} /tmp/b/tests/device_agree >/tmp/agree.$i 2>&1; echo "rc $?" >>/tmp/agree.$i ) & done; wait; tail -qn 2 /tmp/agree.* | sort | uniq -c | sort -rn | head -30; cat /tmp/agree.* | grep -v passed | grep -v '^rc' | head -${SHOW:-60}; }
timeout ${PLIMIT:-200} /tmp/probe $PROBE_ARGS
