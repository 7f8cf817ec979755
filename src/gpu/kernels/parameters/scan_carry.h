/* SPDX-License-Identifier: MIT
 *
 * scan_carry.h - what a scan that goes on from a chunk before (WITH_CARRY) is told of each cell, in 64-bit words. Read
 * by the C compiler and by NVRTC.
 *
 *   fold     whether there is anything (0 or 1; ordered folds ask), then the parts: integers, or the bits of doubles
 *   exact    for each sum an equal share of the words: one of CARRY_SPECIAL, then signed limbs, of which number i
 *            weighs 2^(place + 32 i), as many as there are, then zeros */
#ifndef TALLY_SCAN_CARRY_H
#define TALLY_SCAN_CARRY_H

/* A sum's first word: the special bits, and above them the place of its limbs. */
#define CARRY_SPECIAL(special, place) ((uint64_t)(uint32_t)(place) << 32 | (special))
#define CARRY_LIMB_BITS 32

#endif
