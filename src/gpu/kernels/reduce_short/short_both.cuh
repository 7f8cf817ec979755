/* SPDX-License-Identifier: MIT
 *
 * short_both.cuh - minima and maxima of a few elements side by side. No include guard. */

#include "pairs_of_both.cuh"

#define HAS_EXTREMES 0

struct quick {
    struct FIRST_STEP(lane) least;
    struct SECOND_STEP(lane) most;
};

#include "short_sure.cuh"

DEVICE void quick_merge(struct quick *a, struct watch *w, struct quick b)
{
    (void)w;
    FIRST_STEP(lane_combine)(&a->least, b.least);
    SECOND_STEP(lane_combine)(&a->most, b.most);
}

DEVICE struct quick quick_begin(void)
{
    struct quick q = {FIRST_STEP(lane_identity)(), SECOND_STEP(lane_identity)()};
    return q;
}

/* Number by number, so that both stay in registers. */
DEVICE struct quick quick_of_two(int first, struct quick a, struct quick b)
{
    a.least.part[0] = first ? a.least.part[0] : b.least.part[0];
    a.most.part[0] = first ? a.most.part[0] : b.most.part[0];
    return a;
}

DEVICE void quick_add(struct quick *q, struct watch *w, element x)
{
    struct quick one = {FIRST_STEP(lift)(x, x), SECOND_STEP(lift)(x, x)};
    quick_merge(q, w, one);
}

#if BOTH_IN_WORDS
/* Elements of two words, of which a half each has the extremes at its upper end. */
DEVICE void quick_add_pairs(struct quick *q, uint32_t least, uint32_t most)
{
#pragma unroll
    for (int half = 0; half < 2; half++) {
        int shift = 16 * half + 16 - 8 * ELEMENT_BYTES;
        storage low = (storage)(least >> shift), high = (storage)(most >> shift);
        element x = load_element(&low, 0), y = load_element(&high, 0);
        FIRST_STEP(lane_combine)(&q->least, FIRST_STEP(lift)(x, x));
        SECOND_STEP(lane_combine)(&q->most, SECOND_STEP(lift)(y, y));
    }
}
#endif

/* Elements [from, to) of a vector. */
DEVICE void quick_add_vector(struct quick *q, struct watch *w, const struct vector16 *v, int from, int to)
{
#if BOTH_IN_WORDS
    if (from == 0 && to == IN_VECTOR) {
        uint32_t least = NEVER_LEAST, most = NEVER_MOST;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            least = LEAST_OF_PAIRS(least, v->word[i]), most = MOST_OF_PAIRS(most, v->word[i]);
            if (ELEMENT_BYTES == 2) continue;
            least = LEAST_OF_PAIRS(least, v->word[i] << 8), most = MOST_OF_PAIRS(most, v->word[i] << 8);
        }
        quick_add_pairs(q, least, most);
        return;
    }
#endif
#pragma unroll
    for (int i = from; i < to; i++) quick_add(q, w, vector_element(v, i));
}

DEVICE int quick_finish(const struct reduce_parameters *p, const struct quick *q, int64_t n, int64_t cell, char *out)
{
    struct state s;
    s.absent = 0;
    s.first = FIRST_STEP(widen)(q->least);
    s.second = SECOND_STEP(widen)(q->most);
    uint32_t failure = state_finish(p, &s, n, cell, out);
    if (HAS_ABSENT && failure && p->failures) atomicOr(p->failures, failure); /* n is zero */
    return 1;
}
