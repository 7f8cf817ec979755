/* SPDX-License-Identifier: MIT
 *
 * strip_parts.cuh - how a thread goes through the vectors of the runs of a nest of loops, which begin and end anywhere:
 * LANES threads share a run, and take RUNS of them at once. What a vector holds of other runs, or of what lies
 * between them, gives way to what counts for nothing. WHOLE_RUNS: all runs are vectors without a rest. No include
 * guard. */
#include "strip_spot.cuh"

enum { EACH = DEPTH / RUNS };

/* Vectors of a run that a thread takes at once: u, u + LANES ...; unit 0 begins at `from`, the last one ends at `to`.
 */
struct part {
    const char *x; /* of unit 0 */
    int32_t begin, end, last;
    int32_t from, to;
    int whole; /* the operand has all of all vectors */
};

DEVICE struct part part_of(const struct walk *w, const char *run)
{
#if WHOLE_RUNS
    int32_t units = (int32_t)w->p->run_units;
    struct part part = {run, 0, units, units - 1, 0, IN_VECTOR, 1};
    return part;
#else
    int32_t ahead = elements_ahead(run), length = ahead + (int32_t)w->p->reduced[REDUCED_NEST - 1].extent;
    int32_t last = (length - 1) / IN_VECTOR;
    struct part part = {run - ahead * ELEMENT_SIZE, ahead > 0, length / IN_VECTOR, last, ahead,
                        length - last * IN_VECTOR,  0};
    part.whole = part.x >= w->p->low && part.x + (last + 1) * 16 <= w->p->high;
    return part;
#endif
}

DEVICE int32_t part_range(const struct part *part, int32_t unit)
{
    int32_t from = unit == 0 ? part->from : 0, to = unit == part->last ? part->to : IN_VECTOR;
    return unit > part->last || from >= to ? 0 : from | to << 8;
}

/* All is under way before anything is looked at. A vector that is not there is another one meanwhile. */
DEVICE void load_parts(const struct part *part, int32_t u, struct vector16 *v)
{
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        int32_t unit = u + e * LANES < part->last ? u + e * LANES : part->last;
        if (part->whole) v[e] = load_vector(part->x + unit * 16);
        else v[e] = load_elements(part->x + unit * 16, part_range(part, unit));
    }
}

/* What is not a run's gives way. */
DEVICE void clear_parts(const struct part *part, int32_t u, const struct vector16 *nothing, struct vector16 *v)
{
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        int32_t unit = u + e * LANES, range = WHOLE_RUNS ? 0 : part_range(part, unit);
        if (unit < part->begin || unit >= part->end) v[e] = vector_between(v[e], range, nothing);
    }
}

#if IS_MASKED
/* The masks of these vectors; what is not a run's counts as present. */
DEVICE void load_part_masks(const struct walk *w, const struct part *part, int32_t u, struct mask *mask)
{
#if WITH_WHERE
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        int32_t unit = u + e * LANES, range = part_range(part, unit);
        const unsigned char *where = mask_at(w->p, part->x + unit * 16);
        if (unit < part->end && part->whole && (WHOLE_RUNS || range == WHOLE)) mask[e] = load_mask(where);
        else mask[e] = load_mask_part(where, range & 255, unit < part->end || !WHOLE_RUNS ? range >> 8 : 0);
    }
#endif
    (void)w, (void)part, (void)u, (void)mask;
}
#endif

/* RUNS runs of a cell from a spot on, which moves on behind them. One that is not there has no elements; the first run
 * is read in its place. */
DEVICE int32_t open_parts(const struct walk *w, struct spot *spot, const struct spot *step, struct part *parts)
{
    int32_t last = 0;
#pragma unroll
    for (int r = 0; r < RUNS; r++) {
        int there = spot->unit < w->runs;
        parts[r] = part_of(w, w->x + (there ? spot->x : 0));
        if (!there) parts[r].end = 0;
        if (!there && !WHOLE_RUNS) parts[r].last = parts[r].to = 0;
        if (r == 0 || parts[r].last > last) last = parts[r].last;
        spot_move(w, spot, step);
    }
    return last;
}

DEVICE void walk_down(const struct walk *w, struct strip *strip)
{
    if (w->first_run >= w->runs) return; /* loops may be empty, and nothing is divided by that */
#if IS_MASKED
    const struct vector16 nothing = strip_filling(strip);
#else
    const struct vector16 nothing = nothing_of(w->x);
#endif
    const struct spot step = spot_of(w, w->run_step);
    struct spot spot = spot_of(w, w->first_run);
#pragma unroll 1
    while (spot.unit < w->runs) {
        struct part parts[RUNS];
        int64_t unit = spot.unit * w->p->run_units, apart = step.unit * w->p->run_units;
        int all = WHOLE_RUNS && spot.unit + (RUNS - 1) * step.unit < w->runs;
        int32_t last = open_parts(w, &spot, &step, parts);
#pragma unroll 1
        for (int32_t u = (int32_t)w->first; u <= last; u += EACH * LANES) {
            struct vector16 v[DEPTH];
#pragma unroll
            for (int r = 0; r < RUNS; r++) load_parts(&parts[r], u, v + r * EACH);
#if IS_MASKED
            struct mask mask[DEPTH];
#pragma unroll
            for (int r = 0; r < RUNS; r++) load_part_masks(w, &parts[r], u, mask + r * EACH);
#endif
            if (!all || u + (EACH - 1) * LANES > last) {
#pragma unroll
                for (int r = 0; r < RUNS; r++) clear_parts(&parts[r], u, &nothing, v + r * EACH);
            }
#if IS_MASKED
#pragma unroll
            for (int d = 0; d < DEPTH; d++) strip_mask(strip, &v[d], &mask[d], WHOLE);
#endif
#if HAS_WORDS
            int lost = strip_is_lost(strip);
            strip_add(strip, v, unit + u, apart);
            if (lost) return;
#else
            strip_add(strip, v, unit + u, apart);
#endif
        }
    }
}

#if HAS_UNITS
/* The element of a cell that the index of its total means, which counts as if every run had p.run_units vectors. What
 * stood in for others was the cell's first element, which comes before any that does not beat it. */
DEVICE int64_t element_of_parts(const struct walk *w, const struct total *total)
{
    if (!index_beats(total_value(total), load_element(w->x, 0))) return 0;
    int64_t apart = w->p->run_units * IN_VECTOR, run = total->index / apart;
    struct spot spot = spot_of(w, run);
    int64_t before = run * w->p->reduced[REDUCED_NEST - 1].extent - elements_ahead(w->x + spot.x);
    return before + total->index - run * apart;
}
#endif
