/* SPDX-License-Identifier: MIT
 *
 * scan_columns.cu - running results down columns that lie beside each other. Nothing is read or written twice.
 *   WALK 1   a thread walks down SIDE neighbouring columns: for many or short columns
 *   WALK 0   blocks share columns, in chunks of rows that pass through shared memory: for fewer, longer ones; or
 *   TILES 1  a warp goes through many matrices of few columns each, which pass through shared memory as they lie
 *   PACK     so many neighbouring columns have a state, and so a struct column and a struct total, together: 1, or
 *            those of a word (scan_method_packed.cuh) */
#if !defined(TILES)
#define TILES 0
#endif
#include "team.cuh"

#include "scan_parameters.h"
#include "shuffle.cuh"
#include "side.cuh"

#include "columns_stage.cuh"

#if defined(METHOD_EXACT)
#define TILE 16
#include "scan_method_exact.cuh"
#include "column_exact.cuh"
#elif IS_ORDERED
#include "column_ordered.cuh"
#elif PACK > 1
#include "scan_method_packed.cuh"
#include "column_fold.cuh"
#else
#include "scan_method_fold.cuh"
#include "column_fold.cuh"
#endif

#if WALK
#include "columns_walk.cuh"
#elif TILES
#include "columns_tiles.cuh"
#else
#include "columns_wave.cuh"
#endif

KERNEL(scan, struct scan_parameters, given)
{
    scan_columns(&given);
}

#if SPLITS
KERNEL(scan_totals, struct scan_parameters, given)
{
    total_columns(&given);
}
#endif
