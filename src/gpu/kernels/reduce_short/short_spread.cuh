/* SPDX-License-Identifier: MIT
 *
 * short_spread.cuh - variances and norms of a few floats or wide integers, by quick_spread.cuh. Where that leaves open
 * what the result is, redo_cell takes exact sums. No include guard. */
#include "quick_spread.cuh"

#include "short_unwatched.cuh"

DEVICE int watch_failed(const struct watch *w, int64_t n)
{
    (void)w;
    (void)n;
    return 0;
}

/* Number by number, so that both stay in registers. */
DEVICE_UNUSED struct quick quick_of_two(int first, struct quick a, struct quick b)
{
#pragma unroll
    for (int i = 0; i < QUICK_PARTS; i++) a.part[i] = first ? a.part[i] : b.part[i];
    return a;
}

DEVICE void quick_merge(struct quick *a, struct watch *w, struct quick b)
{
    (void)w;
    spread_merge(a, b);
}

struct distance {
    origin from;
};

SHUFFLE(distance)

/* The first member's, in every lane of a team. What comes out of a shuffle is not converted again for every use. */
DEVICE_UNUSED origin origin_of_team(element x, int32_t member)
{
    struct distance own = {origin_of(x)};
    return IS_RELATIVE ? distance_from(own, (threadIdx.x & 31) - (uint32_t)member).from : own.from;
}

DEVICE_UNUSED void number_add(struct quick *q, struct watch *w, origin from, element x, int32_t place)
{
    (void)w, (void)place;
    spread_add(q, from, x);
}

/* Elements [first, last) of a vector. */
DEVICE_UNUSED void vector_add(struct quick *q, struct watch *w, origin from, const struct vector16 *v, int first,
                              int last, int32_t place)
{
    (void)w, (void)place;
#pragma unroll
    for (int i = first; i < last; i++) spread_add(q, from, vector_element(v, i));
}

/* Of elements [first, last) of a vector, all of a cell. */
DEVICE_UNUSED struct quick vector_sums(struct watch *w, const struct vector16 *v, int first, int last)
{
    struct quick q = quick_begin();
    origin from = origin_of(vector_element(v, first));
    int next = first;
#if IS_RELATIVE && !IS_PAIRED && !IS_COMPLEX
    if (last - first > 1) { /* the first is no way from itself, the others tell if it is not finite */
        double d = (double)vector_element(v, first + 1).v - from;
        q.part[0] = d * d;
        q.part[SUM] = d;
        next = first + 2;
    }
#endif
    vector_add(&q, w, from, v, next, last, 0);
    return q;
}

/* How often a number of n is rounded at most: with those of its thread, and when these are merged. */
DEVICE int64_t terms_of(const struct reduce_parameters *p, int64_t n)
{
#if SHORT_ROWS && LANES > 1
    int64_t terms = (p->row_units / LANES + 1) * IN_VECTOR + 8;
    if (terms < n) return terms;
#endif
    (void)p;
    return n;
}

DEVICE int quick_finish(const struct reduce_parameters *p, const struct quick *q, int64_t n, int64_t cell, char *out)
{
    (void)cell;
    return spread_finish(p, q, n, (double)terms_of(p, n), out);
}

/* ---- exact sums ---- */

#if IS_FLOAT
DEVICE double redone_distance(element x, origin from, int i, double *rest)
{
    return two_sum(component(x, i), -origin_component(from, i), rest);
}

DEVICE void redo_by_words(struct state *s, element x)
{
#pragma unroll
    for (int i = 0; i < COMPONENTS; i++) {
        double number = component(x, i);
        if (IS_SPREAD) s->sum[i] = words_add_double(s->sum[i], number, 0);
#if IS_NARROW
        s->sum[SUMS - 1] = words_add_double(s->sum[SUMS - 1], number * number, 0);
#else
        s->sum[SUMS - 1] = words_add_product(s->sum[SUMS - 1], number, number);
#endif
    }
}
#else
DEVICE double redone_distance(element x, origin from, int i, double *rest)
{
    return distance_of(x, from, i, rest);
}

DEVICE void redo_by_words(struct state *s, element x)
{
    const int64_t place = 0;
    state_absorb(s, &x, &x, &place, 1);
}
#endif

/* As long as nothing is lost. */
struct redone {
    struct pair sum[COMPONENTS], squares;
    uint32_t lost;
};

