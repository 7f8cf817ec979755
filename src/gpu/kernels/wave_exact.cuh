/* SPDX-License-Identifier: MIT
 *
 * wave_exact.cuh - runs of exact sums, for scan_wave.cu. No include guard.
 *
 * Nearly always a warp's numbers are integers of 128 bits in one unit: the lanes' sums are scanned as such. And nearly
 * always a running sum is known well enough in one or two doubles to be rounded: when both ends of the range in which
 * it must lie round to the same result, that is the result (Ziv, "Fast evaluation of elementary mathematical functions
 * with correctly rounded last bit"). What is not so goes through words, element by element. */

struct whole {
    uint128 value;
};

SHUFFLE(whole)

/* What stands left of a thread's run in its warp, in units of 2^place. The warp's numbers are below 2^top, and
 * multiples of 2^unit. */
struct position {
    struct whole before;
    int32_t place, top, unit;
    int32_t by_words; /* the warp's numbers are no integers in one unit: nothing else is known */
};

/* Above any place that a number may have. */
#define NO_PLACE 100000

/* Places of lanes differ by no more: 63 bits of a run, 5 of a warp, a sign. */
#define MOST_SHIFT 56

/* A run's sum if it `fits`; the rest as in a position. */
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

DEVICE struct run_sum run_sum_of(const struct vector16 *run)
{
    float number[RUN];
#pragma unroll
    for (int i = 0; i < RUN; i++) number[i] = number_of(run, i).v;
    struct range range = float_range(number);
    struct run_sum r = {{0}, FLOAT_PLACE(range.top, 0), range.top - 126, UNIT_ABOVE(range.bottom), 0};
    r.fits = range.top < 255 && range.bottom - 150 >= r.place;
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
DEVICE struct run_sum run_sum_of(const struct vector16 *run)
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

/* The run's numbers into words, one by one. */
DEVICE_CALL struct state run_by_words(const struct vector16 *run)
{
    struct state s = state_identity();
#pragma unroll 1
    for (int i = 0; i < RUN; i++) {
        element x = load_element(run, IN_ORDER(i));
        if (!(SKIP_NAN && element_is_nan(x))) state_add(&s, x);
    }
    return s;
}

/* The same for all lanes: what stands left of each in the warp; *total gets what stands left of lane 32. */
DEVICE_CALL struct state warp_by_words(const struct vector16 *run, struct state *total)
{
    struct state upto = warp_scan(run_by_words(run), 32), before = state_up(upto, 1);
    if ((threadIdx.x & 31) == 0) before = state_identity();
    *total = upto;
    return before;
}

/* Every lane of the warp calls it. */
DEVICE struct position enter_warp(const struct vector16 *run, struct state *warp_total)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
    struct run_sum r = run_sum_of(run);
    struct position position = {{0}, warp_extreme(r.place, 0), warp_extreme(r.top, 1), warp_extreme(r.unit, 0), 0};
    int32_t shift = r.place == NO_PLACE ? 0 : r.place - position.place;
    struct state total = state_identity();
    if (__all_sync(FULL_WARP, r.fits && shift <= MOST_SHIFT)) {
        struct whole upto = {r.sum.value << shift};
        for (int32_t distance = 1; distance < 32; distance *= 2) {
            struct whole left = whole_up(upto, (uint32_t)distance);
            if (lane >= distance) upto.value += left.value;
        }
        position.before = whole_up(upto, 1);
        if (lane == 0) position.before.value = 0;
        if (position.place == NO_PLACE) position.place = 0;
        if (lane == 31 && upto.value != 0)
            words_add(&total.sum[0], (uint64_t)upto.value, (int64_t)(upto.value >> 64), position.place);
    } else {
        position.by_words = 1;
        warp_by_words(run, &total);
    }
    if (lane == 31) *warp_total = total;
    return position;
}

/* ---- results ---- */

/* Of the first `share` elements alone, since there may be nothing behind them. */
DEVICE_CALL void results_by_words(const struct scan_parameters *given, const struct vector16 *run, struct vector16 *to,
                                  int32_t share, struct state before)
{
    uint32_t failure = 0;
#pragma unroll 1
    for (int32_t i = 0; i < share; i++) {
        struct state next = before;
        element x = load_element(run, IN_ORDER(i));
        if (!(SKIP_NAN && element_is_nan(x))) state_add(&next, x);
        failure |= state_store(EXCLUSIVE ? &before : &next, 0, (char *)to + IN_ORDER(i) * RESULT_SIZE);
        before = next;
    }
    if (failure & FAILED_WINDOW) *given->reduce.wide_count = 1;
}

