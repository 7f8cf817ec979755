/* SPDX-License-Identifier: MIT
 *
 * scan_parameters.h - what the host tells the scan kernels. Read by the C compiler and by NVRTC. */
#ifndef TALLY_SCAN_PARAMETERS_H
#define TALLY_SCAN_PARAMETERS_H

#include "reduce_parameters.h"

/* scan_wide.cu: threads of a block, and 64-bit digits of a sum. */
#define SCAN_WIDE_THREADS 64
#define SCAN_WIDE_DIGITS 36

/* What a chunk of scan_wave.cu may publish of an exact sum of doubles, or of narrower floats. */
#define SCAN_FAR_BYTES 448
#define SCAN_FAR_BYTES_NARROW 96

/* What a block of scan_blocks.cu has of shared memory beside its stages, at most. */
#define SCAN_BLOCKS_STATIC_BYTES 7168

/* What a block of scan_few.cu has of shared memory beside its parts, at most. */
#define SCAN_FEW_STATIC_BYTES 12288

/* And one of scan_wave.cu beside its stages. */
#define SCAN_WAVE_STATIC_BYTES 9216
#define SCAN_WAVE_STATIC_BYTES_WIDE 26624 /* with digits of doubles (wave_far.cuh) */

/* In place of the elements of all cells' first chunks: each has as many as lead to the next border of its own. */
#define SCAN_OWN_HEADS (-1)

struct scan_parameters {
    /* x, low, high, where, out, kept, cells, initial, has_initial, failures, wide_count, cells_first and team as in a
     * reduction; reduced[0] is the scanned axis, with out's stride, and length its extent. splits of split_units
     * elements each (columns_tiles.cuh: it says what is meant by team, width, split_units and run_units). */
    struct reduce_parameters reduce;
    uint32_t *flags; /* 16 zero bytes for each split of each group (board.cuh), 32 for exact sums in waves; left zero */
    uint32_t *ticket; /* zeros: the next split to start, blocks that are done, two of scan_blocks.cu; left zero */
    void *totals;     /* what splits publish, or (ordered) the totals of blocks, then the carries into them */
    /* Compiled WITH_CARRY: carry_words words (scan_carry.h) of what comes before each cell, in place of the initial
     * value, and, from ordered scans of whole blocks, where those of the next chunk go. */
    const uint64_t *carries;
    uint64_t *carries_out;
    int64_t carry_words;
    /* scan_wave.cu: elements of the first chunk, so that the others begin at a vector's border (0: they do), or
     * SCAN_OWN_HEADS; and the bytes of an element that changes no total. */
    int64_t head;
    uint64_t fill;
    int64_t wide_segment; /* scan_wide.cu: elements of a segment */
    int32_t exclusive;
    int32_t check_only; /* nothing is written; failures says whether all fits */
};

#endif
