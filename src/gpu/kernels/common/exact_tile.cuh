/* SPDX-License-Identifier: MIT
 *
 * exact_tile.cuh - a tile of a few numbers, in registers, into a thread's exact sum. Nearly always the numbers of a
 * tile have one sum in a window of bits that a machine word or two hold: it is taken there without any loss, which is
 * checked, and added to the words once. A tile that does not fit adds its numbers one by one.
 *   TILE   numbers of a tile, at most 128, of doubles 16 */
#ifndef TALLY_EXACT_TILE_CUH
#define TALLY_EXACT_TILE_CUH

#include "exact_words.cuh"
#include "lanes.cuh"

/* Bits that the sum of a tile may have beyond those of its largest number. */
#define TILE_BITS     \
    (TILE <= 1    ? 0 \
     : TILE <= 2  ? 1 \
     : TILE <= 4  ? 2 \
     : TILE <= 8  ? 3 \
     : TILE <= 16 ? 4 \
     : TILE <= 32 ? 5 \
     : TILE <= 64 ? 6 \
                  : 7)

/* Sums of tiles that have one window, not yet in the words: high * 2^(place + 48) + low * 2^place, where place follows
 * from `top`, the exponent field of the largest number that the window takes. At most PENDING_TILES of them. */
struct pending {
    int64_t high, low;
    int32_t top, count;
};

#define PENDING_TILES 4095 /* each of up to 2^51 units */
#define PENDING_BITS 12    /* of as many tiles */
#define NO_WINDOW (-100000)

DEVICE void pending_clear(struct pending *p)
{
    p->high = p->low = 0;
    p->top = NO_WINDOW;
    p->count = 0;
}

/* Rarely called, so out of line. */
DEVICE_CALL struct words words_plus(struct words a, int64_t high, int64_t low, int32_t place)
{
    uint64_t sum = ((uint64_t)high << 48) + (uint64_t)low;
    words_add(&a, sum, (high >> 16) + (low >> 63) + (sum < (uint64_t)low), place);
    return a;
}

/* ---- floats: integers in units of 2^place; the smallest number's lowest bit must not lie below that ---- */

/* Products of 16-bit floats are floats, of binary16 ones always, of bfloat16 ones unless they leave the range. */
#if defined(PICK_PRODUCT) && (defined(ONLY_TYPE_f16) || defined(ONLY_TYPE_bf16))
#define PRODUCTS_ARE_FLOATS 1
#else
#define PRODUCTS_ARE_FLOATS 0
#endif

/* Fewer tiles of floats wait: what that leaves of the window goes to the numbers, so that even one that is far smaller
 * than its neighbours, as those of a normal distribution sometimes are, mostly fits. */
#if defined(ONLY_TYPE_f32)
#define FLOAT_PENDING_BITS 8
#else
#define FLOAT_PENDING_BITS PENDING_BITS
#endif

/* Binary16 numbers are integers of 40 bits in units of 2^-24: they always fit. Others have 2 binades to grow. No number
 * has a bit below 2^LEAST_BIT; LOWEST_BIT: of those whose exponent field is `bottom`. */
#define GROWTH 2
#if defined(ONLY_TYPE_f16) && !PRODUCTS_ARE_FLOATS
#define ALWAYS_FITS 1
#define FLOAT_BITS 40
#define FLOAT_PLACE(top, spare) (-24)
#define LOWEST_BIT(bottom) (-24)
#else
#define ALWAYS_FITS 0
#if defined(ONLY_TYPE_f16)
#define LEAST_BIT (-48)
#define FLOAT_BITS 22
#elif defined(ONLY_TYPE_bf16)
#define LEAST_BIT (-149)
#define FLOAT_BITS (PRODUCTS_ARE_FLOATS ? 16 : 8)
#else
#define LEAST_BIT (-149)
#define FLOAT_BITS 24
#endif
#define LEAST_PLACE (LEAST_BIT < -127 ? -127 : LEAST_BIT) /* 2^-place is a float */
#define FLOAT_PLACE(top, spare) \
    ((top)-126 - (62 - TILE_BITS) + (spare) < LEAST_PLACE ? LEAST_PLACE : (top)-126 - (62 - TILE_BITS) + (spare))
#define LOWEST_BIT(bottom) ((bottom)-126 - FLOAT_BITS < LEAST_BIT ? LEAST_BIT : (bottom)-126 - FLOAT_BITS)
#endif

struct range {
    int32_t top, bottom; /* exponent fields; bottom at least 1, as subnormal numbers have the place of normal ones */
};

/* Of the largest and of the smallest one's size, shifted to the left; that is one less, so that zeros count as large.
 */
