/* SPDX-License-Identifier: MIT
 *
 * exact_float_tile.cuh - the tile of method_exact.cuh for floats: what each lift adds to which sum. No include guard.
 */

/* The tile's numbers as floats or doubles; absent ones are zero and change nothing. */
#define TILE_PART(type, name, operand, part) \
    type name[TILE];                         \
    _Pragma("unroll") for (int i = 0; i < TILE; i++) name[i] = present >> i & 1 ? (type)(operand)[i].part : 0

#if IS_COMPLEX
#define REAL_PART re
#else
#define REAL_PART v
#endif

#if IS_NARROW
#define NUMBER float
#define tile_numbers(open, i, x) \
    (open)->missed |= tile_floats(&(open)->rare->s.sum[i], (open)->pending[i], &(open)->rare->far[i], x, (open)->tiles)
#define numbers_flush floats_flush
#else
#define NUMBER double
#define tile_numbers(open, i, x) tile_doubles(&(open)->rare->s.sum[i], (open)->pending[i], x)
#define numbers_flush(a, near, far) doubles_flush(a, near)
#endif

/* What few tiles need. Where tiles that lie near each other have a loop of their own (FAR_APART), it waits in shared
 * memory, where it costs that loop no registers. */
struct rare {
    struct state s;
    struct pending far[SUMS]; /* of narrow floats that lie far apart */
};

#if defined(FAR_APART) && SUMS == 1 && IS_NARROW && (defined(PICK_VALUE) || defined(PICK_MAGNITUDE)) && \
    !defined(ONLY_TYPE_f16)
#define RARE_IS_SHARED 1
#else
#define RARE_IS_SHARED 0
#endif

/* A state that takes tiles: sums of tiles wait beside its words. A sum of numbers uses one pending, one of products
 * two. */
struct open_state {
#if RARE_IS_SHARED
    struct rare *rare;
#else
    struct rare rare[1];
#endif
    struct pending pending[SUMS][2];
    enum tiles tiles; /* that it takes, narrow floats */
    int missed;       /* the last one was none of them */
};

DEVICE void open_begin(struct open_state *open)
{
#if RARE_IS_SHARED
    __shared__ struct rare room[THREADS];
    open->rare = &room[threadIdx.x];
#endif
    open->tiles = ALL_TILES;
    open->missed = 0;
    state_open(&open->rare->s);
    for (int i = 0; i < SUMS; i++) {
        pending_clear(&open->rare->far[i]);
        pending_clear(&open->pending[i][0]);
        pending_clear(&open->pending[i][1]);
    }
}

DEVICE int64_t *open_absent(struct open_state *open)
{
    return &open->rare->s.absent;
}

/* Which sums are of numbers as they lie in memory; the others are of doubles. */
DEVICE int sum_is_of_numbers(int i)
{
#if defined(PICK_VALUE)
    return 1;
#elif defined(PICK_MOMENTS)
    return i < SUMS - 1;
#elif defined(PICK_MAGNITUDE)
    return !IS_COMPLEX;
#else
    return 0;
#endif
}

DEVICE struct state open_close(struct open_state *open)
{
#pragma unroll
    for (int i = 0; i < SUMS; i++) {
        struct words *sum = &open->rare->s.sum[i];
        if (sum_is_of_numbers(i)) {
            numbers_flush(sum, &open->pending[i][0], &open->rare->far[i]);
        } else {
            doubles_flush(sum, &open->pending[i][0]);
            doubles_flush(sum, &open->pending[i][1]);
        }
    }
    return open->rare->s;
}

DEVICE void absorb_products(struct words *sum, struct pending *pending, const double *x, const double *y)
{
#if IS_NARROW
    double product[TILE]; /* exact */
#pragma unroll
    for (int i = 0; i < TILE; i++) product[i] = x[i] * y[i];
    tile_doubles(sum, pending, product);
#else
    tile_products(sum, pending, x, y);
#endif
}

#if defined(PICK_MAGNITUDE) && IS_COMPLEX
DEVICE void absorb_norms(struct words *sum, struct pending *pending, const element *x, tile_mask present)
{
    double high[TILE], low[TILE];
    int scaled = 0;
#pragma unroll
    for (int i = 0; i < TILE; i++) {
        struct complex_norm norm = complex_norm((double)x[i].re, (double)x[i].im);
        int here = present >> i & 1;
        high[i] = here ? norm.hi : 0;
        low[i] = here ? norm.lo : 0;
        scaled |= here && norm.exponent;
    }
    if (!scaled) {
        tile_doubles(sum, &pending[0], high);
        tile_doubles(sum, &pending[1], low);
        return;
    }
    for (int i = 0; i < TILE; i++) {
        struct complex_norm norm = complex_norm((double)x[i].re, (double)x[i].im);
        if (!(present >> i & 1)) continue;
        *sum = words_add_double(*sum, norm.hi, norm.exponent);
        *sum = words_add_double(*sum, norm.lo, norm.exponent);
    }
}
#endif

DEVICE void open_absorb(struct open_state *open, const element *x, const element *y, const int64_t *place,
                        tile_mask present)
{
    (void)place;
    (void)y;
#if defined(PICK_VALUE) || defined(PICK_MOMENTS)
    {
        TILE_PART(NUMBER, re, x, REAL_PART);
        tile_numbers(open, 0, re);
    }
#if IS_COMPLEX
    {
        TILE_PART(NUMBER, im, x, im);
        tile_numbers(open, 1, im);
    }
#endif
#endif
#if defined(PICK_MOMENTS) || defined(PICK_SQUARE)
    {
        TILE_PART(double, re, x, REAL_PART);
        absorb_products(&open->rare->s.sum[SUMS - 1], open->pending[SUMS - 1], re, re);
    }
#if IS_COMPLEX
    {
        TILE_PART(double, im, x, im);
        absorb_products(&open->rare->s.sum[SUMS - 1], open->pending[SUMS - 1], im, im);
    }
#endif
#endif
#if defined(PICK_PRODUCT)
    TILE_PART(double, xr, x, REAL_PART);
    TILE_PART(double, yr, y, REAL_PART);
    absorb_products(&open->rare->s.sum[0], open->pending[0], xr, yr);
#if IS_COMPLEX
    TILE_PART(double, xi, x, im);
    TILE_PART(double, yi, y, im);
    absorb_products(&open->rare->s.sum[1], open->pending[1], xr, yi);
    absorb_products(&open->rare->s.sum[1], open->pending[1], xi, yr);
#pragma unroll
    for (int i = 0; i < TILE; i++) xi[i] = -xi[i];
    absorb_products(&open->rare->s.sum[0], open->pending[0], xi, yi);
#endif
#endif
#if defined(PICK_MAGNITUDE)
#if IS_COMPLEX
    absorb_norms(&open->rare->s.sum[0], open->pending[0], x, present);
#else
    TILE_PART(NUMBER, size, x, v);
#pragma unroll
    for (int i = 0; i < TILE; i++) size[i] = size[i] < 0 ? -size[i] : size[i];
    tile_numbers(open, 0, size);
#endif
#endif
}
