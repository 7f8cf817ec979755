/* SPDX-License-Identifier: MIT
 *
 * exact_integer_tile.cuh - the tile of method_exact.cuh for integers and bool. Elements of up to 32 bits have sums of a
 * tile in one word; 64-bit ones, and products of 32-bit ones, take two. No include guard. */

#if defined(ONLY_TYPE_i64) || defined(ONLY_TYPE_u64)
#define IS_LONG 1
#else
#define IS_LONG 0
#endif

struct whole {
    uint64_t magnitude;
    int negative;
};

DEVICE struct whole whole_of(element x)
{
    struct whole w = {(uint64_t)x.v, 0};
    if (ELEMENT_KIND == KIND_BOOLEAN) w.magnitude = x.v != 0;
    if (ELEMENT_KIND == KIND_SIGNED && (int64_t)x.v < 0) {
        w.magnitude = 0 - (uint64_t)(int64_t)x.v;
        w.negative = 1;
    }
    return w;
}

DEVICE void add_wide(struct words *sum, uint64_t low, uint64_t high, int negative)
{
    uint64_t b[WORDS];
    b[0] = negative ? 0 - low : low;
    b[1] = negative ? ~high + (low == 0) : high;
    uint64_t sign = negative && (low | high) ? ~0ull : 0;
#pragma unroll
    for (int i = 2; i < WORDS; i++) b[i] = sign;
    words_sum(sum, b);
}

#if defined(PICK_VALUE) || defined(PICK_MAGNITUDE) || defined(PICK_MOMENTS)
DEVICE void absorb_values(struct words *sum, const element *x, tile_mask present)
{
    int64_t total = 0;
#pragma unroll
    for (int i = 0; i < TILE; i++) {
        struct whole w = whole_of(x[i]);
        if (!(present >> i & 1)) w.magnitude = 0;
#if defined(PICK_MAGNITUDE)
        w.negative = 0;
#endif
        if (IS_LONG) add_wide(sum, w.magnitude, 0, w.negative);
        else total += w.negative ? -(int64_t)w.magnitude : (int64_t)w.magnitude;
    }
    if (!IS_LONG) add_wide(sum, total < 0 ? 0 - (uint64_t)total : (uint64_t)total, 0, total < 0);
}
#endif

#if defined(PICK_PRODUCT) || defined(PICK_SQUARE) || defined(PICK_MOMENTS)
DEVICE void absorb_products(struct words *sum, const element *x, const element *y, tile_mask present)
{
    int64_t total = 0;
#pragma unroll
    for (int i = 0; i < TILE; i++) {
        struct whole a = whole_of(x[i]), b = whole_of(y[i]);
        int negative = a.negative != b.negative;
        if (!(present >> i & 1)) a.magnitude = 0;
        uint64_t product = a.magnitude * b.magnitude;
        if (ELEMENT_SIZE >= 4) add_wide(sum, product, IS_LONG ? __umul64hi(a.magnitude, b.magnitude) : 0, negative);
        else total += negative ? -(int64_t)product : (int64_t)product;
    }
    if (ELEMENT_SIZE < 4) add_wide(sum, total < 0 ? 0 - (uint64_t)total : (uint64_t)total, 0, total < 0);
}
#endif

DEVICE void state_absorb(struct state *s, const element *x, const element *y, const int64_t *place, tile_mask present)
{
    (void)place;
    (void)y;
#if defined(PICK_VALUE) || defined(PICK_MAGNITUDE) || defined(PICK_MOMENTS)
    absorb_values(&s->sum[0], x, present);
#endif
#if defined(PICK_PRODUCT)
    absorb_products(&s->sum[0], x, y, present);
#elif defined(PICK_SQUARE) || defined(PICK_MOMENTS)
    absorb_products(&s->sum[SUMS - 1], x, x, present);
#endif
}