DEVICE struct range range_of(uint32_t most, uint32_t least)
{
    struct range range = {(int32_t)(most >> 24), (int32_t)((least + 1) >> 24)};
    if (most == 0) range.top = 0;
    if (range.bottom == 0) range.bottom = least == 0xffffffffu ? 200 : 1;
    return range;
}

#if defined(ONLY_TYPE_bf16) && !PRODUCTS_ARE_FLOATS && HAS_PAIRS_OF_16
/* Two numbers at once, as they lie in memory. With their signs set, sizes less one are negative but for that of zero.
 */
DEVICE struct range float_range(const float *x)
{
    uint32_t most = 0, least = 0x7fff7fffu;
#pragma unroll
    for (int i = 0; i < TILE; i += 2) {
        uint32_t pair = __float_as_uint(x[i]) >> 16;
        if (i + 1 < TILE) pair |= __float_as_uint(x[i + 1]) & 0xffff0000u;
        most = max_u16x2(most, pair & 0x7fff7fffu);
        least = min_s16x2(least, (pair | 0x80008000u) - 0x00010001u);
    }
    most = max_u16x2(most, most >> 16) & 0x7fff;
    least = min_s16x2(least, least >> 16) & 0xffff;
    return range_of(most << 17, least == 0x7fff ? 0xffffffffu : (((least & 0x7fff) + 1) << 17) - 1);
}
#else
DEVICE struct range float_range(const float *x)
{
    uint32_t most = 0, least = 0xffffffffu;
#pragma unroll
    for (int i = 0; i < TILE; i++) {
        uint32_t size = __float_as_uint(x[i]) << 1;
        most = size > most ? size : most;
        if (!ALWAYS_FITS) least = size - 1 < least ? size - 1 : least;
    }
    return range_of(most, least);
}
#endif

/* Numbers so short that floats hold sums of 8, where exponents lie close enough, are first added as floats. */
#define FLOATS_AT_ONCE 8
#define FLOATS_SPAN (24 - 3 - FLOAT_BITS)
#define FLOATS_TOP 250 /* sums of larger ones may be no floats */

DEVICE int64_t float_sum(const float *x, int32_t place, struct range range)
{
    float scale = __uint_as_float((uint32_t)(127 - place) << 23);
    int64_t sum = 0;
    if (FLOATS_SPAN >= 8 && TILE % FLOATS_AT_ONCE == 0 && range.top - range.bottom <= FLOATS_SPAN &&
        range.top < FLOATS_TOP) {
#pragma unroll
        for (int i = 0; i < TILE; i += FLOATS_AT_ONCE) {
            float some = x[i];
#pragma unroll
            for (int k = 1; k < FLOATS_AT_ONCE && i + k < TILE; k++) some += x[i + k];
            sum += __float2ll_rz(some * scale);
        }
        return sum;
    }
#pragma unroll
    for (int i = 0; i < TILE; i++) sum += __float2ll_rz(x[i] * scale);
    return sum;
}

/* A tile number by number: in one place, as this is rare and unrolled code for every tile takes long to compile. */
struct tile_of_floats {
    float of[TILE];
};

DEVICE_CALL struct words words_plus_floats(struct words a, struct tile_of_floats x)
{
#pragma unroll 1
    for (int i = 0; i < TILE; i++) words_plus_double(&a, (double)x.of[i], 0);
    return a;
}

DEVICE void tile_floats_one_by_one(struct words *a, const float *x)
{
    struct tile_of_floats tile;
#pragma unroll
    for (int i = 0; i < TILE; i++) tile.of[i] = x[i];
    *a = words_plus_floats(*a, tile);
}

/* A tile in its own window, or number by number. */
DEVICE void tile_floats_alone(struct words *a, const float *x, struct range range)
{
    int32_t place = FLOAT_PLACE(range.top, 0);
    if (range.top < 255 && LOWEST_BIT(range.bottom) >= place) {
        *a = words_plus(*a, 0, float_sum(x, place, range), place);
        return;
    }
    tile_floats_one_by_one(a, x);
}

/* ---- doubles: two bins, 48 bits apart, each a double so large that it stays in its binade ----
 * Adding to the first is free of error, what it could not take goes to the second, and what is left then must be
 * nothing. The bins' bit patterns are their sums as integers. (Demmel and Nguyen, "Parallel reproducible summation",
 * have such bins without the check.) */

/* They take 16 numbers at once. */
#if TILE > 16
#define BINS_TILE 16
#define BINS_BITS 4
#else
#define BINS_TILE TILE
#define BINS_BITS TILE_BITS
#endif

/* Binades that the bins have room for above the tile that chose their place. Narrow floats and their products leave
 * more, and products vary more. */
