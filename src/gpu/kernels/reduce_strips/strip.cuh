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
 *   HAS_LAID      threads of a block hand each other less than a total: laid_of, total_of_laid; LAID_APART: without
 *                 numbers of absent elements
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

/* FETCH_STAGES: a warp's units are words of 4 bytes, or elements of 8, of which neighbouring threads have neighbouring
 * ones, and each every 32nd. */
#if !defined(FETCH_STAGES)
#define FETCH_STAGES 0
#endif
#if !defined(WHOLE_COLUMNS)
#define WHOLE_COLUMNS 0
#endif
#if FETCH_STAGES
enum { WORD_BYTES = ELEMENT_SIZE == 8 ? 8 : 4, IN_WORD = WORD_BYTES / ELEMENT_SIZE };
#define PLACE_OF(k) ((k) / IN_WORD * 32 * IN_WORD + (k) % IN_WORD) /* of a lane, in elements from lane 0 */
#else
#define PLACE_OF(k) (k)
#endif

/* COLUMNS_OF_CELL: neighbouring columns of a cell, which its innermost loop goes through (reduce_tall.cu). */
#if !defined(COLUMNS_OF_CELL)
#define COLUMNS_OF_CELL 1
#endif

#include "strip_mask.cuh"

#if defined(METHOD_EXACT) && HAS_SPREAD
#include "strip_spread.cuh"
#elif defined(METHOD_EXACT) && IS_FLOAT
#include "strip_exact.cuh"
#elif defined(METHOD_EXACT) && defined(PICK_MOMENTS)
#include "strip_moments.cuh"
#elif defined(METHOD_EXACT)
#include "strip_integer.cuh"
#elif defined(METHOD_INDEX)
#include "strip_index.cuh"
#elif defined(METHOD_MINMAX)
#include "strip_both.cuh"
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
#if !defined(LAID_APART)
#define LAID_APART 0
#endif
#if !defined(HAS_SHORT_TOTALS)
#define HAS_SHORT_TOTALS 0
#endif
#if !defined(HAS_ORIGINS)
#define HAS_ORIGINS 0
#endif

#if IS_MASKED && !HAS_ORIGINS
DEVICE_UNUSED struct vector16 strip_filling(const struct strip *strip)
{
    (void)strip;
    return filling_vector();
}
#endif

#include "strip_walk.cuh"
