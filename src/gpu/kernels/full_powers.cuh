/* SPDX-License-Identifier: MIT
 *
 * full_powers.cuh - whole leaves of logsumexp of floats, with a guess as in near_powers.cuh. No include guard. */

/* ---- the largest element, and how far apart their powers of two lie: in bits of these, added to POWER_INTEGER ---- */

#if ELEMENT_BYTES == 2 && HAS_PAIRS_OF_FLOATS
struct seen {
    uint32_t largest, smallest; /* pairs of elements; NaN if one is */
};

DEVICE void seen_join(struct seen *a, struct seen b)
{
    a->largest = LARGER_PAIR(a->largest, b.largest);
    a->smallest = SMALLER_PAIR(a->smallest, b.smallest);
}

DEVICE struct seen seen_row(struct stored_row row, const float *shifted)
{
    struct seen seen, other;
    (void)shifted;
    memcpy(&seen.largest, row.stored, 4);
    memcpy(&other.largest, row.stored + 2, 4);
    seen.smallest = seen.largest, other.smallest = other.largest;
    seen_join(&seen, other);
    return seen;
}

DEVICE float of_pair(uint32_t pair, int half)
{
    storage stored = (storage)(pair >> 16 * half);
    return OF_ELEMENT(load)(&stored, 0).v;
}

DEVICE float seen_largest(struct seen seen)
{
    float a = of_pair(seen.largest, 0), b = of_pair(seen.largest, 1);
    return b > a || b != b ? b : a;
}

DEVICE float seen_smallest(struct seen seen)
{
    float a = of_pair(seen.smallest, 0), b = of_pair(seen.smallest, 1);
    return b < a || b != b ? b : a;
}

DEVICE int seen_fits(struct seen seen, float guess)
{
    float above = power_exponent_float(seen_largest(seen)), below = power_exponent_float(seen_smallest(seen));
    return above - guess <= MOST && below - guess >= LEAST;
}
#else
struct seen {
    power_real largest;
    int32_t least, most; /* low words */
#if !POWERS_ARE_FLOATS
    uint32_t far;        /* 0: each high word is the one next to its low word, whose sign it follows */
#endif
};

DEVICE void seen_join(struct seen *a, struct seen b)
{
    a->least = b.least < a->least ? b.least : a->least;
    a->most = b.most > a->most ? b.most : a->most;
#if POWERS_ARE_FLOATS
    a->largest = max(a->largest, b.largest);
#else
    a->largest = b.largest > a->largest ? b.largest : a->largest;
    a->far |= b.far;
#endif
}

DEVICE struct seen seen_one(power_real v, power_real shifted)
{
    struct seen seen;
    seen.largest = v;
#if POWERS_ARE_FLOATS
    seen.least = seen.most = (int32_t)float_bits(shifted);
#else
    uint32_t low = (uint32_t)double_bits(shifted), high = (uint32_t)(double_bits(shifted) >> 32);
    seen.least = seen.most = (int32_t)low;
    seen.far = (high + (low >> 31)) ^ (uint32_t)(double_bits(POWER_INTEGER) >> 32);
#endif
    return seen;
}

DEVICE struct seen seen_row(struct stored_row row, const power_real *shifted)
{
    struct seen seen = seen_one(of_row(row, 0).v, shifted[0]);
#pragma unroll
    for (int q = 1; q < LANES; q++) seen_join(&seen, seen_one(of_row(row, q).v, shifted[q]));
    return seen;
}

DEVICE power_real seen_largest(struct seen seen)
{
    return seen.largest;
}

/* NaN, infinities and what lies far away have other bits than the numbers next to POWER_INTEGER. */
DEVICE int seen_fits(struct seen seen, power_real guess)
{
    struct seen least = seen_one(0, POWER_INTEGER + LEAST), most = seen_one(0, POWER_INTEGER + MOST);
    int fits = seen.least >= least.least && seen.most <= most.most;
    (void)guess;
#if !POWERS_ARE_FLOATS
    fits &= seen.far == 0;
#endif
    return fits;
}
#endif

SHUFFLE(seen)

/* ---- a leaf ---- */

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
