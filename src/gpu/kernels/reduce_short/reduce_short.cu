/* SPDX-License-Identifier: MIT
 *
 * reduce_short.cu - reductions of short cells: a thread takes several cells, or a few threads do, with many loads under
 * way. What reduce.cu does for any cell costs more there than reading it.
 *   SHORT_ROWS       rows of whole vectors, or several in a vector
 *   SHORT_WORDS      other rows without gaps, by way of shared memory
 *   SHORT_STAGED     these, element by element, also those of which some are absent, and of products of two arrays
 *   SHORT_SHARED     these, as several are whole vectors
 *   SHORT_COLUMNS    neighbouring cells, in vectors where they are aligned
 *   SHORT_MATRICES   those of matrices whose rows vectors do not divide, by way of shared memory */
#include "team.cuh"

/* The methods of reduce.cu, whose states take what could not be done here, element by element. */
enum { VECTOR = 1, VECTORS = 1, TILE = 1 };
typedef uint32_t tile_mask;

#if defined(METHOD_EXACT)
#include "method_exact.cuh"
#elif defined(METHOD_INDEX)
#include "method_index.cuh"
#else
#if defined(PICKED_SUM) || defined(PICK_PRODUCT_ADD)
#define QUICK_IS_WIDE
#endif
#include "method_fold.cuh"
#endif

#include "finish_cell.cuh"
#include "shuffle.cuh"

SHUFFLE(state)

#define HAS_ABSENT (WITH_WHERE || SKIP_NAN)

enum { IN_VECTOR = 16 / ELEMENT_SIZE, IN_WORDS = 4 };

/* Bytes from the first element of a cell to another, which lie `stride` apart if they are not in a nest. */
DEVICE_UNUSED int64_t element_offset(const struct reduce_parameters *p, int64_t stride, int64_t i)
{
#if REDUCED_NEST
    (void)stride;
    return offsets_of(p->reduced, p->reduced_count, i).x * ELEMENT_SIZE;
#else
    (void)p;
    return i * stride;
#endif
}

#include "short_absent.cuh"

#if defined(METHOD_EXACT) && IS_FLOAT
#include "short_specials.cuh"
#endif
#if defined(METHOD_EXACT) && HAS_SPREAD
#include "short_spread.cuh"
#elif defined(METHOD_EXACT) && WITH_SECOND
#include "short_total.cuh"
#include "short_products.cuh"
#include "short_redo.cuh"
#elif defined(METHOD_EXACT)
#include "short_total.cuh"
#if IS_FLOAT
#include "short_exact.cuh"
#elif defined(PICK_MOMENTS)
#include "short_moments.cuh"
#else
#include "short_integer.cuh"
#endif
#include "short_redo.cuh"
#include "short_absolute.cuh"
#elif defined(METHOD_INDEX)
#include "short_index.cuh"
#elif defined(METHOD_MINMAX)
#include "short_both.cuh"
#include "short_absolute.cuh"
#else
#include "short_fold.cuh"
#include "short_absolute.cuh"
#endif

#if !defined(IS_RELATIVE)
#define IS_RELATIVE 0 /* to a number of their own, */
#define NO_ORIGIN 0   /* or none */
#endif

SHUFFLE(quick)
SHUFFLE(watch)

/* Writes the result of the cell's n numbers; returns whether it could. */
DEVICE int quick_settle(const struct reduce_parameters *p, const struct quick *q, const struct watch *watch, int64_t n,
                        int64_t cell, char *out)
{
#if HAS_ABSENT && defined(METHOD_EXACT)
    if (n == 0) return 0;
#endif
#if defined(HAS_SPECIAL_FINISH)
    if (quick_finish_special(p, q, out)) return 1;
#endif
    if (!watch_failed(watch, n)) return quick_finish(p, q, n, cell, out);
#if defined(HAS_NEAR_FINISH)
    return quick_finish_near(p, q, watch, n, out);
#else
    return 0;
#endif
}

/* Bytes of a cell's result, or of both, which lie behind each other. */
#if defined(METHOD_MINMAX)
enum { STORED_SIZE = 2 * RESULT_SIZE };
#else
enum { STORED_SIZE = RESULT_SIZE };
#endif

DEVICE void store_one(char *out, const char *result)
{
    if (RESULT_SIZE == 8) STORE_AS(uint64_t, out, result);
    else if (RESULT_SIZE == 4) STORE_AS(uint32_t, out, result);
    else if (RESULT_SIZE == 2) STORE_AS(uint16_t, out, result);
    else *out = *result;
}

DEVICE void store_result(char *out, const char *result)
{
    int is_pair = STORED_SIZE > RESULT_SIZE && ((uintptr_t)out & (STORED_SIZE - 1)) == 0;
    if (is_pair && STORED_SIZE == 8) STORE_AS(uint64_t, out, result);
    else if (is_pair && STORED_SIZE == 4) STORE_AS(uint32_t, out, result);
    else if (is_pair && STORED_SIZE == 2) STORE_AS(uint16_t, out, result);
    else
#pragma unroll
        for (int i = 0; i < STORED_SIZE; i += RESULT_SIZE) store_one(out + i, result + i);
}

/* Results of `count` neighbouring cells, from a multiple of `count` on. */
DEVICE void store_results(const struct reduce_parameters *p, char *out, const char *results, int count)
{
    int64_t stride = p->kept[p->kept_count - 1].out;
    int bytes = count * STORED_SIZE;
    if (count > 1 && stride == STORED_SIZE / RESULT_SIZE && ((uintptr_t)out & (bytes < 16 ? bytes - 1 : 15)) == 0) {
#pragma unroll
        for (int i = 0; i < bytes / 16; i++) {
            struct vector16 v;
            memcpy(&v, results + 16 * i, 16);
            ((struct vector16 *)out)[i] = v;
        }
        if (bytes == 8) STORE_AS(uint64_t, out, results);
        if (bytes == 4) STORE_AS(uint32_t, out, results);
        if (bytes == 2) STORE_AS(uint16_t, out, results);
        return;
    }
#pragma unroll
    for (int i = 0; i < count; i++) store_result(out + i * stride * RESULT_SIZE, results + i * STORED_SIZE);
}

#if SHORT_ROWS
#include "short_rows.cuh"
#elif SHORT_WORDS
#include "short_words.cuh"
#elif SHORT_STAGED
#include "short_staged.cuh"
#elif SHORT_SHARED
#include "short_shared.cuh"
#elif SHORT_MATRICES
#include "short_matrices.cuh"
#else
#include "short_columns.cuh"
#endif

KERNEL(reduce, struct reduce_parameters, p)
{
    reduce_short(&p);
}
