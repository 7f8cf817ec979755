/* SPDX-License-Identifier: MIT
 *
 * strip_index_one.cuh - a strip of strip_index.cuh with one best element for all lanes of its vectors, which are of one
 * column. No include guard. */
enum { STRIP_TOTALS = 1 };

struct strip {
    element best;
    int32_t unit, lane; /* unit -1: none yet */
};

DEVICE void strip_begin(struct strip *strip)
{
    memset(strip, 0, sizeof *strip);
    strip->unit = -1;
}

/* In any order of units. */
DEVICE void strip_add_element(struct strip *strip, int k, element x, int64_t unit)
{
    int32_t here = (int32_t)unit;
    int earlier = here < strip->unit || (here == strip->unit && k < strip->lane);
    if (strip->unit >= 0 && !index_beats(x, strip->best) && !(earlier && !index_beats(strip->best, x))) return;
    strip->best = x;
    strip->unit = here;
    strip->lane = k;
}

DEVICE void strip_end(const struct strip *strip, struct total *totals)
{
    totals[0] = total_of(strip->unit < 0 ? -1 : (int64_t)strip->unit * IN_VECTOR + strip->lane, strip->best);
}
