/* SPDX-License-Identifier: MIT
 *
 * scan.h - what the scans' kernels and their closed forms share. */
#ifndef TALLY_LADDER_SCAN_H
#define TALLY_LADDER_SCAN_H

#include "ladder.h"

enum {
    SCAN_THREADS = 256,
    SCAN_NAIVE_MOST = 1024,                 /* elements: one block */
    SCAN_TILE = 2 * SCAN_THREADS,           /* of scan_blocks.cu */
    SCAN_LOOK_BACK_TILE = 7 * SCAN_THREADS, /* of scan_look_back.cu */
    SCAN_MOST_LEVELS = 8                    /* of tiles of tiles: 512^8 elements are more than 2^63 */
};

void scan_predict_naive(const struct ladder_problem *problem, struct ladder_counts *counts);
void scan_predict_sweeps(const struct ladder_problem *problem, struct ladder_counts *counts);
void scan_predict_blocks(const struct ladder_problem *problem, struct ladder_counts *counts);
void scan_predict_look_back(const struct ladder_problem *problem, struct ladder_counts *counts);

#endif
