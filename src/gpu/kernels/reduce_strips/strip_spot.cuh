/* SPDX-License-Identifier: MIT
 *
 * strip_spot.cuh - places in a nest of loops that a walk goes through: the reduced ones, where the innermost has
 * p.run_units steps, or (ONE_COLUMN) all but the innermost; without REDUCED_NEST, rows. No include guard. */
#if REDUCED_NEST
enum { SPOT_LOOPS = REDUCED_NEST - ONE_COLUMN };
#else
enum { SPOT_LOOPS = 1 };
#endif

/* A step from one spot to another is one, too: then x is how far that is, unless an index begins anew. */
struct spot {
    int64_t unit, x;        /* number, and bytes from the first one */
    int32_t at[SPOT_LOOPS]; /* index in each loop but the outermost */
};

#define SPOT_EXTENT(w, d) ((d) == REDUCED_NEST - 1 ? (w)->p->run_units : (w)->p->reduced[d].extent)
#define SPOT_STRIDE(w, d) ((d) >= REDUCED_NEST - 1 ? (w)->pitch : (w)->p->reduced[d].x * ELEMENT_SIZE)

DEVICE struct spot spot_of(const struct walk *w, int64_t unit)
{
    struct spot spot;
    spot.unit = unit;
    spot.x = 0;
#pragma unroll
    for (int d = SPOT_LOOPS - 1; d > 0; d--) {
        int64_t extent = SPOT_EXTENT(w, d), outer = unit / extent;
        spot.at[d] = (int32_t)(unit - outer * extent);
        spot.x += spot.at[d] * SPOT_STRIDE(w, d);
        unit = outer;
    }
    spot.at[0] = 0;
    spot.x += unit * SPOT_STRIDE(w, 0);
    return spot;
}

/* By as many units as lie before `step`; additions only. */
DEVICE void spot_move(const struct walk *w, struct spot *spot, const struct spot *step)
{
    int32_t carry = 0;
    spot->unit += step->unit;
    spot->x += step->x;
#pragma unroll
    for (int d = SPOT_LOOPS - 1; d > 0; d--) {
        int32_t extent = (int32_t)SPOT_EXTENT(w, d);
        spot->at[d] += step->at[d] + carry;
        carry = spot->at[d] >= extent;
        if (carry) spot->at[d] -= extent;
        if (carry) spot->x += SPOT_STRIDE(w, d - 1) - extent * SPOT_STRIDE(w, d);
    }
    (void)w, (void)carry;
}