#if IS_NARROW
#define BINS_GROWTH 12
#else
#define BINS_GROWTH 2
#endif

/* What the first bin could not take is at most half of its last place: 16 such numbers fill the second bin. */
#define DOUBLE_PLACE(top) ((top)-1021 + BINS_BITS - 48 - 52)

DEVICE int32_t double_top(const double *x)
{
    uint32_t most = 0;
#pragma unroll
    for (int i = 0; i < BINS_TILE; i++) {
        uint32_t size = (uint32_t)(double_bits(x[i]) >> 32) & 0x7fffffffu;
        most = size > most ? size : most;
    }
    return (int32_t)(most >> 20); /* every |x| is below 2^(top - 1022) */
}

/* The bins' sums on the way, together: which bits of them were ever set. */
struct bins_seen {
    uint64_t high, low;
};

/* Adds the tile to the bins for numbers below 2^(top - 1022); returns whether anything was left over. */
DEVICE int double_sum_seen(const double *x, int32_t top, int64_t *high, int64_t *low, struct bins_seen *seen)
{
    double first = double_from_bits((uint64_t)(top - 1021 + BINS_BITS + 1023) << 52 | 1ull << 51);
    double second = double_from_bits((uint64_t)(top - 1021 + BINS_BITS + 1023 - 48) << 52 | 1ull << 51);
    double s = first, t = second;
    uint64_t left = 0;
#pragma unroll
    for (int i = 0; i < BINS_TILE; i++) {
        double next = s + x[i];
        double rest = x[i] - (next - s);
        s = next;
        next = t + rest;
        rest = rest - (next - t);
        t = next;
        left |= double_bits(rest) << 1;
        seen->high |= double_bits(s);
        seen->low |= double_bits(t);
    }
    *high = (int64_t)(double_bits(s) - double_bits(first));
    *low = (int64_t)(double_bits(t) - double_bits(second));
    return left != 0;
}

DEVICE int double_sum(const double *x, int32_t top, int64_t *high, int64_t *low)
{
    struct bins_seen seen = {0, 0};
    return double_sum_seen(x, top, high, low, &seen);
}

#define DOUBLE_TOP_FITS(top) ((top) >= 60 && (top) < 2030)

struct tile_of_doubles {
    double of[BINS_TILE];
};

DEVICE_CALL struct words words_plus_doubles(struct words a, struct tile_of_doubles x)
{
#pragma unroll 1
    for (int i = 0; i < BINS_TILE; i++) words_plus_double(&a, x.of[i], 0);
    return a;
}

DEVICE void tile_doubles_one_by_one(struct words *a, const double *x)
{
    struct tile_of_doubles tile;
#pragma unroll
    for (int i = 0; i < BINS_TILE; i++) tile.of[i] = x[i];
    *a = words_plus_doubles(*a, tile);
}

DEVICE void tile_doubles_alone(struct words *a, const double *x, int32_t top)
{
    int64_t high, low;
    if (DOUBLE_TOP_FITS(top) && !double_sum(x, top, &high, &low)) {
        *a = words_plus(*a, high, low, DOUBLE_PLACE(top));
        return;
    }
    tile_doubles_one_by_one(a, x);
}

DEVICE void doubles_flush(struct words *a, struct pending *p)
{
    if (p->count) *a = words_plus(*a, p->high, p->low, DOUBLE_PLACE(p->top));
    pending_clear(p);
}

DEVICE void tile_doubles(struct words *a, struct pending *p, const double *x)
{
    int32_t top = double_top(x);
    int64_t high, low;
    if (top > p->top || top < p->top - BINS_GROWTH - 12 || p->count == PENDING_TILES) {
        doubles_flush(a, p);
        p->top = top + BINS_GROWTH;
    }
    if (DOUBLE_TOP_FITS(p->top) && !double_sum(x, p->top, &high, &low)) {
        p->high += high;
        p->low += low;
        p->count++;
        return;
    }
    tile_doubles_one_by_one(a, x);
}

/* Which tiles a thread takes: all, as they come; or only those whose numbers lie near each other, and then leaves a
 * tile alone if one of the warp's does not. What takes the others has a loop of its own (whole_far.cuh): two loops, of
 * one kind each, need fewer registers than one of both. */
enum tiles { ALL_TILES, NEAR_TILES };

/* The least exponent field for which DOUBLE_TOP_FITS. */
#define DOUBLE_TOP_LEAST 60

