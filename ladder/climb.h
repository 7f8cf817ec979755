/* SPDX-License-Identifier: MIT
 *
 * climb.h - runs the rungs of a ladder on one device: each is checked against the exact answer first, then counted
 * (device "simt") or timed. */
#ifndef TALLY_LADDER_CLIMB_H
#define TALLY_LADDER_CLIMB_H

#include "counters.h"
#include "ladder.h"

#define LADDER_MOST_RUNGS 16
#define LADDER_WHY COUNTERS_WHY

/* What a device can do at most, in GB/s: the better of two library calls that read, and a copy. */
struct ladder_limits {
    double read, copy;
};

/* What came of a rung. */
struct ladder_result {
    const struct ladder_rung *rung;
    bool left_out, wrong;
    char why[LADDER_WHY];            /* of the two before */
    bool has_counts, has_prediction; /* on device "simt" */
    struct ladder_counts counted, predicted;
    bool has_counters; /* measured on a GPU; a prediction, where there is one, is there, too */
    struct ladder_counters counters;
    bool has_times;             /* elsewhere; microseconds of the device's own clock */
    double median, low, high;   /* of the whole job; low and high are the quartiles */
    double call;                /* of the host's clock, from the call until all is done */
    double gbps;                /* bytes that must move, over the median */
    double percent;             /* of the limit */
    tally_function_facts facts; /* of its main kernel */
    double occupancy;           /* of its threads on a multiprocessor, 0 to 1 */
};

struct ladder_climb {
    const struct ladder *ladder;
    struct ladder_problem problem;
    tally_context *context;
    bool simulated;
    bool once; /* each rung is run and checked, and neither counted nor timed: for those who look on */
    tally_device device;
    struct ladder_limits limits; /* 0 on device "simt" */
    struct ladder_result results[LADDER_MOST_RUNGS];
    int result_count;
    bool with_counters;           /* they were asked for */
    char no_counters[LADDER_WHY]; /* why some rungs have none; else empty */
};

/* Opens a device (NULL: "cuda", else "simt"), and says what was opened. Errors: as tally_open. */
tally_status ladder_open(const char *device, struct ladder_climb *climb);
tally_status ladder_close(struct ladder_climb *climb);

/* Measures the limits; nothing to do on device "simt", or once. */
tally_status ladder_measure_limits(struct ladder_climb *climb);

/* Runs the rungs of climb->ladder on climb->problem, or only the one of that name. Results say what went wrong with a
 * rung; the call fails only where nothing can go on. n = 0 gives the identity without a launch. */
tally_status ladder_run_all(struct ladder_climb *climb, const char *only);

/* Runs a mistake on small problems until one is wrong: `seen` says where, and what came out. False in *caught: never.
 */
tally_status ladder_try_mistake(struct ladder_climb *climb, const struct ladder_mistake *mistake, bool *caught,
                                char seen[LADDER_WHY]);

/* NULL when there is none of that name. */
const struct ladder_rung *ladder_find_rung(const struct ladder *ladder, const char *name);

/* Bytes that any method must move for a problem. */
double ladder_least_bytes(const struct ladder_problem *problem, enum ladder_shape shape);

#endif
