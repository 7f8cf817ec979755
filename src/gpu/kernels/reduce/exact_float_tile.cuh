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

/* Whole arrays (FAR_APART) take near and far tiles in loops of their own, where a calculation has one sum. Far numbers
 * go to bins of doubles that a thread has (narrow ones), or to long sums that some lanes of a warp share. */
#if defined(FAR_APART) && SUMS == 1 && !IS_COMPLEX && !SKIP_NAN && !WITH_WHERE && !defined(ONLY_TYPE_f16)
#define TAKES_TURNS 1
#if IS_NARROW && (defined(PICK_VALUE) || defined(PICK_MAGNITUDE))
#define FAR_HAS_BINS 1
#else
#define FAR_HAS_BINS 0
#endif
#else
#define TAKES_TURNS 0
#define FAR_HAS_BINS 0
#endif

#if IS_NARROW
#define NUMBER float
#define tile_numbers(open, i, x) \
    (open)->missed |= tile_floats(&(open)->rare->sum[i], (open)->pending[i], x, TAKES_TURNS ? NEAR_TILES : ALL_TILES)
#define numbers_flush floats_flush
#else
#define NUMBER double
#define tile_numbers(open, i, x) add_doubles(open, i, x)
#define numbers_flush doubles_flush
#endif

/* What few tiles need waits in shared memory, where it costs the near ones' loop no registers; and what wide tiles need
 * just once. */
#define RARE_IS_SHARED TAKES_TURNS
#define PENDING_IS_SHARED (TAKES_TURNS && !IS_NARROW)

/* A state that takes tiles: sums of tiles wait beside its words. A sum of numbers uses one pending, one of products
 * two. */
struct open_state {
#if RARE_IS_SHARED
    struct state *rare;
#else
    struct state rare[1];
#endif
#if PENDING_IS_SHARED
    struct pending (*pending)[2];
#else
    struct pending pending[SUMS][2];
#endif
    int missed;  /* the last tile was left alone */
    int far_had; /* numbers that far bins took, or whether long sums did */
    int far_run; /* tiles that are taken as far ones next */
};

DEVICE void open_begin(struct open_state *open)
{
#if RARE_IS_SHARED
    __shared__ struct state room[THREADS];
    open->rare = &room[threadIdx.x];
#endif
#if PENDING_IS_SHARED
    __shared__ struct pending pending[THREADS][2];
    open->pending = &pending[threadIdx.x];
#endif
    open->missed = open->far_had = open->far_run = 0;
    state_open(open->rare);
    for (int i = 0; i < SUMS; i++) {
        pending_clear(&open->pending[i][0]);
        pending_clear(&open->pending[i][1]);
    }
}

DEVICE int64_t *open_absent(struct open_state *open)
{
    return &open->rare->absent;
}

/* Which sums are of numbers of NUMBER's type; the others are of doubles. */
DEVICE int sum_is_of_numbers(int i)
{
#if defined(PICK_VALUE) || PRODUCTS_ARE_FLOATS
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
        struct words *sum = &open->rare->sum[i];
        if (sum_is_of_numbers(i)) {
            numbers_flush(sum, &open->pending[i][0]);
        } else {
            doubles_flush(sum, &open->pending[i][0]);
            doubles_flush(sum, &open->pending[i][1]);
        }
    }
    return *open->rare;
}

DEVICE void add_doubles(struct open_state *open, int i, const double *x)
{
#if TAKES_TURNS
    open->missed |= tile_doubles_near(&open->rare->sum[i], open->pending[i], x);
#else
    tile_doubles(&open->rare->sum[i], open->pending[i], x);
#endif
}

DEVICE void absorb_products(struct open_state *open, int i, const double *x, const double *y)
{
#if IS_NARROW
    double product[TILE]; /* exact */
#pragma unroll
    for (int k = 0; k < TILE; k++) product[k] = x[k] * y[k];
    add_doubles(open, i, product);
#elif TAKES_TURNS
    open->missed |= tile_products_near(&open->rare->sum[i], open->pending[i], x, y);
#else
    tile_products(&open->rare->sum[i], open->pending[i], x, y);
#endif
}

#if PRODUCTS_ARE_FLOATS
/* Whether a float does not hold all of a product. */
DEVICE int is_rounded(float x, float y, float product)
{
#if defined(ONLY_TYPE_bf16)
    float size = fabs(product);
    return !(size < 0x1p120f) | (size < 0x1p-100f & x != 0 & y != 0);
#else
    (void)x, (void)y, (void)product;
    return 0;
#endif
}

DEVICE void absorb_float_products(struct open_state *open, const element *x, const element *y, tile_mask present)
{
    float product[TILE];
    int lost = 0;
#pragma unroll
    for (int i = 0; i < TILE; i++) {
        product[i] = present >> i & 1 ? x[i].v * y[i].v : 0;
        lost |= (present >> i & 1) != 0 && is_rounded(x[i].v, y[i].v, product[i]);
    }
#if TAKES_TURNS
    if (__any_sync(FULL_WARP, lost)) open->missed = 1;
    else tile_numbers(open, 0, product);
#else
    if (!lost) {
        tile_numbers(open, 0, product);
        return;
    }
#pragma unroll
    for (int i = 0; i < TILE; i++) {
        if (present >> i & 1) open->rare->sum[0] = words_add_product(open->rare->sum[0], x[i].v, y[i].v);
    }
#endif
}
#endif

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
        absorb_products(open, SUMS - 1, re, re);
    }
#if IS_COMPLEX
    {
        TILE_PART(double, im, x, im);
        absorb_products(open, SUMS - 1, im, im);
    }
#endif
#endif
#if PRODUCTS_ARE_FLOATS
    absorb_float_products(open, x, y, present);
#elif defined(PICK_PRODUCT)
    TILE_PART(double, xr, x, REAL_PART);
    TILE_PART(double, yr, y, REAL_PART);
    absorb_products(open, 0, xr, yr);
#if IS_COMPLEX
    TILE_PART(double, xi, x, im);
    TILE_PART(double, yi, y, im);
    absorb_products(open, 1, xr, yi);
    absorb_products(open, 1, xi, yr);
#pragma unroll
    for (int i = 0; i < TILE; i++) xi[i] = -xi[i];
    absorb_products(open, 0, xi, yi);
#endif
#endif
#if defined(PICK_MAGNITUDE)
#if IS_COMPLEX
    absorb_norms(&open->rare->sum[0], open->pending[0], x, present);
#else
    TILE_PART(NUMBER, size, x, v);
#pragma unroll
    for (int i = 0; i < TILE; i++) size[i] = size[i] < 0 ? -size[i] : size[i];
    tile_numbers(open, 0, size);
#endif
#endif
}
