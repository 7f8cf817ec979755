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

static int TYPE_NAME(exact_narrow)(struct exact *sums, struct exact_window *windows, const STORAGE *x, size_t n,
                                   int magnitude)
{
    if (windows->patience > 0 || windows->bins > 0) {
        /* Recent data were too wide; try again now and then. */
        if (++windows->skipped % 16 != 0) return 0;
    }
    if (!(magnitude ? TYPE_NAME(narrow_sum)(sums, x, n, 1) : TYPE_NAME(narrow_sum)(sums, x, n, 0))) return 0;
    windows->bins = windows->patience = 0;
    return 1;
}

#undef NARROW_SHARE_BITS
#undef NARROW_PRECISION
