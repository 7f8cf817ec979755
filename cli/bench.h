/* SPDX-License-Identifier: MIT
 *
 * bench.h - what the files of tally bench share: data on the device, and the time that a call takes on it. */
#ifndef TALLY_CLI_BENCH_H
#define TALLY_CLI_BENCH_H

#include "cli.h"

/* What is timed. An axis of -1 means a vector, all of it. */
typedef struct bench_case {
    tally_verb verb;
    tally_op op;
    tally_type type;
    int64_t rows, columns; /* columns 0: a vector of `rows` elements */
    int32_t axis;
} bench_case;

/* Elements of one type, the same bytes on the host and on the device. Calls take one window of it after another, so
 * that no cache still has what a call reads. */
typedef struct bench_pool {
    tally_type type;
    size_t bytes;
    unsigned char *near;
    void *far;
} bench_pool;

typedef struct bench_state {
    tally_context *device, *cpu;
    tally_device about;
    bool simulated, quick;
    size_t cold;                 /* bytes that lie between two uses of a window, at least */
    double read_gbps, copy_gbps; /* what this device reads and copies at most */
    bench_pool pool;
    void *outputs; /* windows, too */
    size_t output_bytes;
} bench_state;

typedef struct bench_result {
    double microseconds; /* median */
    double bytes;        /* that the call must read and write */
    int runs;
} bench_result;

enum { BENCH_FAILED, BENCH_DONE, BENCH_WRONG, BENCH_LEFT_OUT };

/* bench_data.c: fills the pool with at least `elements` of a type; false with io_error() when there is no room. */
bool bench_pool_fill(bench_state *state, tally_type type, int64_t elements);
bool bench_outputs_reserve(bench_state *state, size_t bytes);
void bench_free(bench_state *state);

/* bench_time.c: verifies a case against the CPU, then times it. io_error() says why it failed or was left out. */
int bench_run(bench_state *state, const bench_case *wanted, bench_result *result);

/* bench_time.c: fills read_gbps and copy_gbps. */
bool bench_limits(bench_state *state);

#endif
