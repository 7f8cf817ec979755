/* SPDX-License-Identifier: MIT
 *
 * few_quick.cuh - sums of narrow floats as doubles, for reduce_few.cu: exponents may lie so far apart that a thread's
 * sum, as an integer in units of the smallest number's last bit, has no more than 53 bits. No include guard. */

enum { NOT_QUICK = 0x800 }; /* above every exponent field */

/* A thread's sum so far. */
struct quick {
    double sum[2];
#if HAS_HALVES
    struct halves sizes;
#else
    uint32_t most, least; /* sizes, shifted to the left; least is one less */
#endif
};

DEVICE struct quick quick_begin(void)
{
    struct quick q;
    memset(&q, 0, sizeof q);
#if HAS_HALVES
    q.sizes = halves_begin();
#else
    q.least = 0xffffffffu;
#endif
    return q;
}

/* Exponent fields; `bottom` of the smallest but zeros. */
struct fields {
    int32_t top, bottom;
};

#if HAS_HALVES
DEVICE void quick_add(struct quick *q, const struct vector16 *v)
{
#pragma unroll
    for (int i = 0; i < 4; i++) {
        uint32_t word = LIFT_NUMBER == LIFT_MAGNITUDE ? v->word[i] & 0x7fff7fffu : v->word[i];
        halves_see(&q->sizes, word);
        q->sum[0] = number_plus(q->sum[0], number_of_upper(word << 16));
        q->sum[1] = number_plus(q->sum[1], number_of_upper(word));
    }
}

DEVICE struct fields quick_fields(const struct quick *q)
{
    struct fields fields = {(int32_t)(halves_most(&q->sizes) >> 7), (int32_t)((halves_least(&q->sizes) + 1) >> 7)};
    return fields;
}
#else
DEVICE void quick_add(struct quick *q, const struct vector16 *v)
{
#pragma unroll
    for (int i = 0; i < VECTOR; i++) {
        element x = vector_element(v, i);
        uint32_t size = __float_as_uint(x.v) << 1;
        if (LIFT_NUMBER == LIFT_MAGNITUDE) x.v = fabsf(x.v);
        q->most = size > q->most ? size : q->most;
        q->least = size - 1 < q->least ? size - 1 : q->least;
        q->sum[i % 2] = number_plus(q->sum[i % 2], number_of_element(x));
    }
}

DEVICE struct fields quick_fields(const struct quick *q)
{
    struct fields fields = {(int32_t)(q->most >> 24), (int32_t)((q->least + 1) >> 24)};
    return fields;
}
#endif

/* Whether a sum of so many numbers may not be exact. Binary16 numbers are multiples of 2^-24 below 2^16. */
DEVICE int quick_failed(const struct quick *q, int64_t count)
{
#if defined(ONLY_TYPE_f16)
    return halves_special(&q->sizes) || count > 4096;
#else
    enum { SIGNIFICAND = HAS_HALVES ? 8 : 24 };
    struct fields fields = quick_fields(q);
    int32_t growth = 64 - exact_leading_zeros((uint64_t)count);
    return fields.top == 0xff || fields.top - fields.bottom > 53 - SIGNIFICAND - growth;
#endif
}

/* A thread's sum; returns its exponent field, or NOT_QUICK. Chunks that are not there add zeros. */
DEVICE int32_t quick_sum(const void *x, const struct part *part, double *sum)
{
    struct quick q = quick_begin();
    struct vector16 next[AHEAD], now[AHEAD];
    load_vectors(next, AHEAD, x, part, 0);
#pragma unroll 1
    for (int64_t chunk = 0; chunk < part->count;) {
        memcpy(now, next, sizeof now);
        chunk += AHEAD;
        if (chunk < part->count) load_vectors(next, AHEAD, x, part, chunk);
#pragma unroll
        for (int j = 0; j < AHEAD; j++) quick_add(&q, &now[j]);
    }
    *sum = q.sum[0] + q.sum[1];
    return quick_failed(&q, part->count * VECTOR) ? NOT_QUICK : top_of(*sum);
}