/* Adds the tile to bins, for pending_take; returns whether nothing was left over. The bins move up for larger numbers,
 * and for the next tile when they were too high for this one. A tile too small for bins of its own, as zeros are, is
 * tried where they stand. A warp's lanes begin together, where the largest number of all of them asks for it: what bins
 * leave behind that move costs a block's merging more than all else there. */
DEVICE int pending_try(struct words *a, struct pending *p, const double *x, int64_t *high, int64_t *low)
{
    int32_t top = double_top(x);
    *high = *low = 0;
    if (top < DOUBLE_TOP_LEAST) top = p->top > DOUBLE_TOP_LEAST ? p->top : DOUBLE_TOP_LEAST;
    if (p->top == NO_WINDOW) {
        p->top = most_of_lanes(top) + BINS_GROWTH;
    } else if (top > p->top || p->count == PENDING_TILES) {
        doubles_flush(a, p);
        p->top = top + BINS_GROWTH;
    }
    int fits = DOUBLE_TOP_FITS(p->top) && !double_sum(x, p->top, high, low);
    if (!fits && top + BINS_GROWTH < p->top) p->count = PENDING_TILES;
    return fits;
}

DEVICE void pending_take(struct pending *p, int64_t high, int64_t low)
{
    p->high += high;
    p->low += low;
    p->count++;
}

/* A tile of NEAR_TILES; returns whether it was left alone. */
DEVICE int tile_doubles_near(struct words *a, struct pending *p, const double *x)
{
    int64_t high, low;
    int fits = pending_try(a, p, x, &high, &low);
    if (!__all_sync(FULL_WARP, fits)) return 1;
    pending_take(p, high, low);
    return 0;
}

/* ---- floats, near each other as integers ---- */

DEVICE void floats_flush(struct words *a, struct pending *near)
{
    if (near->count) *a = words_plus(*a, 0, near->low, FLOAT_PLACE(near->top, FLOAT_PENDING_BITS));
    pending_clear(near);
}

/* Returns whether the tile was left alone. */
DEVICE int tile_floats(struct words *a, struct pending *near, const float *x, enum tiles tiles)
{
    struct range range = float_range(x);
    int moves = range.top > near->top || range.top < near->top - 8;
    if (ALWAYS_FITS) moves = 0;
    if (tiles == NEAR_TILES && !ALWAYS_FITS && near->top == NO_WINDOW) {
        near->top = most_of_lanes(range.top) + GROWTH; /* as pending_try has it */
        moves = range.top < near->top - 8;
    }
    if (moves || near->count == (1 << FLOAT_PENDING_BITS) - 1) {
        floats_flush(a, near);
        near->top = range.top + GROWTH;
    }
    int32_t place = FLOAT_PLACE(near->top, FLOAT_PENDING_BITS);
    int fits = range.top < 255 && LOWEST_BIT(range.bottom) >= place;
    if (tiles == NEAR_TILES && !__all_sync(FULL_WARP, fits)) return 1;
    if (fits || tiles == NEAR_TILES) {
        near->low += float_sum(x, place, range);
        near->count++;
        return 0;
    }
    tile_floats_alone(a, x, range);
    return 0;
}

/* Products of doubles: each is its rounded value and the error of that, which is a double unless the product comes near
 * the ends of the range. Returns whether one does. */
DEVICE int products_of(const double *x, const double *y, double *product, double *error)
{
    int outside = 0;
#pragma unroll
    for (int i = 0; i < TILE; i++) {
        product[i] = x[i] * y[i];
        error[i] = fma(x[i], y[i], -product[i]);
        double size = fabs(product[i]);
        outside |= !(size <= 0x1p1000) | (size < 0x1p-900 & (x[i] != 0) & (y[i] != 0));
    }
    return outside;
}

DEVICE void tile_products(struct words *a, struct pending *p, const double *x, const double *y)
{
    double product[TILE], error[TILE];
    if (products_of(x, y, product, error)) {
#pragma unroll
        for (int i = 0; i < TILE; i++) *a = words_add_product(*a, x[i], y[i]);
        return;
    }
    tile_doubles(a, &p[0], product);
    tile_doubles(a, &p[1], error);
}

/* A tile of NEAR_TILES; returns whether it was left alone. */
DEVICE int tile_products_near(struct words *a, struct pending *p, const double *x, const double *y)
{
    double product[TILE], error[TILE];
    int64_t high[2], low[2];
    int fits = !products_of(x, y, product, error);
    fits &= pending_try(a, &p[0], product, &high[0], &low[0]);
    fits &= pending_try(a, &p[1], error, &high[1], &low[1]);
    if (!__all_sync(FULL_WARP, fits)) return 1;
    pending_take(&p[0], high[0], low[0]);
    pending_take(&p[1], high[1], low[1]);
    return 0;
}

#endif
