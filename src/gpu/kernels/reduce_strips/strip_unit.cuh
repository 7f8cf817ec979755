/* SPDX-License-Identifier: MIT
 *
 * strip_unit.cuh - the units of a walk through a nest of loops, or through bundles of rows of the innermost one
 * (ROW_BUNDLES). No include guard. */
#include "strip_spot.cuh"

#if ROW_BUNDLES
/* Of a bundle, as far as the innermost loop goes: a thread has every ROW_GROUPS-th row. */
DEVICE int32_t rows_in_bundle(const struct walk *w, const struct spot *spot)
{
    int32_t bundle = SPOT_LOOPS > 1 ? spot->at[SPOT_LOOPS - 1] : (int32_t)spot->unit;
    int32_t rows = (w->rows - bundle * (DEPTH * ROW_GROUPS) + ROW_GROUPS - 1) / ROW_GROUPS;
    return rows < DEPTH ? rows : DEPTH;
}

/* The same walk, of which every row is a unit. */
DEVICE_UNUSED struct walk walk_by_rows(const struct walk *w)
{
    struct walk rows = *w;
    rows.first *= DEPTH;
    rows.step = 1;
    rows.far *= DEPTH;
    rows.units *= DEPTH;
    return rows;
}
#endif

/* Elements [from, to) of the vector of a unit are the walk's, or some that its lanes do not count. */
DEVICE_UNUSED const char *walk_unit(const struct walk *w, int64_t unit, int32_t *from, int32_t *to)
{
    *from = *to = 0;
#if ROW_BUNDLES
    struct spot spot = spot_of(w, unit / DEPTH);
    const char *x = w->x + spot.x + unit % DEPTH * w->apart;
    if (unit % DEPTH >= rows_in_bundle(w, &spot)) return x;
#else
    struct spot spot = spot_of(w, unit);
    const char *x = w->x + spot.x;
#endif
#if FETCH_STAGES
    *to = IN_VECTOR;
#else
    int64_t left = (w->p->high - x) / ELEMENT_SIZE;
    *to = left < IN_VECTOR ? (int32_t)left : IN_VECTOR;
#endif
    return x;
}
