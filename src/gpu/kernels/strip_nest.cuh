/* SPDX-License-Identifier: MIT
 *
 * strip_nest.cuh - how a thread goes through vectors of rows in a nest of loops, all of which lie inside of rows, or of
 * runs of them; or through units of less than a vector, which begin at any element. No include guard. */
#include "strip_spot.cuh"

#if UNIT_BYTES == 16
DEVICE void load_units(const struct walk *w, const char *const *x, struct vector16 *v)
{
    (void)w;
#pragma unroll
    for (int d = 0; d < DEPTH; d++) v[d] = load_vector(x[d]);
}
#else
#include "strip_shift.cuh"
#endif

/* The bundle that begins at a spot, which moves on behind it. */
DEVICE void load_bundle(const struct walk *w, struct spot *spot, const struct spot *step, struct vector16 *v)
{
    const char *x[DEPTH];
    int64_t unit = spot->unit;
#pragma unroll
    for (int d = 0; d < DEPTH; d++, spot_move(w, spot, step)) x[d] = w->x + spot->x;
    if (unit + (DEPTH - 1) * step->unit < w->units) {
        load_units(w, x, v);
        return;
    }
    /* For a unit that is not there the first one is read. */
#pragma unroll
    for (int d = 1; d < DEPTH; d++) x[d] = unit + d * step->unit < w->units ? x[d] : x[0];
    load_units(w, x, v);
#pragma unroll
    for (int d = 1; d < DEPTH; d++) {
        if (ZERO_IS_NOTHING && unit + d * step->unit >= w->units) memset(&v[d], 0, sizeof v[d]);
    }
}

DEVICE void walk_down(const struct walk *w, struct strip *strip)
{
    if (w->first >= w->units) return; /* loops may be empty, and nothing is divided by that */
    const struct spot step = spot_of(w, w->step);
    struct spot spot = spot_of(w, w->first);
#pragma unroll 1
    while (spot.unit < w->units) {
        struct vector16 v[DEPTH];
        load_bundle(w, &spot, &step, v);
        strip_add(strip, v, 0, 0);
#if HAS_WORDS
        if (strip_is_lost(strip)) break;
#endif
    }
}

/* Elements [from, to) of the vector of a unit are the walk's, or some that its lanes do not count. */
DEVICE_UNUSED const char *walk_unit(const struct walk *w, int64_t unit, int32_t *from, int32_t *to)
{
    struct spot spot = spot_of(w, unit);
    const char *x = w->x + spot.x;
    int64_t left = (w->p->high - x) / ELEMENT_SIZE;
    *from = 0;
    *to = left < IN_VECTOR ? (int32_t)left : IN_VECTOR;
    return x;
}
