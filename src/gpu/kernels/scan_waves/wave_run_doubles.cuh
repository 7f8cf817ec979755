/* SPDX-License-Identifier: MIT
 *
 * wave_run_doubles.cuh - a warp's runs of doubles as integers in one unit, by way of two bins. Part of wave_exact.cuh.
 * No include guard. */

static_assert(RUN <= 16, "two bins take no more doubles");

/* The place of the lowest bit of all numbers of a tile above the bins' place: what the bins showed on the way below
 * their own leading bits. */
DEVICE int32_t bins_unit(const struct bins_seen *seen)
{
    const uint64_t below = (1ull << 51) - 1;
    if (seen->low & below) return __ffsll((long long)(seen->low & below)) - 1;
    return seen->high & below ? __ffsll((long long)(seen->high & below)) + 47 : NO_PLACE;
}

/* Every lane of the warp calls it; *total gets what stands left of lane 32. All lanes have one place: two bins leave no
 * room to move. */
DEVICE struct position position_of(const struct vector16 *run, const struct starts *starts, struct whole *total)
{
    double number[RUN];
    int64_t high = 0, low = 0;
    struct bins_seen seen = {0, 0};
    struct position position = {{0}, 0, 0, NO_PLACE, 0};
#pragma unroll
    for (int i = 0; i < RUN; i++) number[i] = number_of(run, i).v;
    int32_t top = warp_extreme(double_top(number), 1);
    int fits = DOUBLE_TOP_FITS(top);
    position.top = top - 1022;
    total->value = 0;
    if (top == 0) {
        uint64_t bits = 0;
#pragma unroll
        for (int i = 0; i < RUN; i++) bits |= double_bits(number[i]) << 1;
        fits = bits == 0;
        if (__all_sync(FULL_WARP, fits)) return position;
    }
    if (fits) fits = !double_sum_seen(number, top, &high, &low, &seen);
    if (!__all_sync(FULL_WARP, fits)) {
        position.by_words = 1;
        return position;
    }
    if (SEGMENTED && starts->last > 0) { /* fewer of the same numbers: nothing is left over again */
#pragma unroll
        for (int i = 0; i < RUN; i++) number[i] = is_of_ended_row(starts, i) ? 0 : number[i];
        double_sum(number, top, &high, &low);
    }
    position.place = DOUBLE_PLACE(top);
    position.unit = warp_extreme(position.place + bins_unit(&seen), 0);
    position.before = scan_whole(((uint128)high << 48) + (uint128)low, starts->reach, total);
    return position;
}
