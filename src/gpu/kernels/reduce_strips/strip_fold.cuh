/* SPDX-License-Identifier: MIT
 *
 * strip_fold.cuh - unordered folds down columns, for reduce_tall.cu. No include guard. */
#define HAS_WORDS 0

/* A column's total in some rows. */
struct total {
    struct FIRST_STEP(wide) value;
#if HAS_ABSENT
    int64_t absent;
#endif
};

#if defined(QUICK_IS_WIDE)
typedef struct FIRST_STEP(wide) lane_total;
#else
typedef struct FIRST_STEP(lane) lane_total;
#endif

#include "best_of_vectors.cuh"

#if (defined(PICK_VALUE_ADD) && ELEMENT_BYTES <= 2) || (defined(PICK_NONZERO_ADD) && ELEMENT_BYTES == 1)
#include "strip_narrow.cuh"
enum { STRIP_TOTALS = ONE_COLUMN ? 1 : IN_VECTOR };
#elif defined(BETTER_OF_16)
#include "strip_bytes.cuh"
enum { STRIP_TOTALS = IN_VECTOR };
#elif defined(BEST_OF_VECTORS) && (defined(PICK_VALUE_MAXIMUM) || defined(PICK_VALUE_MINIMUM))
#include "strip_pairs.cuh"
enum { STRIP_TOTALS = ONE_COLUMN ? 1 : IN_VECTOR };
#else
enum { STRIP_TOTALS = IN_VECTOR };

/* A thread's columns. */
struct strip {
    lane_total lane[IN_VECTOR];
#if HAS_ABSENT
    struct absences absent;
#endif
};

DEVICE void strip_begin(struct strip *strip)
{
    memset(strip, 0, sizeof *strip);
#pragma unroll
    for (int k = 0; k < IN_VECTOR; k++) {
#if defined(QUICK_IS_WIDE)
        strip->lane[k] = FIRST_STEP(wide_identity)();
#else
        strip->lane[k] = FIRST_STEP(lane_identity)();
#endif
    }
}

DEVICE void strip_add_element(struct strip *strip, int k, element x, int64_t unit)
{
    (void)unit;
#if defined(QUICK_IS_WIDE)
    FIRST_STEP(wide_combine)(&strip->lane[k], FIRST_STEP(widen)(FIRST_STEP(lift)(x, x)));
#else
    FIRST_STEP(lane_combine)(&strip->lane[k], FIRST_STEP(lift)(x, x));
#endif
}

DEVICE void strip_add(struct strip *strip, const struct vector16 *v, int64_t unit, int64_t step)
{
    (void)unit, (void)step;
#pragma unroll
    for (int i = 0; i < DEPTH * IN_VECTOR; i++)
        strip_add_element(strip, i % IN_VECTOR, vector_element(&v[i / IN_VECTOR], i % IN_VECTOR), 0);
}

DEVICE lane_total strip_lane(const struct strip *strip, int k)
{
    return strip->lane[k];
}
#endif

DEVICE void strip_end(const struct strip *strip, struct total *totals)
{
#pragma unroll
    for (int k = 0; k < STRIP_TOTALS; k++) {
#if defined(QUICK_IS_WIDE)
        totals[k].value = strip_lane(strip, k);
#else
        totals[k].value = FIRST_STEP(widen)(strip_lane(strip, k));
#endif
#if HAS_ABSENT
        totals[k].absent = absences_of(&strip->absent, k);
#endif
    }
}

DEVICE struct total total_identity(void)
{
    struct total total;
    memset(&total, 0, sizeof total);
    total.value = FIRST_STEP(wide_identity)();
    return total;
}

DEVICE void total_merge(struct total *a, const struct total *b)
{
    FIRST_STEP(wide_combine)(&a->value, b->value);
#if HAS_ABSENT
    a->absent += b->absent;
#endif
}

DEVICE_CALL void total_finish(const struct reduce_parameters *p, const struct total *total, int64_t cell)
{
    struct state s;
    s.absent = ABSENT(*total);
    s.first = total->value;
    finish_cell(p, &s, cell);
}
