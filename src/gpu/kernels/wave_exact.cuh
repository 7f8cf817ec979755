/* SPDX-License-Identifier: MIT
 *
 * wave_exact.cuh - runs of exact sums. Part of wave_run.cuh. No include guard.
 *
 * Nearly always a warp's numbers are integers of 64 or 128 bits in one unit: the lanes' sums are scanned as such. What
 * is not so goes through words, element by element. */

__extension__ typedef __int128 int128;

struct whole {
    uint128 value;
};

SHUFFLE(whole)

struct whole64 {
    int64_t value;
};

SHUFFLE(whole64)

DEVICE int32_t warp_extreme(int32_t x, int largest)
{
#if defined(TALLY_SIMT) || __CUDA_ARCH__ >= 800
    return largest ? __reduce_max_sync(FULL_WARP, x) : __reduce_min_sync(FULL_WARP, x);
#else
    for (int32_t distance = 16; distance > 0; distance /= 2) {
        int32_t other = __shfl_xor_sync(FULL_WARP, x, distance);
        x = largest == (other > x) ? other : x;
    }
    return x;
#endif
}

#include "wave_amount.cuh"

/* What stands left of a thread's run in its warp, of the same row, in units of 2^place. The warp's numbers are below
 * 2^top, and multiples of 2^unit. */
struct position {
    struct whole before;
    int32_t place, top, unit;
    int32_t by_words; /* the warp's numbers are no integers in one unit: nothing else is known */
};

/* Whether an element belongs to a row that ends in the run. */
DEVICE int is_of_ended_row(const struct starts *starts, int i)
{
    return SEGMENTED && i < starts->last;
}

DEVICE element number_of(const struct vector16 *run, int i)
{
    element x = run_element(run, i);
    if (SKIP_NAN && element_is_nan(x)) memset(&x, 0, sizeof x);
    return x;
}

/* Integers of 64 bits, or of 128, over the lanes as far as each one reaches; *total gets what stands left of lane 32.
 */
DEVICE struct whole scan_narrow(int64_t sum, int32_t reach, struct whole *total)
{
    struct whole64 upto = {sum};
    struct whole before, all;
    for (int32_t distance = 1; distance < 32; distance *= 2) {
        struct whole64 left = whole64_up(upto, (uint32_t)distance);
        if (reach >= distance) upto.value += left.value;
    }
    all.value = (uint128)(int128)upto.value;
    *total = all;
    upto = whole64_up(upto, 1);
    before.value = (threadIdx.x & 31) == 0 ? 0 : (uint128)(int128)upto.value;
    return before;
}

DEVICE struct whole scan_whole(uint128 sum, int32_t reach, struct whole *total)
{
    struct whole upto = {sum}, before;
    for (int32_t distance = 1; distance < 32; distance *= 2) {
        struct whole left = whole_up(upto, (uint32_t)distance);
        if (reach >= distance) upto.value += left.value;
    }
    *total = upto;
    before = whole_up(upto, 1);
    if ((threadIdx.x & 31) == 0) before.value = 0;
    return before;
}

#if IS_NARROW
#include "wave_run_floats.cuh"
#else
#include "wave_run_doubles.cuh"
#endif

/* The numbers of the last row into words, one by one. */
DEVICE_CALL struct state run_by_words(const struct vector16 *run, int32_t first)
{
    struct state s = state_identity();
#pragma unroll 1
    for (int i = first; i < RUN; i++) {
        element x = load_element(run, IN_ORDER(i));
        if (!(SKIP_NAN && element_is_nan(x))) state_add(&s, x);
    }
    return s;
}

/* The same for all lanes: what stands left of each in the warp; *total gets what stands left of lane 32. */
DEVICE_CALL struct state warp_by_words(const struct vector16 *run, int32_t first, int32_t reach, struct state *total)
{
    struct state upto = warp_scan(run_by_words(run, first), reach, 32), before = state_up(upto, 1);
    if ((threadIdx.x & 31) == 0) before = state_identity();
    *total = upto;
    return before;
}

DEVICE_CALL void enter_by_words(const struct vector16 *run, int32_t first, int32_t reach, struct amount *total,
                                struct state *beside)
{
    struct state words;
    warp_by_words(run, first, reach, &words);
    if ((threadIdx.x & 31) != 31) return;
    *total = state_amount(words);
    *beside = words;
}

/* Every lane of the warp calls it. *total, and words *beside, get what stands left of lane 32. */
DEVICE struct position enter_warp(const struct vector16 *run, const struct starts *starts, struct amount *total,
                                  struct state *beside)
{
    struct whole all;
    struct position position = position_of(run, starts, &all);
    if (position.by_words) {
        enter_by_words(run, starts->last, starts->reach, total, beside);
    } else if ((threadIdx.x & 31) == 31) {
        *total = amount_of(all.value, position.place, position.unit);
        if (total->by_words) *beside = whole_state(all.value, position.place);
    }
    return position;
}
