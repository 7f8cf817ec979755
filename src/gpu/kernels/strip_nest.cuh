/* SPDX-License-Identifier: MIT
 *
 * strip_nest.cuh - how a thread goes through vectors of rows in a nest of loops, all of which lie inside of rows, or of
 * runs of them. No include guard. */
#include "strip_spot.cuh"

/* The bundle that begins at a spot, which moves on behind it. */
DEVICE void load_bundle(const struct walk *w, struct spot *spot, const struct spot *step, struct vector16 *v)
{
    const char *first = spot_run(w, spot) + spot->at[REDUCED_NEST - 1] * w->pitch;
#pragma unroll
    for (int d = 0; d < DEPTH; d++, spot_move(w, spot, step)) {
        int there = spot->unit < w->units;
        const char *x = there ? spot_run(w, spot) + spot->at[REDUCED_NEST - 1] * w->pitch : first;
        memset(&v[d], 0, sizeof v[d]);
        if (there || !ZERO_IS_NOTHING) v[d] = load_vector(x);
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

/* Elements [from, to) of the vector of a unit are the walk's. */
DEVICE_UNUSED const char *walk_unit(const struct walk *w, int64_t unit, int32_t *from, int32_t *to)
{
    struct spot spot = spot_of(w, unit);
    *from = 0;
    *to = IN_VECTOR;
    return spot_run(w, &spot) + spot.at[REDUCED_NEST - 1] * w->pitch;
}
