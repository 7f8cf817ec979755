/* SPDX-License-Identifier: MIT
 *
 * blocks_by_powers.cuh - groups of scan_blocks.cu for logsumexp. Scaling by powers of two changes no bits: powers are
 * divided by a power of two that is guessed, and then a running sum is an addition. That is so as long as no power,
 * and no sum that is not beside one too large for it to show, leaves the range of normal numbers: a group whose
 * elements lie too far from the guess goes by steps. No include guard. */

#define STEPS_FUNCTION DEVICE_CALL
#include "blocks_by_steps.cuh"

#if POWERS_ARE_FLOATS
enum { LEAST = -POWER_BELOW_FLOAT, MOST = POWER_ABOVE_FLOAT, GUESSED = 100, ABOVE = 60, BELOW = 100, HALVINGS = 126 };
#else
enum {
    LEAST = -POWER_BELOW_DOUBLE,
    MOST = POWER_ABOVE_DOUBLE,
    GUESSED = 400,
    ABOVE = 400,
    BELOW = 900,
    HALVINGS = 1022
};
#endif

enum {
    FAR = 1 << 19,                       /* halvings that a group may lie below what stands left of it, and more */
    REST = 15,                           /* groups for which what did not do for one is not tried again */
    SUMS = 16 / (int)sizeof(power_real), /* of a vector */
    SUMS_FIT = ELEMENT_SIZE == sizeof(power_real) /* in place of elements */
};

enum how { BY_STEPS, WITH_GAPS, FROM_ELEMENTS, FROM_SUMS };

/* Of a group, from its entering to its results. */
struct entered {
    power_real guess;   /* the exponent of two that powers are divided by */
    power_real largest; /* element */
    int32_t how;        /* sums are found; kept in place of elements, where none is larger than what stands left */
};

#include "blocks_logarithms.cuh"

/* What a warp has learnt from its groups. */
struct learnt {
    power_real guess, left; /* the largest element that stood left of a group, which also stands left of later ones */
    struct factor factor;   /* of that */
    int32_t rest;           /* groups for which the guess is not tried */
};

/* The sum of all runs up to the lane's, divided as the group is. */
typedef power_real lane_kept;

DEVICE void learnt_open(struct learnt *learnt)
{
    memset(learnt, 0, sizeof *learnt);
    learnt->left = -(power_real)INFINITY;
    learnt->rest = 1;
}

DEVICE power_real run_value(const struct run *run, int i)
{
    element x = run_element(run, i);
    return SKIP_NAN && element_is_nan(x) ? -(power_real)INFINITY : (power_real)x.v;
}

/* e^v, divided by two to INTEGER - shift. */
DEVICE power_real power_of(power_real v, power_real shift)
{
    power_real shifted = FUSED(v, POWER_PER_UNIT, shift);
    return scaled(OF_POWERS(power_near_factor)(v, shifted - shift), shifted);
}

DEVICE int is_within(power_real v, power_real shift, power_real least, power_real most)
{
    power_real shifted = FUSED(v, POWER_PER_UNIT, shift);
    return shifted >= POWER_INTEGER + least && shifted <= POWER_INTEGER + most;
}

/* ---- running sums of a run ---- */

struct sums {
    power_real sum[RUN];
    power_real largest, guess;
    int32_t fit;
};

