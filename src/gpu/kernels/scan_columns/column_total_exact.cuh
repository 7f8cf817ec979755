/* SPDX-License-Identifier: MIT
 *
 * column_total_exact.cuh - a column's exact total in some rows: a pair of doubles, or lost to them. Part of
 * column_exact.cuh. No include guard. */
#include "board.cuh"
#include "quick_exact.cuh"

SHUFFLE(state)

/* The sum, or an infinity or NaN, whose low part is zero; where no pair holds a number, high is one that says nothing
 * and low is NaN. An addition is right of all these, if numbers are so small that none overflows. */
struct total {
    struct pair sum;
};

SHUFFLE(total)

#define MOST_TOTALS 16               /* that totals_above takes */
#define MAY_BE_IN_PAIRS (!IS_PAIRED) /* totals whose second halves are published apart */

DEVICE struct total total_identity(void)
{
    struct total total = {{0, 0}};
    return total;
}

DEVICE int total_is_lost(const struct total *total)
{
    return total->sum.low != total->sum.low;
}

/* Whether it has a low part, or is lost. */
DEVICE_UNUSED int total_in_pair(const struct total *total)
{
    return total->sum.low != 0;
}

/* Whether nothing that is added makes a difference. */
DEVICE_UNUSED int total_is_nan(const struct total *total)
{
    return total->sum.high != total->sum.high;
}

DEVICE struct total total_lost(void)
{
    struct total total = {{0, (double)NAN}};
    return total;
}

/* An infinity or NaN. */
DEVICE_UNUSED struct total total_special(double x)
{
    struct total total = {{x, 0}};
    return total;
}

/* Whether totals of numbers may have such a high part: a block adds up less than 2^16 of them. What a pair of words has
 * is smaller, and narrow numbers are much smaller. */
DEVICE int total_fits(double high)
{
    return IS_NARROW || ((uint32_t)(double_bits(high) >> 32) & 0x7fffffffu) < 0x7ee00000u; /* 2^1007 */
}

DEVICE_CALL struct total words_total(struct words words)
{
    struct total total;
    return words_are_pair(&words, &total.sum) ? total : total_lost();
}

DEVICE struct total total_of_state(const struct state *state)
{
    return words_total(state->sum[0]);
}

/* `words` has a sum that is lost. */
DEVICE struct state state_of_total(const struct total *total, const struct state *words)
{
    return total_is_lost(total) ? *words : state_of_pair(total->sum);
}

/* The total, or none. */
DEVICE struct total total_if(int condition, const struct total *total)
{
    uint64_t mask = 0 - (uint64_t)(condition != 0);
    struct total some;
    some.sum.high = double_from_bits(double_bits(total->sum.high) & mask);
    some.sum.low = double_from_bits(double_bits(total->sum.low) & mask);
    return some;
}

/* Totals on their way into one. Nothing branches, and only the sum and the rest hang on what was before. */
struct gathered {
    struct pair sum;
    uint64_t lost; /* bits of what additions lost */
};

DEVICE struct gathered gather_from(const struct total *total)
{
    struct gathered g = {total->sum, 0};
    return g;
}

DEVICE void gather(struct gathered *g, const struct total *more)
{
    double error, lost[2];
    g->sum.high = two_sum(g->sum.high, more->sum.high, &error);
    g->sum.low = two_sum(g->sum.low, more->sum.low, &lost[0]);
    g->sum.low = two_sum(g->sum.low, error, &lost[1]);
    g->lost |= double_bits(lost[0]) | double_bits(lost[1]);
}

DEVICE struct total gathered_total(const struct gathered *g)
{
    struct total total;
    double low, high = two_sum(g->sum.high, g->sum.low, &low);
    uint64_t is_lost = (g->lost << 1 != 0) | !total_fits(high), is_number = is_finite(g->sum.high);
    total.sum.high = is_lost ? g->sum.high : high;
    total.sum.low = double_from_bits((double_bits(low) | (0 - is_lost)) & (0 - is_number)); /* all ones: NaN */
    return total;
}

/* Narrow floats' totals nearly always are doubles, and so is their sum: nothing is lost to it then. */
DEVICE void total_append(struct total *a, const struct total *b)
{
#if !IS_PAIRED
    double error, high = two_sum(a->sum.high, b->sum.high, &error);
    uint64_t lost = double_bits(error) | double_bits(a->sum.low) | double_bits(b->sum.low);
    if (lost << 1 == 0) {
        a->sum.high = high;
        return;
    }
#endif
    struct gathered g = gather_from(a);
    gather(&g, b);
    *a = gathered_total(&g);
}

DEVICE struct column column_below(const struct total *above)
{
    struct column column = {above->sum};
    return column;
}

#include "column_total_rows.cuh"

/* Makes of totals what stands above each of them; returns all. Nearly always each is a double. */
DEVICE struct total totals_above(struct total *totals, int count)
{
    struct total all = total_identity();
#if !IS_PAIRED
    double quick = 0, above[MOST_TOTALS];
    uint64_t lost = 0;
#pragma unroll
    for (int i = 0; i < count; i++) {
        double error;
        above[i] = quick;
        quick = two_sum(quick, totals[i].sum.high, &error);
        lost |= double_bits(error) | double_bits(totals[i].sum.low);
    }
    if (lost << 1 == 0 && is_finite(quick)) {
#pragma unroll
        for (int i = 0; i < count; i++) totals[i].sum.high = above[i];
        all.sum.high = quick;
        return all;
    }
#endif
    struct gathered sum = gather_from(&all);
#pragma unroll
    for (int i = 0; i < count; i++) {
        struct total own = totals[i];
        totals[i] = gathered_total(&sum);
        gather(&sum, &own);
    }
    return gathered_total(&sum);
}

