/* SPDX-License-Identifier: MIT
 *
 * short_products.cuh - sums of products of floats. Those of narrow ones are doubles, which are added so nearly that all
 * that a sum can be nearly always has one result; where that is a double, and of doubles, in three doubles. No include
 * guard. */
#define IS_NEAR (!IS_NARROW || RESULT_PART == 8)

struct quick {
#if IS_NEAR
    struct near_sum sum;
#else
    double sum;
#endif
};

struct watch {
    uint32_t most; /* upper halves of sizes of products */
};

DEVICE struct watch watch_begin(void)
{
    struct watch w = {0};
    return w;
}

DEVICE void watch_merge(struct watch *a, struct watch b)
{
    a->most = b.most > a->most ? b.most : a->most;
}

/* Nothing is known to be exact. */
DEVICE int watch_failed(const struct watch *w, int64_t n)
{
    (void)w, (void)n;
    return 1;
}

DEVICE struct quick quick_begin(void)
{
    struct quick q;
    memset(&q, 0, sizeof q);
    return q;
}

DEVICE void quick_merge(struct quick *a, struct watch *w, struct quick b)
{
    (void)w;
#if IS_NEAR
    near_merge(&a->sum, &b.sum);
#else
    a->sum += b.sum;
#endif
}

/* Adds a product to a sum that knows what it is off. */
DEVICE void product_add_nearly(struct near_sum *sum, element x, element y)
{
    double a = (double)x.v, b = (double)y.v, product = a * b;
    near_add(sum, product);
#if !IS_NARROW
    near_add(sum, fma(a, b, -product));
    if (!(fabs(product) > 0x1p-900) && a != 0 && b != 0) sum->off = (double)NAN; /* the rest may be none of a double */
#endif
}

DEVICE void product_add(struct quick *q, struct watch *w, element x, element y)
{
#if IS_NEAR
    (void)w;
    product_add_nearly(&q->sum, x, y);
#else
    double a = (double)x.v, b = (double)y.v;
    struct watch here = {(uint32_t)(double_bits(a * b) >> 32) & 0x7fffffffu};
    watch_merge(w, here);
    q->sum = fma(a, b, q->sum);
#endif
}

DEVICE int quick_finish(const struct reduce_parameters *p, const struct quick *q, int64_t n, int64_t cell, char *out)
{
    (void)p, (void)q, (void)n, (void)cell, (void)out;
    return 0;
}

/* Writes a result; returns whether it could. Sums that are rounded on the way are of n (n + 1) / 2 products together,
 * at most. */
DEVICE int quick_finish_near(const struct reduce_parameters *p, const struct quick *q, const struct watch *w, int64_t n,
                             char *out)
{
#if IS_NEAR
    (void)w;
    return near_store(p, &q->sum, n, out);
#else
    double most = double_from_bits((uint64_t)(w->most + 1) << 32);
    return double_near_store(p, q->sum, w->most ? most * ((double)n * (double)(n + 2) * 0x1p-54) : 0, n, out);
#endif
}
#define HAS_NEAR_FINISH 1

#include "short_no_origin.cuh"