SHUFFLE(redone)

DEVICE void redone_add(struct redone *r, origin from, element x)
{
#pragma unroll
    for (int i = 0; i < COMPONENTS; i++) {
        double error, d = redone_distance(x, from, i, &error), square = d * d;
        r->lost |= (uint32_t) !(error == 0) | ((d != 0) & !(square > 0x1p-900));
        if (IS_SPREAD) r->lost |= (uint32_t)pair_add(&r->sum[i], d);
        r->lost |= (uint32_t)pair_add(&r->squares, square);
        r->lost |= (uint32_t)pair_add(&r->squares, fma(d, d, -square));
    }
}

DEVICE void redone_merge(struct redone *r, struct redone other)
{
    r->lost |= other.lost;
#pragma unroll
    for (int i = 0; i < COMPONENTS; i++)
        r->lost |= (uint32_t)pair_add(&r->sum[i], other.sum[i].high) | (uint32_t)pair_add(&r->sum[i], other.sum[i].low);
    r->lost |= (uint32_t)pair_add(&r->squares, other.squares.high) | (uint32_t)pair_add(&r->squares, other.squares.low);
}

DEVICE int redone_store(const struct reduce_parameters *p, const struct redone *r, int64_t n, char *out)
{
    struct shares by = shares_of(p, n);
    if (r->lost) return 0;
    if (r->squares.high == 0) {
        double nothing = IS_SPREAD ? 0 * by.inverse : 0;
        return between_store(nothing, nothing, out);
    }
    return spread_store_pairs(p, by, r->sum, r->squares, 0, out);
}

/* The result of a cell by exact sums, in pairs, of numbers relative to the first, or else by words. Every lane of a
 * warp comes here; teams with nothing to do with a cell of -1. */
DEVICE_CALL void redo_cell(const struct reduce_parameters *p, const char *x, int64_t stride, int64_t cell,
                           int32_t lanes)
{
    int32_t member = (int32_t)threadIdx.x & (lanes - 1);
    int64_t n = cell < 0 ? 0 : p->length, absent = 0, first = 0;
#if IS_FLOAT && !IS_NARROW && !HAS_ABSENT && !WITH_SECOND
    struct specials specials = specials_of(p, x, stride, n, member, lanes);
    if (specials.seen) {
        if (member == 0 && cell >= 0) specials_finish(p, specials, cell);
        cell = -1;
        n = 0;
    }
#endif
    struct redone sum;
    memset(&sum, 0, sizeof sum);
    const struct members m = members_of(p, x, stride, cell);
    while (HAS_ABSENT && first < n && !(some_members_of(p, &m, first, 1, first + 1).present & 1)) first++;
    origin from = IS_SPREAD && first < n ? origin_of(member_x(p, &m, first)) : NO_ORIGIN;
    for (int64_t i = member; i < n; i += MEMBERS * lanes) {
        const struct some_members some = some_members_of(p, &m, i, lanes, n);
        absent += some.absent;
        for (int k = 0; k < MEMBERS; k++)
            if (some.present >> k & 1) redone_add(&sum, from, some.x[k]);
    }
    for (int32_t half = lanes / 2; half > 0; half /= 2) redone_merge(&sum, redone_down(sum, (uint32_t)half));
    int64_t present = n - (HAS_ABSENT ? team_total(absent, lanes) : 0);
    int failed = 0;
    if (member == 0 && cell >= 0) {
        struct offsets at = cell_offsets(p, cell);
        failed = present == 0 || !redone_store(p, &sum, present, (char *)p->out + at.out * RESULT_SIZE);
    }
    failed = __shfl_sync(FULL_WARP, failed, (int32_t)(threadIdx.x & 31) - member);
    if (!__any_sync(FULL_WARP, failed)) return;
    struct state s;
    state_open(&s);
    for (int64_t i = member; i < n && failed; i += MEMBERS * lanes) {
        const struct some_members some = some_members_of(p, &m, i, lanes, n);
        for (int k = 0; k < MEMBERS; k++)
            if (some.present >> k & 1) redo_by_words(&s, some.x[k]);
    }
    for (int32_t half = lanes / 2; half > 0; half /= 2) {
        struct state other = state_down(s, (uint32_t)half);
        if (member + half < lanes) state_merge(&s, &other);
    }
    s.absent = n - present;
    if (member == 0 && failed) finish_cell(p, &s, cell);
}
