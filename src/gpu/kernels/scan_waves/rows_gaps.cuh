/* SPDX-License-Identifier: MIT
 *
 * rows_gaps.cuh - tiles of scan_rows.cu to and from rows that do not lie behind each other: units of IN_UNIT and
 * OUT_UNIT bytes, of which rows have whole numbers. Units of elements that are too small to be copied come to shared
 * memory by words, also (TURNED) where rows run against the results. No include guard. */

/* Where a thread is in the span's rows, which it goes through in units, from one to the next of its own. */
struct hop {
    int32_t row, in_row;
    int32_t rows, on; /* how far that is */
};

/* At an element, counted from the beginning of a row. */
DEVICE struct hop hop_at(const struct reduce_parameters *p, int32_t at, int32_t step)
{
    int32_t length = (int32_t)p->length;
    struct hop hop = {at / length, 0, step / length, 0};
    hop.in_row = at - hop.row * length;
    hop.on = step - hop.rows * length;
    if (hop.in_row < 0) hop.in_row += length, hop.row--;
    return hop;
}

DEVICE struct hop hop_from(const struct reduce_parameters *p, const struct span *s, int64_t place, int32_t step)
{
    return hop_at(p, (int32_t)(place - s->begin), step);
}

DEVICE void hop_on(const struct reduce_parameters *p, struct hop *hop)
{
    hop->row += hop->rows;
    hop->in_row += hop->on;
    if (hop->in_row < p->length) return;
    hop->in_row -= (int32_t)p->length;
    hop->row++;
}

DEVICE int64_t hop_element(const struct hop *hop, const struct span *s, int64_t pitch)
{
    return (s->row + hop->row) * pitch + hop->in_row;
}

#if APART
#include "rows_apart.cuh"
#elif IN_UNIT && IN_UNIT < 4
/* Elements of an aligned word of which not all are the operand's. */
DEVICE_CALL uint32_t load_word_in_part(const struct reduce_parameters *p, const char *at)
{
    uint32_t word = 0;
    for (int i = 0; i < 4 / ELEMENT_SIZE; i++) {
        const char *x = at + i * ELEMENT_SIZE;
        if (x >= p->low && x < p->high)
            word |= (uint32_t)(IN_UNIT == 1 ? *(const uint8_t *)x : *(const uint16_t *)x) << i * 8 * IN_UNIT;
    }
    return word;
}

DEVICE uint32_t load_word(const struct reduce_parameters *p, const char *at, int at_ends)
{
    if (at_ends && (at < p->low || at + 4 > p->high)) return load_word_in_part(p, at);
    return *(const uint32_t *)at;
}

/* The aligned words that hold `count` elements, from one at an address on. */
struct two_words {
    uint32_t low, high, bits; /* of the lowest that are not the elements' */
};

DEVICE struct two_words load_two_words(const struct reduce_parameters *p, const char *at, int32_t count, int at_ends)
{
    int32_t ahead = (int32_t)((uintptr_t)at & 3);
    struct two_words words = {0, 0, (uint32_t)ahead * 8};
    if (count > 0) words.low = load_word(p, at - ahead, at_ends);
    if (ahead + count * ELEMENT_SIZE > 4) words.high = load_word(p, at - ahead + 4, at_ends);
    return words;
}

/* Elements of a word in shared memory: the first ones lie in one row, the others begin the next. */
struct word_place {
    const char *first, *others;   /* where they lie lowest in memory */
    int32_t firsts, others_count; /* as far as the span has them */
    int32_t in_row;               /* elements of the first row, which the span may not have */
};

DEVICE struct word_place word_place(const struct reduce_parameters *p, const struct span *s, const struct tile *t,
                                    const struct hop *hop, int32_t element)
{
    enum { PER = 4 / ELEMENT_SIZE };
    int64_t pitch = p->kept[0].x, row = s->row + hop->row;
    struct word_place w = {s->x + (row * pitch + (TURNED ? -hop->in_row : hop->in_row)) * ELEMENT_SIZE,
                           s->x + (row + 1) * pitch * ELEMENT_SIZE, 0, 0, (int32_t)p->length - hop->in_row};
    if (w.in_row > PER) w.in_row = PER;
    if (TURNED) {
        w.first -= (w.in_row - 1) * ELEMENT_SIZE;
        w.others -= (PER - w.in_row - 1) * ELEMENT_SIZE;
    }
    if (element >= t->low && element < t->high) w.firsts = w.in_row;
    if (element + w.in_row >= t->low && element + w.in_row < t->high) w.others_count = PER - w.in_row;
    return w;
}

