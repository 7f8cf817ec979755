/* SPDX-License-Identifier: MIT
 *
 * reduce_plan.h - how a reduction is dealt out to blocks: which kernel, how it is compiled, what it is told. */
#ifndef TALLY_GPU_REDUCE_PLAN_H
#define TALLY_GPU_REDUCE_PLAN_H

#include "program.h"

#include "kernels/parameters/reduce_parameters.h"

struct reduce_plan {
    struct reduce_parameters parameters; /* states, tickets and the like are the caller's */
    const char *file;                    /* of the kernel "reduce" */
    struct definitions definitions;
    int64_t blocks;
    uint32_t threads;
    uint32_t shared_bytes;
    size_t state_bytes; /* of all states, when there are several splits */
    int64_t tickets;
    int wide; /* exact sums that may leave a thread's window: reduce_wide.cu goes over them again */
};

/* Cells that all blocks of reduce_wide.cu share out, and bytes of its state of one cell. */
#define WIDE_SHARED_CELLS 32
size_t wide_state_bytes(const struct calculation *calculation);

void reduce_plan(const struct device_limits *limits, const struct reduction *reduction, struct reduce_plan *plan);

/* The usual plan for folds that are not associative (reduce_ordered.cu), whose parameters have all but how the work is
 * dealt out. */
void reduce_plan_ordered(const struct device_limits *limits, const struct reduction *reduction, int contiguous,
                         struct reduce_plan *plan);

/* Whether reduce_ordered_rows.cu takes the reduction, and then the plan for that, made of the usual one. */
int reduce_plan_ordered_rows(const struct device_limits *limits, const struct reduction *reduction,
                             const struct reduce_plan *usual, struct reduce_plan *plan);

/* Whether reduce_lanes.cu takes the reduction, and then the plan for that, made of the usual one. */
int reduce_plan_lanes(const struct device_limits *limits, const struct reduction *reduction,
                      const struct reduce_plan *usual, struct reduce_plan *plan);

/* Whether reduce_rows.cu takes the reduction, and then the plan for that, made of the usual one. */
int reduce_plan_rows(const struct device_limits *limits, const struct reduction *reduction,
                     const struct reduce_plan *usual, struct reduce_plan *plan);

/* Whether kernels/reduce_tree/row_powers.cuh takes leaves, and its WALK. */
int reduce_plan_has_rows_of_powers(const struct reduction *reduction);
int reduce_plan_walk_of_rows(const struct reduction *reduction);

/* Whether in all rows four neighbouring elements lie side by side, at a multiple of their size, or of 16 bytes; and the
 * last four of rows of this length. */
int reduce_plan_has_aligned_fours(const struct reduction *reduction, int64_t length);

/* Whether reduce_short.cu takes the reduction, and then the plan for that, made of the usual one. */
int reduce_plan_short(const struct device_limits *limits, const struct reduction *reduction,
                      const struct reduce_plan *usual, struct reduce_plan *plan);

/* Whether that has the steps; what all of its plans have; and the plan begun so for columns, if it takes them. */
#define REDUCE_PLAN_SHORT_THREADS 256
int reduce_plan_may_be_short(const struct reduction *reduction);
void reduce_plan_begin_short(const struct reduction *reduction, const struct reduce_plan *usual,
                             struct reduce_plan *plan);
int reduce_plan_columns(const struct device_limits *limits, const struct reduction *reduction,
                        struct reduce_plan *plan);

/* Whether it takes columns of which threads had better read eight bytes that begin anywhere, and then the plan for
 * that, made of the usual one. */
int reduce_plan_shifted(const struct device_limits *limits, const struct reduction *reduction,
                        const struct reduce_plan *usual, struct reduce_plan *plan);

/* Whether it takes columns of matrices behind each other, whose rows vectors do not divide, and then the plan for that,
 * made of the usual one. */
int reduce_plan_matrices(const struct device_limits *limits, const struct reduction *reduction,
                         const struct reduce_plan *usual, struct reduce_plan *plan);

/* Whether it takes rows of which some elements are absent, or of products of two arrays, if they fit shared memory; and
 * whether they do, and then the plan for that. */
int reduce_plan_may_be_staged(const struct reduction *reduction);
int reduce_plan_staged(const struct device_limits *limits, const struct reduction *reduction,
                       const struct reduce_plan *usual, struct reduce_plan *plan);

/* Plans for rows by way of shared memory, where a thread takes `at_once` bytes of a row at once; returns whether a
 * block has room for them. Whether rows had better be read with what lies between them. */
int reduce_plan_add_stages(const struct device_limits *limits, const struct reduction *reduction, int64_t at_once,
                           struct reduce_plan *plan);
