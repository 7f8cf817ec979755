/* SPDX-License-Identifier: MIT
 *
 * row_powers.cuh - leaves of logsumexp of floats, whole or not, by a warp: the largest of the first rows tells what
 * sums are divided by, and if that does not do, the largest of all. row_beside.cuh and row_walk.cuh say where elements
 * lie. No include guard. */

#include "largest_of_warp.cuh"

#if !defined(ROWS_OF_DOUBLES)
#define ROWS_OF_DOUBLES 2 /* leave registers to other leaves */
#endif

enum { BATCH = ELEMENT_SIZE == 8 ? ROWS_OF_DOUBLES : 8 }; /* rows at once */

struct batch {
    struct stored_row row[BATCH];
};

struct row_sums {
    power_real sum[LANES]; /* of the thread's lanes, divided by two to this exponent */
    power_real exponent, largest;
    int32_t fits; /* else there are no sums */
};

#if WALK
#include "row_walk.cuh"
#else
#include "row_beside.cuh"
#endif

#if ELEMENT_BYTES == 2 && HAS_PAIRS_OF_FLOATS
typedef struct seen most;

DEVICE struct seen most_of_row(struct stored_row row)
{
    return seen_row(row, 0);
}

DEVICE void most_join(struct seen *a, struct seen b)
{
    seen_join(a, b);
}

DEVICE float most_largest(struct seen a)
{
    return seen_largest(a);
}
#else
typedef power_real most;

DEVICE void most_join(power_real *a, power_real b)
{
#if POWERS_ARE_FLOATS
    *a = max(*a, b);
#else
    *a = b > *a ? b : *a;
#endif
}

DEVICE power_real most_of_row(struct stored_row row)
{
    power_real a = of_row(row, 0).v;
#pragma unroll
    for (int q = 1; q < LANES; q++) most_join(&a, of_row(row, q).v);
    return a;
}

DEVICE power_real most_largest(power_real a)
{
    return a;
}
#endif

/* What the thread's parts of the first rows and of the last one divide sums by. */
DEVICE void find_exponent(const struct batch *batch, int32_t rows, struct stored_row last, struct row_sums *sums)
{
    most most = most_of_row(last);
#pragma unroll
    for (int r = 0; r < BATCH && rows > 0; r++) most_join(&most, most_of_row(batch->row[r]));
    sums->largest = largest_of_warp(most_largest(most));
    sums->exponent = OF_POWERS(power_exponent)(sums->largest) - GUESSED;
}

/* Adds the powers of a row of which the thread has `present` elements; all of them: LANES. */
DEVICE struct seen add_row(power_real *sum, struct stored_row row, power_real shift, int32_t present)
{
    power_real shifted[LANES];
#pragma unroll
    for (int q = 0; q < LANES; q++) {
        power_real v = of_row(row, q).v;
        shifted[q] = FUSED(v, POWER_PER_UNIT, shift);
        power_real power = scaled(OF_POWERS(power_near_factor)(v, shifted[q] - shift), shifted[q]);
        sum[q] += q < present ? power : 0;
    }
    return seen_row(row, shifted);
}

/* What the first element of a row shows. */
DEVICE struct seen seen_first(struct stored_row row, power_real shift)
{
#if ELEMENT_BYTES == 2 && HAS_PAIRS_OF_FLOATS
    (void)shift;
    return seen_row(row, 0);
#else
    power_real v = of_row(row, 0).v;
    return seen_one(v, FUSED(v, POWER_PER_UNIT, shift));
#endif
}

/* Of `length` elements; `known`: the exponent is. */
DEVICE void sum_row(const struct row *from, int32_t length, int32_t member, int known, struct row_sums *sums)
{
    int32_t rows = length / TREE_LANES, i = rows * TREE_LANES + LANES * member;
    struct walk walk = walk_at(from, LANES * member);
    struct batch batch;
    struct stored_row last = load_last(from, i, length);
    if (rows > 0) batch = load_batch(&walk, 0, rows);
    if (!known) find_exponent(&batch, rows, last, sums);
    power_real shift = POWER_INTEGER - sums->exponent;
#pragma unroll
    for (int q = 0; q < LANES; q++) sums->sum[q] = 0;
    struct seen seen = seen_first(last, shift);
#pragma unroll 1
    for (int32_t row = 0; row < rows; row += BATCH) {
        if (row > 0) batch = load_batch(&walk, row, rows);
#pragma unroll
        for (int r = 0; r < BATCH; r++) {
            if (r > 0 && row + r >= rows) break;
            seen_join(&seen, add_row(sums->sum, batch.row[r], shift, LANES));
        }
    }
    if (length % TREE_LANES) seen_join(&seen, add_row(sums->sum, last, shift, length - i));
    if (rows > BATCH) sums->largest = largest_of_warp(seen_largest(seen));
    int near = sums->exponent < POWER_LARGEST_GUESS && sums->exponent > -POWER_LARGEST_GUESS;
    sums->fits = __all_sync(FULL_WARP, near && seen_fits(seen, sums->exponent));
}

/* The same; where elements behind the first rows are too large beside these, once more. */
DEVICE struct row_sums sums_of_row(const struct row *from, int32_t length, int32_t member)
{
    struct row_sums sums;
    sums.exponent = sums.largest = 0;
#pragma unroll 1
    for (int attempt = 0; attempt < 2; attempt++) {
        sum_row(from, length, member, attempt, &sums);
        power_real above = OF_POWERS(power_exponent)(sums.largest) - sums.exponent;
        if (sums.fits || !__any_sync(FULL_WARP, above > MOST)) break; /* beside NaN lanes know different ones */
        sums.exponent += above - GUESSED;
    }
    return sums;
}

/* Out of line, where other leaves take registers. */
DEVICE_CALL struct row_sums sums_of_leaf(struct row from, int32_t length, int32_t member)
{
    return sums_of_row(&from, length, member);
}

/* Whether the leaf is among the warp's lanes now. A partial's leaves may begin at any element, walks of fours only at a
 * multiple of four. */
DEVICE_UNUSED int absorb_row(const struct reduce_parameters *p, const struct cell *c, int64_t first, int32_t member,
                             int aligned, struct lanes *lanes)
{
    if (first >= p->length) return 0;
    if ((WALK == 2 || REDUCED_NEST) && first % LANES) return 0;
    if (lanes->memory.rest > 0) {
        lanes->memory.rest--;
        return 0;
    }
    int32_t length = p->length - first < TREE_LEAF ? (int32_t)(p->length - first) : TREE_LEAF;
    struct row_sums sums = sums_of_leaf(row_of(p, c, first, aligned && length % LANES == 0), length, member);
    if (!sums.fits) {
        guess_failed(&lanes->memory);
        return 0;
    }
    lanes_together(lanes, sums.sum, sums.largest, sums.exponent);
    return 1;
}