/* The elements of so many bits of a word, as results lie. */
DEVICE uint32_t as_results(uint32_t word, uint32_t bits)
{
    if (!TURNED) return word;
    return __byte_perm(word, 0, ELEMENT_SIZE == 1 ? 0x0123 : 0x1032) >> (32 - bits);
}

/* `in_row` elements of a row, and what follows of the next one. */
DEVICE uint32_t joined(struct two_words first, struct two_words others, int32_t in_row)
{
    uint32_t bits = in_row * 8 * ELEMENT_SIZE,
             word = as_results(__funnelshift_r(first.low, first.high, first.bits), bits);
    if (bits == 32) return word;
    uint32_t more = __funnelshift_r(others.low, others.high, others.bits);
    return (word & ((1u << bits) - 1)) | as_results(more, 32 - bits) << bits;
}

/* Loads a tile by words of elements, wherever their rows begin, with zeros where the span has none. Several are under
 * way at once. at_ends: some may be words that the operand has not all of. */
DEVICE void load_words(const struct reduce_parameters *p, const struct span *s, const struct tile *t,
                       struct vector16 *stage, int at_ends)
{
    enum { PER = 4 / ELEMENT_SIZE, ALL = TILE_ELEMENTS / PER, AT_ONCE = 4 };
    int32_t lane = (int32_t)threadIdx.x & 31;
    struct hop hop = hop_from(p, s, t->at + lane * PER, 32 * PER);
#pragma unroll 1
    for (int32_t k = lane; k < ALL; k += 32 * AT_ONCE) {
        struct two_words first[AT_ONCE], others[AT_ONCE];
        int32_t in_row[AT_ONCE];
#pragma unroll
        for (int32_t i = 0; i < AT_ONCE; i++, hop_on(p, &hop)) {
            struct word_place w = word_place(p, s, t, &hop, (k + i * 32) * PER);
            first[i] = load_two_words(p, w.first, w.firsts, at_ends);
            others[i] = load_two_words(p, w.others, w.others_count, at_ends);
            in_row[i] = w.in_row;
        }
#pragma unroll
        for (int32_t i = 0; i < AT_ONCE; i++) {
            if (k + i * 32 < ALL) ((uint32_t *)stage)[k + i * 32] = joined(first[i], others[i], in_row[i]);
        }
    }
}

#if LONG_ROWS
/* The same of long rows, none at the operand's ends: each word as if it were one row's alone, then anew those that are
 * not, before which rows end, or the span. */
DEVICE void load_words_of_rows(const struct reduce_parameters *p, const struct span *s, const struct tile *t,
                               struct vector16 *stage)
{
    enum {
        PER = 4 / ELEMENT_SIZE,
        ALL = TILE_ELEMENTS / PER,
        AT_ONCE = VECTORS == 1   ? 4
                  : VECTORS == 3 ? 12
                                 : VECTORS * 2
    };
    static_assert(ALL / 32 % AT_ONCE == 0, "lanes have as many words at once");
    int32_t lane = (int32_t)threadIdx.x & 31, length = (int32_t)p->length;
    struct hop hop = hop_from(p, s, t->at + lane * PER, 32 * PER);
#pragma unroll 1
    for (int32_t k = lane; k < ALL; k += 32 * AT_ONCE) {
        struct two_words words[AT_ONCE];
#pragma unroll
        for (int32_t i = 0; i < AT_ONCE; i++, hop_on(p, &hop)) {
            int32_t element = (k + i * 32) * PER;
            const char *at = s->x + hop_element(&hop, s, p->kept[0].x) * ELEMENT_SIZE;
            words[i] = load_two_words(p, at, element >= t->low && element < t->high ? PER : 0, 0);
        }
#pragma unroll
        for (int32_t i = 0; i < AT_ONCE; i++)
            ((uint32_t *)stage)[k + i * 32] = __funnelshift_r(words[i].low, words[i].high, words[i].bits);
    }
    __syncwarp();
    hop = hop_from(p, s, t->at, 0);
    int64_t border = (hop.in_row ? length - hop.in_row : 0) + (int64_t)lane * length;
    for (; border < TILE_ELEMENTS; border += 32 * (int64_t)length) {
        int32_t k = (int32_t)border / PER;
        if (border % PER == 0) continue;
        hop = hop_from(p, s, t->at + k * PER, 0);
        struct word_place w = word_place(p, s, t, &hop, k * PER);
        ((uint32_t *)stage)[k] =
            joined(load_two_words(p, w.first, w.firsts, 0), load_two_words(p, w.others, w.others_count, 0), w.in_row);
    }
}
#endif