#if ELEMENT_BYTES == 2
/* Whether powers of all fit; and the largest element. */
DEVICE int run_fits(const struct run *run, const power_real *shifted, power_real shift, power_real *largest)
{
    uint32_t most = run->vectors[0].word[0], least = most;
    storage two[2];
    (void)shifted;
#pragma unroll
    for (int i = 1; i < RUN / 2; i++) {
        uint32_t pair = run->vectors[i / 4].word[i % 4];
        most = LARGER_PAIR(most, pair), least = SMALLER_PAIR(least, pair);
    }
    memcpy(two, &most, sizeof two);
    *largest = larger_or_nan(OF_ELEMENT(load)(two, 0).v, OF_ELEMENT(load)(two, 1).v);
    memcpy(two, &least, sizeof two);
    float a = OF_ELEMENT(load)(two, 0).v, b = OF_ELEMENT(load)(two, 1).v;
    return is_within(*largest, shift, LEAST, MOST) && is_within(b < a ? b : a, shift, LEAST, MOST);
}
#elif POWERS_ARE_FLOATS
DEVICE int run_fits(const struct run *run, const power_real *shifted, power_real shift, power_real *largest)
{
    float most = run_element(run, 0).v, least = most;
    (void)shifted;
#pragma unroll
    for (int i = 1; i < RUN; i++) {
        float v = run_element(run, i).v;
        most = larger_or_nan(most, v), least = fminf(least, v);
    }
    *largest = most;
    return is_within(most, shift, LEAST, MOST) && is_within(least, shift, LEAST, MOST);
}
#else
/* By integers, which other units compare: where no number is large, the low words tell exponents. */
DEVICE int run_fits(const struct run *run, const power_real *shifted, power_real shift, power_real *largest)
{
    double most = run_element(run, 0).v;
    int32_t least = (int32_t)(uint32_t)double_bits(shifted[0]);
    uint32_t size = 0; /* twice the high word without a sign: of infinities and NaN, the largest */
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        double v = run_element(run, i).v;
        most = v > most ? v : most;
        least = min(least, (int32_t)(uint32_t)double_bits(shifted[i]));
        size = max(size, (uint32_t)(double_bits(v) >> 32) * 2);
    }
    *largest = most;
    return size < (uint32_t)(double_bits(2097152.0) >> 32) * 2 && least >= LEAST && is_within(most, shift, LEAST, MOST);
}
#endif

/* With a guess that is known; whether it does. */
DEVICE int sum_near(const struct run *run, power_real guess, struct sums *sums)
{
    power_real shift = POWER_INTEGER - guess, shifted[RUN];
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        power_real v = run_element(run, i).v;
        shifted[i] = FUSED(v, POWER_PER_UNIT, shift);
        power_real power = scaled(OF_POWERS(power_near_factor)(v, shifted[i] - shift), shifted[i]);
        sums->sum[i] = i > 0 ? sums->sum[i - 1] + power : power;
    }
    sums->guess = guess;
    return run_fits(run, shifted, shift, &sums->largest);
}

DEVICE power_real largest_of_warp(power_real largest)
{
#pragma unroll
    for (uint32_t distance = 1; distance < 32; distance *= 2)
        largest = larger_or_nan(largest, __shfl_xor_sync(FULL_WARP, largest, distance));
    return largest;
}

/* The same where elements may be -infinity, which are left out. */
DEVICE int sum_with_gaps(const struct run *run, power_real guess, struct sums *sums)
{
    power_real shift = POWER_INTEGER - guess, sum = 0;
    int fit = 1;
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        power_real v = run_value(run, i);
        int some = v != -(power_real)INFINITY;
        power_real power = power_of(v, shift); /* in any case: without branches */
        sum += some ? power : 0;
        fit &= !some || is_within(v, shift, LEAST, MOST);
        sums->sum[i] = sum;
    }
    sums->guess = guess;
    return fit;
}

/* With a guess from the group itself. */
DEVICE_CALL struct sums sum_anew(const struct vector16 *memory)
{
    struct run run = run_load(memory);
    struct sums sums;
    power_real largest = -(power_real)INFINITY;
#pragma unroll
    for (int i = 0; i < RUN; i++) largest = larger_or_nan(largest, run_value(&run, i));
    largest = largest_of_warp(largest);
    power_real guess = largest > -(power_real)INFINITY ? OF_POWERS(power_exponent)(largest) - MOST : 0;
    int known = guess < POWER_LARGEST_GUESS && guess > -POWER_LARGEST_GUESS;
    sums.fit = __all_sync(FULL_WARP, sum_with_gaps(&run, known ? guess : 0, &sums) && known);
    sums.largest = largest;
    return sums;
}

/* ---- entering ---- */

/* For the results: in place of elements, where these will not matter any more. */
DEVICE void keep_sums(const struct sums *sums, struct vector16 *memory)
{
    int32_t first = ((int32_t)threadIdx.x & 31) * RUN_VECTORS;
#pragma unroll
    for (int i = 0; i < RUN / SUMS; i++) {
        struct vector16 v;
        memcpy(&v, &sums->sum[i * SUMS], sizeof v);
        memory[place_of(first + i)] = v;
    }
}

