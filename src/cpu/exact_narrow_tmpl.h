/* SPDX-License-Identifier: MIT
 *
 * exact_narrow_tmpl.h - exact sums of f16, bf16 and f32 as sums of doubles, where that loses nothing: when a lane's
 * share of values, from the largest down to the last bit of the smallest, fits a double's 53 bits. Included by
 * exact_float_tmpl.h. No include guard. */

#define NARROW_SHARE_BITS 7 /* TREE_LEAF / STREAM_LANES elements */

/* Significand bits of the type, of which a double's 53 less the share's leave this many binades. */
#define NARROW_PRECISION (sizeof(STORAGE) == 4 ? 24 : TYPE_INDEX_f16 == INDEX_EXPAND(TYPE_INDEX_, TYPE) ? 11 : 8)

ALWAYS_INLINE void TYPE_NAME(narrow_row)(double *restrict sum, uint32_t *restrict top, uint32_t *restrict bottom,
                                         const STORAGE *restrict x, int magnitude)
{
    for (int l = 0; l < STREAM_LANES; l++) {
        float v = (float)TO_REAL(x[l]);
        uint32_t size = float_bits(v) & 0x7fffffff;
        double d = magnitude ? (double)float_from_bits(size) : (double)v;
        sum[l] += d;
        top[l] = size > top[l] ? size : top[l];
        bottom[l] = size - 1 < bottom[l] ? size - 1 : bottom[l]; /* a zero wraps to the largest */
    }
}

/* False, with nothing added, when the sum may lose something or a value is not finite. */
ALWAYS_INLINE int TYPE_NAME(narrow_sum)(struct exact *sum, const STORAGE *x, size_t n, int magnitude)
{
    double lane[STREAM_LANES] = {0};
    uint32_t top[STREAM_LANES] = {0}, bottom[STREAM_LANES];
    for (int l = 0; l < STREAM_LANES; l++) bottom[l] = 0xffffffff;
    size_t i = 0;
    for (; n - i >= STREAM_LANES; i += STREAM_LANES) TYPE_NAME(narrow_row)(lane, top, bottom, x + i, magnitude);
    if (i < n) {
        STORAGE tail[STREAM_LANES] = {0};
        memcpy(tail, x + i, (n - i) * sizeof *x);
        TYPE_NAME(narrow_row)(lane, top, bottom, tail, magnitude);
    }
    uint32_t highest = 0, lowest = 0xffffffff;
    for (int l = 0; l < STREAM_LANES; l++) {
        highest = top[l] > highest ? top[l] : highest;
        lowest = bottom[l] < lowest ? bottom[l] : lowest;
    }
    if (highest == 0) return 1;
    if (highest >= 0x7f800000) return 0;
    int32_t high = (int32_t)(highest >> 23), low = (int32_t)((lowest + 1) >> 23);
    if (low == 0) low = 1;
    if (high - low + NARROW_PRECISION + NARROW_SHARE_BITS > 52) return 0;
    int32_t unit = low - 127 - (NARROW_PRECISION - 1);
    double scale = double_from_bits((uint64_t)(1023 - unit) << 52);
    int64_t total = 0;
    for (int l = 0; l < STREAM_LANES; l++) total += (int64_t)(lane[l] * scale);
    exact_add_integer(sum, total, unit);
    return 1;
}

/* Values of any range: signed significands into the buckets of their exponents, whose unit is a double's. */
static void TYPE_NAME(narrow_scatter)(struct exact *sum, struct exact_window *window, const double *x, size_t n)
{
    struct exact_scatter *scatter = window->scatter;
    int64_t exponent[SCATTER_BLOCK], low[SCATTER_BLOCK];
    int64_t first = scatter->first, last = scatter->last;
    for (size_t i = 0; i < n; i += SCATTER_BLOCK) {
        size_t count = n - i < SCATTER_BLOCK ? n - i : SCATTER_BLOCK;
        uint64_t special = 0;
        for (size_t k = 0; k < count; k++) {
            uint64_t bits = double_bits(x[i + k]), e = bits >> 52 & 0x7ff;
            int64_t sign = (int64_t)bits >> 63;
            int64_t m = (int64_t)((bits & 0xfffffffffffffull) >> SCATTER_SPLIT | (uint64_t)(e != 0) << 23);
            low[k] = (m ^ sign) - sign;
            exponent[k] = (int64_t)(e + (e == 0));
            special |= e == 0x7ff;
        }
        if (special) {
            for (size_t k = 0; k < count; k++) exact_add_double_bits(sum, double_bits(x[i + k]));
            continue;
        }
        for (size_t k = 0; k < count; k++) {
            first = exponent[k] < first ? exponent[k] : first;
            last = exponent[k] > last ? exponent[k] : last;
        }
        for (size_t k = 0; k < count; k++) scatter->bucket[exponent[k] + SCATTER_SPLIT] += low[k];
    }
    scatter->first = first;
    scatter->last = last;
}

/* How many leaves are not tried as plain doubles once one was too wide. */
#define NARROW_PATIENCE 15

static void TYPE_NAME(exact_narrow)(struct exact *sums, struct exact_window *windows, const STORAGE *x, size_t n,
                                    int magnitude)
{
    if (windows->narrow_patience > 0) {
        windows->narrow_patience--;
    } else {
        if (magnitude ? TYPE_NAME(narrow_sum)(sums, x, n, 1) : TYPE_NAME(narrow_sum)(sums, x, n, 0)) return;
        windows->narrow_patience = NARROW_PATIENCE;
    }
    double term[TREE_LEAF];
    for (size_t i = 0; i < n; i++) {
        double v = (double)TO_REAL(x[i]);
        term[i] = magnitude && v < 0 ? -v : v;
    }
    if (!exact_stream_bins(sums, windows, term, n, 1)) TYPE_NAME(narrow_scatter)(sums, windows, term, n);
}

#undef NARROW_PATIENCE

#undef NARROW_SHARE_BITS
#undef NARROW_PRECISION
