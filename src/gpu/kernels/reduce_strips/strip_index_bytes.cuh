/* SPDX-License-Identifier: MIT
 *
 * strip_index_bytes.cuh - where the first extreme byte stands, for strip_index.cuh: bytes go by coded_bytes.cuh, two to
 * an instruction, and a lane's best one and its unit are looked up when the codes are used up. No include guard. */
#include "coded_bytes.cuh"

#define HAS_SOME 1

/* What a thread of reduce_tall.cu lays out for others. */
#define HAS_LAID 1
struct laid {
    int32_t index;
    element value;
};

DEVICE_UNUSED struct laid laid_of(const struct total *total)
{
    struct laid laid = {(int32_t)total->index, total_value(total)};
    return laid;
}

DEVICE_UNUSED struct total total_of_laid(const struct laid *laid)
{
    return total_of(laid->index, laid->value);
}

#if ONE_COLUMN
#include "strip_index_one.cuh"

/* The units unit + d * step of those in [from, to). */
DEVICE void strip_add_some(struct strip *strip, const struct vector16 *v, int64_t unit, int64_t step, int from, int to)
{
#pragma unroll
    for (int d = 0; d < DEPTH; d++) {
        uint32_t coded = best_coded(&v[d], 1);
        if (d >= from && d < to)
            strip_add_element(strip, CODE_OF((int32_t)(coded & 255)), coded_element(coded), unit + d * step);
    }
}

DEVICE void strip_add(struct strip *strip, const struct vector16 *v, int64_t unit, int64_t step)
{
    uint32_t coded = best_coded(v, DEPTH);
    int32_t place = CODE_OF((int32_t)(coded & 255));
    strip_add_element(strip, place % IN_VECTOR, coded_element(coded), unit + UNITS_APART(place / IN_VECTOR, step));
}
#else
enum { STRIP_TOTALS = IN_VECTOR, CODES = 256 };

/* A thread's columns: the best of up to CODES units from `first` on, and of all before. */
struct strip {
    uint32_t even[IN_WORDS], odd[IN_WORDS];
    int32_t units, first, step;
    uint32_t best[IN_WORDS];
    int32_t unit[IN_VECTOR]; /* -1: none yet */
};

DEVICE element strip_best(const struct strip *strip, int k)
{
    storage byte = (storage)(strip->best[k / 4] >> k % 4 * 8);
    return load_element(&byte, 0);
}

DEVICE void strip_restart(struct strip *strip)
{
    strip->units = 0;
#pragma unroll
    for (int i = 0; i < IN_WORDS; i++) strip->even[i] = strip->odd[i] = WORST_CODED;
}

DEVICE void strip_begin(struct strip *strip)
{
    memset(strip, 0, sizeof *strip);
    strip_restart(strip);
#pragma unroll
    for (int k = 0; k < IN_VECTOR; k++) strip->unit[k] = -1;
}

/* In any order of units. */
DEVICE void strip_add_element(struct strip *strip, int k, element x, int64_t unit)
{
    int32_t here = (int32_t)unit, shift = k % 4 * 8;
    element best = strip_best(strip, k);
    int earlier = here < strip->unit[k] && !index_beats(best, x);
    if (strip->unit[k] >= 0 && !earlier && !index_beats(x, best)) return;
    strip->best[k / 4] = (strip->best[k / 4] & ~(0xffu << shift)) | (uint32_t)(uint8_t)x.v << shift;
    strip->unit[k] = here;
}

/* What the codes say. */
DEVICE_CALL struct strip strip_decoded(struct strip strip)
{
#pragma unroll
    for (int k = 0; k < IN_VECTOR; k++) {
        uint32_t coded = (k % 2 ? strip.odd[k / 4] : strip.even[k / 4]) >> k % 4 / 2 * 16;
        int32_t place = CODE_OF((int32_t)(coded & 255));
        strip_add_element(&strip, k, coded_element(coded), strip.first + (int64_t)place * strip.step);
    }
    strip_restart(&strip);
    return strip;
}

DEVICE void strip_decode(struct strip *strip)
{
    if (strip->units > 0) *strip = strip_decoded(*strip);
}

/* The units unit + d * step of those in [from, to), which follow all before without a gap, unless there are none. */
DEVICE void strip_add_some(struct strip *strip, const struct vector16 *v, int64_t unit, int64_t step, int from, int to)
{
    if (strip->units + DEPTH > CODES) strip_decode(strip);
    if (strip->units == 0) strip->first = (int32_t)(unit + from * step);
    strip->step = (int32_t)step;
#pragma unroll
    for (int d = 0; d < DEPTH; d++) {
        uint32_t codes = (uint32_t)CODE_OF(strip->units + d - from) * 0x01010101u;
        if (d < from || d >= to) continue;
#pragma unroll
        for (int i = 0; i < IN_WORDS; i++) {
            uint32_t word = compared_bytes(v[d].word[i]);
            strip->even[i] = BETTER_OF_16(strip->even[i], coded_bytes(word, codes, 0));
            strip->odd[i] = BETTER_OF_16(strip->odd[i], coded_bytes(word, codes, 1));
        }
    }
    strip->units += to - from;
}

DEVICE void strip_add(struct strip *strip, const struct vector16 *v, int64_t unit, int64_t step)
{
    strip_add_some(strip, v, unit, step, 0, DEPTH);
}

DEVICE void strip_end(const struct strip *strip, struct total *totals)
{
    struct strip all = *strip;
    strip_decode(&all);
#pragma unroll
    for (int k = 0; k < IN_VECTOR; k++) totals[k] = total_of(all.unit[k], strip_best(&all, k));
}
#endif
