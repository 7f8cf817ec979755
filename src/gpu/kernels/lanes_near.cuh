/* SPDX-License-Identifier: MIT
 *
 * lanes_near.cuh - a round's lanes of logsumexp of floats, for reduce_lanes.cu: sums are divided by a power of two that
 * the first elements tell, and if that does not do, the largest of all; lanes are then added as they are. No include
 * guard.
 *   NEAR_ROWS   elements of a lane that are read at once */

#define SEEN_ONE_BY_ONE
#include "power_window.cuh"
#include "seen_powers.cuh"

/* What is known from rounds before. */
struct guess {
    power_real exponent;
    int32_t known, rest;
};

struct near_sums {
    power_real sum[DEPTH]; /* divided by two to the guess */
    struct seen seen;
};

DEVICE power_real load_number(const char *x)
{
    return load_element(x, 0).v;
}

DEVICE void add_near(struct near_sums *sums, int m, power_real v, power_real shift, int inside)
{
    power_real shifted = FUSED(v, POWER_PER_UNIT, shift);
    power_real power = scaled(OF_POWERS(power_near_factor)(v, shifted - shift), shifted);
    sums->sum[m] += inside ? power : 0;
    seen_join(&sums->seen, seen_one(v, shifted));
}

/* Of the lanes from x on, `apart` and `pitch` bytes from one to the next and from one of a lane's elements to the next;
 * the leaf has `left` from x on. What is not there has the first one in its place. */
DEVICE void add_lanes(const char *x, int64_t apart, int64_t pitch, int32_t left, power_real exponent,
                      struct near_sums *sums)
{
    const char *begin = x;
    power_real shift = POWER_INTEGER - exponent, some = load_number(x);
    sums->seen = seen_one(some, FUSED(some, POWER_PER_UNIT, shift));
#pragma unroll
    for (int m = 0; m < DEPTH; m++) sums->sum[m] = 0;
#pragma unroll 1
    for (; left > (DEPTH - 1) * APART + (NEAR_ROWS - 1) * TREE_LANES; left -= NEAR_ROWS * TREE_LANES) {
        power_real v[NEAR_ROWS][DEPTH];
#pragma unroll
        for (int r = 0; r < NEAR_ROWS; r++, x += pitch) {
#pragma unroll
            for (int m = 0; m < DEPTH; m++) v[r][m] = load_number(x + m * apart);
        }
#pragma unroll
        for (int k = 0; k < NEAR_ROWS * DEPTH; k++) add_near(sums, k % DEPTH, v[k / DEPTH][k % DEPTH], shift, 1);
    }
#pragma unroll 1
    for (; left > 0; left -= TREE_LANES, x += pitch) {
        power_real v[DEPTH];
#pragma unroll
        for (int m = 0; m < DEPTH; m++) v[m] = load_number(m * APART < left ? x + m * apart : begin);
#pragma unroll
        for (int m = 0; m < DEPTH; m++) add_near(sums, m, v[m], shift, m * APART < left);
    }
}

/* The largest of a round's first elements. */
DEVICE power_real largest_of_first(const char *x, int64_t apart, int32_t left)
{
    power_real largest = load_number(x);
#pragma unroll
    for (int m = 1; m < DEPTH; m++) {
        power_real v = load_number(m * APART < left ? x + m * apart : x);
        largest = v > largest ? v : largest;
    }
    return largest;
}

DEVICE void guess_from(struct guess *guess, power_real largest)
{
    guess->exponent = OF_POWERS(power_exponent)(largest) - GUESSED;
    guess->known = guess->exponent < POWER_LARGEST_GUESS && guess->exponent > -POWER_LARGEST_GUESS;
}

/* Whether `total` is what joins the lanes from element `at` of the cell on, of a leaf with `left` from there on. */
DEVICE int near_round(const struct reduce_parameters *p, const struct cell *c, int64_t at, int32_t left,
                      struct guess *guess, lane *total)
{
    int64_t each = p->reduced[0].x * ELEMENT_SIZE;
    const char *x = c->x + at * each;
    if (left <= 0) return 0;
    if (guess->rest > 0) {
        guess->rest--;
        return 0;
    }
    if (!guess->known) guess_from(guess, largest_of_first(x, each * APART, left));
#pragma unroll 1
    for (int attempt = 0; attempt < 2 && guess->known; attempt++) {
        struct near_sums sums;
        power_real exponent = guess->exponent;
        add_lanes(x, each * APART, each * TREE_LANES, left, exponent, &sums);
        power_real largest = seen_largest(sums.seen), above = OF_POWERS(power_exponent)(largest) - exponent;
        guess_from(guess, largest);
        if (seen_fits(sums.seen, exponent)) {
#pragma unroll
            for (int half = DEPTH / 2; half > 0; half /= 2) {
#pragma unroll
                for (int m = 0; m < half; m++) sums.sum[m] += sums.sum[m + half];
            }
            total->largest = largest + 0;
            total->exponent = above + exponent;
            total->sum = sums.sum[0] * scaled(1, POWER_INTEGER - above);
            return 1;
        }
        if (above <= MOST && above >= GUESSED) break; /* another guess is no better */
    }
    guess->known = 0;
    guess->rest = REST;
    return 0;
}
