/* SPDX-License-Identifier: MIT
 *
 * strip_spot.cuh - places in a nest of loops that a walk goes through: the reduced ones, where the innermost has
 * p.run_units steps, or (ONE_COLUMN) all but the innermost. No include guard. */
#if REDUCED_NEST
enum { SPOT_LOOPS = REDUCED_NEST - ONE_COLUMN };
#endif

struct spot {
    int64_t unit;
#if REDUCED_NEST
    int32_t at[SPOT_LOOPS]; /* index in each loop */
#endif
};

#define SPOT_EXTENT(w, d) ((d) == REDUCED_NEST - 1 ? (w)->p->run_units : (w)->p->reduced[d].extent)

DEVICE struct spot spot_of(const struct walk *w, int64_t unit)
{
    struct spot spot;
    spot.unit = unit;
#if REDUCED_NEST
#pragma unroll
    for (int d = SPOT_LOOPS - 1; d > 0; d--) {
        int64_t extent = SPOT_EXTENT(w, d), outer = unit / extent;
        spot.at[d] = (int32_t)(unit - outer * extent);
        unit = outer;
    }
    spot.at[0] = (int32_t)unit;
#endif
    (void)w;
    return spot;
}

/* By as many units as lie before `step`; additions only. */
DEVICE void spot_move(const struct walk *w, struct spot *spot, const struct spot *step)
{
    spot->unit += step->unit;
#if REDUCED_NEST
    int32_t carry = 0;
#pragma unroll
    for (int d = SPOT_LOOPS - 1; d > 0; d--) {
        int32_t extent = (int32_t)SPOT_EXTENT(w, d);
        spot->at[d] += step->at[d] + carry;
        carry = spot->at[d] >= extent;
        if (carry) spot->at[d] -= extent;
    }
    spot->at[0] += step->at[0] + carry;
#endif
    (void)w;
}

/* Where the innermost loop begins there. */
DEVICE const char *spot_run(const struct walk *w, const struct spot *spot)
{
    const char *x = w->x;
#if REDUCED_NEST
#pragma unroll
    for (int d = 0; d < REDUCED_NEST - 1; d++) x += spot->at[d] * (w->p->reduced[d].x * ELEMENT_SIZE);
#endif
    (void)spot;
    return x;
}

DEVICE_UNUSED int64_t spot_in_run(const struct spot *spot)
{
#if REDUCED_NEST && !ONE_COLUMN
    return spot->at[REDUCED_NEST - 1];
#else
    return spot->unit;
#endif
}