/* The same for all elements, after an infinity or NaN: whether the other numbers fit the window does not matter. */
DEVICE_CALL void results_all_special(struct vector16 *to, struct state before)
{
    uint64_t bits[2];
    before.sum[0].special &= EXACT_FAILED - 1;
    state_store(&before, 0, (char *)bits);
#pragma unroll 1
    for (int32_t i = 0; i < RUN; i++) memcpy((char *)to + i * RESULT_SIZE, bits, RESULT_SIZE);
}

/* What stands left of a warp: the sum, and it as a pair of doubles (see words_pair), which are multiples of 2^unit. */
struct left {
    struct state state;
    struct pair pair;
    int32_t kind, unit;
};

DEVICE int32_t lowest_bit(double x)
{
    uint64_t bits = double_bits(x), fraction = bits & 0xfffffffffffffull;
    int32_t exponent = (int32_t)(bits >> 52 & 0x7ff);
    if (x == 0) return NO_PLACE;
    return (exponent ? exponent : 1) - 1076 + __ffsll((long long)(exponent ? fraction | 1ull << 52 : fraction));
}

DEVICE void left_open(struct left *left, struct state state)
{
    left->state = state;
    left->kind = words_pair(&state.sum[0], &left->pair);
    left->unit = lowest_bit(left->pair.low != 0 ? left->pair.low : left->pair.high);
}

/* A running sum as far as doubles know it: base + what was added along the run, give or take the error. */
struct known {
    struct pair base;
    double error;
};

/* value * 2^place, nearly; exactly if value has 53 bits. */
DEVICE double whole_nearly(uint128 value, int32_t place)
{
    int64_t high = (int64_t)(value >> 64), low = (int64_t)value;
    if (high == low >> 63) return (double)low * power_of_two(place);
    return ((double)high * 0x1p64 + (double)(uint64_t)low) * power_of_two(place);
}

/* Part i of value * 2^place, of four, each a double of 32 bits; all have the value's sign, so that none is larger. */
DEVICE double whole_part(uint128 value, int32_t place, int i)
{
    int negative = (int64_t)(value >> 64) < 0;
    uint128 size = negative ? 0 - value : value;
    double part = (double)(uint32_t)(size >> 32 * i) * power_of_two(place) * power_of_two(32 * i);
    return negative ? -part : part;
}

/* Adds value * 2^place to a pair, give or take 2^-100 of the largest of the three. */
DEVICE void pair_add_whole(struct pair *pair, uint128 value, int32_t place)
{
#pragma unroll
    for (int i = 3; i >= 0; i--) {
        double lost, sum = two_sum(pair->high, whole_part(value, place, i), &lost);
        pair->high = two_sum(sum, pair->low + lost, &pair->low);
    }
}

/* What was added along the run, for results as wide as that in two parts. */
DEVICE void along_add(struct pair *along, double x)
{
    double lost;
    if (RESULT_PART == 8) {
        along->high = two_sum(along->high, x, &lost);
        along->low += lost;
    } else {
        along->high += x;
    }
}

#if defined(TALLY_SIMT) || !defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 900
#define NEAREST_F16(x) f64_to_f16(x)
#define NEAREST_BF16(x) f64_to_bf16(x)
#else
DEVICE uint16_t nearest_f16(double x)
{
    uint16_t h;
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(h) : "d"(x));
    return h;
}

DEVICE uint16_t nearest_bf16(double x)
{
    uint16_t h;
    asm("cvt.rn.bf16.f64 %0, %1;" : "=h"(h) : "d"(x));
    return h;
}
#define NEAREST_F16(x) nearest_f16(x)
#define NEAREST_BF16(x) nearest_bf16(x)
#endif

/* Bits of the result type. */
DEVICE uint64_t nearest(double x)
{
    if (IS_F16(RESULT_NUMBER)) return NEAREST_F16(x);
    if (IS_BF16(RESULT_NUMBER)) return NEAREST_BF16(x);
    return RESULT_PART == 8 ? double_bits(x) : float_bits((float)x);
}

/* Whether the result is not known. */
DEVICE int along_store(const struct known *known, const struct pair *along, int exact, char *out)
{
    double least, most, lost;
    if (RESULT_PART == 8) {
        double sum = two_sum(known->base.high, along->high, &lost);
        double rest = (lost + known->base.low) + along->low;
        least = sum + (exact ? rest : rest - known->error);
        most = sum + (rest + known->error);
    } else {
        least = (exact ? known->base.high : known->base.high - known->error) + along->high;
        most = (known->base.high + known->error) + along->high;
    }
    uint64_t bits = nearest(least);
    finish_bits(bits, 0, out);
    return !exact && bits != nearest(most);
}

