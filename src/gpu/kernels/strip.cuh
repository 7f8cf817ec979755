/* SPDX-License-Identifier: MIT
 *
 * strip.cuh - what a thread of reduce_tall.cu and reduce_long.cu adds vectors to. A strip has a total for each lane of
 * a vector, as vectors below each other have the same columns there; or one for all of them (ONE_COLUMN). It makes
 * `total`s, which merge in any order. No include guard.
 *   strip_begin, strip_add (DEPTH vectors), strip_add_element, strip_end
 *   HAS_UNITS     totals know the unit that they come from
 *   TAKES_EACH    no vector may stand in for one that is not there
 *   HAS_SOME      strip_add_some adds what is there of a bundle
 *   HAS_ORIGINS   lanes have numbers `from` that those of their column are relative to
 *   HAS_LAID      threads of a block hand each other less than a total: laid_of, total_of_laid
 *   HAS_SHORT_TOTALS  total_merge_short merges most totals sooner, and tells of the others
 *   total_identity, total_merge, total_finish; where HAS_WORDS, in place of the last: total_is_lost, total_settle,
 *   which may leave a result open, and near_of_cell */
#include "team.cuh"

/* The methods of reduce.cu, for what must be merged as states, element by element. */
enum { VECTOR = 1, VECTORS = 1, TILE = 1 };
typedef uint32_t tile_mask;

#if defined(METHOD_EXACT)
#include "method_exact.cuh"
#elif defined(METHOD_INDEX)
#include "method_index.cuh"
#else
#if defined(PICKED_SUM)
#define QUICK_IS_WIDE
#endif
#include "method_fold.cuh"
#endif

#include "finish_cell.cuh"

/* UNIT_BYTES: of what a thread reads at once; if less than 16, that begins at any element. */
#if !defined(UNIT_BYTES)
#define UNIT_BYTES 16
#endif
enum { IN_VECTOR = UNIT_BYTES / ELEMENT_SIZE, IN_WORDS = UNIT_BYTES / 4 };
#define LANE_OF(k) (ONE_COLUMN ? 0 : (k)) /* the lane of a strip that takes elements of a vector's lane */

#include "strip_mask.cuh"

#if defined(METHOD_EXACT) && IS_FLOAT && (defined(PICK_MOMENTS) || defined(PICK_SQUARE))
#include "strip_spread.cuh"
#elif defined(METHOD_EXACT) && IS_FLOAT
#include "strip_exact.cuh"
#elif defined(METHOD_EXACT) && defined(PICK_MOMENTS)
#include "strip_moments.cuh"
#elif defined(METHOD_EXACT)
#include "strip_integer.cuh"
#elif defined(METHOD_INDEX)
#include "strip_index.cuh"
#else
#include "strip_fold.cuh"
#endif

#if !defined(HAS_UNITS)
#define HAS_UNITS 0
#endif
#if !defined(TAKES_EACH)
#define TAKES_EACH HAS_UNITS
#endif
#if !defined(HAS_SOME)
#define HAS_SOME 0
#endif
#if !defined(HAS_LAID)
#define HAS_LAID 0
#endif
#if !defined(HAS_SHORT_TOTALS)
#define HAS_SHORT_TOTALS 0
#endif
#if !defined(HAS_ORIGINS)
#define HAS_ORIGINS 0
#endif

#if IS_MASKED
/* A vector's absent elements give way; they count if the vector does. */
DEVICE void strip_mask(struct strip *strip, struct vector16 *v, const struct mask *mask, int counts)
{
    uint32_t absent = 0;
#if WITH_WHERE
    absent = ~mask_bits(mask);
    *v = vector_filled(*v, mask);
#endif
    uint32_t nan = nan_bits(v);
    *v = vector_of_numbers(*v, nan);
    absent = counts ? absent | nan : 0;
#if HAS_ABSENT && ONE_COLUMN
    strip->absent[0] += __popc(absent & ((1u << IN_VECTOR) - 1));
#elif HAS_ABSENT
#pragma unroll
    for (int k = 0; k < IN_VECTOR; k++) strip->absent[k] += (int32_t)(absent >> k & 1);
#endif
    (void)strip, (void)mask, (void)absent;
}

/* The same of a vector, or (of less than one) unit, that is to be read. */
DEVICE_UNUSED struct vector16 strip_load(const struct reduce_parameters *p, struct strip *strip, const char *x,
                                         int counts)
{
    struct vector16 v = load_vector(x);
    struct mask mask;
#if WITH_WHERE
    mask = load_mask(mask_at(p, x));
#endif
    strip_mask(strip, &v, &mask, counts);
    (void)p;
    return v;
}
#endif

DEVICE_UNUSED void strip_take_element(const struct reduce_parameters *p, struct strip *strip, int k, const char *x,
                                      int64_t unit)
{
    strip_add_element(strip, k, element_at(p, x, k), unit);
#if HAS_ABSENT
    strip->absent[LANE_OF(k)] += is_absent(p, x, k);
#endif
}

#include "strip_walk.cuh"
