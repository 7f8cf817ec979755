/* SPDX-License-Identifier: MIT
 *
 * scan_state.h - what a running result leaves behind for the next element, chunk or call; one per parallel scan.
 *
 * Unordered and exact scans carry their total. Ordered ones carry their place in the block scheme, which
 * docs/semantics.md gives: a run is combined from left to right, run totals within a group by a Kogge-Stone scan, the
 * groups of a block and the blocks from left to right. */
#ifndef TALLY_SCAN_STATE_H
#define TALLY_SCAN_STATE_H

#include "state.h"

#define SCAN_RUN 16         /* elements of a run */
#define SCAN_GROUP_RUNS 32  /* runs of a group */
#define SCAN_BLOCK_GROUPS 8 /* groups of a block */
#define SCAN_GROUP (SCAN_RUN * SCAN_GROUP_RUNS)
#define SCAN_BLOCK (SCAN_GROUP * SCAN_BLOCK_GROUPS)

/* The open block of an ordered scan. */
struct scan_block {
    int32_t position; /* elements of the block that came, 0 to SCAN_BLOCK - 1 */
    int32_t carried;  /* whether there is a carry: a complete block, or an initial value */
    int32_t based;    /* whether base is what stands left of the open run: 0 not yet known, 1 it is, 2 nothing is */
    struct fold_value base;
    struct fold_value carry;                /* of everything before the block */
    struct fold_value groups;               /* of the block's complete groups; valid from the second group on */
    struct fold_value local;                /* of the open run; valid when position is inside one */
    struct fold_value run[SCAN_GROUP_RUNS]; /* totals of the open group's complete runs */
};

struct scan_state {
    union {
        struct fold_value fold;  /* METHOD_FOLD, unordered */
        struct scan_block block; /* METHOD_FOLD, ordered */
        struct exact exact[2];   /* METHOD_EXACT: real and imaginary part */
    } as;
};

/* Bytes that a state of this calculation takes; states lie that far apart. */
size_t scan_state_size(const struct calculation *calculation);
struct scan_state *scan_state_at(const struct calculation *calculation, struct scan_state *states, int64_t cell);

/* Before the first element; the calculation's initial value is already in it. */
void scan_state_open(const struct calculation *calculation, struct scan_state *state);

/* The exclusive result of the element that comes next, one element of the result type. False when it does not fit and
 * the calculation is checked; then nothing is written. */
int scan_state_before(const struct calculation *calculation, struct scan_state *state, void *out);

/* Takes one element (NULL: an absent one) and, when out is not NULL, writes its inclusive result; false as above, and
 * then the state is the next one all the same. */
int scan_state_step(const struct calculation *calculation, struct scan_state *state, const void *x, void *out);

/* ---- steps of ordered scans, on closed values ---- */

/* a = left * a, where a missing left operand (NULL) changes nothing. */
void scan_prepend(const struct fold_steps *steps, const struct fold_value *left, struct fold_value *a);

/* Run totals to the totals of all runs up to each of the first `count` ones, in place. */
void scan_runs(const struct fold_steps *steps, struct fold_value *run, int count);

/* What stands left of the run at the state's position; false when nothing does. */
int scan_block_base(const struct fold_steps *steps, const struct scan_block *block, struct fold_value *base);

/* Ends a group with the total of its runs, and with it maybe the block. position is already after the group. */
void scan_block_close_group(const struct fold_steps *steps, struct scan_block *block, const struct fold_value *total);

/* The result of a value: adds the +0 that makes a zero sum positive. False as above. */
int scan_finish(const struct calculation *calculation, const struct fold_value *value, void *out);

#endif
