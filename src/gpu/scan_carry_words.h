/* SPDX-License-Identifier: MIT
 *
 * scan_carry_words.h - the states of a scan as kernels read them: kernels/parameters/scan_carry.h. */
#ifndef TALLY_GPU_SCAN_CARRY_WORDS_H
#define TALLY_GPU_SCAN_CARRY_WORDS_H

#include "scan_state.h"

/* Words that each cell needs: as many as the cell that needs the most. */
int64_t carry_words(const struct scan *scan);

/* The states, `each` words apart. */
void carry_write(const struct scan *scan, int64_t each, uint64_t *words);

/* What whole blocks of an ordered scan left behind becomes the states. */
void carry_read_ordered(const struct scan *scan, int64_t each, const uint64_t *words);

#endif