/* What is lost along a run, and in what stands left of it. Nothing, if all are multiples of a unit, and so few that a
 * double holds them, or two. `size` bounds the numbers of the warp together. */
DEVICE double error_of(const struct left *left, const struct pair *base, double size, const struct position *position)
{
    double most = fabs(base->high) + fabs(left->pair.high) + size;
    int32_t unit = position->unit < left->unit ? position->unit : left->unit;
    int exact =
        left->kind == 2 && unit > -1000 && (unit > 900 || most < power_of_two(unit + (RESULT_PART == 8 ? 100 : 52)));
    return exact ? 0 : most * (RESULT_PART == 8 ? 0x1p-96 : 0x1p-45);
}

/* The same in pairs of doubles, which hold ties as well: nothing is written if something is lost. Rarely needed. */
DEVICE_CALL int results_by_pairs(const struct vector16 *run, struct vector16 *to, struct pair base, uint128 before,
                                 int32_t place)
{
    struct pair start = base;
    int lost = 0;
    for (int i = 0; i < 4; i++) lost |= pair_add(&start, whole_part(before, place, i));
    for (int storing = 0; storing < 2 && !lost; storing++) {
        struct pair pair = start;
#pragma unroll 1
        for (int i = 0; i < RUN; i++) {
            struct pair left = pair;
            element x = load_element(run, IN_ORDER(i));
            if (!(SKIP_NAN && element_is_nan(x))) lost |= pair_add(&pair, (double)x.v);
            if (storing) pair_store(EXCLUSIVE ? left : pair, 0, (char *)to + IN_ORDER(i) * RESULT_SIZE);
        }
    }
    return !lost;
}

/* All results if they are known; otherwise nothing is written to a run that is its own place. */
DEVICE int results_by_doubles(const struct vector16 *run, struct vector16 *to, struct known known, int exact)
{
    struct vector16 results[IN_PLACE ? RESULT_VECTORS : 1];
    struct pair along = {0, 0};
    int unknown = 0;
    memset(results, 0, sizeof results);
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        int at = IN_ORDER(i) / RESULTS_PER_VECTOR, part = IN_ORDER(i) % RESULTS_PER_VECTOR;
        struct vector16 *result = &results[IN_PLACE ? at : 0];
        double x = (double)number_of(run, i).v;
        if (!EXCLUSIVE) along_add(&along, x);
        unknown |= along_store(&known, &along, exact, (char *)result + part * RESULT_SIZE);
        if (EXCLUSIVE) along_add(&along, x);
        if (!IN_PLACE && part == (BACKWARD ? 0 : RESULTS_PER_VECTOR - 1)) to[at] = *result;
    }
    if (unknown) return 0;
#pragma unroll
    for (int k = 0; IN_PLACE && k < RESULT_VECTORS; k++) to[k] = results[k];
    return 1;
}

/* The run's own numbers are finite. */
DEVICE_CALL void results_without_doubles(const struct scan_parameters *given, const struct vector16 *run,
                                         struct vector16 *to, int32_t share, const struct left *left,
                                         struct position position)
{
    struct state before = left->state;
    if (position.before.value != 0)
        words_add(&before.sum[0], (uint64_t)position.before.value, (int64_t)(position.before.value >> 64),
                  position.place);
    if (before.sum[0].special & (EXACT_FAILED - 1)) results_all_special(to, before);
    else results_by_words(given, run, to, share, before);
}

/* Every lane of the warp calls it. */
DEVICE void run_results(const struct scan_parameters *given, const struct vector16 *run, struct vector16 *to,
                        int32_t share, const struct left *left, const struct position *position)
{
    if (position->by_words) {
        struct state total, before = warp_by_words(run, &total), at = left->state;
        state_append(&at, &before);
        results_by_words(given, run, to, share, at);
        return;
    }
    struct known known = {left->pair, 0};
    int done = left->kind > 0 && position->top < 900 && position->place > -1000;
    if (done) {
        if (RESULT_PART == 8) pair_add_whole(&known.base, position->before.value, position->place);
        else known.base.high += whole_nearly(position->before.value, position->place);
        known.error = error_of(left, &known.base, power_of_two(position->top) * (32 * RUN), position);
        if (known.error == 0) done = results_by_doubles(run, to, known, 1);
        else done = results_by_doubles(run, to, known, 0);
        if (!done && left->kind == 2)
            done = results_by_pairs(run, to, left->pair, position->before.value, position->place);
    }
    if (!done) results_without_doubles(given, run, to, share, left, *position);
}
