/* SPDX-License-Identifier: MIT
 *
 * strip_parts.cuh - how a thread goes through the vectors of runs that begin and end anywhere. What a vector holds of
 * other runs, or of what lies between them, gives way to what counts for nothing. No include guard. */
#include "strip_spot.cuh"

enum { WHOLE = IN_VECTOR << 8 }; /* elements [0, IN_VECTOR) */

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

/* The vector of a unit, and which of its elements the run has: from | to << 8. */
struct part {
    const char *x;
    int32_t range;
};

DEVICE struct part part_at(const struct walk *w, const struct spot *spot)
{
    const char *run = spot_run(w, spot);
    int64_t length = w->p->reduced[w->p->reduced_count - 1].extent;
    int64_t first = spot_in_run(spot) * IN_VECTOR - elements_ahead(run), left = length - first;
    int32_t from = first < 0 ? (int32_t)-first : 0, to = left < IN_VECTOR ? (int32_t)left : IN_VECTOR;
    struct part part = {run + first * ELEMENT_SIZE, from < to && spot->unit < w->units ? from | to << 8 : 0};
    return part;
}

/* What may stand in for elements that are not there: zeros, or one that is. */
DEVICE struct vector16 nothing_of(const struct walk *w)
{
    storage stored[16 / sizeof(storage)];
    struct vector16 v;
    memset(stored, 0, sizeof stored);
#pragma unroll
    for (int i = 0; i < (int)(16 / sizeof(storage)) && !ZERO_IS_NOTHING; i++)
        stored[i] = ((const storage *)w->x)[i % (int)(ELEMENT_SIZE / sizeof(storage))];
    memcpy(&v, stored, sizeof v);
    return v;
}

/* Elements of a vector of which not all may be read. */
DEVICE_CALL struct vector16 load_elements(const char *x, int32_t range)
{
    enum { PARTS = ELEMENT_SIZE / sizeof(storage) };
    storage stored[16 / sizeof(storage)];
    struct vector16 v;
    memset(stored, 0, sizeof stored);
#pragma unroll
    for (int i = 0; i < (int)(16 / sizeof(storage)); i++) {
        if (i / PARTS >= (range & 255) && i / PARTS < range >> 8) stored[i] = ((const storage *)x)[i];
    }
    memcpy(&v, stored, sizeof v);
    return v;
}

/* Ones in the bytes of a word that lie before byte `end` of its vector. */
DEVICE uint32_t bytes_before(int32_t end, int word)
{
    int32_t bytes = end - 4 * word;
    bytes = bytes < 0 ? 0 : bytes > 4 ? 4 : bytes;
    return (uint32_t)((1ull << 8 * bytes) - 1);
}

DEVICE struct vector16 vector_between(struct vector16 v, int32_t range, const struct vector16 *nothing)
{
#pragma unroll
    for (int i = 0; i < 4; i++) {
        uint32_t mask =
            bytes_before((range >> 8) * ELEMENT_SIZE, i) & ~bytes_before((range & 255) * ELEMENT_SIZE, i);
        v.word[i] = (v.word[i] & mask) | (nothing->word[i] & ~mask);
    }
    return v;
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
        if (part.range == 0) continue;
        if (part.x >= w->p->low && part.x + 16 <= w->p->high) v[d] = load_vector(part.x);
        else v[d] = load_elements(part.x, part.range);
    }
#pragma unroll
    for (int d = 0; d < DEPTH; d++) {
        if (range[d] != WHOLE) v[d] = vector_between(v[d], range[d], nothing);
    }
}

DEVICE void walk_down(const struct walk *w, struct strip *strip)
{
    if (w->first >= w->units) return; /* loops may be empty, and nothing is divided by that */
    const struct vector16 nothing = nothing_of(w);
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
