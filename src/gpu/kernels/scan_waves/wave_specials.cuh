/* SPDX-License-Identifier: MIT
 *
 * wave_specials.cuh - infinities and NaN among a warp's numbers. From the first of them on a row's running sums are
 * what these alone make of them, whatever else is added: so they give way to zeros, for all that doubles and integers
 * do, and results behind them are written over in the end. Part of wave_exact.cuh. No include guard. */

/* Above it all numbers are finite. */
#if IS_NARROW
#define TOP_OF_FINITE 128
#else
#define TOP_OF_FINITE 1024
#endif

DEVICE int has_specials(const struct position *position)
{
    return position->top > TOP_OF_FINITE;
}

DEVICE uint32_t special_of_number(element x)
{
    return SKIP_NAN && element_is_nan(x) ? 0 : special_of_double((double)x.v);
}

DEVICE_CALL uint32_t specials_of_run(const struct vector16 *run)
{
    uint32_t special = 0;
#pragma unroll 1
    for (int32_t j = 0; j < VECTORS; j++) {
        struct vector16 v = run[j];
#pragma unroll
        for (int i = 0; i < PER_VECTOR; i++) special |= special_of_number(vector_element(&v, i));
    }
    return special;
}

/* The bits that any lane has. */
DEVICE uint32_t specials_of_warp(uint32_t special)
{
    uint32_t all = 0;
    for (uint32_t bit = 1; bit < EXACT_FAILED; bit *= 2) all |= __any_sync(FULL_WARP, (special & bit) != 0) ? bit : 0;
    return all;
}

/* The bits that lanes have up to each one, as far as it reaches. */
DEVICE uint32_t specials_upto(uint32_t special, int32_t reach)
{
    for (int32_t distance = 1; distance < 32; distance *= 2) {
        uint32_t left = __shfl_up_sync(FULL_WARP, special, distance);
        if (reach >= distance) special |= left;
    }
    return special;
}

static_assert(EXACT_NAN == 1 && EXACT_PLUS_INFINITY == 2 && EXACT_MINUS_INFINITY == 4, "the order of struct specials");

/* All from element i on. */
DEVICE uint32_t specials_from(const struct specials *specials, int32_t i)
{
    uint32_t special = 0;
    for (int k = 0; k < 3; k++) special |= (uint32_t)(specials->at[k] >> i != 0) << k;
    return special;
}

/* Zeros in their place. */
DEVICE_CALL struct specials specials_cleared(const struct vector16 *run)
{
    struct specials specials = {{0, 0, 0}};
    storage *memory = (storage *)(uintptr_t)run;
#pragma unroll 1
    for (int32_t j = 0; j < VECTORS; j++) {
        struct vector16 v = run[j];
#pragma unroll
        for (int i = 0; i < PER_VECTOR; i++) {
            int32_t at = j * PER_VECTOR + i;
            uint32_t special = special_of_number(vector_element(&v, i));
            if (special == 0) continue;
            memset(&memory[at], 0, sizeof *memory);
            specials.at[special >> 1] |= 1ull << IN_ORDER(at);
        }
    }
    return specials;
}

/* Of elements' bits those, and all behind them in the same row: as far as bits are open, which are those of elements
 * that no row begins with. */
DEVICE uint64_t bits_behind(uint64_t bits, uint64_t open)
{
    for (int32_t distance = 1; distance < RUN; distance *= 2) {
        bits |= bits << distance & open;
        open &= open << distance;
    }
    return bits;
}

/* Which results one kind of specials stands left of: that of `own`, what stands left of the run (`left`: 0 or 1), and
 * of other rows (`first`: 0 or 1). */
DEVICE uint64_t results_reached(uint64_t own, uint32_t left, uint32_t first, uint64_t inside)
{
    uint64_t open = SEGMENTED ? ~inside : ~0ull, begun = (left & open) | (first ? ~open : 0);
    if ((own | begun) == 0) return 0;
    uint64_t upto = bits_behind(own | begun, open);
    return EXCLUSIVE ? (upto << 1 & open) | begun : upto;
}

/* The result of all elements that `elements` has the bits of. */
DEVICE void write_results(struct vector16 *to, uint64_t elements, uint32_t special)
{
    uint64_t bits = exact_round(special_real(special), result_format());
    if (BACKWARD) elements = __brevll(elements) >> (64 - RUN);
#pragma unroll 1
    for (int32_t j = 0; j < RESULT_VECTORS && elements; j++) {
        struct vector16 v = to[j];
#pragma unroll
        for (int i = 0; i < RESULTS_PER_VECTOR; i++) {
            if (elements >> i & 1) finish_bits(bits, i, (char *)&v);
        }
        to[j] = v;
        elements >>= RESULTS_PER_VECTOR;
    }
}

/* Results behind infinities and NaN: of the warp's runs, if it was cleared and every lane of it calls this, and of what
 * stands left of the row that is open when the run begins, or of every other row. */
DEVICE_CALL void write_specials(struct vector16 *to, uint32_t left, uint32_t first, const struct specials *kept,
                                int was_cleared, struct starts starts)
{
    struct specials own = {{0, 0, 0}};
    uint64_t reached[3];
    if (was_cleared) {
        own = *kept;
        uint32_t upto = specials_upto(specials_from(&own, starts.last), starts.reach);
        uint32_t before = __shfl_up_sync(FULL_WARP, upto, 1);
        if ((threadIdx.x & 31) != 0) left |= before;
    }
#pragma unroll
    for (int k = 0; k < 3; k++) {
        reached[k] = results_reached(own.at[k], left >> k & 1, first >> k & 1, starts.inside);
        if (RUN < 64) reached[k] &= (1ull << RUN % 64) - 1;
    }
    uint64_t nan = reached[0] | (reached[1] & reached[2]);
    write_results(to, nan, EXACT_NAN);
    write_results(to, reached[1] & ~nan, EXACT_PLUS_INFINITY);
    write_results(to, reached[2] & ~nan, EXACT_MINUS_INFINITY);
}