DEVICE_CALL void load_words_at_ends(const struct reduce_parameters *p, const struct span *s, struct tile t,
                                    struct vector16 *stage)
{
    load_words(p, s, &t, stage, 1);
}

/* Whether a tile has elements that share a word with what lies before the operand, or behind it. */
DEVICE int lies_at_ends(const struct reduce_parameters *p, const struct span *s, const struct tile *t)
{
    enum { PER = 4 / ELEMENT_SIZE };
    int64_t first = s->row * p->length + t->at + t->low - s->begin, end = first + t->high - t->low;
    int64_t last_row = (p->cells - 1) * p->length;
    int64_t lowest = p->kept[0].x < 0 ? last_row : 0, highest = (p->kept[0].x < 0 ? 0 : last_row) + p->length;
    int64_t low = TURNED ? lowest + p->length - PER : lowest, high = highest - (TURNED ? p->length : PER);
    return (first < low + PER && end > low) || (first < high + PER && end > high);
}

DEVICE void begin_copying(const struct reduce_parameters *p, const struct span *s, const struct tile *t,
                          struct vector16 *stage)
{
    if (lies_at_ends(p, s, t)) {
        load_words_at_ends(p, s, *t, stage);
        return;
    }
#if LONG_ROWS
    load_words_of_rows(p, s, t, stage);
#else
    load_words(p, s, t, stage, 0);
#endif
}
#elif IN_UNIT && TURNED
/* The same by whole vectors, all of a thread's at once, which are turned on the way. */
DEVICE void begin_copying(const struct reduce_parameters *p, const struct span *s, const struct tile *t,
                          struct vector16 *stage)
{
    static_assert(IN_UNIT == 16, "vectors");
    int32_t lane = (int32_t)threadIdx.x & 31;
    struct hop hop = hop_from(p, s, t->at + lane * PER_VECTOR, 32 * PER_VECTOR);
    struct vector16 held[VECTORS];
#pragma unroll
    for (int32_t k = 0; k < VECTORS; k++, hop_on(p, &hop)) {
        int32_t i = (k * 32 + lane) * PER_VECTOR;
        const char *last = s->x + ((s->row + hop.row) * p->kept[0].x - hop.in_row) * ELEMENT_SIZE;
        memset(&held[k], 0, sizeof held[k]);
        if (i >= t->low && i < t->high) held[k] = load_vector(last - (PER_VECTOR - 1) * ELEMENT_SIZE);
    }
#pragma unroll
    for (int32_t k = 0; k < VECTORS; k++) stage[k * 32 + lane] = turned(held[k], ELEMENT_SIZE);
}
#elif IN_UNIT
/* Begins to copy a tile, with zeros where the span has none; of every thread one group. */
DEVICE void begin_copying(const struct reduce_parameters *p, const struct span *s, const struct tile *t,
                          struct vector16 *stage)
{
    enum { EACH = IN_UNIT / ELEMENT_SIZE, UNITS = TILE_ELEMENTS / EACH };
    int32_t lane = (int32_t)threadIdx.x & 31;
    struct hop hop = hop_from(p, s, t->at + lane * EACH, 32 * EACH);
#pragma unroll 4
    for (int32_t k = lane; k < UNITS; k += 32, hop_on(p, &hop)) {
        const char *from = s->x + hop_element(&hop, s, p->kept[0].x) * ELEMENT_SIZE;
        copy_async_or_clear((char *)stage + k * IN_UNIT, from, IN_UNIT, k * EACH >= t->low && k * EACH < t->high);
    }
}
#endif

#if OUT_UNIT
/* Results in shared memory, a run every `stride` vectors, to where they belong. */
DEVICE void store_units(const struct reduce_parameters *p, const struct span *s, const struct tile *t,
                        const struct vector16 *results, int32_t stride)
{
    enum { EACH = OUT_UNIT / RESULT_SIZE, UNITS = TILE_ELEMENTS / EACH };
    int32_t lane = (int32_t)threadIdx.x & 31;
    struct hop hop = hop_from(p, s, t->at + lane * EACH, 32 * EACH);
#pragma unroll 4
    for (int32_t k = lane; k < UNITS; k += 32, hop_on(p, &hop)) {
        int32_t i = k * EACH;
        if (i < t->low || i >= t->high) continue;
        copy_unit(s->out + hop_element(&hop, s, p->kept[0].out) * RESULT_SIZE, result_of_runs(results, stride, i),
                  OUT_UNIT);
    }
}
#endif
