/* SPDX-License-Identifier: MIT
 *
 * near_powers.cuh - leaves of logsumexp whose elements lie anywhere. Scaling by powers of two changes no bits, so
 * elements go without looking at each other: their sums are divided by a power of two that is guessed, and they only
 * have to lie near enough to it. No include guard. */

#include "power_window.cuh"

/* The exponent to divide by, from the leaf before or from an element of this one; whether it is any good. */
DEVICE int guess_exponent(struct power_memory *memory, element x)
{
    if (memory->rest > 0) {
        memory->rest--;
        return 0;
    }
    if (!memory->known) memory->exponent = OF_POWERS(power_exponent)(FOLD(lift)(x, x).part[0]) - GUESSED;
    memory->known = memory->exponent < POWER_LARGEST_GUESS && memory->exponent > -POWER_LARGEST_GUESS;
    return memory->known;
}

DEVICE void guess_failed(struct power_memory *memory)
{
    memory->known = 0;
    memory->rest = REST;
}

/* Sums divided by two to `exponent`, of a crew that is a warp, are the lanes of a leaf with this largest element. */
DEVICE void lanes_together(struct lanes *lanes, const power_real *sums, power_real largest, power_real exponent)
{
    lanes->together = 1;
    lanes->scale = scaled(1, POWER_INTEGER - (OF_POWERS(power_exponent)(largest) - exponent));
#pragma unroll
    for (int q = 0; q < LANES; q++) {
        lanes->lane[q].part[0] = largest + 0; /* as lifted: of zeros, the positive one */
        lanes->lane[q].part[1] = sums[q];
    }
}

/* What a warp that goes from one whole leaf to the next has learned. */
struct leaf_memory {
    struct power_memory powers;
    int32_t table_rest; /* leaves that do not try to be looked up */
};

DEVICE_UNUSED struct leaf_memory leaf_memory_none(void)
{
    struct leaf_memory memory = {{0, 0, 0}, 0};
    return memory;
}

enum { NEAR_ROWS = ELEMENT_SIZE == 8 ? 2 : 4 }; /* at once */

struct near_sums {
    power_real sum[LANES], largest[LANES];
    int64_t absent;
    int32_t fits;
};

/* Of the thread's elements from i on. */
DEVICE_CALL struct near_sums sum_near(const struct reduce_parameters *p, const struct cell *c, int64_t i, int aligned,
                                      power_real exponent)
{
    struct near_sums sums;
    power_real shift = POWER_INTEGER - exponent;
    sums.absent = 0;
    sums.fits = 1;
#pragma unroll
    for (int q = 0; q < LANES; q++) sums.sum[q] = 0, sums.largest[q] = -INFINITY;
#pragma unroll 1
    for (int row = 0; row < ROWS && i < p->length; row += NEAR_ROWS, i += NEAR_ROWS * TREE_LANES) {
        struct four four[NEAR_ROWS];
#pragma unroll
        for (int r = 0; r < NEAR_ROWS; r++) {
            four[r].present = 0;
            if (i + r * TREE_LANES < p->length) load_four(p, c, i + r * TREE_LANES, aligned, &four[r]);
        }
#pragma unroll
        for (int r = 0; r < NEAR_ROWS; r++) {
#pragma unroll
            for (int q = 0; q < LANES; q++) {
                int present = four[r].present >> q & 1;
                power_real v = FOLD(lift)(four[r].x[q], four[r].x[q]).part[0];
                power_real shifted = FUSED(v, POWER_PER_UNIT, shift);
                power_real power = scaled(OF_POWERS(power_near_factor)(v, shifted - shift), shifted);
                sums.sum[q] += present ? power : 0;
                sums.largest[q] = present && v > sums.largest[q] ? v : sums.largest[q];
                sums.fits &= !present || (shifted >= POWER_INTEGER + LEAST && shifted <= POWER_INTEGER + MOST);
                if (WITH_WHERE || SKIP_NAN) sums.absent += !present && i + r * TREE_LANES + q < p->length;
            }
        }
    }
    return sums;
}

/* Whether the leaf is among the thread's lanes now; `alone`: the crew is a warp, whose lanes come to the same answer.
 */
DEVICE int absorb_near(const struct reduce_parameters *p, const struct cell *c, int64_t first, int64_t i, int aligned,
                       int alone, struct lanes *lanes)
{
    if (first >= p->length) return 0;
    element some = load_element(c->x + element_offsets(p, first).x * ELEMENT_SIZE, 0);
    if (!guess_exponent(&lanes->memory, some)) return 0;
    power_real exponent = lanes->memory.exponent, largest = -INFINITY;
    struct near_sums sums = sum_near(p, c, i, aligned, exponent);
    int fit = alone ? __all_sync(FULL_WARP, sums.fits) : sums.fits;
    if (!fit) {
        guess_failed(&lanes->memory);
        return 0;
    }
    lanes->absent += sums.absent;
#pragma unroll
    for (int q = 0; q < LANES; q++) {
        power_real own = sums.largest[q];
        largest = own > largest ? own : largest;
        lanes->lane[q].part[0] = own;
        lanes->lane[q].part[1] = sums.sum[q];
        if (own > -INFINITY)
            lanes->lane[q].part[1] *= scaled(1, POWER_INTEGER - (OF_POWERS(power_exponent)(own) - exponent));
    }
    if (!alone) return 1;
#pragma unroll
    for (uint32_t distance = 1; distance < 32; distance *= 2) {
        power_real other = __shfl_xor_sync(FULL_WARP, largest, distance);
        largest = other > largest ? other : largest;
    }
    if (largest > -INFINITY) lanes_together(lanes, sums.sum, largest, exponent);
    return 1;
}
