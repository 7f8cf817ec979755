/* SPDX-License-Identifier: MIT
 *
 * column_specials.cuh - infinities and NaN in columns of exact sums. They are taken out of rows, so that what is left
 * are numbers and zeros, whose sums are as quick as ever; a column's sum is a number as long as it had none, and what
 * they add up to from then on, whatever the numbers are. Part of column_exact.cuh. No include guard. */

/* Whether a sum is an infinity or NaN, which is its high part then. */
DEVICE int pair_is_special(const struct pair *pair)
{
    return !is_finite(pair->high);
}

DEVICE int column_is_special(const struct column *column)
{
    return pair_is_special(&column->above);
}

/* What infinities and NaN of SIDE columns add up to. Of 2-byte floats, bits of all of them, and signs that were not
 * set: two columns are looked at at once. */
#if HAS_HALVES
enum { HALF_WORDS = (SIDE + 1) / 2, HALF_NAN = 0x7fff & ~HALF_INFINITY };

struct specials {
    uint32_t all[HALF_WORDS], plus[HALF_WORDS];
};

DEVICE void specials_add(struct specials *specials, int k, double x)
{
    uint32_t all = x != x ? HALF_NAN : x < 0 ? 0x8000 : 0;
    specials->all[k / 2] |= all << k % 2 * 16;
    specials->plus[k / 2] |= (x > 0 ? 0x8000u : 0) << k % 2 * 16;
}

/* An infinity or NaN, or 0 if there was none. */
DEVICE double specials_sum(const struct specials *specials, int k)
{
    uint32_t all = specials->all[k / 2] >> k % 2 * 16, plus = specials->plus[k / 2] >> k % 2 * 16 & 0x8000;
    double sum = plus ? (double)INFINITY : 0;
    if (all & 0x8000) sum = plus ? (double)NAN : -(double)INFINITY;
    return all & HALF_NAN ? (double)NAN : sum;
}

/* Takes them out of a row; whether there were any. */
DEVICE uint32_t side_clear(struct side *side, struct specials *specials)
{
    uint32_t words[HALF_WORDS], seen = 0;
#pragma unroll
    for (int i = 0; i < HALF_WORDS; i++) {
        uint32_t word = halves_counted(side_word(side, i));
        uint32_t mask = ((word & 0x7fff7fffu) + (0x8000u - HALF_INFINITY) * 0x10001u) & 0x80008000u;
        mask |= mask - (mask >> 15);
        specials->all[i] |= word & mask;
        specials->plus[i] |= ~word & mask;
        words[i] = word & ~mask;
        seen |= mask;
    }
    memcpy(side, words, SIDE_BYTES);
    return seen;
}
#else
#if IS_NARROW
typedef float special_sum;
#else
typedef double special_sum;
#endif

struct specials {
    special_sum sum[SIDE];
};

DEVICE void specials_add(struct specials *specials, int k, double x)
{
    specials->sum[k] += (special_sum)x;
}

DEVICE double specials_sum(const struct specials *specials, int k)
{
    return (double)specials->sum[k];
}

DEVICE int element_is_special(element x)
{
#if IS_NARROW
    return (__float_as_uint(x.v) & 0x7f800000u) == 0x7f800000u;
#else
    return !is_finite(x.v);
#endif
}

DEVICE uint32_t side_clear(struct side *side, struct specials *specials)
{
    storage stored[SIDE];
    uint32_t seen = 0;
    memcpy(stored, side, sizeof stored);
#pragma unroll
    for (int k = 0; k < SIDE; k++) {
        element x = row_element(side, k);
        uint32_t is_special = (uint32_t)element_is_special(x);
        specials->sum[k] += is_special ? x.v : 0;
        if (is_special) memset(&stored[k], 0, sizeof stored[k]);
        seen |= is_special;
    }
    memcpy(side, stored, sizeof stored);
    return seen;
}
#endif

DEVICE struct specials specials_begin(void)
{
    struct specials specials;
    memset(&specials, 0, sizeof specials);
    return specials;
}

/* ---- results ---- */

DEVICE void nan_store(char *out)
{
    finish_bits(nan_result(), 0, out);
}

/* Rows below NaN. */
DEVICE_CALL void nan_rows(int32_t count, char *out, int64_t pitch)
{
    struct results results;
#pragma unroll
    for (int k = 0; k < SIDE; k++) nan_store(results.bytes + k * RESULT_SIZE);
#pragma unroll 4
    for (int32_t i = 0; i < count; i++, out += pitch) store_results(out, &results);
}

enum { NO_ROW = 0x7fffffff };

/* The rows from which on a column's results are an infinity, and NaN. */
struct special_rows {
    int32_t infinite, nan;
    double infinity;
};

DEVICE struct special_rows special_rows_none(void)
{
    struct special_rows rows = {NO_ROW, NO_ROW, 0};
    return rows;
}

/* What infinities and NaN above a row add up to. Rows come one after the other. */
DEVICE void special_rows_see(struct special_rows *rows, double sum, int32_t row)
{
    if (sum != sum) {
        if (row < rows->nan) rows->nan = row;
    } else if (sum != 0 && row < rows->infinite) {
        rows->infinite = row;
        rows->infinity = sum;
    }
}

DEVICE int32_t special_rows_first(const struct special_rows *rows)
{
    return rows->infinite < rows->nan ? rows->infinite : rows->nan;
}

/* Puts them in place of what numbers alone add up to. */
DEVICE void special_results(const struct special_rows *rows, int32_t count, char *out, int64_t pitch)
{
#pragma unroll
    for (int k = 0; k < SIDE; k++, out += RESULT_SIZE) {
        uint64_t infinity = double_result(rows[k].infinity);
#pragma unroll 1
        for (int32_t i = special_rows_first(&rows[k]); i < count; i++)
            finish_bits(i < rows[k].nan ? infinity : nan_result(), 0, out + i * pitch);
    }
}

/* ---- what stands above rows ---- */

/* Of columns that are no strays. Their sums become zeros, and they are noted. */
DEVICE struct specials specials_above(struct column *columns, uint32_t strays, struct special_rows *rows)
{
    struct specials specials = specials_begin();
#pragma unroll
    for (int k = 0; k < SIDE; k++) {
        rows[k] = special_rows_none();
        if (strays >> k & 1 || !column_is_special(&columns[k])) continue;
        specials_add(&specials, k, columns[k].above.high);
        special_rows_see(&rows[k], columns[k].above.high, 0);
        columns[k].above.high = columns[k].above.low = 0;
    }
    return specials;
}

/* Whether there was any. */
DEVICE_UNUSED int has_specials(const struct special_rows *rows)
{
    int some = 0;
#pragma unroll
    for (int k = 0; k < SIDE; k++) some |= special_rows_first(&rows[k]) != NO_ROW;
    return some;
}

/* Rows of which there are results that are numbers: from the first on. What is behind them does not matter. */
DEVICE int32_t rows_of_numbers(const struct special_rows *rows, int32_t count)
{
    int32_t most = 0;
#pragma unroll
    for (int k = 0; k < SIDE; k++) {
        int32_t first = special_rows_first(&rows[k]);
        most = first > most ? first : most;
    }
    return most < count ? most : count;
}

/* What trails say of columns. */
DEVICE_UNUSED int apart_of(const struct column *columns, uint32_t strays)
{
    int some = strays != 0, all = strays == 0;
#pragma unroll
    for (int k = 0; k < SIDE; k++) {
        some |= column_is_special(&columns[k]);
        all &= columns[k].above.high != columns[k].above.high;
    }
    return all ? ALL_NAN : some;
}
