/* SPDX-License-Identifier: MIT
 *
 * one_element.h - running results and reductions of one element each, by easier calculations with the same bits. */
#ifndef TALLY_ONE_ELEMENT_H
#define TALLY_ONE_ELEMENT_H

#include "engine.h"

/* Whether lines are of one element each, and so a running result is what that element alone is reduced to: then the
 * reduction is filled. Not in place, where a reduction might read again what it wrote over, and not complex products,
 * which have a tree's identities. */
int scan_is_of_one(const struct scan *scan, struct reduction *reduction);

/* The logarithm of one power is its exponent, as is the sum of that alone: where cells are of one element, which is
 * there and whose result is rounded once, sums take over. */
void reduction_of_one(struct reduction *reduction);

#endif