/* The group's total in the last lane. */
DEVICE struct state total_of(const struct sums *sums, power_real largest, power_real upto)
{
    struct state total = {FOLD(wide_identity)()};
    if (!(largest > -(power_real)INFINITY)) return total;
    total.total.part[0] = largest + 0; /* of zeros, the positive one */
    total.total.part[1] = scaled(upto, POWER_INTEGER - (OF_POWERS(power_near_exponent)(largest) - sums->guess));
    return total;
}

/* The groups of a block whose numbers are below the lane's: near each other, they are divided by one power of two,
 * too. */
DEVICE struct left groups_before(const struct state *totals)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
    struct state own = totals[lane % GROUPS];
    struct left before = no_left();
    power_real m = own.total.part[0], exponent = OF_POWERS(power_exponent)(m), most = exponent, sum = 0;
#pragma unroll
    for (uint32_t distance = 1; distance < GROUPS; distance *= 2) {
        power_real other = __shfl_xor_sync(FULL_WARP, most, distance);
        most = other > most ? other : most;
    }
    int some = m != -(power_real)INFINITY;
    if (!__all_sync(FULL_WARP, !some || exponent - most >= -BELOW)) return groups_by_steps(totals);
    power_real share = some ? scaled(own.total.part[1], POWER_INTEGER + (exponent - most)) : 0;
    power_real largest = -(power_real)INFINITY;
#pragma unroll
    for (int32_t g = 0; g < GROUPS; g++) {
        power_real other = __shfl_sync(FULL_WARP, share, g), its_largest = __shfl_sync(FULL_WARP, m, g);
        sum += g < lane ? other : 0;
        largest = g < lane && its_largest > largest ? its_largest : largest;
    }
    before.some = lane > 0;
    before.value.part[0] = largest;
    if (largest > -(power_real)INFINITY)
        before.value.part[1] = scaled(sum, POWER_INTEGER + (most - OF_POWERS(power_exponent)(largest)));
    return before;
}

DEVICE lane_kept enter_by_steps(struct vector16 *memory, struct entered *entered, struct state *total)
{
    struct state upto = upto_by_steps(memory);
    if ((threadIdx.x & 31) == 31) {
        *total = upto;
        entered->how = BY_STEPS;
    }
    return 0;
}

/* Leaves the group's total. */
DEVICE lane_kept enter_group(const struct reduce_parameters *p, struct vector16 *memory, struct learnt *learnt,
                             struct entered *entered, struct state *total)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
    struct run run = run_settle(p, memory);
    struct sums sums;
    int near = 0;
    if (!SKIP_NAN && learnt->rest == 0) near = __all_sync(FULL_WARP, sum_near(&run, learnt->guess, &sums));
    if (!near) {
        learnt->rest = learnt->rest > 0 ? learnt->rest - 1 : REST;
        sums = sum_anew(memory);
        if (!sums.fit) return enter_by_steps(memory, entered, total);
    }
    power_real upto = sums.sum[RUN - 1], largest = largest_of_warp(sums.largest);
#pragma unroll
    for (int32_t distance = 1; distance < 32; distance *= 2) {
        power_real left = __shfl_up_sync(FULL_WARP, upto, (uint32_t)distance);
        if (lane >= distance) upto = left + upto;
    }
    int settled = SUMS_FIT && largest <= learnt->left &&
                  FUSED(learnt->left, POWER_PER_UNIT, POWER_INTEGER - sums.guess) >= POWER_INTEGER - BELOW;
    if (settled) keep_sums(&sums, memory);
    if (lane == 31) {
        *total = total_of(&sums, largest, upto);
        entered->guess = sums.guess;
        entered->largest = largest;
        entered->how = settled ? FROM_SUMS : near ? FROM_ELEMENTS : WITH_GAPS;
    }
    if (largest > -(power_real)INFINITY) learnt->guess = OF_POWERS(power_near_exponent)(largest) - GUESSED;
    return upto;
}

/* ---- results ---- */

/* What a run's sums are multiplied by and added to. */
struct base {
    power_real scale, left, upto; /* the run, and nearly the sum that the run ends with */
    power_real exponent;          /* of two, that the sums are divided by then */
    power_real largest;           /* element that stands left of the run; */
    int32_t grows;                /* whether elements of the group may be larger */
};

