/* SPDX-License-Identifier: MIT
 *
 * column_bins.cuh - exact sums of floats that lie too far apart for one double: in two, of which the larger one has an
 * offset, so that additions to it have one last place, and what that does not take is added to the other one. The range
 * of all numbers tells whether that is exact. Part of column_exact.cuh. No include guard. */

/* Rows of which a column's bins take the sum, at most, and the bits of so many and two more. */
#if WALK
#define SPAN_ROWS DEPTH
#else
#define SPAN_ROWS RUN
#endif
#define SPAN_BITS (SPAN_ROWS > 30 ? SPAN_ROWS > 62 ? 7 : 6 : SPAN_ROWS > 14 ? 5 : SPAN_ROWS > 6 ? 4 : 3)
static_assert(SPAN_ROWS <= 126, "rows of bins");

/* Numbers, all of which and whose sums are multiples of 2^unit below 2^top. */
struct span {
    int32_t top, unit;
};

enum { NO_TOP = 2000, NO_UNIT = 1000, MOST_TOP = 900 };

/* Exponent fields of floats and of doubles, in sizes and in weights: of a size, of one, of the lowest bit. */
#if IS_NARROW
enum { FIELD_SHIFT = 24, FIELD_OF_ONE = 126, LAST_FIELD = 255, UNIT_OF_FIELD = FIELD_TO_UNIT };
#else
enum { FIELD_SHIFT = 21, FIELD_OF_ONE = 1022, LAST_FIELD = 2047, UNIT_OF_FIELD = 1075 };
#endif

DEVICE struct span span_of_rows(const struct sizes *sizes)
{
#if defined(ONLY_TYPE_f16)
    struct span span = {16 + SPAN_BITS, -24};
    if (halves_special(&sizes->halves)) span.top = NO_TOP;
#else
    uint32_t least = sizes_least(sizes);
    int32_t field = (int32_t)(sizes_most(sizes) >> FIELD_SHIFT), bottom = (int32_t)((least + 1) >> FIELD_SHIFT);
    struct span span = {field - FIELD_OF_ONE + SPAN_BITS, (bottom > 0 ? bottom : 1) - UNIT_OF_FIELD};
    if (least == 0xffffffffu) span.unit = NO_UNIT; /* zeros */
    if (field == LAST_FIELD) span.top = NO_TOP;
#endif
    return span;
}

/* Whether bins lose nothing whose offset is that of such a top. The larger one's last place is 50 bits below it: it
 * stays between two powers of two then. What it leaves of the beginning, and of each row, is half of that place. */
DEVICE int unit_fits(int32_t top, int32_t unit)
{
    return top < MOST_TOP && top - 50 + SPAN_BITS - 1 - unit <= 53;
}

DEVICE double offset_of_top(int32_t top)
{
    return 1.5 * power_of_two(top + 2);
}

DEVICE int span_fits(const struct span *span)
{
    return unit_fits(span->top, span->unit);
}

DEVICE double span_offset(const struct span *span)
{
    return offset_of_top(span->top);
}

struct bins {
    double large, small;
};

DEVICE void bins_add(struct bins *bins, struct number x)
{
    double next = number_plus(bins->large, x);
    bins->small += number_plus(bins->large - next, x);
    bins->large = next;
}

/* Their sum, with a low part that may be the larger one. */
DEVICE struct pair bins_pair(const struct bins *bins, double offset)
{
    struct pair pair = {bins->large - offset, bins->small};
    return pair;
}

/* The lowest bit that is set. */
DEVICE int32_t lowest_place(double x)
{
    uint64_t bits = double_bits(x), fraction = bits & 0xfffffffffffffull;
    if (x == 0) return NO_UNIT;
    return (int32_t)(bits >> 52 & 0x7ff) - 1075 + (fraction ? __ffsll((long long)fraction) - 1 : 52);
}

/* A sum that bins begin with, which is a high part and less than its last place. */
DEVICE void span_see(struct span *span, const struct pair *sum)
{
    int32_t top = (int32_t)(double_bits(sum->high) >> 52 & 0x7ff) - 1022;
    int32_t unit = lowest_place(sum->low != 0 ? sum->low : sum->high);
    span->top = top > span->top ? top : span->top;
    span->unit = unit < span->unit ? unit : span->unit;
}

/* The pair that bins are, high part first. */
DEVICE struct pair bins_sum(const struct bins *bins, double offset)
{
    struct pair sum = bins_pair(bins, offset), ordered;
    ordered.high = two_sum(sum.high, sum.low, &ordered.low);
    return ordered;
}

DEVICE struct bins bins_of(const struct pair *sum, double offset)
{
    struct bins bins = {offset + sum->high, 0};
    bins.small = (sum->high - (bins.large - offset)) + sum->low;
    return bins;
}

/* A row of columns. */
DEVICE void bins_row(struct bins *bins, double offset, const struct side *v, struct results *results)
{
#pragma unroll
    for (int k = 0; k < SIDE; k++) {
        struct pair above = bins_pair(&bins[k], offset), next;
        bins_add(&bins[k], row_number(v, k));
        next = bins_pair(&bins[k], offset);
        sum_store(EXCLUSIVE ? &above : &next, results->bytes + k * RESULT_SIZE);
    }
}

#if WALK
/* Whether bins do not hold what rows add up to; nothing is written and the columns are as they were then. */
DEVICE int rows_binned(struct column *columns, const struct side *v, int32_t count, char *out, int64_t pitch)
{
    struct bins bins[SIDE];
    struct sizes sizes = sizes_begin();
#pragma unroll
    for (int d = 0; d < DEPTH; d++) sizes_see(&sizes, &v[d]);
    struct span span = span_of_rows(&sizes);
#pragma unroll
    for (int k = 0; k < SIDE; k++) span_see(&span, &columns[k].above);
    if (!span_fits(&span)) return 1;
    double offset = span_offset(&span);
#pragma unroll
    for (int k = 0; k < SIDE; k++) bins[k] = bins_of(&columns[k].above, offset);
#pragma unroll
    for (int d = 0; d < DEPTH; d++, out += pitch) {
        struct results results;
        bins_row(bins, offset, &v[d], &results);
        if (d < count) store_results(out, &results);
    }
#pragma unroll
    for (int k = 0; k < SIDE; k++) columns[k].above = bins_sum(&bins[k], offset);
    return 0;
}
#endif
