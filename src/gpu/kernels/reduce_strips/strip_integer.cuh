/* SPDX-License-Identifier: MIT
 *
 * strip_integer.cuh - exact sums of integers down columns that end as floats, for reduce_tall.cu. No include guard. */
#define HAS_WORDS 0

#include "strip_pair.cuh"

/* Of up to 2^31 numbers; of 64-bit ones, the upper and the lower halves. */
#if ELEMENT_BYTES == 8
#define TOTAL_PARTS 2
#else
#define TOTAL_PARTS 1
#endif

/* A column's total in some rows. */
struct total {
    int64_t part[TOTAL_PARTS];
#if HAS_ABSENT
    int64_t absent;
#endif
};

DEVICE struct total total_identity(void)
{
    struct total total;
    memset(&total, 0, sizeof total);
    return total;
}

DEVICE void total_merge(struct total *a, const struct total *b)
{
#pragma unroll
    for (int i = 0; i < TOTAL_PARTS; i++) a->part[i] += b->part[i];
#if HAS_ABSENT
    a->absent += b->absent;
#endif
}

#if ELEMENT_BYTES <= 2
#include "strip_narrow.cuh"
#else
/* A thread's columns. */
struct strip {
    struct total lane[IN_VECTOR];
#if HAS_ABSENT
    struct absences absent;
#endif
};

DEVICE void strip_begin(struct strip *strip)
{
    memset(strip, 0, sizeof *strip);
}

DEVICE void strip_add_element(struct strip *strip, int k, element x, int64_t unit)
{
    (void)unit;
#if ELEMENT_BYTES == 8
    strip->lane[LANE_OF(k)].part[0] += upper_half(x);
    strip->lane[LANE_OF(k)].part[1] += (int64_t)((uint64_t)number_or_size(x) & 0xffffffffu);
#else
    strip->lane[LANE_OF(k)].part[0] += number_or_size(x);
#endif
}

DEVICE void strip_add(struct strip *strip, const struct vector16 *v, int64_t unit, int64_t step)
{
    (void)unit, (void)step;
#pragma unroll
    for (int i = 0; i < DEPTH * IN_VECTOR; i++)
        strip_add_element(strip, i % IN_VECTOR, vector_element(&v[i / IN_VECTOR], i % IN_VECTOR), 0);
}
#endif

enum { STRIP_TOTALS = ONE_COLUMN ? 1 : IN_VECTOR };

DEVICE void strip_end(const struct strip *strip, struct total *totals)
{
#pragma unroll
    for (int k = 0; k < STRIP_TOTALS; k++) {
#if ELEMENT_BYTES <= 2
        totals[k].part[0] = strip_sum(strip, k);
#else
        totals[k] = strip->lane[k];
#endif
#if HAS_ABSENT
        totals[k].absent = absences_of(&strip->absent, k);
#endif
    }
}

/* Adds q * 2^32; that is exact. */
DEVICE void pair_add_upper(struct pair *pair, int64_t q)
{
    (void)pair_add(pair, (double)(q >> 32) * 0x1p64);
    (void)pair_add(pair, (double)(uint32_t)q * 0x1p32);
}

DEVICE void total_finish(const struct reduce_parameters *p, const struct total *total, int64_t cell)
{
    struct pair pair = {0, 0};
#if ELEMENT_BYTES == 8
    pair_add_upper(&pair, total->part[0]);
#endif
    pair_add_upper(&pair, total->part[TOTAL_PARTS - 1] >> 32);
    (void)pair_add(&pair, (double)(uint32_t)total->part[TOTAL_PARTS - 1]);
    pair_to_cell(p, pair, ABSENT(*total), cell);
}
