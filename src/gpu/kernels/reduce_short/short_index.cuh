/* SPDX-License-Identifier: MIT
 *
 * short_index.cuh - where the first extreme of a few elements stands. No include guard. */

/* The best so far, the worst of all before that, which nothing that is no better has a place beside. */
struct quick {
    element best;
    int32_t place; /* NOWHERE where all are the worst there is */
};

#define NOWHERE INT32_MAX

#if ELEMENT_BYTES == 1
#include "coded_bytes.cuh"
#endif

#include "short_no_origin.cuh"
#include "short_sure.cuh"

DEVICE struct quick quick_begin(void)
{
    struct quick q = {index_worst(), NOWHERE};
    return q;
}

/* Number by number, so that both stay in registers. */
DEVICE_UNUSED struct quick quick_of_two(int first, struct quick a, struct quick b)
{
    a.best.v = first ? a.best.v : b.best.v;
    a.place = first ? a.place : b.place;
    return a;
}

DEVICE void quick_merge(struct quick *a, struct watch *w, struct quick b)
{
    (void)w;
    int other = index_beats(b.best, a->best) || (b.place < a->place && !index_beats(a->best, b.best));
    *a = quick_of_two(other, b, *a);
}

/* An element behind all before. */
DEVICE_UNUSED void number_add(struct quick *q, struct watch *w, origin origin, element x, int32_t place)
{
    struct quick other = {x, place};
    (void)w, (void)origin;
    *q = quick_of_two(index_beats(x, q->best), other, *q);
}

DEVICE_UNUSED void vector_add(struct quick *q, struct watch *w, origin origin, const struct vector16 *v, int first,
                              int last, int32_t place)
{
#if ELEMENT_BYTES == 1
    if (first == 0 && last == 16) {
        uint32_t coded = best_coded(v, 1);
        number_add(q, w, origin, coded_element(coded), place + CODE_OF((int32_t)(coded & 255)));
        return;
    }
#endif
    struct quick best = {vector_element(v, first), first};
#pragma unroll
    for (int i = first + 1; i < last; i++) number_add(&best, w, origin, vector_element(v, i), i);
    number_add(q, w, origin, best.best, place + best.place - first);
}

/* Of elements [first, last) of a vector, all of a cell. */
DEVICE_UNUSED struct quick vector_sums(struct watch *w, const struct vector16 *v, int first, int last)
{
    struct quick q = {vector_element(v, first), 0};
#pragma unroll
    for (int i = first + 1; i < last; i++) number_add(&q, w, 0, vector_element(v, i), i - first);
    return q;
}

DEVICE int quick_finish(const struct reduce_parameters *p, const struct quick *q, int64_t n, int64_t cell, char *out)
{
    struct state s = {0, q->place == NOWHERE ? 0 : q->place, q->best};
    (void)state_finish(p, &s, n, cell, out);
    return 1;
}
