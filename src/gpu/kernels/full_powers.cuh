/* SPDX-License-Identifier: MIT
 *
 * full_powers.cuh - whole leaves of logsumexp of floats, with a guess as in near_powers.cuh. No include guard. */

struct full_sums {
    power_real sum[LANES]; /* divided by two to the guess */
    struct seen seen;      /* by the thread */
};

/* Out of line, where nothing else takes registers. */
DEVICE_CALL struct full_sums sum_powers(const char *x, power_real exponent)
{
    struct full_sums sums;
    power_real shift = POWER_INTEGER - exponent;
#pragma unroll
    for (int q = 0; q < LANES; q++) sums.sum[q] = 0;
    struct full_rows ahead = load_rows(x, 0);
#pragma unroll 2
    for (int row = 0; row < ROWS; row += FULL_ROWS) {
        struct full_rows rows = ahead;
        ahead = load_rows(x, row + FULL_ROWS);
#pragma unroll
        for (int r = 0; r < FULL_ROWS; r++) {
            power_real shifted[LANES];
#pragma unroll
            for (int q = 0; q < LANES; q++) {
                power_real v = of_row(rows.row[r], q).v;
                shifted[q] = FUSED(v, POWER_PER_UNIT, shift);
                sums.sum[q] += scaled(OF_POWERS(power_near_factor)(v, shifted[q] - shift), shifted[q]);
            }
            struct seen seen = seen_row(rows.row[r], shifted);
            if (row == 0 && r == 0) sums.seen = seen;
            else seen_join(&sums.seen, seen);
        }
    }
    return sums;
}

/* Whether the leaf is among the thread's lanes now; x is the thread's first element, `begin` the leaf's. */
DEVICE int absorb_full_leaf(const char *x, const char *begin, struct lanes *lanes)
{
    struct power_memory *memory = &lanes->memory;
    for (int attempt = 0; attempt < 2; attempt++) {
        if (!guess_exponent(memory, load_element(begin, 0))) return 0;
        struct full_sums sums = sum_powers(x, memory->exponent);
#pragma unroll 1
        for (uint32_t distance = 1; distance < 32; distance *= 2) seen_join(&sums.seen, seen_xor(sums.seen, distance));
        sums.seen = seen_from(sums.seen, 0); /* beside NaN, not all lanes have the same */
        power_real largest = seen_largest(sums.seen), guess = memory->exponent;
        power_real above = OF_POWERS(power_exponent)(largest) - guess;
        memory->exponent += above - GUESSED;
        if (seen_fits(sums.seen, guess)) {
            lanes_together(lanes, sums.sum, largest, guess);
            return 1;
        }
        if (above <= MOST && above >= GUESSED) break; /* another guess is no better */
    }
    guess_failed(memory);
    return 0;
}
