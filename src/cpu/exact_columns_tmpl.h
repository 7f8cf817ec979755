/* SPDX-License-Identifier: MIT
 *
 * exact_columns_tmpl.h - exact sums of the columns of a tile, one real type. Included by type_tmpl.h. No include guard.
 *
 * A column's sum is an unevaluated pair of doubles. Knuth's two-sum adds to the high one, and what that loses is added
 * to the low one; of what this loses in turn only the size is kept, which is 0 for most data. */

ALWAYS_INLINE void TYPE_NAME(exact_row)(struct exact_columns *restrict sums, const STORAGE *restrict x, int64_t columns,
                                        enum lift lift)
{
    for (int64_t c = 0; c < columns; c++) {
        double v = (double)TO_REAL(x[c]);
        if (lift == LIFT_MAGNITUDE) v = v < 0 ? -v : v;
        if (lift == LIFT_SQUARE) v = v * v;
        double high = sums->high[c], low = sums->low[c];
        double sum = high + v;
        double back = sum - high;
        double error = (high - (sum - back)) + (v - back);
        double low_sum = low + error;
        back = low_sum - low;
        double lost = (low - (low_sum - back)) + (error - back);
        sums->high[c] = sum;
        sums->low[c] = low_sum;
        sums->off[c] += fabs(lost);
    }
}

ALWAYS_INLINE void TYPE_NAME(exact_rows)(struct exact_columns *sums, const void *elements,
                                         const struct column_strides *strides, int64_t rows, int64_t columns,
                                         enum lift lift)
{
    const STORAGE *x = elements;
    STORAGE gathered[COLUMNS_MOST];
    for (int64_t r = 0; r < rows; r++, x += strides->row) {
        const STORAGE *row = x;
        if (strides->column != 1) {
            for (int64_t c = 0; c < columns; c++) gathered[c] = x[c * strides->column];
            row = gathered;
        }
        if (columns == COLUMNS_MOST) TYPE_NAME(exact_row)(sums, row, COLUMNS_MOST, lift);
        else TYPE_NAME(exact_row)(sums, row, columns, lift);
    }
}

static void TYPE_NAME(exact_columns_value)(struct exact_columns *sums, const void *x,
                                           const struct column_strides *strides, int64_t rows, int64_t columns)
{
    TYPE_NAME(exact_rows)(sums, x, strides, rows, columns, LIFT_VALUE);
}

static void TYPE_NAME(exact_columns_magnitude)(struct exact_columns *sums, const void *x,
                                               const struct column_strides *strides, int64_t rows, int64_t columns)
{
    TYPE_NAME(exact_rows)(sums, x, strides, rows, columns, LIFT_MAGNITUDE);
}

#if PRECISION < 53
/* Squares of narrow types are exact doubles. */
static void TYPE_NAME(exact_columns_square)(struct exact_columns *sums, const void *x,
                                            const struct column_strides *strides, int64_t rows, int64_t columns)
{
    TYPE_NAME(exact_rows)(sums, x, strides, rows, columns, LIFT_SQUARE);
}
#endif
