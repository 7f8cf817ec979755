/* SPDX-License-Identifier: MIT
 *
 * scan_columns.cu - running results down columns that lie beside each other. Nothing is read or written twice.
 *   WALK 1   a thread walks down SIDE neighbouring columns: for many or short columns
 *   WALK 0   blocks share columns, in chunks of rows that pass through shared memory: for fewer, longer ones */
#include "team.cuh"

#include "scan_parameters.h"
#include "shuffle.cuh"
#include "side.cuh"

/* Results of SIDE neighbouring columns. */
struct __align__(16) results
{
    char bytes[SIDE * RESULT_SIZE];
};

/* `to` is aligned to as many bytes, or to 16. */
DEVICE void store_results(char *to, const struct results *results)
{
    enum { BYTES = SIDE * RESULT_SIZE };
#pragma unroll
    for (int i = 0; i < BYTES / 16; i++) {
        struct vector16 v;
        memcpy(&v, results->bytes + 16 * i, 16);
        ((struct vector16 *)to)[i] = v;
    }
    if (BYTES == 8) STORE_AS(uint64_t, to, results->bytes);
    if (BYTES == 4) STORE_AS(uint32_t, to, results->bytes);
    if (BYTES == 2) STORE_AS(uint16_t, to, results->bytes);
    if (BYTES == 1) *to = results->bytes[0];
}

#if defined(METHOD_EXACT)
#define TILE 16
#include "scan_method_exact.cuh"
#include "column_exact.cuh"
#else
#include "scan_method_fold.cuh"
#include "column_fold.cuh"
#endif

#if WALK
#include "columns_walk.cuh"
#else
#include "columns_wave.cuh"
#endif

KERNEL(scan, struct scan_parameters, given)
{
    scan_columns(&given);
}
