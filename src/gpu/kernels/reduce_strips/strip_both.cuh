/* SPDX-License-Identifier: MIT
 *
 * strip_both.cuh - minima and maxima down columns side by side, for reduce_tall.cu and reduce_long.cu: of 1- and 2-byte
 * elements two to an instruction. No include guard. */
#define HAS_WORDS 0

/* A column's extremes in some rows. */
struct total {
    struct FIRST_STEP(wide) least;
    struct SECOND_STEP(wide) most;
};

enum { STRIP_TOTALS = IN_VECTOR };

#include "pairs_of_both.cuh"

#if BOTH_IN_WORDS
enum { PHASES = 2 / ELEMENT_BYTES }; /* a byte compares in the upper half of 16 bits, as in pairs_of_bytes.cuh */

/* A thread's columns: of phase 0 each word's elements with an even number, or all. */
struct strip {
    uint32_t least[PHASES][IN_WORDS], most[PHASES][IN_WORDS];
};

DEVICE void strip_begin(struct strip *strip)
{
#pragma unroll
    for (int i = 0; i < PHASES * IN_WORDS; i++) {
        strip->least[i / IN_WORDS][i % IN_WORDS] = NEVER_LEAST;
        strip->most[i / IN_WORDS][i % IN_WORDS] = NEVER_MOST;
    }
}

DEVICE void strip_add_word(struct strip *strip, int k, uint32_t least, uint32_t most)
{
#pragma unroll
    for (int phase = 0; phase < PHASES; phase++) {
        int shift = PHASES > 1 && phase == 0 ? 8 : 0;
        strip->least[phase][k] = LEAST_OF_PAIRS(strip->least[phase][k], least << shift);
        strip->most[phase][k] = MOST_OF_PAIRS(strip->most[phase][k], most << shift);
    }
}

DEVICE void strip_add(struct strip *strip, const struct vector16 *v, int64_t unit, int64_t step)
{
    (void)unit, (void)step;
#pragma unroll
    for (int i = 0; i < IN_WORDS * DEPTH; i++) {
        uint32_t word = v[i / IN_WORDS].word[i % IN_WORDS];
        strip_add_word(strip, i % IN_WORDS, word, word);
    }
}

/* An element's bits; of NaN, those of any. */
DEVICE uint32_t bits_of(element x)
{
#if defined(ONLY_TYPE_f16)
    return NARROWED_F16(x.v);
#elif defined(ONLY_TYPE_bf16)
    return __float_as_uint(x.v) >> 16;
#elif ELEMENT_BYTES == 2
    return (uint16_t)x.v;
#else
    return (uint8_t)x.v;
#endif
}

DEVICE void strip_add_element(struct strip *strip, int k, element x, int64_t unit)
{
    enum { PER_WORD = 4 / ELEMENT_BYTES, BITS = 8 * ELEMENT_BYTES };
    uint32_t mask = (uint32_t)((1ull << BITS) - 1) << k % PER_WORD * BITS, word = bits_of(x) << k % PER_WORD * BITS;
    (void)unit;
    strip_add_word(strip, k / PER_WORD, (NEVER_LEAST & ~mask) | word, (NEVER_MOST & ~mask) | word);
}

DEVICE element element_in(const uint32_t word[PHASES][IN_WORDS], int k)
{
    int upper = k % (4 / ELEMENT_BYTES) / PHASES;
    storage stored = (storage)(word[k % PHASES][k * ELEMENT_BYTES / 4] >> (16 * upper + (PHASES > 1 ? 8 : 0)));
    return load_element(&stored, 0);
}

DEVICE struct total strip_total(const struct strip *strip, int k)
{
    element least = element_in(strip->least, k), most = element_in(strip->most, k);
    struct total total = {FIRST_STEP(widen)(FIRST_STEP(lift)(least, least)),
                          SECOND_STEP(widen)(SECOND_STEP(lift)(most, most))};
    return total;
}
#else
/* A thread's columns. */
struct strip {
    struct FIRST_STEP(lane) least[IN_VECTOR];
    struct SECOND_STEP(lane) most[IN_VECTOR];
};

DEVICE void strip_begin(struct strip *strip)
{
#pragma unroll
    for (int k = 0; k < IN_VECTOR; k++) {
        strip->least[k] = FIRST_STEP(lane_identity)();
        strip->most[k] = SECOND_STEP(lane_identity)();
    }
}

DEVICE void strip_add_element(struct strip *strip, int k, element x, int64_t unit)
{
    (void)unit;
    FIRST_STEP(lane_combine)(&strip->least[k], FIRST_STEP(lift)(x, x));
    SECOND_STEP(lane_combine)(&strip->most[k], SECOND_STEP(lift)(x, x));
}

DEVICE void strip_add(struct strip *strip, const struct vector16 *v, int64_t unit, int64_t step)
{
    (void)unit, (void)step;
#pragma unroll
    for (int i = 0; i < DEPTH * IN_VECTOR; i++)
        strip_add_element(strip, i % IN_VECTOR, vector_element(&v[i / IN_VECTOR], i % IN_VECTOR), 0);
}

DEVICE struct total strip_total(const struct strip *strip, int k)
{
    struct total total = {FIRST_STEP(widen)(strip->least[k]), SECOND_STEP(widen)(strip->most[k])};
    return total;
}
#endif

DEVICE void strip_end(const struct strip *strip, struct total *totals)
{
#pragma unroll
    for (int k = 0; k < STRIP_TOTALS; k++) totals[k] = strip_total(strip, k);
}

DEVICE struct total total_identity(void)
{
    struct total total = {FIRST_STEP(wide_identity)(), SECOND_STEP(wide_identity)()};
    return total;
}

DEVICE void total_merge(struct total *a, const struct total *b)
{
    FIRST_STEP(wide_combine)(&a->least, b->least);
    SECOND_STEP(wide_combine)(&a->most, b->most);
}

DEVICE_CALL void total_finish(const struct reduce_parameters *p, const struct total *total, int64_t cell)
{
    struct state s;
    s.absent = 0;
    s.first = total->least;
    s.second = total->most;
    finish_cell(p, &s, cell);
}

#if ELEMENT_BYTES == 1
#define HAS_LAID 1 /* a block has no room for sixteen totals of each thread */
struct laid {
    storage least, most;
};

DEVICE_UNUSED struct laid laid_of(const struct total *total)
{
    struct laid laid = {(storage)total->least.part[0], (storage)total->most.part[0]};
    return laid;
}

DEVICE_UNUSED struct total total_of_laid(const struct laid *laid)
{
    element least = load_element(&laid->least, 0), most = load_element(&laid->most, 0);
    struct total total = {FIRST_STEP(widen)(FIRST_STEP(lift)(least, least)),
                          SECOND_STEP(widen)(SECOND_STEP(lift)(most, most))};
    return total;
}
#endif
