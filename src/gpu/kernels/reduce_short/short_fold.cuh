/* SPDX-License-Identifier: MIT
 *
 * short_fold.cuh - unordered folds of a few elements. A lane of the type's own width takes any number of elements of a
 * minimum or the like; of a sum it takes those of a vector. No include guard. */

#include "best_of_vectors.cuh"

/* Whether folds have the best of two elements in one instruction. */
#if defined(BEST_OF_VECTORS) && (ELEMENT_BYTES == 1 || defined(PICK_VALUE_MAXIMUM) || defined(PICK_VALUE_MINIMUM))
#define HAS_EXTREMES 1
#else
#define HAS_EXTREMES 0
#endif

#if defined(PICK_VALUE_ADD) && \
    (defined(ONLY_TYPE_i8) || defined(ONLY_TYPE_u8) || defined(ONLY_TYPE_i16) || defined(ONLY_TYPE_u16))
#define QUICK_IS_NARROW /* 32 bits hold sums of 2^15 */
#endif

struct quick {
#if defined(QUICK_IS_NARROW)
    struct {
        int32_t part[1];
    } total;
#elif defined(QUICK_IS_WIDE)
    struct FIRST_STEP(wide) total;
#else
    struct FIRST_STEP(lane) total;
#endif
};

#include "short_sure.cuh"

DEVICE void quick_merge(struct quick *a, struct watch *w, struct quick b)
{
    (void)w;
#if defined(QUICK_IS_NARROW)
    a->total.part[0] += b.total.part[0];
#elif defined(QUICK_IS_WIDE)
    FIRST_STEP(wide_combine)(&a->total, b.total);
#else
    FIRST_STEP(lane_combine)(&a->total, b.total);
#endif
}

DEVICE struct quick quick_begin(void)
{
    struct quick q;
#if defined(QUICK_IS_NARROW)
    q.total.part[0] = 0;
#elif defined(QUICK_IS_WIDE)
    q.total = FIRST_STEP(wide_identity)();
#else
    q.total = FIRST_STEP(lane_identity)();
#endif
    return q;
}

/* Number by number, so that both stay in registers. */
DEVICE struct quick quick_of_two(int first, struct quick a, struct quick b)
{
#pragma unroll
    for (int i = 0; i < FIRST_STEP(parts); i++) a.total.part[i] = first ? a.total.part[i] : b.total.part[i];
    return a;
}

DEVICE struct quick quick_of(struct FIRST_STEP(lane) lane)
{
    struct quick q;
#if defined(QUICK_IS_NARROW)
    q.total.part[0] = (int32_t)lane.part[0];
#elif defined(QUICK_IS_WIDE)
    q.total = FIRST_STEP(widen)(lane);
#else
    q.total = lane;
#endif
    return q;
}

DEVICE void quick_add(struct quick *q, struct watch *w, element x)
{
#if defined(QUICK_IS_NARROW)
    (void)w;
    q->total.part[0] += (int32_t)x.v;
#else
    quick_merge(q, w, quick_of(FIRST_STEP(lift)(x, x)));
#endif
}

#if WITH_SECOND
DEVICE void product_add(struct quick *q, struct watch *w, element x, element y)
{
    quick_merge(q, w, quick_of(FIRST_STEP(lift)(x, y)));
}
#endif

/* Elements [from, to) of a vector. */
DEVICE void quick_add_vector(struct quick *q, struct watch *w, const struct vector16 *v, int from, int to)
{
#if defined(PICK_VALUE_ADD) && (defined(ONLY_TYPE_i8) || defined(ONLY_TYPE_u8))
    if (from % 4 == 0 && to % 4 == 0) { /* four bytes to an instruction */
        int32_t sum = q->total.part[0];
#pragma unroll
        for (int i = from / 4; i < to / 4; i++) {
#if defined(ONLY_TYPE_i8)
            sum = __dp4a((int)v->word[i], 0x01010101, sum);
#else
            sum = (int32_t)__dp4a(v->word[i], 0x01010101u, (uint32_t)sum);
#endif
        }
        q->total.part[0] = sum;
        return;
    }
#endif
#if HAS_EXTREMES
    if (from == 0 && to == IN_VECTOR) {
        uint32_t best = best_pair(v, 1);
        quick_add(q, w, element_of_pair(best, 0));
        quick_add(q, w, element_of_pair(best, 1));
        return;
    }
#endif
    struct FIRST_STEP(lane) lane = FIRST_STEP(lane_identity)();
#pragma unroll
    for (int i = from; i < to; i++) {
        element x = vector_element(v, i);
        FIRST_STEP(lane_combine)(&lane, FIRST_STEP(lift)(x, x));
    }
    quick_merge(q, w, quick_of(lane));
}

DEVICE int quick_finish(const struct reduce_parameters *p, const struct quick *q, int64_t n, int64_t cell, char *out)
{
    struct state s;
    s.absent = 0;
#if defined(QUICK_IS_NARROW)
    s.first = FIRST_STEP(wide_identity)();
    s.first.part[0] = (uint64_t)(int64_t)q->total.part[0];
#elif defined(QUICK_IS_WIDE)
    s.first = q->total;
#else
    s.first = FIRST_STEP(widen)(q->total);
#endif
    uint32_t failure = state_finish(p, &s, n, cell, out);
    if (HAS_ABSENT && failure && p->failures) atomicOr(p->failures, failure); /* n is zero */
    return 1;
}
