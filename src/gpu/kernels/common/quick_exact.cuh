/* SPDX-License-Identifier: MIT
 *
 * quick_exact.cuh - exact sums of a few floats: narrow ones are added as doubles, others as pairs of doubles, and what
 * tells whether that was exact. No include guard. */
#define IS_PAIRED (!IS_NARROW)

/* Bits of an element's significand. */
#if defined(ONLY_TYPE_bf16)
#define SIGNIFICAND 8
#else
#define SIGNIFICAND 24
#endif

/* A cell's sum so far. */
struct quick {
    double high;
#if IS_PAIRED
    double low;
#endif
};

/* What tells whether sums were exact, of any number of cells at once. */
struct watch {
#if IS_PAIRED
    uint32_t lost; /* bits of what additions lost */
#elif defined(ONLY_TYPE_f16)
    uint32_t large; /* whether a sum of sums was */
#else
    uint32_t most, least; /* sizes of floats, shifted to the left; least is one less */
#endif
};

DEVICE struct watch watch_begin(void)
{
    struct watch w;
    memset(&w, 0, sizeof w);
#if !IS_PAIRED && !defined(ONLY_TYPE_f16)
    w.least = 0xffffffffu;
#endif
    return w;
}

DEVICE void watch_merge(struct watch *a, struct watch b)
{
#if IS_PAIRED
    a->lost |= b.lost;
#elif defined(ONLY_TYPE_f16)
    a->large |= b.large;
#else
    a->most = b.most > a->most ? b.most : a->most;
    a->least = b.least < a->least ? b.least : a->least;
#endif
}

DEVICE void watch_lost(struct watch *w, double lost)
{
#if IS_PAIRED
    uint64_t bits = double_bits(lost);
    w->lost |= (uint32_t)(bits >> 32) | (uint32_t)bits;
#else
    (void)w;
    (void)lost;
#endif
}

/* Exponents may lie so far apart that n numbers' sum, as an integer in units of the smallest one's last bit, has no
 * more than 53 bits. Binary16 numbers are multiples of 2^-24 below 2^16: a thread's sums of 2^12 of them are doubles,
 * and so are sums of two sums below 2^28. */
DEVICE int watch_failed(const struct watch *w, int64_t n)
{
#if IS_PAIRED
    (void)n;
    return w->lost != 0;
#elif defined(ONLY_TYPE_f16)
    return n > 4096 && w->large;
#else
    int32_t top = (int32_t)(w->most >> 24), bottom = (int32_t)((w->least + 1) >> 24);
    int32_t growth = n > 1 ? 64 - exact_leading_zeros((uint64_t)n - 1) : 0;
    return top == 255 || top - bottom > 53 - SIGNIFICAND - growth;
#endif
}

/* What a sum of n numbers is off at most: the sums that are rounded on the way, by half a unit of their last place
 * each, are of n (n + 1) / 2 numbers together, if one comes after the other, or of fewer. */
DEVICE_UNUSED double watch_off(const struct watch *w, int64_t n)
{
#if IS_PAIRED || defined(ONLY_TYPE_f16)
    (void)w, (void)n;
    return (double)NAN;
#else
    return (double)__uint_as_float(w->most >> 1) * ((double)n * (double)(n + 2) * 0x1p-54);
#endif
}

DEVICE struct quick quick_begin(void)
{
    struct quick q;
    memset(&q, 0, sizeof q);
    return q;
}

/* Number by number, so that both stay in registers. */
DEVICE struct quick quick_of_two(int first, struct quick a, struct quick b)
{
    a.high = first ? a.high : b.high;
#if IS_PAIRED
    a.low = first ? a.low : b.low;
#endif
    return a;
}

DEVICE double quick_number(element x)
{
#if defined(PICK_MAGNITUDE)
    return fabs((double)x.v);
#else
    return (double)x.v;
#endif
}

DEVICE_UNUSED void watch_number(struct watch *w, element x)
{
#if IS_PAIRED || defined(ONLY_TYPE_f16)
    (void)w, (void)x;
#else
    uint32_t size = __float_as_uint(x.v) << 1;
    struct watch here = {size, size - 1};
    watch_merge(w, here);
#endif
}

DEVICE void quick_add(struct quick *q, struct watch *w, element x)
{
#if IS_PAIRED
    double error, lost;
    q->high = two_sum(q->high, quick_number(x), &error);
    q->low = two_sum(q->low, error, &lost);
    watch_lost(w, lost);
#else
    q->high += quick_number(x);
    watch_number(w, x);
#endif
}

/* Elements [from, to) of a vector. */
DEVICE void quick_add_vector(struct quick *q, struct watch *w, const struct vector16 *v, int from, int to)
{
#pragma unroll
    for (int i = from; i < to; i++) quick_add(q, w, vector_element(v, i));
}

DEVICE void quick_merge(struct quick *a, struct watch *w, struct quick b)
{
#if IS_PAIRED
    double error, lost;
    a->high = two_sum(a->high, b.high, &error);
    a->low = two_sum(a->low, error, &lost);
    watch_lost(w, lost);
    a->low = two_sum(a->low, b.low, &lost);
    watch_lost(w, lost);
#elif defined(ONLY_TYPE_f16)
    w->large |= !(fabs(a->high) < 0x1p28) | !(fabs(b.high) < 0x1p28);
    a->high += b.high;
#else
    (void)w;
    a->high += b.high;
#endif
}
