/* SPDX-License-Identifier: MIT
 *
 * bench.h - what the files of tally bench share: cases, data on the device, and the time that a call takes on it.
 * bench_cases.c makes the cases, bench_grid.c goes through them, bench_check.c verifies, bench_time.c times. */
#ifndef TALLY_CLI_BENCH_H
#define TALLY_CLI_BENCH_H

#include "cli.h"

#include <stdio.h>

/* How far apart the exponents of the floats lie, or what floats they are. */
typedef enum bench_spread {
    BENCH_8_BINADES,
    BENCH_40_BINADES,
    BENCH_ALL_EXPONENTS,
    BENCH_NORMAL, /* of a standard normal distribution */
    BENCH_PRICES, /* from 0.01 to 10,000.00 */
    BENCH_SPARSE, /* nine zeros of ten */
    BENCH_HOLES,  /* one NaN in a hundred */
    BENCH_SPREADS
} bench_spread;

/* How the input lies in memory, where it is not as C has it, or what goes with it. */
typedef enum bench_view {
    BENCH_AS_IT_IS,
    BENCH_SHIFTED,     /* from one element behind an aligned address on; the output is aligned */
    BENCH_EVERY_OTHER, /* with as many elements between */
    BENCH_BACKWARDS,   /* along the last axis */
    BENCH_TURNED,      /* the first axis is the innermost one, as in Fortran */
    BENCH_MASKED       /* under a mask */
} bench_view;

#define BENCH_RANK 4

/* What is timed. */
typedef struct bench_case {
    tally_verb verb;
    tally_op op;
    const char *name; /* of a user's operator; NULL: it is one of tally's own */
    tally_type type;
    int32_t rank;
    int64_t shape[BENCH_RANK];
    int32_t axes[BENCH_RANK], axis_count; /* ascending; 0: all of them */
    uint32_t flags;                       /* TALLY_PLAIN, TALLY_EXCLUSIVE, TALLY_REVERSE */
    tally_type result;                    /* or TALLY_DEFAULT_TYPE */
    uint64_t modulus;                     /* or 0 */
    bench_spread spread;
    int32_t offset; /* elements from an aligned address to the first one, of input and output */
    int32_t gap;    /* elements between the rows of a matrix */
    bench_view view;
} bench_case;

/* Elements of one type on the device: a period of random ones, again and again. Calls take one window after another,
 * so that no cache still has what a call reads. */
typedef struct bench_pool {
    tally_type type;
    bench_spread spread;
    size_t bytes, period_bytes;
    unsigned char *period; /* on the host */
    void *far;
} bench_pool;

/* Memory of the host that is kept from case to case: fresh memory costs more than what is done with it. */
typedef struct bench_buffer {
    unsigned char *bytes;
    size_t room;
} bench_buffer;

typedef struct bench_state {
    tally_context *device, *cpu;
    tally_device about;
    bool gpu, simulated, quick;
    bool compile_only;              /* arrays are there, and hold anything */
    double open_us;                 /* that tally_open took */
    size_t cold;                    /* bytes that lie between two uses of a window, at least */
    double read_gbps, copy_gbps;    /* what this device reads and copies at most */
    const char *read_by;            /* what read fastest */
    double empty_us, empty_call_us; /* an empty kernel, and one that is waited for; 0 when unknown */
    tally_module *module;
    tally_function *spin, *nothing, *reader; /* kernels, or NULL */
    bench_pool pool;
    void *outputs; /* windows, too */
    size_t output_bytes;
    bench_buffer near; /* the first bytes of the pool, for the CPU */
    size_t near_filled;
    bench_buffer want, got; /* results */
} bench_state;

typedef struct bench_result {
    double us, hot_us, call_us; /* medians; the last two are 0 where they were not taken */
    double bytes;               /* that the call must read and write */
    double first, last;         /* of the results; NaN when there is no such number */
    bool checked_all;
    int runs;
} bench_result;

/* One call of a case: arrays that are placed on one window after another. */
typedef struct bench_call {
    tally_array input, second, where, output;
    tally_options options;
    size_t window_bytes, input_bytes, output_bytes; /* what a window spans, what is read, what is written */
} bench_call;

enum { BENCH_FAILED, BENCH_DONE, BENCH_WRONG, BENCH_LEFT_OUT };

/* bench_data.c: fills the pool with enough for a case of that type; false with io_error() when there is no room. */
bool bench_pool_fill(bench_state *state, tally_type type, bench_spread spread, size_t bytes);
bool bench_pool_write(const char *file, tally_type type, bench_spread spread);
bool bench_outputs_reserve(bench_state *state, size_t bytes);
bool bench_buffer_reserve(bench_buffer *buffer, size_t bytes);
bool bench_near_fill(bench_state *state, size_t bytes);
void bench_free(bench_state *state);

/* bench_call.c: the arrays of a case. The addresses are those of `base` and `outputs` plus those of a window; without
 * outputs the caller says where they go. */
int64_t bench_elements(const bench_case *wanted);
bool bench_is_along(const bench_case *wanted, int32_t dimension); /* is it reduced, or scanned? */
size_t bench_pool_bytes(const bench_case *wanted);                /* that a case needs at least */
tally_status bench_shape(const bench_case *wanted, bench_call *call);
void bench_place(const bench_state *state, const bench_case *wanted, int window, const void *base, void *outputs,
                 bench_call *call);
