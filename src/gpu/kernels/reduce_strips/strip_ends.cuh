/* SPDX-License-Identifier: MIT
 *
 * strip_ends.cuh - how a thread goes through vectors of one run or of one loop of rows: those at the ends, which hold
 * others' elements, are added element by element. No include guard. */

/* Elements [from, to) of the vector of a unit are the walk's. */
DEVICE_UNUSED const char *walk_unit(const struct walk *w, int64_t unit, int32_t *from, int32_t *to)
{
#if ENDS_LAP
    *from = unit < w->begin ? w->head : 0;
    *to = unit >= w->end ? w->tail : IN_VECTOR;
#else
    *from = unit == 0 ? w->head : 0;
    *to = unit == w->units - 1 ? w->tail : IN_VECTOR;
#endif
    return w->x + unit * w->pitch;
}

#if IS_MASKED
#include "strip_masked.cuh"
#else
#if ENDS_LAP
/* Those at the ends of a bundle that begins at u. */
DEVICE void add_ends(const struct walk *w, struct strip *strip, int64_t u)
{
    uint32_t mine = 0;
    for (int d = 0; d < DEPTH; d++) {
        int64_t here = u + d * w->step;
        if (here < w->units && (here < w->begin || here >= w->end)) mine |= 1u << d;
    }
#pragma unroll 1
    for (; mine; mine &= mine - 1) {
        int64_t here = u + (__ffs((int)mine) - 1) * w->step;
        int32_t from, to;
        const char *x = walk_unit(w, here, &from, &to);
#pragma unroll
        for (int k = 0; k < IN_VECTOR; k++) {
            if (k >= from && k < to) strip_add_element(strip, k, load_element(x, k), here);
        }
    }
}
#else
/* The first and the last vector, if they hold others' elements and are the thread's: those at u, u + step ... */
DEVICE void add_ends(const struct walk *w, struct strip *strip, int64_t u)
{
    uint32_t mine = u < w->begin;
    for (int d = 0; d < DEPTH; d++) {
        int64_t here = u + d * w->step;
        if (here >= w->end && here == w->units - 1 && !(mine && here == 0)) mine |= 2;
    }
#pragma unroll 1
    for (; mine; mine &= mine - 1) {
        int64_t here = mine & 1 ? 0 : w->units - 1;
        int32_t from = here == 0 ? w->head : 0, to = here == w->units - 1 ? w->tail : IN_VECTOR;
        const char *x = w->x + here * w->pitch;
#pragma unroll
        for (int k = 0; k < IN_VECTOR; k++) {
            if (k >= from && k < to) strip_add_element(strip, k, load_element(x, k), here);
        }
    }
}
#endif

/* Exact sums of floats take longer than their loads, and have ends added while others are under way (where none is,
 * nothing is loaded); elsewhere that takes registers for nothing. */
#if defined(METHOD_EXACT) && IS_FLOAT && !TAKES_EACH
#define ENDS_LAST 1
#else
#define ENDS_LAST 0
#endif

#if TAKES_EACH
/* Adds what is there of a bundle. */
DEVICE int load_some(const struct walk *w, struct strip *strip, int64_t u, struct vector16 *v)
{
#pragma unroll
    for (int d = 0; d < DEPTH; d++) {
        int64_t here = u + d * w->step;
        if (here >= w->begin && here < w->end) v[d] = load_vector(w->x + here * w->pitch);
    }
#if HAS_SOME
    int from = u < w->begin, to = from;
#pragma unroll
    for (int d = 0; d < DEPTH; d++) to += d >= from && u + d * w->step < w->end;
    if (to > from) strip_add_some(strip, v, u, w->step, from, to);
#else
#pragma unroll
    for (int d = 0; d < DEPTH; d++) {
        int64_t here = u + d * w->step;
        if (here < w->begin || here >= w->end) continue;
#pragma unroll
        for (int k = 0; k < IN_VECTOR; k++) strip_add_element(strip, k, vector_element(&v[d], k), here);
    }
#endif
    return 0;
}
#else
/* A bundle of which not all is there; returns whether any whole vector is. */
DEVICE int load_some(const struct walk *w, struct strip *strip, int64_t u, struct vector16 *v)
{
    (void)strip;
    int64_t first = u < w->begin ? u + w->step : u;
    int some = first < w->end;
    if (!ENDS_LAST && !some) return 0;
#pragma unroll
    for (int d = 0; d < DEPTH; d++) {
        int64_t here = u + d * w->step;
        int there = here >= w->begin && here < w->end;
        memset(&v[d], 0, sizeof v[d]);
#if ONE_IS_NOTHING
        v[d] = nothing_or(&v[d]);
#endif
        if (there || !(ZERO_IS_NOTHING || ONE_IS_NOTHING)) v[d] = load_vector(w->x + (there ? here : first) * w->pitch);
    }
    return !ENDS_LAST || some;
}
#endif

/* The bundle that begins at u, and its ends; returns whether any vector is there. */
DEVICE int load_bundle(const struct walk *w, struct strip *strip, int64_t u, struct vector16 *v)
{
    if (u < w->begin || u + (DEPTH - 1) * w->step >= w->end) {
#if ENDS_LAST
        int some = load_some(w, strip, u, v);
        add_ends(w, strip, u);
        return some;
#else
        add_ends(w, strip, u);
        return load_some(w, strip, u, v);
#endif
    }
    const char *x = w->x + u * w->pitch;
    int64_t step = w->step * w->pitch;
#pragma unroll
    for (int d = 0; d < DEPTH; d++) v[d] = load_vector(x + d * step);
    return 1;
}
#endif

DEVICE void walk_down(const struct walk *w, struct strip *strip)
{
#pragma unroll 1
    for (int64_t u = w->first; u < w->units; u += w->far) {
        struct vector16 v[DEPTH];
#if HAS_WORDS
        int there = load_bundle(w, strip, u, v), lost = strip_is_lost(strip);
        if (there) strip_add(strip, v, u, w->step);
        if (lost) break;
#else
        if (load_bundle(w, strip, u, v)) strip_add(strip, v, u, w->step);
#endif
    }
}