/* ---- what chunks publish ---- */

/* The marks of seals tell these apart, in their lowest bits. */
enum { IS_PREFIX = 1, IN_PAIR = 2, IN_WORDS = 4, KINDS = 8 };

/* Where high is, or low if there is one, which is rare unless elements are wide: then one lies behind the other,
 * elsewhere those of all chunks behind the others, so that few bytes have to be read. Neighbouring columns lie
 * together. */
DEVICE struct packed *published_half(const struct scan_parameters *given, int64_t cell, int64_t split, int is_low)
{
    int64_t at = split * given->reduce.cells + cell;
    struct packed *places = (struct packed *)given->flags;
    return IS_PAIRED ? &places[2 * at + is_low] : &places[at + is_low * given->reduce.splits * given->reduce.cells];
}

DEVICE struct state *published_words(const struct scan_parameters *given, int64_t cell, int64_t split, uint32_t flag)
{
    return (struct state *)given->totals + 2 * (split * given->reduce.cells + cell) + (flag == PREFIX_KNOWN);
}

DEVICE void total_publish(const struct scan_parameters *given, int64_t cell, int64_t split, const struct total *total,
                          const struct state *words, uint32_t flag)
{
    uint64_t mark = (TOTAL_MARK & -(uint64_t)KINDS) | (flag == PREFIX_KNOWN ? IS_PREFIX : 0);
    if (total_is_lost(total)) {
        mark |= IN_WORDS;
        *published_words(given, cell, split, flag) = *words;
        __threadfence();
    } else if (total->sum.low != 0) {
        mark |= IN_PAIR;
        packed_store(published_half(given, cell, split, 1), double_bits(total->sum.low),
                     double_bits(total->sum.low) ^ mark);
    }
    packed_store(published_half(given, cell, split, 0), double_bits(total->sum.high),
                 double_bits(total->sum.high) ^ mark);
}

/* What was there to be seen of a chunk. */
struct glimpse {
    struct packed high, low;
};

DEVICE struct glimpse total_glimpse(const struct scan_parameters *given, int64_t cell, int64_t split, int in_pairs)
{
    struct glimpse glimpse = {packed_load(published_half(given, cell, split, 0)), {0, 0}};
    if (IS_PAIRED || in_pairs) glimpse.low = packed_load(published_half(given, cell, split, 1));
    return glimpse;
}

/* What the mark says of the total; KINDS or more if there is none. */
DEVICE uint64_t glimpse_kind(const struct glimpse *glimpse)
{
    return glimpse->high.value ^ glimpse->high.seal ^ (TOTAL_MARK & -(uint64_t)KINDS);
}

/* The rest, if there is one and it was not looked at yet. */
DEVICE void total_glimpse_rest(const struct scan_parameters *given, int64_t cell, int64_t split,
                               struct glimpse *glimpse)
{
    uint64_t kind = glimpse_kind(glimpse);
    if (!IS_PAIRED && kind < KINDS && kind & IN_PAIR) glimpse->low = packed_load(published_half(given, cell, split, 1));
}

DEVICE uint32_t total_seen(const struct glimpse *glimpse, struct total *total)
{
    uint64_t mark = glimpse->high.value ^ glimpse->high.seal, low = glimpse->low.value ^ glimpse->low.seal;
    uint64_t kind = glimpse_kind(glimpse);
    uint32_t in_pair = (kind & IN_PAIR) != 0, is_there = (kind < KINDS) & (!in_pair | (low == mark));
    uint64_t in_words = 0 - (uint64_t)((kind & IN_WORDS) != 0);
    total->sum.high = double_from_bits(glimpse->high.value & ~in_words);
    total->sum.low = double_from_bits((glimpse->low.value & (0 - (uint64_t)in_pair)) | in_words); /* NaN */
    return is_there ? kind & IS_PREFIX ? PREFIX_KNOWN : TOTAL_KNOWN : NOTHING_YET;
}

/* ---- what those that look upwards add up: of narrow floats, totals that are one double, in fewer registers ---- */

#if !IS_PAIRED
#define MAY_BE_NO_LINKS 1

struct link {
    double sum;
};

DEVICE_UNUSED struct link link_none(void)
{
    struct link none = {0};
    return none;
}

/* As total_seen, or NO_LINK. */
DEVICE_UNUSED uint32_t link_seen(const struct glimpse *glimpse, struct link *link)
{
    uint64_t kind = glimpse_kind(glimpse);
    link->sum = double_from_bits(glimpse->high.value);
    if (kind >= KINDS) return NOTHING_YET;
    return kind & (IN_PAIR | IN_WORDS) ? NO_LINK : kind & IS_PREFIX ? PREFIX_KNOWN : TOTAL_KNOWN;
}

DEVICE_UNUSED void link_append(struct link *a, const struct link *b, uint64_t *lost)
{
    double error;
    a->sum = two_sum(a->sum, b->sum, &error);
    *lost |= double_bits(error);
}

/* Lost if it is more than a double. */
DEVICE_UNUSED struct total total_of_link(const struct link *link, uint64_t lost)
{
    uint64_t is_lost = lost << 1 != 0 && is_finite(link->sum);
    struct total total = {{link->sum, double_from_bits(0 - is_lost)}};
    return total;
}
#endif
