/* SPDX-License-Identifier: MIT
 *
 * moments.cuh - variances of integers of up to 16 bits, from the exact sums of numbers and of their squares; and roots
 * of the latter. Behind short_total.cuh. No include guard. */
#include "bytes.cuh"
#include "spread.cuh"

struct moments {
    int64_t sum;
    uint64_t squares; /* of up to 2^31 numbers */
};

DEVICE_UNUSED void moments_merge(struct moments *a, const struct moments *b)
{
    a->sum += b->sum;
    a->squares += b->squares;
}

DEVICE int32_t moments_number(element x)
{
    return ELEMENT_KIND == KIND_BOOLEAN ? x.v != 0 : (int32_t)x.v;
}

/* 2^32 high + low, exactly. */
DEVICE struct pair moments_pair(int64_t high, uint32_t low)
{
    struct pair pair;
    pair.high = two_sum((double)high * 0x1p32, (double)low, &pair.low);
    return pair;
}

/* Whether all of some numbers are the same. */
DEVICE int moments_are_level(const struct moments *m, uint64_t n)
{
    uint64_t size = m->sum < 0 ? 0 - (uint64_t)m->sum : (uint64_t)m->sum;
    return size * size == n * m->squares && __umul64hi(size, size) == __umul64hi(n, m->squares);
}

/* Writes the result of n numbers; returns whether it could without words. */
DEVICE int moments_finish(const struct reduce_parameters *p, const struct moments *m, int64_t n, char *out)
{
    struct shares by = shares_of(p, n);
    if (FINISH_NUMBER == FINISH_ROOT && m->squares > 0)
        return pair_finish(moments_pair((int64_t)(m->squares >> 32), (uint32_t)m->squares), n, out);
    if (FINISH_NUMBER == FINISH_ROOT || (by.inverse == by.inverse && moments_are_level(m, (uint64_t)n))) {
        finish_bits(0, 0, out);
        return 1;
    }
    struct pair sum = moments_pair(m->sum >> 32, (uint32_t)m->sum);
    struct pair squares = moments_pair((int64_t)(m->squares >> 32), (uint32_t)m->squares);
    return spread_store_pairs(p, by, &sum, squares, 0, out);
}

DEVICE_UNUSED void moments_to_state(const struct moments *m, struct state *s)
{
    state_open(s);
    words_add_total(&s->sum[0], m->sum);
    words_add_total(&s->sum[1], (int64_t)m->squares);
}