int reduce_plan_rows_are_close(int64_t bytes, int64_t apart);

/* Whether reduce_whole.cu takes the reduction, and then the plan for that, made of the usual one. */
int reduce_plan_whole(const struct device_limits *limits, const struct reduction *reduction,
                      const struct reduce_plan *usual, struct reduce_plan *plan);

/* Whether reduce_spread.cu takes the reduction, and then the plan for that, made of the usual one. */
int reduce_plan_spread(const struct device_limits *limits, const struct reduction *reduction,
                       const struct reduce_plan *usual, struct reduce_plan *plan);

/* Whether kernels/reduce/quick_spread.cuh has the calculation. */
int reduce_plan_has_spread(const struct calculation *calculation);

/* Whether that has two pairs of doubles for a cell. */
int reduce_plan_has_pairs(const struct calculation *calculation);

/* Whether cells are so long that sums of integers of 32 bits, relative to one of them, may be no doubles. */
int reduce_plan_has_long_cells(const struct reduction *reduction);

/* Whether kernels/reduce_strips/strip_spread.cuh has the reduction, masked or not. */
int reduce_plan_is_spread(const struct reduction *reduction);

/* Whether reduce_tall.cu takes the reduction, and then the plan for that, made of the usual one. */
int reduce_plan_tall(const struct device_limits *limits, const struct reduction *reduction,
                     const struct reduce_plan *usual, struct reduce_plan *plan);

/* Whether rows that begin inside of vectors then come by way of shared memory. */
int reduce_plan_is_fetched(const struct device_limits *limits, const struct reduction *reduction);

/* The same, only of what reduce_short.cu would read in less than vectors. */
int reduce_plan_ragged(const struct device_limits *limits, const struct reduction *reduction,
                       const struct reduce_plan *usual, struct reduce_plan *plan);

/* Whether reduce_long.cu takes the reduction, and then the plan for that, made of the usual one. */
int reduce_plan_long(const struct device_limits *limits, const struct reduction *reduction,
                     const struct reduce_plan *usual, struct reduce_plan *plan);

/* Bytes of a total that is merged there, at most, but for an exact sum in words. */
#define REDUCE_PLAN_TOTAL_BYTES 64

/* Whether kernels/reduce/moments.cuh has the calculation: variances of integers of up to 16 bits. */
int reduce_plan_has_moments(const struct reduction *reduction);

/* Whether the calculation has the steps of reduce_tall.cu and reduce_long.cu (kernels/reduce_strips/strip.cuh). */
int reduce_plan_has_strips(const struct reduction *reduction);

/* Whether the calculation has the steps of reduce_short.cu, for elements without gaps or masks. */
int reduce_plan_has_quick_steps(const struct reduction *reduction);

/* Whether it is an argmin or argmax of elements without masks. */
int reduce_plan_is_search(const struct reduction *reduction);

/* What kernels/reduce/short_total.cuh wants to know: whether sums have an initial value. */
void reduce_plan_add_initial(const struct calculation *calculation, struct definitions *definitions);

/* Splits of each of some groups that keep `at_once` blocks busy to the end, at most `most`. */
int64_t reduce_plan_splits(int64_t at_once, int64_t groups, int64_t most);

/* What kernels/common/mask_words.cuh wants to know, if vectors of elements have masks that lie behind each other. */
void reduce_plan_add_mask(const struct reduction *reduction, struct definitions *definitions);

/* Whether elements are left out, by options.where or as NaN. */
int reduce_plan_is_masked(const struct reduction *reduction);

/* Whether strips take them so (kernels/reduce_strips/strip_mask.cuh), what these want to know, and whether blocks of
 * reduce_tall.cu have room for the numbers of absent elements, if they count. */
int reduce_plan_has_masked_strips(const struct reduction *reduction);
int reduce_plan_has_room_for_absent(const struct calculation *calculation);
void reduce_plan_add_strip_mask(const struct reduction *reduction, struct definitions *definitions);

/* Whether masks of vectors are words of theirs, or vectors. */
int reduce_plan_has_aligned_mask(const struct reduction *reduction);

/* What kernels that leave elements out as strips do want to know; `counts` is defined where results depend on how many
 * these are. */
void reduce_plan_add_fill(const struct reduction *reduction, const char *counts, struct definitions *definitions);

/* What the plans share: vectors of a thread's tile, where a vector has so many elements; blocks that should fit a
 * multiprocessor; bytes of a state that is merged. */
int64_t reduce_plan_vectors(const struct calculation *calculation, int64_t vector);
int reduce_plan_blocks_at_once(const struct calculation *calculation, int contiguous);
size_t reduce_plan_state_bytes(const struct calculation *calculation);

#endif
