/* SPDX-License-Identifier: MIT
 *
 * strip_walk.cuh - how a thread goes through its vectors, DEPTH of them under way at once, and adds them to a strip. No
 * include guard. */

/* A thread's vectors: those of units, which are vectors behind each other or rows. A vector holds elements of all lanes
 * if its unit lies in [begin, end); unit 0 otherwise has none before lane `head`, the last one none from `tail` on. */
struct walk {
    const char *x;            /* of unit 0 */
    int64_t pitch;            /* bytes from a unit to the next */
    int64_t first, step, far; /* the first unit, from one to the next of a bundle, from bundle to bundle */
    int64_t begin, end, units;
    int32_t head, tail;
    int32_t column; /* of lane 0, as tall_place.cuh means it */
};

DEVICE int32_t elements_ahead(const char *address)
{
    return (int32_t)((uintptr_t)address & 15) / ELEMENT_SIZE;
}

/* Vectors of `length` elements that lie behind each other, to be shared out by whoever sets first, step and far. */
DEVICE struct walk walk_along(const char *x, int64_t length)
{
    struct walk w;
    int32_t ahead = elements_ahead(x);
    length += ahead;
    w.x = x - ahead * ELEMENT_SIZE;
    w.pitch = 16;
    w.begin = ahead > 0;
    w.end = length / IN_VECTOR;
    w.units = (length + IN_VECTOR - 1) / IN_VECTOR;
    w.head = ahead;
    w.tail = (int32_t)(length - (w.units - 1) * IN_VECTOR);
    w.column = -ahead;
    return w;
}

/* What stands in for a vector that is not there: zero, or another that is there, where the same number may come twice.
 */
#if defined(METHOD_EXACT) || defined(QUICK_IS_WIDE) || defined(PICK_VALUE_XOR)
#define ZERO_IS_NOTHING 1
#else
#define ZERO_IS_NOTHING 0
#endif

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

#if HAS_UNITS
/* Adds what is there of a bundle. */
DEVICE int load_some(const struct walk *w, struct strip *strip, int64_t u, struct vector16 *v)
{
    (void)v;
#pragma unroll 1
    for (int64_t d = 0, here = u; d < DEPTH; d++, here += w->step) {
        if (here < w->begin || here >= w->end) continue;
        struct vector16 vector = load_vector(w->x + here * w->pitch);
#pragma unroll
        for (int k = 0; k < IN_VECTOR; k++) strip_add_element(strip, k, vector_element(&vector, k), here);
    }
    return 0;
}
#else
/* A bundle of which not all is there; returns whether any whole vector is. */
DEVICE int load_some(const struct walk *w, struct strip *strip, int64_t u, struct vector16 *v)
{
    (void)strip;
    int64_t first = u < w->begin ? u + w->step : u;
    if (first >= w->end) return 0;
#pragma unroll
    for (int d = 0; d < DEPTH; d++) {
        int64_t here = u + d * w->step;
        int there = here >= w->begin && here < w->end;
        memset(&v[d], 0, sizeof v[d]);
        if (there || !ZERO_IS_NOTHING) v[d] = load_vector(w->x + (there ? here : first) * w->pitch);
    }
    return 1;
}
#endif

/* The bundle that begins at u, and its ends; returns whether any vector is there. */
DEVICE int load_bundle(const struct walk *w, struct strip *strip, int64_t u, struct vector16 *v)
{
    if (u < w->begin || u + (DEPTH - 1) * w->step >= w->end) {
        add_ends(w, strip, u);
        return load_some(w, strip, u, v);
    }
    const char *x = w->x + u * w->pitch;
    int64_t step = w->step * w->pitch;
#pragma unroll
    for (int d = 0; d < DEPTH; d++) v[d] = load_vector(x + d * step);
    return 1;
}

DEVICE void walk_down(const struct walk *w, struct strip *strip)
{
#pragma unroll 1
    for (int64_t u = w->first; u < w->units; u += w->far) {
        struct vector16 v[DEPTH];
        if (load_bundle(w, strip, u, v)) strip_add(strip, v, u, w->step);
#if HAS_WORDS
        if (strip_is_lost(strip)) break;
#endif
    }
}
