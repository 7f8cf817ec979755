/* SPDX-License-Identifier: MIT
 *
 * scan_carry_states.h - what unordered and exact scans start from and leave behind, as words that
 * kernels/scan_carry.cuh reads and writes: those of kernels/output_state.h, without the count of absent elements. */
#ifndef TALLY_GPU_SCAN_CARRY_STATES_H
#define TALLY_GPU_SCAN_CARRY_STATES_H

#include "scan_state.h"

/* Words of a state. */
int64_t scan_carry_words(const struct calculation *calculation);

/* States to words; false when a sum does not fit the words of a thread: then the scan is scan_on_host's. */
int scan_carry_write(const struct calculation *calculation, struct scan_state *states, int64_t cells, uint64_t *words);

/* Words to states. False, with the states as they were, when a sum had left its words on the device. */
int scan_carry_read(const struct calculation *calculation, const uint64_t *words, int64_t cells,
                    struct scan_state *states);

#endif
