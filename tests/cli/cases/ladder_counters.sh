# tally ladder --counters on a GPU that the tests' driver makes up, whose kernels do nothing: so there are no elements, and
# a script in the place of Nsight Compute, which runs the command and says what a GPU might have counted.
export TALLY_CUDA_DRIVER=${TALLY%/*}/tests/libfake_cuda.so
export TALLY_NVRTC=$TALLY_CUDA_DRIVER
[ -f "$TALLY_CUDA_DRIVER" ] || skip "the tests' driver is not built"

row() { # launch, metric, value
    echo "\"$1\",\"77\",\"tally\",\"reduce, \"\"mine\"\"\",\"$2\",\"\",\"$3\""
}

{
    echo '==PROF== Disconnected from process 77'
    echo '"ID","Process ID","Process Name","Kernel Name","Metric Name","Metric Unit","Metric Value"'
    for launch in 0 1; do
        row $launch dram__throughput.avg.pct_of_peak_sustained_elapsed "$((launch + 1))0.5"
        row $launch gpu__time_duration.sum 1,024
        row $launch l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum 12,345
        for kind in ld st red atom; do row $launch l1tex__t_sectors_pipe_lsu_mem_global_op_$kind.sum 1,000,000; done
        row $launch smsp__issue_active.avg.pct_of_peak_sustained_active n/a
        row $launch smsp__sass_branch_targets_threads_divergent.sum 7
    done
} >printed.csv
cat >ncu <<'END'
#!/bin/bash
while [[ $1 == --* ]]; do
    [ "$1" = --csv ] || shift
    shift
done
echo "tally ${*:2}" >>commands
"$@" && cat printed.csv
END
cat >refused <<'END'
#!/bin/sh
echo '==PROF== Connected to process 77 (tally)'
echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters.' >&2
exit 1
END
chmod +x ncu refused

export TALLY_NCU=$PWD/ncu
try ladder scan --device cuda --size 0 --once --exclusive --counters | head -n 14
cat commands
try ladder rows --device cuda --rows 0 --columns 5 --rung warp-per-row --op max --type i32 --once --counters --csv
tail -n 1 commands
try ladder reduce --device cuda --size 0 --once --rung strided --counters --json | tail -n 1
export TALLY_NCU=./refused
try ladder reduce --device cuda --size 0 --once --rung strided --counters --json | sed 's/^.*"exclusive"/.../'
export TALLY_NCU=/nonexistent/ncu
try ladder reduce --device cuda --size 0 --once --rung strided --counters --csv
