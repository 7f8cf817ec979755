/* SPDX-License-Identifier: MIT
 *
 * reference.h - what the files of the reference engine share. */
#ifndef TALLY_REFERENCE_H
#define TALLY_REFERENCE_H

#include "convert.h"
#include "state.h"

/* Adds an element, lifted as the operator says, to the accumulators of a state. */
void reference_add_exact(const struct calculation *calculation, struct exact *sums, const void *x, const void *y);

/* Whether an element counts: its mask byte is not 0, and it is no NaN that is to be skipped. y and where may be NULL.
 */
int reference_present(const struct calculation *calculation, const void *x, const void *y, const unsigned char *where);

int reference_is_nan(tally_type type, const void *x);

/* All elements of a cell by a user's operator. */
void reference_user_reduce(const struct reduction *reduction, const struct calculation *calculation, int64_t cell,
                           struct state *state);
tally_status reference_map(struct tally_context *context, const struct map *map);
void reference_user_scan(const struct scan *scan, int64_t cell, struct scan_state *state);

/* Adds the strides that lead to one index of a loop nest, counted in C order. */
void reference_offsets(const struct loop *loops, int32_t count, int64_t index, int64_t offset[OPERAND_COUNT]);

tally_status reference_scan(struct tally_context *context, const struct scan *scan);

#endif
