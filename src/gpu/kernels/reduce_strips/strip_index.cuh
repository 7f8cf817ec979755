/* SPDX-License-Identifier: MIT
 *
 * strip_index.cuh - where the first extreme stands, for strip.cuh. While a thread goes through its units it keeps the
 * best value of each lane and its unit; HAS_UNITS: what a strip's totals have as their index is a unit. No include
 * guard.
 */
#define HAS_WORDS 0
#define HAS_UNITS 1

/* How far the units of a bundle's vectors lie apart, of which `step` is one to the next, or (strip_parts.cuh) a run's
 * to those of the next run. */
#if ONE_COLUMN && REDUCED_NEST
#define UNITS_APART(d, step) ((d) / (DEPTH / RUNS) * (step) + (d) % (DEPTH / RUNS) * LANES)
#else
#define UNITS_APART(d, step) ((d) * (step))
#endif

/* The best element so far; index -1: none. In whole words, as what fills a structure up is copied byte by byte. */
struct total {
    int64_t index;
    uint64_t value[(sizeof(element) + 7) / 8];
};

DEVICE element total_value(const struct total *total)
{
    element value;
    memcpy(&value, total->value, sizeof value);
    return value;
}

DEVICE struct total total_of(int64_t index, element value)
{
    struct total total;
    memset(&total, 0, sizeof total);
    total.index = index;
    memcpy(total.value, &value, sizeof value);
    return total;
}

DEVICE struct total total_identity(void)
{
    struct total total;
    memset(&total, 0, sizeof total);
    total.index = -1;
    return total;
}

DEVICE void total_merge(struct total *a, const struct total *b)
{
    if (b->index < 0) return;
    element ours = total_value(a), theirs = total_value(b);
    if (a->index < 0 || index_beats(theirs, ours) || (b->index < a->index && !index_beats(ours, theirs))) *a = *b;
}

DEVICE_CALL void total_finish(const struct reduce_parameters *p, const struct total *total, int64_t cell)
{
    struct state s = {0, total->index, total_value(total)};
    finish_cell(p, &s, cell);
}

#if ELEMENT_BYTES == 2
#include "best_of_vectors.cuh"
#endif

#if ELEMENT_BYTES == 1
#include "strip_index_bytes.cuh"
#elif ONE_COLUMN && defined(BEST_OF_VECTORS)
#include "strip_index_pairs.cuh"
#else
enum { STRIP_TOTALS = IN_VECTOR };

struct strip {
    element best[IN_VECTOR];
    int32_t unit[IN_VECTOR]; /* -1: none yet */
};

DEVICE void strip_begin(struct strip *strip)
{
    memset(strip, 0, sizeof *strip);
#pragma unroll
    for (int k = 0; k < IN_VECTOR; k++) strip->unit[k] = -1;
}

/* In any order of units. */
DEVICE void strip_add_element(struct strip *strip, int k, element x, int64_t unit)
{
    int earlier = unit < strip->unit[k] && !index_beats(strip->best[k], x);
    if (strip->unit[k] >= 0 && !earlier && !index_beats(x, strip->best[k])) return;
    strip->best[k] = x;
    strip->unit[k] = (int32_t)unit;
}

/* Units that follow all before. */
DEVICE void strip_add(struct strip *strip, const struct vector16 *v, int64_t unit, int64_t step)
{
#pragma unroll
    for (int d = 0; d < DEPTH; d++) {
        int32_t here = (int32_t)(unit + UNITS_APART(d, step));
#pragma unroll
        for (int k = 0; k < IN_VECTOR; k++) {
            element x = vector_element(&v[d], k);
            int better = index_beats(x, strip->best[k]) || (d == 0 && strip->unit[k] < 0);
            strip->best[k].v = better ? x.v : strip->best[k].v;
            strip->unit[k] = better ? here : strip->unit[k];
        }
    }
}

DEVICE void strip_end(const struct strip *strip, struct total *totals)
{
#pragma unroll
    for (int k = 0; k < IN_VECTOR; k++) totals[k] = total_of(strip->unit[k], strip->best[k]);
}
#endif

/* The element that the index of a strip's k-th total means, counted from lane 0 of unit 0. */
DEVICE_UNUSED int64_t element_of_unit(int64_t index, int k)
{
    return STRIP_TOTALS == 1 ? index : index * IN_VECTOR + k;
}
