/* SPDX-License-Identifier: MIT
 *
 * short_moments.cuh - variances of a few integers of up to 16 bits, by moments.cuh. No include guard. */
#include "moments.cuh"

/* Of up to 2^15 numbers. */
struct quick {
    int32_t sum;
#if ELEMENT_BYTES == 1
    uint32_t squares;
#else
    uint64_t squares;
#endif
};

#include "short_unwatched.cuh"

DEVICE int watch_failed(const struct watch *w, int64_t n)
{
    (void)w;
    return n > 1 << 15;
}

DEVICE struct quick quick_begin(void)
{
    struct quick q = {0, 0};
    return q;
}

/* Number by number, so that both stay in registers. */
DEVICE_UNUSED struct quick quick_of_two(int first, struct quick a, struct quick b)
{
    a.sum = first ? a.sum : b.sum;
    a.squares = first ? a.squares : b.squares;
    return a;
}

DEVICE void quick_merge(struct quick *a, struct watch *w, struct quick b)
{
    (void)w;
    a->sum += b.sum;
    a->squares += b.squares;
}

DEVICE void quick_add(struct quick *q, struct watch *w, element x)
{
    int32_t v = moments_number(x);
    (void)w;
    q->sum += v;
    q->squares += (uint32_t)v * (uint32_t)v;
}

/* Elements [from, to) of a vector. */
DEVICE void quick_add_vector(struct quick *q, struct watch *w, const struct vector16 *v, int from, int to)
{
#if ELEMENT_BYTES == 1
    if (from == 0 && to == 16) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            uint32_t word = COUNTS_NONZERO ? nonzero_bytes(v->word[i]) : v->word[i];
            q->sum = add_products(q->sum, word, 0x01010101);
            q->squares = (uint32_t)add_products((int32_t)q->squares, word, word);
        }
        return;
    }
#endif
#pragma unroll
    for (int i = from; i < to; i++) quick_add(q, w, vector_element(v, i));
}

/* Writes a result; returns whether it could. */
DEVICE int quick_finish(const struct reduce_parameters *p, const struct quick *q, int64_t n, int64_t cell, char *out)
{
    struct moments m = {q->sum, q->squares};
    (void)cell;
    return moments_finish(p, &m, n, out);
}
