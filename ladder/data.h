/* SPDX-License-Identifier: MIT
 *
 * data.h - inputs whose results are exact in any order and in which each element counts, so that a rung's result is
 * right to the last bit or wrong. */
#ifndef TALLY_LADDER_DATA_H
#define TALLY_LADDER_DATA_H

#include "ladder.h"

/* Elements behind an input that would spoil any result. */
#define LADDER_POISON 1024

/* Fills rows x columns elements and the poison behind them. Sums: small integers with signs by chance, and a large one
 * in the middle; products: odd integers, or signs and few powers of two; minimum and maximum: one element beyond all
 * others. Another seed gives other data. Any type but LADDER_TRACE. */
void ladder_fill(const struct ladder_problem *problem, uint64_t seed, void *input);

/* The results, by one loop on the host. */
void ladder_answer(const struct ladder_problem *problem, enum ladder_shape shape, const void *input, void *output);

/* How many there are. */
int64_t ladder_result_count(const struct ladder_problem *problem, enum ladder_shape shape);

#endif
