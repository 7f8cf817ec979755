/* SPDX-License-Identifier: MIT
 *
 * wave_exact.cuh - runs of exact sums. Part of wave_run.cuh. No include guard.
 *
 * Nearly always a warp's numbers are integers of 64 or 128 bits in one unit: the lanes' sums are scanned as such. What
 * is not so goes through words (rows), or digits (waves), element by element. */

#define BY_WORDS SEGMENTED

__extension__ typedef __int128 int128;

struct whole {
    uint128 value;
};

/* As SHUFFLE, by halves: structures of 16 bytes would go through memory. */
#define WHOLE_BY(way, operation)                                                                       \
    DEVICE_UNUSED struct whole whole_##way(struct whole mine, uint32_t lanes)                          \
    {                                                                                                  \
        unsigned long long low = operation(FULL_WARP, (unsigned long long)mine.value, lanes);          \
        unsigned long long high = operation(FULL_WARP, (unsigned long long)(mine.value >> 64), lanes); \
        mine.value = (uint128)high << 64 | low;                                                        \
        return mine;                                                                                   \
    }

WHOLE_BY(up, __shfl_up_sync)
WHOLE_BY(xor, __shfl_xor_sync)
WHOLE_BY(from, __shfl_sync)

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

/* The bits that any lane has. */
DEVICE_UNUSED uint32_t warp_union(uint32_t bits)
{
#if defined(TALLY_SIMT) || __CUDA_ARCH__ >= 800
    return __reduce_or_sync(FULL_WARP, bits);
#else
    for (uint32_t distance = 16; distance > 0; distance /= 2) bits |= __shfl_xor_sync(FULL_WARP, bits, distance);
    return bits;
#endif
}

#include "wave_amount.cuh"

/* What stands left of a thread's run in its warp, of the same row, in units of 2^place. The warp's numbers are below
 * 2^top, and multiples of 2^unit. */
struct position {
    struct whole before;
    int32_t place, top, unit;
    int32_t by_words; /* the warp's numbers are no integers in one unit: little else is known; and bits below */
};

enum { WARP_HAS_BITS = 11 };
static_assert(32 * RUN <= 1 << WARP_HAS_BITS, "numbers of a warp");

/* Infinities and NaN of the warp's runs have given way to zeros; or giants; or some stand left of the warp. */
#define WAS_CLEARED 2
#define HAD_GIANTS 4
#define CARRIES_GIANTS 8

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

#include "near.cuh"
#include "number.cuh"

/* The same on its way into a double. */
DEVICE struct number run_number(const struct vector16 *run, int i)
{
#if HAS_HALVES
    struct vector16 v = run[IN_ORDER(i) / 8];
    uint32_t word = v.word[IN_ORDER(i) % 8 / 2];
    return number_of_upper(upper_counted(IN_ORDER(i) % 2 ? word : word << 16));
#else
    return number_of_element(number_of(run, i));
#endif
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

#include "wave_specials.cuh"

#if BY_WORDS
#include "wave_words.cuh"
#else
#include "wave_far.cuh"
#endif

#if HAS_GIANTS
#include "wave_giants.cuh"
#else
DEVICE int clear_giants(const struct vector16 *run, const struct starts *starts, const struct position *position)
{
    (void)run, (void)starts, (void)position;
    return 0;
}

DEVICE int keep_giants(const struct vector16 *run, const struct starts *starts, struct position *position)
{
    (void)run, (void)starts, (void)position;
    return 0;
}
#endif

/* Every lane of the warp calls it. *total, and what lies beside it, get what stands left of lane 32. */
DEVICE struct position enter_warp(const struct vector16 *run, const struct starts *starts, struct amount *total,
                                  beside_amount *beside)
{
    struct whole all;
    struct position position;
    int was_cleared = 0;
    int had_giants = 0;
    for (;;) {
        position = position_of(run, starts, &all);
        if (!position.by_words) break;
        if (!was_cleared && clear_specials(run, starts, &position)) was_cleared = 1;
        else if (had_giants || !clear_giants(run, starts, &position)) break;
        else had_giants = 1;
    }
    if (had_giants) had_giants = keep_giants(run, starts, &position);
    if (position.by_words) {
        enter_apart(run, starts, total, beside, &position);
    } else {
        /* never by words: a warp's integers have 104 bits at most */
        struct amount amount = IS_NARROW ? amount_of_short(all.value, position.place)
                                         : amount_of(all.value, position.place, position.unit);
        if ((threadIdx.x & 31) == 31) *total = amount;
    }
    if (was_cleared) {
        enter_specials(*starts, total);
        position.by_words |= WAS_CLEARED;
    }
    if (had_giants) position.by_words |= HAD_GIANTS;
    return position;
}
