/* SPDX-License-Identifier: MIT
 *
 * wave_run_floats.cuh - a warp's runs of narrow floats as integers in one unit. Part of wave_exact.cuh. No include
 * guard. */

/* A number has so many bits, the lowest of which weighs 2^(exponent field - UNIT_BELOW). */
#if defined(ONLY_TYPE_f32)
#define NUMBER_BITS 24
#elif defined(ONLY_TYPE_bf16)
#define NUMBER_BITS 8
#else
#define NUMBER_BITS 11
#endif
#define UNIT_BELOW (126 + NUMBER_BITS)

/* Subnormal numbers have the place of the smallest normal ones. */
#if defined(ONLY_TYPE_f16)
#define LOWEST_FIELD 113
#else
#define LOWEST_FIELD 1
#endif

/* Bits that sums have beyond those of the largest number: of a run, and of a warp. */
#define RUN_BITS 6
#define WARP_BITS (RUN_BITS + 5)

static_assert(RUN <= 1 << RUN_BITS, "numbers of a run");

/* Exponent fields of a run's numbers as floats: what differs by no more has sums that are doubles, integers of 64 bits,
 * or of two doubles, the larger of which takes what numbers have above a last place that follows from the largest. */
#define MOST_APART_DOUBLE (53 - NUMBER_BITS - RUN_BITS)
#define MOST_APART_64 (62 - NUMBER_BITS - WARP_BITS)
#define LAST_PLACE_BELOW (126 - RUN_BITS - 1 + 52)
#define MOST_APART_BINS (53 + LAST_PLACE_BELOW - RUN_BITS + 1 - UNIT_BELOW)

static_assert(MOST_APART_BINS <= MOST_BITS - PLACE_STEP - NUMBER_BITS - WARP_BITS, "sums are amounts");
static_assert(MOST_APART_DOUBLE + 1 + UNIT_BELOW >= LAST_PLACE_BELOW, "the last place is no unit's fraction");
static_assert(MOST_APART_64 + 1 + UNIT_BELOW >= LAST_PLACE_BELOW, "the same");

/* A run's sum since the last row began, nearly, and the range of all its numbers; zeros have none. */
struct rough {
    double sum;
    struct range range;
};

#if HAS_HALVES
/* Results of binary16 are known from sums in units of the least that an element weighs. */
#define UNIT_IS_LEAST (IS_F16(ELEMENT_NUMBER) && IS_F16(RESULT_NUMBER))

DEVICE struct range range_of(const struct vector16 *run)
{
    enum { FRACTION = NUMBER_BITS - 1, FIELDS_BELOW = LOWEST_FIELD - 1 };
    struct range range = {0, 200};
    struct halves halves = halves_begin();
#pragma unroll
    for (int i = 0; i < RUN / 2; i++) {
        struct vector16 v = run[i / 4];
        halves_see(&halves, halves_counted(v.word[i % 4]));
    }
    uint32_t most = halves_most(&halves);
    if (most) range.top = halves_special(&halves) ? 255 : (int32_t)(most >> FRACTION) + FIELDS_BELOW;
    if (most && !UNIT_IS_LEAST) range.bottom = (int32_t)((halves_least(&halves) + 1) >> FRACTION) + FIELDS_BELOW;
    if (range.bottom < LOWEST_FIELD || UNIT_IS_LEAST) range.bottom = LOWEST_FIELD;
    return range;
}
#else
DEVICE struct range range_of(const struct vector16 *run)
{
    struct range range = {0, 200};
    uint32_t most = 0, least = 0xffffffffu;
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        uint32_t size = __float_as_uint(number_of(run, i).v) << 1;
        most = size > most ? size : most;
        least = size - 1 < least ? size - 1 : least; /* zeros count as large */
    }
    range.top = (int32_t)(most >> 24);
    if (most) range.bottom = (int32_t)((least + 1) >> 24);
    if (range.bottom < LOWEST_FIELD) range.bottom = LOWEST_FIELD;
    return range;
}
#endif

/* The sum goes on over the elements of vector k, in the order of the scan. */
DEVICE double rough_sum_of_vector(const struct vector16 *run, double sum, const struct starts *starts, int k,
                                  int begins_rows)
{
#pragma unroll
    for (int i = k * PER_VECTOR; i < (k + 1) * PER_VECTOR; i++) {
        struct number x = run_number(run, i);
        if (!BY_VECTORS && is_of_ended_row(starts, i)) x.scaled = 0;
        if (BY_VECTORS && begins_rows && BEGINS_ROW(starts, i)) sum = 0;
        sum = number_plus(sum, x);
    }
    return sum;
}

DEVICE struct rough rough_sum(const struct vector16 *run, const struct starts *starts)
{
    struct rough r = {0, range_of(run)};
#pragma unroll
    for (int k = 0; k < VECTORS; k++) {
        if (BEGINS_ROWS(starts, k)) r.sum = rough_sum_of_vector(run, r.sum, starts, k, 1);
        else r.sum = rough_sum_of_vector(run, r.sum, starts, k, 0);
    }
    return r;
}

/* The same in units of 2^unit: no step of either double's sum loses anything. */
DEVICE_CALL struct whole bins_sum(const struct vector16 *run, struct starts starts, int32_t top, int32_t unit)
{
    int32_t last_place = top - LAST_PLACE_BELOW;
    double large = power_of_two(last_place + 52) + power_of_two(last_place + 51), start = large, small = 0;
    struct whole sum;
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        double x = is_of_ended_row(&starts, i) ? 0.0 : (double)number_of(run, i).v, next = large + x;
        small += x - (next - large);
        large = next;
    }
    int64_t places = (int64_t)(double_bits(large) - double_bits(start));
    sum.value =
        ((uint128)(int128)places << (last_place - unit)) + (uint128)(int128)__double2ll_rn(small * power_of_two(-unit));
    return sum;
}

/* Every lane of the warp calls it; *total gets what stands left of lane 32. */
DEVICE struct position position_of(const struct vector16 *run, const struct starts *starts, struct whole *total)
{
    struct rough r = rough_sum(run, starts);
    int32_t top = warp_extreme(r.range.top, 1), bottom = warp_extreme(r.range.bottom, 0), apart = top - bottom;
    int32_t unit = bottom - UNIT_BELOW;
    struct position position = {{0}, unit, top - 126, unit, 0};
    int is_double = r.range.top - r.range.bottom <= MOST_APART_DOUBLE;
    if (__all_sync(FULL_WARP, is_double) && top < 255 && apart <= MOST_APART_64) {
        int64_t sum = __double2ll_rn(r.sum * power_of_two(-unit));
        position.before = scan_narrow(sum, starts->reach, total);
    } else if (top < 255 && apart <= MOST_APART_BINS) {
        position.before = scan_whole(bins_sum(run, *starts, top, unit).value, starts->reach, total);
    } else {
        position.by_words = 1;
    }
    return position;
}
