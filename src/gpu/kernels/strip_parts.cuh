/* SPDX-License-Identifier: MIT
 *
 * strip_parts.cuh - how a thread goes through the vectors of runs that begin and end anywhere. What a vector holds of
 * other runs, or of what lies between them, gives way to what counts for nothing. No include guard. */
#include "strip_spot.cuh"

/* All runs of a cell whose first element this is, to be shared out by whoever sets first, step and far. */
DEVICE struct walk walk_runs(const struct reduce_parameters *p, const char *x)
{
    struct walk w = walk_along(x, p->reduced[p->reduced_count - 1].extent);
    w.p = p;
    w.x = x;
#if REDUCED_NEST
    w.units = p->all_units;
#endif
    return w;
}

/* The vector of a unit, and which of its elements the run has. */
struct part {
    const char *x;
    int32_t range;
};

DEVICE struct part part_at(const struct walk *w, const struct spot *spot)
{
    const char *run = spot_run(w, spot);
    int64_t length = w->p->reduced[w->p->reduced_count - 1].extent;
    int64_t first = spot_in_run(spot) * IN_VECTOR - elements_ahead(run);
    struct part part = {run + first * ELEMENT_SIZE, spot->unit < w->units ? range_of(first, length) : 0};
    return part;
}

/* The bundle that begins at a spot, which moves on behind it. All is under way before anything is looked at. */
DEVICE void load_bundle(const struct walk *w, struct spot *spot, const struct spot *step,
                        const struct vector16 *nothing, struct vector16 *v)
{
    int32_t range[DEPTH];
#if !REDUCED_NEST
    if (spot->unit >= w->begin && spot->unit + (DEPTH - 1) * step->unit < w->end) {
        const char *x = w->x - ((uintptr_t)w->x & 15) + spot->unit * 16;
#pragma unroll
        for (int d = 0; d < DEPTH; d++) v[d] = load_vector(x + d * step->unit * 16);
        spot->unit += DEPTH * step->unit;
        return;
    }
#endif
#pragma unroll
    for (int d = 0; d < DEPTH; d++, spot_move(w, spot, step)) {
        struct part part = part_at(w, spot);
        range[d] = part.range;
        v[d] = *nothing;
        if (part.range) v[d] = load_range(w->p, part.x, part.range);
    }
#pragma unroll
    for (int d = 0; d < DEPTH; d++) {
        if (range[d] != WHOLE) v[d] = vector_between(v[d], range[d], nothing);
    }
}

DEVICE void walk_down(const struct walk *w, struct strip *strip)
{
    if (w->first >= w->units) return; /* loops may be empty, and nothing is divided by that */
    const struct vector16 nothing = nothing_of(w->x);
    const struct spot step = spot_of(w, w->step);
    struct spot spot = spot_of(w, w->first);
#pragma unroll 1
    while (spot.unit < w->units) {
        struct vector16 v[DEPTH];
        load_bundle(w, &spot, &step, &nothing, v);
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
    struct part part = part_at(w, &spot);
    *from = part.range & 255;
    *to = part.range >> 8;
    return part.x;
}
