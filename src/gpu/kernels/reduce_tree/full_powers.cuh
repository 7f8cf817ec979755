/* SPDX-License-Identifier: MIT
 *
 * full_powers.cuh - whole leaves of logsumexp of floats, with a guess as in near_powers.cuh. No include guard. */

#include "largest_of_warp.cuh"

DEVICE void full_prepare(const struct reduce_parameters *p)
{
    (void)p;
}

/* What a row shows, as seen_row. */
DEVICE struct seen seen_full_row(struct full_row row, const power_real *shifted)
{
#if SEEN_IN_PAIRS
    struct seen seen = {LARGER_PAIR(row.word[0], row.word[1]), SMALLER_PAIR(row.word[0], row.word[1])};
    (void)shifted;
#else
    struct seen seen = seen_one(of_full_row(row, 0).v, shifted[0]);
#pragma unroll
    for (int q = 1; q < LANES; q++) seen_join(&seen, seen_one(of_full_row(row, q).v, shifted[q]));
#endif
    return seen;
}

struct full_sums {
    power_real sum[LANES]; /* divided by two to the guess */
    struct seen seen;      /* by the thread */
};

DEVICE struct full_sums sum_powers(struct full_walk *walk, power_real exponent)
{
    struct full_sums sums;
    power_real shift = POWER_INTEGER - exponent;
#pragma unroll
    for (int q = 0; q < LANES; q++) sums.sum[q] = 0;
#pragma unroll 2
    for (int row = 0; row < ROWS; row += FULL_ROWS) {
        struct full_rows rows = next_rows(walk, row);
#pragma unroll
        for (int r = 0; r < FULL_ROWS; r++) {
            power_real shifted[LANES];
#pragma unroll
            for (int q = 0; q < LANES; q++) {
                power_real v = of_full_row(rows.row[r], q).v;
                shifted[q] = FUSED(v, POWER_PER_UNIT, shift);
                sums.sum[q] += scaled(OF_POWERS(power_near_factor)(v, shifted[q] - shift), shifted[q]);
            }
            struct seen seen = seen_full_row(rows.row[r], shifted);
            if (row == 0 && r == 0) sums.seen = seen;
            else seen_join(&sums.seen, seen);
        }
    }
    return sums;
}

/* Whether the leaf where the warp is was added; all threads come to the same answer. */
DEVICE int full_leaf(struct full_walk *walk, int32_t member, struct leaf_memory *memory, struct FOLD(lane) * leaf)
{
    struct power_memory *powers = &memory->powers;
#pragma unroll 1
    for (int attempt = 0; attempt < 2; attempt++) {
        if (attempt > 0) walk_again(walk);
        if (!guess_exponent(powers, load_element(walk->x - LANES * ELEMENT_SIZE * member, 0))) return 0;
        power_real guess = powers->exponent;
        struct full_sums sums = sum_powers(walk, guess);
        power_real largest = largest_of_warp(seen_largest(sums.seen));
        power_real above = OF_POWERS(power_exponent)(largest) - guess;
        powers->exponent += above - GUESSED;
        if (__all_sync(FULL_WARP, seen_fits(sums.seen, guess))) {
            *leaf = leaf_of_sums(sums.sum, largest, guess, member);
            return 1;
        }
        if (above <= MOST && above >= GUESSED) break; /* another guess is no better */
    }
    guess_failed(powers);
    return 0;
}
