/* SPDX-License-Identifier: MIT
 *
 * wave_exact.cuh - runs of exact sums. Part of wave_run.cuh. No include guard.
 *
 * Nearly always a warp's numbers are integers of 128 bits in one unit: the lanes' sums are scanned as such. What is not
 * so goes through words, element by element. */

struct whole {
    uint128 value;
};

SHUFFLE(whole)

/* What stands left of a thread's run in its warp, of the same row, in units of 2^place. The warp's numbers are below
 * 2^top, and multiples of 2^unit. */
struct position {
    struct whole before;
    int32_t place, top, unit;
    int32_t by_words; /* the warp's numbers are no integers in one unit: nothing else is known */
};

/* Above any place that a number may have. */
#define NO_PLACE 100000

/* Places of lanes differ by no more: 63 bits of a run, 5 of a warp, a sign. */
#define MOST_SHIFT 56

/* A run's sum since the last row began, if it `fits`; the rest as in a position, of the whole run. */
struct run_sum {
    struct whole sum;
    int32_t place, top, unit;
    int32_t fits;
};

DEVICE int32_t warp_extreme(int32_t x, int largest)
{
    for (int32_t distance = 16; distance > 0; distance /= 2) {
        int32_t other = __shfl_xor_sync(FULL_WARP, x, distance);
        x = largest == (other > x) ? other : x;
    }
    return x;
}

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

#if IS_NARROW
#if defined(ONLY_TYPE_f16)
#define UNIT_ABOVE(bottom) (-24)
#else
#define UNIT_ABOVE(bottom) ((bottom)-150)
#endif

DEVICE struct run_sum run_sum_of(const struct vector16 *run, const struct starts *starts)
{
    float number[RUN];
#pragma unroll
    for (int i = 0; i < RUN; i++) number[i] = number_of(run, i).v;
    struct range range = float_range(number);
    struct run_sum r = {{0}, FLOAT_PLACE(range.top, 0), range.top - 126, UNIT_ABOVE(range.bottom), 0};
    r.fits = range.top < 255 && range.bottom - 150 >= r.place;
#pragma unroll
    for (int i = 0; i < RUN; i++) number[i] = is_of_ended_row(starts, i) ? 0 : number[i];
    if (r.fits) r.sum.value = (uint128)float_sum(number, r.place);
    if (r.sum.value == 0) r.place = NO_PLACE;
    return r;
}
#else
/* The place of the lowest bit of all numbers of a tile above the bins' place: what the bins showed on the way below
 * their own leading bits. */
DEVICE int32_t bins_unit(const struct bins_seen *seen)
{
    const uint64_t below = (1ull << 51) - 1;
    if (seen->low & below) return __ffsll((long long)(seen->low & below)) - 1;
    return seen->high & below ? __ffsll((long long)(seen->high & below)) + 47 : NO_PLACE;
}

static_assert(RUN <= 16, "two bins take no more doubles");

/* All lanes have one place: two bins leave no room to move. */
DEVICE struct run_sum run_sum_of(const struct vector16 *run, const struct starts *starts)
{
    double number[RUN];
    int64_t high, low;
#pragma unroll
    for (int i = 0; i < RUN; i++) number[i] = number_of(run, i).v;
    int32_t own = double_top(number), top = warp_extreme(own, 1);
    struct run_sum r = {{0}, NO_PLACE, own - 1022, NO_PLACE, 0};
    if (DOUBLE_TOP_FITS(top)) {
        struct bins_seen seen = {0, 0};
        if (double_sum_seen(number, top, &high, &low, &seen)) return r;
        if (SEGMENTED && starts->last > 0) { /* fewer of the same numbers: nothing is left over again */
#pragma unroll
            for (int i = 0; i < RUN; i++) number[i] = is_of_ended_row(starts, i) ? 0 : number[i];
            double_sum(number, top, &high, &low);
        }
        r.sum.value = ((uint128)high << 48) + (uint128)low;
        r.place = DOUBLE_PLACE(top);
        r.unit = r.place + bins_unit(&seen);
        r.fits = 1;
    } else {
        uint64_t bits = 0;
#pragma unroll
        for (int i = 0; i < RUN; i++) bits |= double_bits(number[i]) << 1;
        r.fits = bits == 0;
    }
    return r;
}
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

/* Every lane of the warp calls it. */
DEVICE struct position enter_warp(const struct vector16 *run, const struct starts *starts, struct state *warp_total)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
    struct run_sum r = run_sum_of(run, starts);
    struct position position = {{0}, warp_extreme(r.place, 0), warp_extreme(r.top, 1), warp_extreme(r.unit, 0), 0};
    int32_t shift = r.place == NO_PLACE ? 0 : r.place - position.place;
    struct state total = state_identity();
    if (__all_sync(FULL_WARP, r.fits && shift <= MOST_SHIFT)) {
        struct whole upto = {r.sum.value << shift};
        for (int32_t distance = 1; distance < 32; distance *= 2) {
            struct whole left = whole_up(upto, (uint32_t)distance);
            if (starts->reach >= distance) upto.value += left.value;
        }
        position.before = whole_up(upto, 1);
        if (lane == 0) position.before.value = 0;
        if (position.place == NO_PLACE) position.place = 0;
        if (lane == 31 && upto.value != 0)
            words_add(&total.sum[0], (uint64_t)upto.value, (int64_t)(upto.value >> 64), position.place);
    } else {
        position.by_words = 1;
        warp_by_words(run, starts->last, starts->reach, &total);
    }
    if (lane == 31) *warp_total = total;
    return position;
}