size_t bench_windows(const bench_state *state, const bench_call *call);
tally_status bench_make(tally_context *context, const bench_case *wanted, const bench_call *call);
tally_status bench_plan(tally_context *context, const bench_case *wanted, const bench_call *call, tally_plan **plan);

/* bench_check.c: calls once and compares with the CPU, bit by bit. Fills first, last and checked_all. In two steps for
 * those who make the call themselves: bench_check_begin makes sure that no earlier results are left, bench_check_end
 * compares. Both take a call that lies on window 0. */
int bench_check(bench_state *state, const bench_case *wanted, const bench_call *call, bench_result *result);
int bench_check_begin(bench_state *state, const bench_case *wanted, const bench_call *placed);
int bench_check_end(bench_state *state, const bench_case *wanted, const bench_call *placed, bench_result *result);

/* bench_time.c: verifies a case, then times it. io_error() says why it failed or was left out. bench_compile only has
 * its kernels compiled. */
int bench_run(bench_state *state, const bench_case *wanted, bench_result *result);
int bench_prepare(bench_state *state, const bench_case *wanted, bench_call *call); /* the call, and room for results */
int bench_compile(bench_state *state, const bench_case *wanted);
double bench_now(void); /* microseconds */
double bench_median(double *values, int count);

/* bench_limits.c: fills the rates and times of state that do not depend on a case. */
bool bench_kernels(bench_state *state);
bool bench_limits(bench_state *state);

/* One run of the command. */
typedef struct bench_report bench_report;
typedef bool bench_runner(bench_report *report, const bench_case *wanted); /* false: nothing more should be tried */
struct bench_report {
    bench_state state;
    const cli_options *options;
    tally_op only; /* 0: all */
    FILE *json;
    const char *commit, *part; /* part: of the grid, or NULL */
    int shard, shards;         /* with compile_only: the cases to compile are number shard, shard + shards, ... */
    int64_t sizes[4];          /* without a grid */
    int size_count;
    int largest_power, matrix_power; /* of the grid: 2^these elements of a vector and of a matrix, at most */
    bench_runner *run;               /* of the part: what is done with a case */
    double part_end;                 /* of the part's time, as bench_now() has it; 0: there is no limit */
    int number;                      /* of the case in the part "jit" */
    int seen, wrong, done, left_out, late;
};

/* bench.c: verifies, times and prints a case. False when nothing more should be tried. */
bool bench_one(bench_report *report, const bench_case *wanted);
bool bench_has_operator(const bench_case *wanted);   /* types lack some */
bool bench_count(bench_report *report, int verdict); /* false when nothing more should be tried */

/* bench_print.c: what is printed, and the lines of JSON. */
void bench_print_head(const bench_report *report);
void bench_print_case(const bench_report *report, const bench_case *wanted, const bench_result *result, int verdict);
void bench_print_what(const bench_case *wanted); /* the beginning of a row */
void bench_print_failure(int verdict);           /* the end of one */
void bench_write_case(const bench_report *report, const bench_case *wanted);
void bench_write_end(const bench_report *report, const bench_result *result);

/* bench_sizes.c: vectors of some sizes and matrices: what is timed without a grid. */
void bench_sizes_choose(bench_report *report);
bool bench_sizes_run(bench_report *report);

/* bench_shape.c: the arrays of --shape. */
bool bench_shape_check(bench_report *report); /* false with io_error() */
bool bench_shape_run(bench_report *report);
bool bench_spread_parse(const char *text, bench_spread *spread); /* NULL: the default */

/* bench_grid.c: every case of the parts in a list like "reduce,scan", NULL meaning all parts. */
bool bench_grid_check(const char *grid, const char *parts); /* false with io_error() */
void bench_grid_choose(bench_report *report);
bool bench_grid_run(bench_report *report);

/* bench_cases.c: hands every case of a part that was asked for, exists and has room to report->run, and ends when that
 * gives false. Behind the end of the part's time it only counts them. */
typedef bool bench_part(bench_report *report);
bool bench_try(bench_report *report, const bench_case *wanted);
bench_case bench_vector(tally_verb verb, tally_op op, tally_type type, int power); /* of 2^power elements */
bench_case bench_matrix(tally_verb verb, tally_op op, tally_type type, int64_t rows, int64_t columns, int32_t axis);
bench_part bench_part_reduce, bench_part_scan, bench_part_small, bench_part_exact, bench_part_misaligned,
    bench_part_rows, bench_part_columns, bench_part_axes, bench_part_jit, bench_part_scratch;
bench_part bench_part_user, bench_part_field;                                        /* bench_user.c */
bench_part bench_part_views;                                                         /* bench_views.c */
bench_part bench_part_numbers;                                                       /* bench_numbers.c */
bool bench_jit_case(const bench_report *report, int64_t number, bench_case *wanted); /* from 1; false behind the last */

/* bench_jit.c: how long the first call of a new process waits for its kernels. bench_jit has other processes make that
 * call; bench_first_call is what such a process does, for --first-call. */
bool bench_jit(bench_report *report, const bench_case *wanted);
bool bench_first_call_check(const bench_report *report); /* false with io_error() */
bool bench_first_call(bench_report *report);

/* bench_scratch.c: the device's memory that a case takes beyond its arrays. */
bool bench_scratch(bench_report *report, const bench_case *wanted);

#endif
