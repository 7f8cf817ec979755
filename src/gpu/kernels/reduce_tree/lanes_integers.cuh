/* SPDX-License-Identifier: MIT
 *
 * lanes_integers.cuh - a leaf of logsumexp of integers, for reduce_lanes.cu: powers of those near the first element of
 * all are looked up; a thread that has others takes lanes step by step. No include guard. */

#include "power_table.cuh"

#include "lanes_near_side.cuh"

enum { REST = 15 }; /* leaves for which what did not do for one is not tried again */

struct guess {
    int32_t rest;
};

/* What tells where powers lie; the largest spot of each cell. */
struct near_cells {
    wide_distance first;
    uint32_t copy, largest[MINE];
};

DEVICE uint32_t spot_in_side(const struct near_cells *cells, const struct side *side, int i)
{
#if ELEMENT_BYTES == 1 && SIDE >= 4
    return spot_in_word(side->word[i / 4], i % 4, cells->copy);
#else
    return spot_of(integer_of(side_element(side, i)), cells->first, cells->copy);
#endif
}

/* Adds an element to each cell of group g. */
DEVICE void add_near(struct near_cells *cells, int g, int m, const struct near_side *some, double (*sums)[DEPTH])
{
#pragma unroll
    for (int i = 0; i < SIDE; i++) {
        uint32_t spot = spot_in_side(cells, &some->v, i), *largest = &cells->largest[g * SIDE + i];
        double power = power_at(spot);
        sums[g * SIDE + i][m] += some->inside ? power : 0;
        *largest = spot > *largest ? spot : *largest;
    }
}

#include "lanes_near_leaf.cuh"

/* Whether the first elements of the first round are among those that are looked up. */
DEVICE int begins_near(const struct near_leaf *leaf, const struct near_cells *cells)
{
    struct near_side some[GROUPS][NEAR_ROWS * DEPTH];
    uint32_t largest = 0;
    load_near(leaf, 0, 1, 0, some);
#pragma unroll
    for (int k = 0; k < MINE * DEPTH; k++) {
        uint32_t spot = spot_in_side(cells, &some[k / DEPTH / SIDE][k % DEPTH].v, k / DEPTH % SIDE);
        largest = spot > largest ? spot : largest;
    }
    return largest < NO_SPOT;
}

/* A looked up sum as a lane, which bytes have as it is. */
DEVICE lane lane_of_looked_up(uint32_t place, double sum, wide_distance first)
{
    wide_integer largest = integer_at(first, place);
    lane of = {largest, IS_BYTE ? sum : sum * scale_of_looked_up(first, largest)};
    return of;
}

/* Whether `total` is what joins the member's lanes, from element `at` of the cells on, of a leaf with `left` from there
 * on. */
DEVICE int absorb_near(const struct reduce_parameters *p, const struct cell *c, int64_t at, int32_t left,
                       struct guess *guess, lane *total)
{
    const struct power_table *table = power_table();
    struct near_cells cells = {table->first, copy_of_thread(), {0}};
    struct near_leaf leaf;
    double sum[MINE];
    int near = 1;
    leaf.each = p->reduced[0].x * ELEMENT_SIZE;
    leaf.length = left;
#pragma unroll
    for (int g = 0; g < GROUPS; g++) leaf.x[g] = c[g].x + at * leaf.each;
#pragma unroll
    for (int k = 0; k < MINE && left <= 0; k++) total[k] = lane_none();
    if (left <= 0) return 1;
    if (guess->rest > 0 || (!IS_BYTE && (table->none || !begins_near(&leaf, &cells)))) {
        guess->rest = guess->rest > 0 ? guess->rest - 1 : REST;
        return 0;
    }
    add_near_leaf(&leaf, &cells, sum);
#pragma unroll
    for (int k = 0; k < MINE; k++) {
        near &= cells.largest[k] < NO_SPOT;
        total[k] = lane_of_looked_up(place_of_spot(cells.largest[k]), sum[k], cells.first);
    }
    if (!near) guess->rest = REST;
    return near || IS_BYTE;
}
