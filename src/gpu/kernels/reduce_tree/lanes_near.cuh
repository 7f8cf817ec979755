/* SPDX-License-Identifier: MIT
 *
 * lanes_near.cuh - a leaf of logsumexp of floats, for reduce_lanes.cu: sums are divided by a power of two that the
 * first elements of a cell tell, and if that does not do, the largest of all; they are then added as they are. No
 * include guard. */

#define SEEN_SIDE SIDE
#include "power_window.cuh"
#include "seen_powers.cuh"

#include "lanes_near_side.cuh"

enum { TOGETHER = 1 + SEEN_IN_PAIRS }; /* cells that are seen at once */

/* What is known from leaves before, of each of the thread's cells. */
struct guess {
    power_real exponent[MINE];
    int32_t known, rest;
};

/* Sums are divided by two to what `shift` lacks to POWER_INTEGER. */
struct near_cells {
    power_real shift[MINE];
    struct seen seen[MINE / TOGETHER];
};

DEVICE power_real side_number(const struct side *side, int i)
{
    return side_element(side, i).v;
}

DEVICE struct seen seen_of_side(const struct side *side, int i, power_real shift)
{
#if SEEN_IN_PAIRS
    struct seen seen = {side->word[i], side->word[i]};
    (void)shift;
    return seen;
#else
    power_real v = side_number(side, i);
    return seen_one(v, FUSED(v, POWER_PER_UNIT, shift));
#endif
}

DEVICE power_real largest_seen(const struct near_cells *cells, int k)
{
#if SEEN_IN_PAIRS
    return of_pair(cells->seen[k / 2].largest, k % 2);
#else
    return seen_largest(cells->seen[k]);
#endif
}

DEVICE int cell_fits(const struct near_cells *cells, int k)
{
    power_real exponent = POWER_INTEGER - cells->shift[k];
#if SEEN_IN_PAIRS
    return pair_fits(cells->seen[k / 2], k % 2, exponent);
#else
    return seen_fits(cells->seen[k], exponent);
#endif
}

/* Adds an element to each cell of group g. */
DEVICE void add_near(struct near_cells *cells, int g, int m, const struct near_side *some, power_real (*sums)[DEPTH])
{
#pragma unroll
    for (int i = 0; i < SIDE; i++) {
        power_real v = side_number(&some->v, i), shift = cells->shift[g * SIDE + i];
        power_real shifted = FUSED(v, POWER_PER_UNIT, shift);
        power_real power = scaled(OF_POWERS(power_near_factor)(v, shifted - shift), shifted);
        sums[g * SIDE + i][m] += some->inside ? power : 0;
        if (i % TOGETHER == 0)
            seen_join(&cells->seen[(g * SIDE + i) / TOGETHER], seen_of_side(&some->v, i / TOGETHER, shift));
    }
}

DEVICE void near_begin(const struct near_leaf *leaf, const struct guess *guess, struct near_cells *cells)
{
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
        struct side first = load_side(leaf->x[g]);
#pragma unroll
        for (int i = 0; i < SIDE; i++) {
            int k = g * SIDE + i;
            cells->shift[k] = POWER_INTEGER - guess->exponent[k];
            if (i % TOGETHER == 0) cells->seen[k / TOGETHER] = seen_of_side(&first, i / TOGETHER, cells->shift[k]);
        }
    }
}

#include "lanes_near_leaf.cuh"

/* What lies too far for this exponent is no guess either. */
DEVICE void guess_from(struct guess *guess, int k, power_real largest)
{
    guess->exponent[k] = OF_POWERS(power_near_exponent)(largest) - GUESSED;
    guess->known &= guess->exponent[k] < POWER_LARGEST_GUESS && guess->exponent[k] > -POWER_LARGEST_GUESS;
}

/* From the first round's first elements. */
DEVICE void guess_first(const struct near_leaf *leaf, struct guess *guess)
{
    struct near_side some[GROUPS][NEAR_ROWS * DEPTH];
    load_near(leaf, 0, 1, 0, some);
    guess->known = 1;
#pragma unroll
    for (int k = 0; k < MINE; k++) {
        power_real largest = side_number(&some[k / SIDE][0].v, k % SIDE);
#pragma unroll
        for (int m = 1; m < DEPTH; m++) {
            power_real other = side_number(&some[k / SIDE][m].v, k % SIDE);
            largest = other > largest ? other : largest;
        }
        guess_from(guess, k, largest);
    }
}

/* Whether `total` is what joins the member's lanes, from element `at` of the cells on, of a leaf with `left` from there
 * on. */
DEVICE int absorb_near(const struct reduce_parameters *p, const struct cell *c, int64_t at, int32_t left,
                       struct guess *guess, lane *total)
{
    struct near_leaf leaf;
    leaf.each = p->reduced[0].x * ELEMENT_SIZE;
    leaf.length = left;
#pragma unroll
    for (int g = 0; g < GROUPS; g++) leaf.x[g] = c[g].x + at * leaf.each;
    if (left <= 0) return 0;
    if (guess->rest > 0) {
        guess->rest--;
        return 0;
    }
    if (!guess->known) guess_first(&leaf, guess);
#pragma unroll 1
    for (int attempt = 0; attempt < 2 && guess->known; attempt++) {
        struct near_cells cells;
        power_real sum[MINE];
        int fit = 1, hopeless = 0; /* whether another guess is no better */
        near_begin(&leaf, guess, &cells);
        add_near_leaf(&leaf, &cells, sum);
#pragma unroll
        for (int k = 0; k < MINE; k++) {
            power_real exponent = guess->exponent[k], largest = largest_seen(&cells, k);
            power_real above = OF_POWERS(power_near_exponent)(largest) - exponent;
            int fits = cell_fits(&cells, k);
            fit &= fits;
            hopeless |= !fits && above <= MOST && above >= GUESSED;
            lane of = {largest + 0, above + exponent, sum[k] * scaled(1, POWER_INTEGER - above)};
            total[k] = of;
        }
        if (fit) return 1;
        if (hopeless) break;
#pragma unroll
        for (int k = 0; k < MINE; k++) guess_from(guess, k, total[k].largest);
    }
    guess->known = 0;
    guess->rest = REST;
    return 0;
}
