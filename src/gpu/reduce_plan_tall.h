/* SPDX-License-Identifier: MIT
 *
 * reduce_plan_tall.h - what reduce_plan_tall.c and reduce_plan_fetched.c share: how columns are dealt out to the blocks
 * of reduce_tall.cu. */
#ifndef TALLY_GPU_REDUCE_PLAN_TALL_H
#define TALLY_GPU_REDUCE_PLAN_TALL_H

#include "reduce_plan.h"

/* How columns are shared out. */
struct tall_deal {
    int64_t columns, lanes; /* of a matrix; threads of a row */
    int64_t items;          /* matrices */
    int64_t sides;          /* blocks that share rows, as each takes rows of some alignments only */
    int64_t rows;           /* that a block takes with one vector of each thread */
    int64_t threads, unit;  /* of a block; bytes that a thread reads at once */
    int64_t depth;          /* units of a thread under way */
    int64_t merged;         /* neighbouring columns of a cell */
    int flat, bundles;
    /* Where rows come by way of shared memory: */
    int64_t stages, stage_bytes; /* bundles of rows that a block has there, or 0, and what they take */
    int64_t blocks;              /* of a multiprocessor */
    int whole;                   /* threads have all of their columns, and blocks stay */
    int shifts;                  /* rows begin inside of words */
};

/* The reduction as one of columns, and how many neighbouring ones each of its cells has: 1 if the reduction is one. */
int64_t tall_columns_of(const struct reduction *reduction, struct reduction *columns);

/* The innermost of the reduced loops. */
const struct loop *tall_rows_of(const struct reduction *reduction);

/* Whether the loops are columns that strips may go down. */
int tall_is_suitable(const struct reduction *reduction, int64_t size);

/* What the places of all rows (or of all matrices and runs of rows, if `outer`), in elements, are multiples of. */
int64_t tall_strides_of(const struct reduction *reduction, int outer);

/* Whether rows begin or end inside of vectors. */
int tall_is_ragged(const struct reduction *reduction, int64_t in_vector);

/* Whether rows had better come by way of shared memory (kernels/reduce_strips/strip_fetched.cuh), and then how they are
 * dealt out. */
int tall_deal_fetched(const struct device_limits *limits, const struct reduction *reduction, struct tall_deal *deal,
                      struct reduce_parameters *p);

#endif
