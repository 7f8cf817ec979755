/* SPDX-License-Identifier: MIT
 *
 * reduce_tall.cu - reductions down few, long columns, of one matrix or several behind each other. As many blocks as run
 * at once each go through a split of the rows by aligned vectors, of which a thread's always hold the same columns;
 * the threads' totals are merged in shared memory, and those of splits by the last block to come.
 *   TALL_FLAT 1: rows without gaps; a matrix is one run of vectors, of which every p.period-th holds the same columns
 *             0: LANES threads read a row of a tile of p.width columns, as far as it goes; with UNIT_BYTES not by
 *                vectors but by units of so many bytes, wherever it begins. */
#include "strip.cuh"

enum { MOST_WIDTH = (UNIT_BYTES < 16 || FETCH_STAGES ? LANES : 32) * IN_VECTOR };

#include "tall_place.cuh"

#include "tall_merge.cuh"

#if WHOLE_COLUMNS
#include "tall_whole.cuh"
#endif

KERNEL(reduce, struct reduce_parameters, p)
{
#if WHOLE_COLUMNS
    reduce_whole_columns(&p);
#else
    struct place place = place_of(&p, p.first_block + blockIdx.x);
    struct walk walk = walk_of(&p, &place);
    struct strip strip;
    strip_begin(&strip);
#if HAS_ORIGINS
    find_origins(&p, &place, &walk, &strip);
#endif
    walk_down(&walk, &strip);
    merge_and_finish(&p, &place, &walk, &strip);
#endif
}
