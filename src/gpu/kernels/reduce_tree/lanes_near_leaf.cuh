/* SPDX-License-Identifier: MIT
 *
 * lanes_near_leaf.cuh - a member's share of a leaf of logsumexp, in reduce_lanes.cu, whose powers are added as numbers:
 * add_near says how. No include guard. NEAR_ROWS: elements of a lane that are read at once. */

/* `rows` rows of the round's lanes, at most NEAR_ROWS, from an element of the leaf on. */
DEVICE void load_near(const struct near_leaf *leaf, int32_t from, int rows, int whole,
                      struct near_side (*some)[NEAR_ROWS * DEPTH])
{
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
        const char *x = leaf->x[g] + from * leaf->each;
#pragma unroll
        for (int i = 0; i < NEAR_ROWS * DEPTH; i++, x += leaf->each * APART) {
            if (i >= rows * DEPTH) continue;
            some[g][i].inside = whole || from + i * APART < leaf->length;
            some[g][i].v = load_side(some[g][i].inside ? x : leaf->x[g]);
        }
    }
}

DEVICE void add_near_rows(struct near_cells *cells, int rows, struct near_side (*some)[NEAR_ROWS * DEPTH],
                          power_real (*sums)[DEPTH])
{
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
#pragma unroll
        for (int i = 0; i < NEAR_ROWS * DEPTH; i++)
            if (i < rows * DEPTH) add_near(cells, g, i % DEPTH, &some[g][i], sums);
    }
}

/* Joins the sums of a round's lanes. */
DEVICE void join_near(power_real (*sums)[DEPTH], power_real *total)
{
#pragma unroll
    for (int k = 0; k < MINE; k++) {
#pragma unroll
        for (int half = DEPTH / 2; half > 0; half /= 2) {
#pragma unroll
            for (int m = 0; m < half; m++) sums[k][m] += sums[k][m + half];
        }
        total[k] = sums[k][0];
    }
}

#define ADD_SUM(a, b) (*(a) += (b))
DEFINE_RISE(rise_near, power_real, ADD_SUM)

/* Sums of all lanes of the member. */
DEVICE void add_near_leaf(const struct near_leaf *leaf, struct near_cells *cells, power_real *total)
{
    power_real levels[MINE][ROUND_LEVELS + 1];
#if ONE_ROW
    struct near_side next[GROUPS][NEAR_ROWS * DEPTH];
    load_near(leaf, 0, 1, 0, next);
#pragma unroll(ROUNDS < 4 ? ROUNDS : 2)
#else
#pragma unroll 1
#endif
    for (int32_t round = 0; round < ROUNDS; round++) {
        power_real sums[MINE][DEPTH];
        struct near_side some[GROUPS][NEAR_ROWS * DEPTH];
#pragma unroll
        for (int k = 0; k < MINE * DEPTH; k++) sums[k / DEPTH][k % DEPTH] = 0;
#if ONE_ROW
        memcpy(some, next, sizeof some);
        if (round + 1 < ROUNDS) load_near(leaf, begin_of_round(round + 1), 1, 0, next);
        add_near_rows(cells, 1, some, sums);
#else
        int32_t i = begin_of_round(round);
#pragma unroll 1
        for (; leaf->length - i > (NEAR_ROWS * DEPTH - 1) * APART; i += NEAR_ROWS * TREE_LANES) {
            load_near(leaf, i, NEAR_ROWS, 1, some);
            add_near_rows(cells, NEAR_ROWS, some, sums);
        }
#pragma unroll 1
        for (; i < leaf->length; i += TREE_LANES) {
            load_near(leaf, i, 1, 0, some);
            add_near_rows(cells, 1, some, sums);
        }
#endif
        join_near(sums, total);
        rise_near(levels, total, round);
    }
}
