/* SPDX-License-Identifier: MIT
 *
 * arrange_rows.cuh - parts that are narrower than words, and lie in x in the order of out, STEP apart: backwards, or
 * with gaps. A thread makes a word of out from the aligned words that its parts lie in. Part of arrange.cu. No include
 * guard. */
enum {
    APART = STEP < 0 ? -(STEP) : STEP,
    WORDS = APART == 1 ? 2 : 3, /* that the parts of one lie in, wherever they begin */
    OUT_UNITS = OUT_WORDS ? T0 / EACH : (T0 + 2 * EACH - 2) / EACH,
    UNITS_AT_ONCE = 4
};

static_assert(OUT_RUN == T0, "runs of out that lie alike in x");
static_assert(SIZE < WORD && APART <= 2, "words that are put together");
static_assert(!OUT_WORDS || T0 % EACH == 0, "whole words of out");

/* Whether all words that a whole tile reads are the operand's. */
DEVICE int reads_inside(const struct arrange_parameters *p, const struct tile *t)
{
    const part *first, *last;
    find_reach(p, t, &first, &last);
    return first - (WORDS + 1) * EACH >= (const part *)p->low && last + (WORDS + 1) * EACH <= (const part *)p->high;
}

/* What the parts of a word lie in. */
struct words_of_parts {
    uint32_t word[3], bits; /* of the first one that lie before the parts */
};

/* Of the parts from an address on, in the order of out; some of them may be another run's, or nobody's. */
DEVICE struct words_of_parts load_parts(const struct arrange_parameters *p, const part *from, int at_ends)
{
    struct words_of_parts parts = {{0, 0, 0}, 0};
    if (STEP < 0) from -= APART * (EACH - 1);
    int32_t ahead = (int32_t)((uintptr_t)from % WORD) / SIZE;
    parts.bits = (uint32_t)ahead * 8 * SIZE;
#pragma unroll
    for (int i = 0; i < WORDS; i++) parts.word[i] = load_word(p, from - ahead + i * EACH, at_ends);
    return parts;
}

DEVICE uint32_t word_of_parts(const struct words_of_parts *parts)
{
    uint32_t low = __funnelshift_r(parts->word[0], parts->word[1], parts->bits);
    if (APART == 1) return __byte_perm(low, 0, SIZE == 1 ? 0x0123 : 0x1032);
    uint32_t high = __funnelshift_r(parts->word[1], parts->word[2], parts->bits);
    if (STEP > 0) return __byte_perm(low, high, SIZE == 1 ? 0x6420 : 0x5410);
    return __byte_perm(low, high, SIZE == 1 ? 0x0246 : 0x1054);
}

/* A unit of a run of out: its run, and its first part there, which may lie before it. */
struct unit {
    int32_t run, first, count; /* parts of the run that there are */
};

DEVICE struct unit unit_of(const struct arrange_parameters *p, const struct tile *t, int32_t number, int is_whole)
{
    struct unit unit = {RUNS == 1 ? 0 : number / OUT_UNITS, 0, 0};
    struct steps s = steps_of_run(unit.run);
    unit.first = (number - unit.run * OUT_UNITS) * EACH;
    if (!OUT_WORDS) unit.first -= (int32_t)((uintptr_t)(t->out + offset_of_out(p, &s)) % WORD) / SIZE;
    if (number < RUNS * OUT_UNITS && (is_whole || are_here(t, &s))) unit.count = is_whole ? T0 : t->here[0];
    if (unit.first >= unit.count) unit.count = 0;
    return unit;
}

DEVICE void store_unit(const struct arrange_parameters *p, const struct tile *t, const struct unit *unit, uint32_t word)
{
    int32_t first = unit->first;
    struct steps s = steps_of_run(unit->run);
    part *to = t->out + offset_of_out(p, &s) + first;
    int is_word = OUT_WORDS || (first >= 0 && first + EACH <= unit->count);
#if MASK_WORDS
    s = steps_along_out(unit->run * T0 + first);
    word = masked_word(p, t, &s, word);
#endif
#pragma unroll
    for (int32_t i = 0; i < EACH; i++) {
        if ((is_word && (!MASK || MASK_WORDS)) || first + i < 0 || first + i >= unit->count) continue;
#if MASK
        s = steps_along_out(unit->run * T0 + first + i);
        if (!is_present(p, t, &s)) word = with_part(word, i, (part)p->fill);
#endif
        if (!is_word) to[i] = part_of(word, i);
    }
    if (is_word) *(uint32_t *)to = word;
}

/* What a thread reads of some words is under way at once. */
DEVICE void move_tile(const struct arrange_parameters *p, const struct tile *t, part *room, int is_whole)
{
    (void)room;
#pragma unroll 1
    for (int32_t number = (int32_t)threadIdx.x; number < RUNS * OUT_UNITS; number += UNITS_AT_ONCE * THREADS) {
        struct words_of_parts parts[UNITS_AT_ONCE];
#pragma unroll
        for (int32_t k = 0; k < UNITS_AT_ONCE; k++) {
            struct unit unit = unit_of(p, t, number + k * THREADS, is_whole);
            struct steps s = steps_of_run(unit.run);
            memset(&parts[k], 0, sizeof parts[k]);
            if (unit.count > 0)
                parts[k] = load_parts(p, t->x + offset_of_x(p, &s) + (offset)unit.first * STEP, !is_whole);
        }
#pragma unroll
        for (int32_t k = 0; k < UNITS_AT_ONCE; k++) {
            struct unit unit = unit_of(p, t, number + k * THREADS, is_whole);
            if (unit.count > 0) store_unit(p, t, &unit, word_of_parts(&parts[k]));
        }
    }
}
