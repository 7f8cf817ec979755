/* SPDX-License-Identifier: MIT
 *
 * strip_nest.cuh - how a thread goes through vectors of rows in a nest of loops, all of which lie inside of rows, or of
 * runs of them; or through units of less than a vector, which begin at any element. ROW_BUNDLES: a unit of the walk is
 * a bundle of rows of the innermost loop, so that no place has to be found for each. No include guard. */
#include "strip_unit.cuh"

#if IS_MASKED
/* The first `count` units' absent elements give way, and all others. All masks are under way before any is looked at.
 */
DEVICE void mask_units(const struct walk *w, struct strip *strip, const char *const *x, int32_t count,
                       struct vector16 *v)
{
    struct mask mask[DEPTH];
#if WITH_WHERE
#pragma unroll
    for (int d = 0; d < DEPTH; d++) {
#if UNIT_BYTES == 16
        mask[d] = load_mask(mask_at(w->p, x[d]));
#else
        int64_t left = (w->p->high - x[d]) / ELEMENT_SIZE; /* the mask ends as the operand does */
        mask[d] = load_mask_part(mask_at(w->p, x[d]), 0, d < count ? left < IN_VECTOR ? (int32_t)left : IN_VECTOR : 0);
#endif
    }
#endif
#pragma unroll
    for (int d = 0; d < DEPTH; d++) strip_mask(strip, &v[d], &mask[d], d < count ? WHOLE : 0);
    (void)w, (void)x;
}
#endif

#if UNIT_BYTES == 16
DEVICE void load_units(const struct walk *w, const char *const *x, int32_t count, struct vector16 *v)
{
    (void)w, (void)count;
#pragma unroll
    for (int d = 0; d < DEPTH; d++) v[d] = load_vector(x[d]);
}
#else
#include "strip_shift.cuh"
#endif

#if ROW_BUNDLES
/* The places of rows; returns how many are there. */
DEVICE int32_t places_of_bundle(const struct walk *w, struct spot *spot, const struct spot *step, const char **x)
{
    int32_t count = rows_in_bundle(w, spot);
    x[0] = w->x + spot->x;
    spot_move(w, spot, step);
#pragma unroll
    for (int d = 1; d < DEPTH; d++) x[d] = x[0] + d * w->apart;
    return count;
}
#endif

/* The bundle that begins at a spot, which moves on behind it; returns whether any of it is there. The first unit stands
 * in for those that are not, where zeros and ones count; as they follow it, no search finds them. */
DEVICE int load_bundle(const struct walk *w, struct strip *strip, struct spot *spot, const struct spot *step,
                       struct vector16 *v)
{
    const char *x[DEPTH];
#if ROW_BUNDLES
    int32_t count = places_of_bundle(w, spot, step, x);
    if (count <= 0) return 0;
    load_units(w, x, count, v);
#if IS_MASKED
    mask_units(w, strip, x, count, v);
#endif
#pragma unroll
    for (int d = 1; d < DEPTH; d++) {
        if (d >= count && !ZERO_IS_NOTHING) v[d] = nothing_or(&v[0]);
    }
#else
    int64_t unit = spot->unit;
#pragma unroll
    for (int d = 0; d < DEPTH; d++, spot_move(w, spot, step)) x[d] = w->x + spot->x;
    int whole = unit + (DEPTH - 1) * step->unit < w->units;
    int32_t count = 1;
#pragma unroll
    for (int d = 1; d < DEPTH; d++) count += whole || unit + d * step->unit < w->units;
#pragma unroll
    for (int d = 1; d < DEPTH && !whole; d++) x[d] = d < count ? x[d] : x[0];
    load_units(w, x, DEPTH, v);
#if IS_MASKED
    mask_units(w, strip, x, count, v);
#endif
#pragma unroll
    for (int d = 1; d < DEPTH && !whole; d++) {
        if ((ZERO_IS_NOTHING || ONE_IS_NOTHING) && d >= count) v[d] = nothing_or(&v[d]);
    }
#endif
    (void)strip;
    return 1;
}

DEVICE void walk_down(const struct walk *w, struct strip *strip)
{
    if (w->first >= w->units) return; /* loops may be empty, and nothing is divided by that */
    const struct spot step = spot_of(w, w->step);
    struct spot spot = spot_of(w, w->first);
#pragma unroll 1
    while (spot.unit < w->units) {
        struct vector16 v[DEPTH];
        int64_t unit = spot.unit * (ROW_BUNDLES ? DEPTH : 1), apart = ROW_BUNDLES ? 1 : step.unit;
#if HAS_WORDS
        int there = load_bundle(w, strip, &spot, &step, v), lost = strip_is_lost(strip);
        if (there) strip_add(strip, v, unit, apart);
        if (lost) break;
#else
        if (load_bundle(w, strip, &spot, &step, v)) strip_add(strip, v, unit, apart);
#endif
    }
}
