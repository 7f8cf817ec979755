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

#define MOST_TOTALS 16 /* that totals_above takes */

DEVICE struct total total_identity(void)
{
    struct total total = {{0, 0}};
    return total;
}

DEVICE int total_is_lost(const struct total *total)
{
    return total->sum.low != total->sum.low;
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

DEVICE void total_append(struct total *a, const struct total *b)
{
    struct gathered g = gather_from(a);
    gather(&g, b);
    *a = gathered_total(&g);
}

DEVICE struct column column_below(const struct total *above)
{
    struct column column = {above->sum};
    return column;
}

/* As total_rows, of numbers that lie far apart. */
DEVICE_CALL struct total total_rows_apart(const char *from, int32_t pitch, int32_t count, int k)
{
    struct total total = total_identity();
    int lost = 0;
    for (int32_t i = 0; i < count; i++) lost |= pair_add(&total.sum, column_number(load_element(from + i * pitch, k)));
    return lost || !total_fits(total.sum.high) ? total_lost() : total;
}

/* Of neighbouring columns. */
struct totals {
    struct total of[SIDE];
};

/* SIDE columns of a run, of which rows are present. */
#if IS_PAIRED
/* Infinities and NaN give way to zeros, if there are `specials` that tell of them. */
DEVICE void quick_rows(struct quick *quick, struct watch *watch, const char *from, int32_t present,
                       struct specials *specials)
{
    (void)present;
    *watch = watch_begin();
#pragma unroll
    for (int k = 0; k < SIDE; k++) quick[k] = quick_begin();
#pragma unroll DEPTH
    for (int32_t i = 0; i < ROWS_OF_RUN(present); i++) {
        struct side side = side_load(from + i * IN_PITCH);
        if (specials) side_clear(&side, specials);
#pragma unroll
        for (int k = 0; k < SIDE; k++) quick_add(&quick[k], watch, row_element(&side, k));
    }
}

/* As total_rows, where there are infinities or NaN. */
DEVICE_CALL struct totals total_rows_special(const char *from, int32_t present)
{
    struct totals totals;
    struct specials specials = specials_begin();
    struct quick quick[SIDE];
    struct watch watch;
    quick_rows(quick, &watch, from, present, &specials);
    int failed = watch_failed(&watch, RUN);
#pragma unroll
    for (int k = 0; k < SIDE; k++) {
        struct pair *sum = &totals.of[k].sum;
        double special = specials_sum(&specials, k);
        sum->high = two_sum(quick[k].high, quick[k].low, &sum->low);
        if (special != 0) totals.of[k] = total_special(special);
        else if (failed || !total_fits(sum->high))
            totals.of[k] = total_rows_apart(from, IN_PITCH, ROWS_OF_RUN(present), k);
    }
    return totals;
}

/* The same of numbers that lie far apart, too. */
DEVICE_CALL struct totals total_rows_wide(const char *from, int32_t present, int is_special)
{
    struct totals totals;
    if (is_special) return total_rows_special(from, present);
#pragma unroll 1
    for (int k = 0; k < SIDE; k++) totals.of[k] = total_rows_apart(from, IN_PITCH, ROWS_OF_RUN(present), k);
    return totals;
}

DEVICE void total_rows(struct total *totals, const char *from, int32_t present)
{
    struct quick quick[SIDE];
    struct watch watch;
    quick_rows(quick, &watch, from, present, NULL);
    int failed = watch_failed(&watch, RUN);
    int is_special = 0;
#pragma unroll
    for (int k = 0; k < SIDE; k++) {
        totals[k].sum.high = two_sum(quick[k].high, quick[k].low, &totals[k].sum.low);
        failed |= !total_fits(totals[k].sum.high);
        is_special |= !is_finite(quick[k].high);
    }
    if (!failed) return;
    struct totals wide = total_rows_wide(from, present, is_special);
#pragma unroll
    for (int k = 0; k < SIDE; k++) totals[k] = wide.of[k];
}
#else
/* Whether doubles may have lost something of a run's sums. */
DEVICE int sizes_failed(const struct sizes *sizes)
{
#if defined(ONLY_TYPE_f16)
    return halves_special(&sizes->halves);
#else
    struct watch watch = {sizes_most(sizes), sizes_least(sizes)};
    return watch_failed(&watch, RUN);
#endif
}

/* As total_rows, in bins. */
DEVICE_CALL struct totals total_rows_in_bins(const char *from, int32_t present, double offset)
{
    struct totals totals;
    struct bins bins[SIDE];
    (void)present;
#pragma unroll
    for (int k = 0; k < SIDE; k++) bins[k] = {offset, 0};
#pragma unroll DEPTH
    for (int32_t i = 0; i < ROWS_OF_RUN(present); i++) {
        struct side side = side_load(from + i * IN_PITCH);
#pragma unroll
        for (int k = 0; k < SIDE; k++) bins_add(&bins[k], row_number(&side, k));
    }
#pragma unroll
    for (int k = 0; k < SIDE; k++) {
        struct pair sum = bins_pair(&bins[k], offset);
        totals.of[k].sum.high = two_sum(sum.high, sum.low, &totals.of[k].sum.low);
    }
    return totals;
}

/* As total_rows, where there are infinities or NaN. */
DEVICE_CALL struct totals total_rows_special(const char *from, int32_t present)
{
    struct totals totals;
    struct specials specials = specials_begin();
    struct sizes sizes = sizes_begin();
    (void)present;
#pragma unroll
    for (int k = 0; k < SIDE; k++) totals.of[k] = total_identity();
#pragma unroll DEPTH
    for (int32_t i = 0; i < ROWS_OF_RUN(present); i++) {
        struct side side = side_load(from + i * IN_PITCH);
        side_clear(&side, &specials);
        sizes_see(&sizes, &side);
#pragma unroll
        for (int k = 0; k < SIDE; k++) totals.of[k].sum.high = number_plus(totals.of[k].sum.high, row_number(&side, k));
    }
    int failed = sizes_failed(&sizes);
#pragma unroll
    for (int k = 0; k < SIDE; k++) {
        double special = specials_sum(&specials, k);
        if (special != 0) totals.of[k] = total_special(special);
        else if (failed) totals.of[k] = total_rows_apart(from, IN_PITCH, ROWS_OF_RUN(present), k);
    }
    return totals;
}

/* The same of numbers that single doubles do not hold, too. */
DEVICE_CALL struct totals total_rows_wide(const char *from, int32_t present, struct sizes sizes)
{
    struct totals totals;
    if (sizes_special(&sizes)) return total_rows_special(from, present);
    struct span span = span_of_rows(&sizes);
    if (span_fits(&span)) return total_rows_in_bins(from, present, span_offset(&span));
#pragma unroll
    for (int k = 0; k < SIDE; k++) totals.of[k] = total_rows_apart(from, IN_PITCH, ROWS_OF_RUN(present), k);
    return totals;
}

DEVICE void total_rows(struct total *totals, const char *from, int32_t present)
{
    struct sizes sizes = sizes_begin();
#pragma unroll
    for (int k = 0; k < SIDE; k++) totals[k] = total_identity();
#pragma unroll DEPTH
    for (int32_t i = 0; i < ROWS_OF_RUN(present); i++) {
        struct side side = side_load(from + i * IN_PITCH);
        sizes_see(&sizes, &side);
#pragma unroll
        for (int k = 0; k < SIDE; k++) totals[k].sum.high = number_plus(totals[k].sum.high, row_number(&side, k));
    }
    if (!sizes_failed(&sizes)) return;
    struct totals wide = total_rows_wide(from, present, sizes);
#pragma unroll
    for (int k = 0; k < SIDE; k++) totals[k] = wide.of[k];
}
#endif

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

DEVICE struct glimpse total_glimpse(const struct scan_parameters *given, int64_t cell, int64_t split)
{
    struct glimpse glimpse = {packed_load(published_half(given, cell, split, 0)), {0, 0}};
    if (IS_PAIRED) glimpse.low = packed_load(published_half(given, cell, split, 1));
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
