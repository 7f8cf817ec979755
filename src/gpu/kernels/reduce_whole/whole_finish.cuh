/* SPDX-License-Identifier: MIT
 *
 * whole_finish.cuh - from a span, or from long sums, to the result of a whole array. No include guard. */
#include "short_total.cuh"
#include "whole_span.cuh"

/* A span as a natural number and a sign. */
DEVICE_CALL void span_read(const struct span *s, struct exact_sum *sum)
{
    int32_t shift = s->place & 63;
    uint64_t flip = (uint64_t)((int64_t)s->v[2] >> 63), below = 0;
    int carry = (int)(flip & 1);
    sum->negative = carry;
    sum->special = 0;
    sum->size.low = (s->place - shift) / 64;
    sum->size.count = 0;
    for (int i = 0; i < 4; i++) {
        uint64_t v = i < 3 ? (s->v[i] ^ flip) + (uint64_t)carry : 0;
        carry = carry && v == 0;
        sum->size.limb[i] = v << shift | (shift ? below >> (64 - shift) : 0);
        below = v;
        if (sum->size.limb[i]) sum->size.count = i + 1;
    }
}

/* Where sums are finished; one thread does. */
DEVICE struct exact_sum *sums_room(void)
{
    __shared__ struct exact_sum sum[SUMS];
    return sum;
}

/* Any result of the sums there. */
DEVICE_CALL void finish_sums(const struct reduce_parameters *p, struct exact_sum *sum, int64_t n)
{
    __shared__ struct natural square;
    finish_exact(p, sum, SUMS, &square, n, (char *)p->out);
}

/* Writes any total; what pairs of doubles do is shorter. */
DEVICE_CALL void span_round(const struct reduce_parameters *p, struct span s, int64_t n)
{
    span_read(&s, sums_room());
    finish_sums(p, sums_room(), n);
}

DEVICE_CALL int span_add_double(struct span *s, double x)
{
    uint64_t bits = double_bits(x), field = bits >> 52 & 0x7ff, m = bits & 0xfffffffffffffull;
    if (field == 0x7ff) return 1;
    if (field > 0) m |= 1ull << 52;
    int64_t q = bits >> 63 ? -(int64_t)m : (int64_t)m;
    return span_add(s, span_of((uint64_t)q, q >> 63, (field > 0 ? (int32_t)field : 1) - 1075));
}

/* Writes a total, mean or root of one sum of n > 0 numbers; returns whether it could. */
DEVICE int span_finish(const struct reduce_parameters *p, struct span s, int64_t n)
{
    int is_total = FINISH_NUMBER == FINISH_TOTAL;
    struct pair pair;
    if (RESULT_KIND != KIND_REAL || FINISH_NUMBER == FINISH_VARIANCE || FINISH_NUMBER == FINISH_DEVIATION || n == 0)
        return 0;
    if (is_total && p->has_initial) {
        struct span more = s;
        if (span_add_double(&more, initial_real(p, 0))) return 0;
        s = more;
    }
    if (span_pair(&s, &pair) && pair_finish(pair, n, (char *)p->out)) return 1;
    if (is_total) span_round(p, s, n);
    return is_total;
}

/* The sum's size and sign; by one thread. */
DEVICE_CALL void long_read(const struct long_sum *from, struct exact_sum *sum)
{
    int64_t carry = 0;
    int negative = 0, zeros = 0;
    struct natural *r = &sum->size;
#pragma unroll 1
    for (int pass = 0; pass < 2; pass++) { /* the sign is known at the end of the first */
        carry = 0;
        r->count = 0;
#pragma unroll 1
        for (int32_t i = 0; i < LONG_WORDS; i += 2) {
            int64_t low = (negative ? -(int64_t)from->word[i] : (int64_t)from->word[i]) + carry;
            int64_t high = (negative ? -(int64_t)from->word[i + 1] : (int64_t)from->word[i + 1]) + (low >> 32);
            carry = high >> 32;
            r->limb[i / 2] = ((uint64_t)high << 32) | ((uint64_t)low & 0xffffffffu);
            if (r->limb[i / 2]) r->count = i / 2 + 1;
        }
        if (carry >= 0) break;
        negative = 1;
    }
    sum->negative = negative;
    sum->special = (uint32_t)from->special;
    /* Trimmed at the low end, too, so that squares stay short. */
    while (zeros < r->count && r->limb[zeros] == 0) zeros++;
#pragma unroll 1
    for (int32_t i = zeros; i < r->count; i++) r->limb[i - zeros] = r->limb[i];
    r->low = LONG_LOW / 64 + zeros;
    r->count -= zeros;
}

/* The result of the long sums, by one thread. */
DEVICE_CALL void finish_long(const struct reduce_parameters *p, int64_t absent)
{
    struct exact_sum *sum = sums_room();
    for (int i = 0; i < SUMS; i++) {
        if (p->has_initial && FINISH_NUMBER == FINISH_TOTAL) long_add_double(&long_sums()[i], initial_real(p, i), 0);
        long_read(&long_sums()[i], &sum[i]);
    }
    finish_sums(p, sum, p->length - absent);
}