/* The group lies `apart` halvings below what stands left of it. Beside what has ABOVE doublings, sums that are halved
 * so often do not show. */
DEVICE struct base base_of(struct FOLD(wide) left, power_real apart, power_real guess, lane_kept upto)
{
    struct base base;
    power_real more = apart > ABOVE ? apart - ABOVE : 0, halvings = more < HALVINGS ? more : HALVINGS;
    power_real sum = scaled(left.part[1], POWER_INTEGER + (apart - more)), run = __shfl_up_sync(FULL_WARP, upto, 1);
    base.scale = scaled(1, POWER_INTEGER - halvings);
    base.left = left.part[0] > -(power_real)INFINITY ? sum : 0;
    base.upto = FUSED(upto, base.scale, base.left);
    if ((threadIdx.x & 31) > 0) base.left = FUSED(run, base.scale, base.left);
    base.exponent = guess + more;
    base.largest = left.part[0];
    return base;
}

/* The largest element that stands left of the lane's run. */
DEVICE power_real largest_left(const struct vector16 *memory, power_real left)
{
    struct run run = run_load(memory);
    power_real largest = run_value(&run, 0);
#pragma unroll
    for (int i = 1; i < RUN; i++) largest = larger_or_nan(largest, run_value(&run, i));
#pragma unroll
    for (uint32_t distance = 1; distance < 32; distance *= 2) {
        power_real other = __shfl_up_sync(FULL_WARP, largest, distance);
        if ((threadIdx.x & 31) >= distance) largest = larger_or_nan(largest, other);
    }
    largest = __shfl_up_sync(FULL_WARP, largest, 1) + 0;
    return (threadIdx.x & 31) > 0 && largest > left ? largest : left;
}

/* A running sum, after the lane's own sum up to there. */
DEVICE power_real with_left(const struct base *base, power_real own)
{
    return FUSED(own, base->scale, base->left);
}

/* By the definition. */
DEVICE_CALL uint64_t sure_result(power_real sum, power_real exponent, power_real largest)
{
    struct FOLD(wide) total = {{largest, 0}};
    uint64_t bits = 0;
    if (largest > -(power_real)INFINITY)
        total.part[1] = scaled(sum, POWER_INTEGER + (exponent - OF_POWERS(power_near_exponent)(largest)));
    finish_value(total, (char *)&bits);
    return bits;
}

#include "blocks_results.cuh"

/* All results are that of what stands left. */
DEVICE_CALL void results_of_left(struct vector16 *memory, struct FOLD(wide) left)
{
    int32_t first = ((int32_t)threadIdx.x & 31) * RUN_VECTORS;
    struct vector16 results;
    for (int i = 0; i < 16 / RESULT_SIZE; i++) finish_value(left, (char *)&results + i * RESULT_SIZE);
#pragma unroll 1
    for (int i = 0; i < RUN_VECTORS; i++) memory[place_of(first + i)] = results;
}

DEVICE_CALL void all_by_steps(struct vector16 *memory, struct left left)
{
    struct state before = state_up(upto_by_steps(memory), 1);
    if ((threadIdx.x & 31) > 0) left_append(&left, before.total);
    results_by_steps(memory, left);
}

DEVICE void group_results(struct vector16 *memory, struct learnt *learnt, const struct entered *entered,
                          struct left left, lane_kept upto, const struct logarithms *logarithms)
{
    struct entered group = *entered;
    power_real most = left.value.part[0], apart = OF_POWERS(power_exponent)(most) - group.guess;
    if (most != learnt->left) {
        learnt->left = most;
        learnt->factor = factor_of(most, logarithms);
    }
    if (group.how == BY_STEPS || (most > -(power_real)INFINITY && apart < -BELOW)) {
        all_by_steps(memory, left);
    } else if (!(apart <= FAR)) {
        results_of_left(memory, left.value);
    } else {
        struct base base = base_of(left.value, apart, group.guess, upto);
        base.grows = !(group.largest <= most && most > -(power_real)INFINITY);
        if (base.grows) base.largest = largest_left(memory, most);
        run_results(memory, entered, &base, &learnt->factor, logarithms);
    }
}
