/* SPDX-License-Identifier: MIT
 *
 * short_integer.cuh - exact sums of a few integers that end as floats. No include guard. */

/* Of 2^15 numbers, no sum overflows, and each is a double. */
#if ELEMENT_BYTES == 8
#define QUICK_PARTS 2 /* the upper and the lower halves of the numbers */
#else
#define QUICK_PARTS 1
#endif
#if ELEMENT_BYTES <= 2
typedef int32_t quick_word;
#else
typedef int64_t quick_word;
#endif

struct quick {
    quick_word part[QUICK_PARTS];
};

#include "short_unwatched.cuh"

DEVICE int watch_failed(const struct watch *w, int64_t n)
{
    (void)w;
    return n > 1 << 15;
}

DEVICE struct quick quick_begin(void)
{
    struct quick q;
    for (int i = 0; i < QUICK_PARTS; i++) q.part[i] = 0;
    return q;
}

/* Number by number, so that both stay in registers. */
DEVICE struct quick quick_of_two(int first, struct quick a, struct quick b)
{
    for (int i = 0; i < QUICK_PARTS; i++) a.part[i] = first ? a.part[i] : b.part[i];
    return a;
}

DEVICE void quick_merge(struct quick *a, struct watch *w, struct quick b)
{
    (void)w;
    for (int i = 0; i < QUICK_PARTS; i++) a->part[i] += b.part[i];
}

DEVICE void quick_add(struct quick *q, struct watch *w, element x)
{
    (void)w;
#if ELEMENT_BYTES == 8
    q->part[0] += upper_half(x);
    q->part[1] += (int64_t)((uint64_t)number_or_size(x) & 0xffffffffu);
#else
    q->part[0] += (quick_word)number_or_size(x);
#endif
}

/* Elements [from, to) of a vector. */
DEVICE void quick_add_vector(struct quick *q, struct watch *w, const struct vector16 *v, int from, int to)
{
#pragma unroll
    for (int i = from; i < to; i++) quick_add(q, w, vector_element(v, i));
}

/* Writes a result; returns whether it could. */
DEVICE int quick_finish(const struct reduce_parameters *p, const struct quick *q, int64_t n, int64_t cell, char *out)
{
    struct pair total = {(double)q->part[0], 0};
    (void)cell;
#if ELEMENT_BYTES == 8
    total.high = two_sum(total.high * 4294967296.0, (double)q->part[1], &total.low);
#endif
    return sum_store(p, total, n, out);
}
