/* SPDX-License-Identifier: MIT
 *
 * wave_exact_results.cuh - running sums of a run, rounded. Part of wave_run.cuh. No include guard.
 *
 * Nearly always a running sum is known well enough in one or two doubles to be rounded: when both ends of the range in
 * which it must lie round to the same result, that is the result (Ziv, "Fast evaluation of elementary mathematical
 * functions with correctly rounded last bit"). What is not so goes through pairs of doubles, or through words. */

/* What stands left of a warp: the sum, and it as a pair of doubles (see words_pair), which are multiples of 2^unit. */
struct left {
    struct amount sum;
    beside_left beside; /* of the sum */
    struct pair pair;
    int32_t kind, unit;
    uint32_t failure; /* whether what lies beside failed */
};

/* The kind of an infinity or NaN, which is taken for zero until the results that come out are written over. */
#define IS_SPECIAL 3

DEVICE struct left left_special(uint32_t special, beside_left beside)
{
    struct left left = {amount_special(special_of(special)), beside, {0, 0}, IS_SPECIAL, NO_PLACE, 0};
    return left;
}

DEVICE uint32_t special_of_left(const struct left *left)
{
    return special_of_amount(&left->sum);
}

DEVICE_CALL void results_all_special(struct vector16 *to, uint32_t special)
{
    uint64_t bits = exact_round(special_real(special), result_format());
    struct vector16 v;
#pragma unroll
    for (int i = 0; i < RESULTS_PER_VECTOR; i++) finish_bits(bits, i, (char *)&v);
#pragma unroll
    for (int k = 0; k < RESULT_VECTORS; k++) to[k] = v;
}

/* value * 2^place, nearly; exactly if value has 53 bits. */
DEVICE double whole_nearly(uint128 value, int32_t place)
{
    int64_t high = (int64_t)(value >> 64), low = (int64_t)value;
    if (high == low >> 63) return (double)low * power_of_two(place);
    return ((double)high * 0x1p64 + (double)(uint64_t)low) * power_of_two(place);
}

/* The pair of an amount, exactly if that can be. */
DEVICE struct left left_in_full(const struct amount *sum, beside_left beside)
{
    struct left left = {*sum, beside, {0, 0}, 0, sum->place, 0};
    uint128 value = amount_value(sum);
    if (sum->high < 0) value = 0 - value;
    int32_t shift = value ? 128 - bits_of(value) : 0;
    struct natural_leading leading = {value << shift, sum->place - shift, 0};
    left.kind = leading_pair(leading, sum->high < 0, &left.pair);
    return left;
}

/* Whether an amount, which is not zero, has so few bits that a double is the same, as nearly all of narrow floats. */
DEVICE int is_double(const struct amount *sum)
{
    int64_t low = (int64_t)sum->low;
    int is_short = sum->high == low >> 63 && (uint64_t)(low + (1ll << 53)) >> 54 == 0;
    return is_short && low != 0 && sum->place > -1000 && sum->place < 900;
}

/* For results narrower than doubles the pair's low part is left out: kind 1, unless there is none. An amount's place
 * may be far below its lowest bit, from which sums behind it are known to be exact. */
DEVICE struct left left_of_amount(const struct amount *sum, beside_left beside)
{
    if (RESULT_PART == 8) return left_in_full(sum, beside);
    struct left left = {*sum, beside, {0, 0}, 2, sum->place, 0};
    if (sum->place == NO_PLACE) return left;
    if (is_double(sum)) {
        left.unit += __ffsll((long long)sum->low) - 1;
        left.pair.high = (double)(int64_t)sum->low * power_of_two(sum->place);
        return left;
    }
    uint128 value = amount_value(sum);
    int32_t zeros = sum->low ? __ffsll((long long)sum->low) - 1 : 63 + __ffsll((long long)sum->high);
    int128 odd = (int128)value >> zeros;
    left.unit += zeros;
    if (left.unit < 900 && (uint128)(odd + ((int128)1 << 52)) >> 53 == 0) {
        left.pair.high = (double)(int64_t)odd * power_of_two(left.unit);
    } else {
        left.pair.high = whole_nearly(value, sum->place);
        left.kind = 1;
    }
    return left;
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

/* A running sum as far as doubles know it, give or take an error: the two ends between which it lies; or, IN_PAIRS,
 * large - offset + low: the offset is so large that additions to it have one last place, and what that does not take is
 * added to low. */
#define IN_PAIRS (RESULT_PART == 8)

struct known {
    double least, most;
    double large, offset, low, error;
};

/* The running sum stays below `bound`. */
DEVICE struct known known_of(struct pair base, double error, double bound)
{
    struct known known = {base.high - error, base.high + error, 0, 0, 0, error};
    if (!IN_PAIRS) return known;
    known.offset = double_from_bits(((double_bits(bound) >> 52) + 2) << 52 | 1ull << 51);
    known.large = known.offset + base.high;
    known.low = (base.high - (known.large - known.offset)) + base.low;
    return known;
}

DEVICE_UNUSED void known_add(struct known *known, double x)
{
    if (IN_PAIRS) {
        double next = known->large + x;
        known->low += x - (next - known->large);
        known->large = next;
    } else {
        known->least += x;
        known->most += x;
    }
}

DEVICE void known_add_number(struct known *known, struct number x)
{
    if (IN_PAIRS) {
        known_add(known, number_value(x));
    } else {
        known->least = number_plus(known->least, x);
        known->most = number_plus(known->most, x);
    }
}

/* Whether the result, which is multiplied by a power of two if it is as wide as a double, is not known. */
DEVICE int known_store(const struct known *known, int exact, double scale, char *out)
{
    double least = known->least, most = known->most;
    if (IN_PAIRS) {
        double large = known->large - known->offset;
        least = (large + (exact ? known->low : known->low - known->error)) * scale;
        most = (large + (known->low + known->error)) * scale;
    }
    uint64_t bits = nearest(least);
    finish_bits(bits, 0, out);
    return !exact && bits != nearest(most);
}

/* Bounds the size of what stands left and of the numbers of the warp together, which stay below `size`. */
DEVICE double bound_of(const struct left *left, const struct left *first, const struct pair *base, double size)
{
    return fabs(base->high) + fabs(left->pair.high) + size + (SEGMENTED ? fabs(first->pair.high) : 0);
}

/* What so many steps of doubles lose at most, of the largest number that is in them. */
#define LOST_IN(steps) ((steps)*0x1p-53)

/* What is lost along a run, and in what stands left of it: a step for each element, and for what begins with the left
 * at most 10. Nothing, if all are multiples of a unit, and so few that a double holds them, or two. */
DEVICE double error_of(const struct left *left, const struct left *first, double bound, const struct position *position)
{
    int32_t unit = position->unit < left->unit ? position->unit : left->unit;
    int kind = left->kind;
    if (SEGMENTED) {
        unit = unit < first->unit ? unit : first->unit;
        kind = kind < first->kind ? kind : first->kind;
    }
    int exact = kind >= 2 && unit > -1000 && (unit > 900 || bound < power_of_two(unit + (RESULT_PART == 8 ? 98 : 52)));
    return exact ? 0 : bound * (RESULT_PART == 8 ? 0x1p-94 : LOST_IN(RUN + 12));
}

/* Whether no running sum of a run loses anything in one double, by exponents alone: one of the lefts and all numbers of
 * the warp are less than two of the largest powers of two here. */
DEVICE int is_surely_exact(const struct left *left, const struct left *first, const struct position *position)
{
    int32_t unit = position->unit < left->unit ? position->unit : left->unit, kind = left->kind;
    int32_t top = top_of(left->pair.high), numbers = position->top + WARP_HAS_BITS;
    if (SEGMENTED) {
        int32_t first_top = top_of(first->pair.high);
        unit = unit < first->unit ? unit : first->unit;
        kind = kind < first->kind ? kind : first->kind;
        top = top > first_top ? top : first_top;
    }
    top = top > numbers ? top : numbers;
    return kind >= 2 && unit > -1000 && top < unit + 53;
}

/* Results that wait until those in whose elements' place they go are all known. */
struct waiting {
    struct vector16 results[IN_PLACE ? RESULT_VECTORS : 1];
};

DEVICE void waiting_store(const struct waiting *waiting, struct vector16 *to)
{
#pragma unroll
    for (int k = 0; IN_PLACE && k < RESULT_VECTORS; k++) to[k] = waiting->results[k];
}

/* Where a running sum stands, and which results were not known until then: a bit for each, but all together where no
 * row begins in a run. */
struct runner {
    struct known known;
    uint64_t unknown;
};

/* The elements of vector k, in the order of the scan. */
DEVICE void runner_take(struct runner *r, const struct vector16 *run, struct vector16 *to, struct waiting *waiting,
                        const struct known *at_start, const struct starts *starts, int exact, int k, int begins_rows)
{
#pragma unroll
    for (int i = k * PER_VECTOR; i < (k + 1) * PER_VECTOR; i++) {
        int at = IN_ORDER(i) / RESULTS_PER_VECTOR, part = IN_ORDER(i) % RESULTS_PER_VECTOR;
        struct vector16 *result = &waiting->results[IN_PLACE ? at : 0];
        struct number x = run_number(run, i);
        if (begins_rows && BEGINS_ROW(starts, i)) r->known = *at_start;
        if (!EXCLUSIVE) known_add_number(&r->known, x);
        uint64_t unknown = (uint64_t)known_store(&r->known, exact, 1, (char *)result + part * RESULT_SIZE);
        r->unknown |= unknown << (SEGMENTED ? i : 0);
        if (EXCLUSIVE) known_add_number(&r->known, x);
        if (!IN_PLACE && part == (BACKWARD ? 0 : RESULTS_PER_VECTOR - 1)) to[at] = *result;
    }
}

/* All results if they are known; otherwise nothing is written to a run that is its own place. Returns which are not. */
DEVICE uint64_t results_by_doubles(const struct vector16 *run, struct vector16 *to, struct waiting *waiting,
                                   struct known known, struct known at_start, const struct starts *starts, int exact)
{
    struct runner r = {known, 0};
    memset(waiting, 0, sizeof *waiting);
#if BY_VECTORS
    struct vector16 own[VECTORS]; /* all are asked for before one is looked at: no branch is between them */
#pragma unroll
    for (int k = 0; k < VECTORS; k++) own[k] = run[k];
    run = own;
#endif
#pragma unroll
    for (int k = 0; k < VECTORS; k++) {
        if (BEGINS_ROWS(starts, k)) runner_take(&r, run, to, waiting, &at_start, starts, exact, k, 1);
        else runner_take(&r, run, to, waiting, &at_start, starts, exact, k, 0);
    }
    if (!r.unknown) waiting_store(waiting, to);
    return r.unknown;
}

DEVICE struct left left_again(const struct left *left)
{
    return left->sum.by_words ? *left : left_in_full(&left->sum, left->beside);
}

/* The same in pairs of doubles, which hold ties as well, from element `from` on, for results that are not known;
 * whether one is still not. Rarely needed. */
DEVICE_CALL int run_in_pairs(const struct vector16 *run, char *results, struct near near, int32_t from,
                             uint64_t unknown, struct pair first, uint64_t inside)
{
    int failed = 0;
#pragma unroll 1
    for (int i = from; i < RUN && unknown >> i; i++) {
        if (SEGMENTED && (inside >> i & 1)) near = {first, 0};
        struct near left = near;
        element x = load_element(run, IN_ORDER(i));
        if (!(SKIP_NAN && element_is_nan(x))) near_add(&near, (double)x.v);
        if (unknown >> i & 1) failed |= near_store(EXCLUSIVE ? &left : &near, results + IN_ORDER(i) * RESULT_SIZE);
    }
    return failed;
}

/* What stands left of a run, in pairs of doubles. */
DEVICE_CALL struct near near_before(struct pair left, uint128 before, int32_t place)
{
    struct near near = {left, 0};
#pragma unroll 1
    for (int i = 0; i < 4; i++) near_add(&near, whole_part(before, place, i));
    return near;
}

/* Results that are not known yet, others of a run in its own place wait. Where a row begins before the first of them,
 * it does not matter what stands left of the run. Whether all are known then. */
DEVICE int results_by_pairs(const struct vector16 *run, struct vector16 *to, struct waiting waiting, uint64_t unknown,
                            const struct left *left, const struct left *first, const struct position *position,
                            const struct starts *starts)
{
    uint64_t begun = SEGMENTED ? starts->inside & ((unknown & (0 - unknown)) * 2 - 1) : 0;
    struct left its_first = left_again(first);
    struct near near = {its_first.pair, 0};
    if (its_first.kind < 2) return 0;
    if (!begun) {
        struct left its_left = left_again(left);
        if (its_left.kind < 2) return 0;
        near = near_before(its_left.pair, position->before.value, position->place);
    }
    int32_t from = begun ? 63 - __clzll((long long)begun) : 0;
    if (run_in_pairs(run, (char *)(IN_PLACE ? waiting.results : to), near, from, SEGMENTED ? unknown : ~0ull,
                     its_first.pair, starts->inside))
        return 0;
    waiting_store(&waiting, to);
    return 1;
}

#if BY_WORDS
#include "wave_words_results.cuh"
#if HAS_GIANTS
#include "wave_giants_results.cuh"
#endif
#else
#include "wave_far_results.cuh"
#endif

/* Of numbers that are integers in one unit, whether that was possible. */
DEVICE int results_of_wholes(const struct vector16 *run, struct vector16 *to, const struct left *left,
                             const struct left *first, const struct position *position, const struct starts *starts)
{
    struct pair base = left->pair;
    if (RESULT_PART == 8) pair_add_whole(&base, position->before.value, position->place);
    else base.high += whole_nearly(position->before.value, position->place);
    int exact = RESULT_PART != 8 && is_surely_exact(left, first, position);
    double bound = exact ? 0 : bound_of(left, first, &base, power_of_two(position->top) * (32 * RUN));
    double error = exact ? 0 : error_of(left, first, bound, position);
    struct known known = known_of(base, error, bound), at_start = known_of(first->pair, error, bound);
    struct waiting waiting;
    if (error == 0) return !results_by_doubles(run, to, &waiting, known, at_start, starts, 1);
    uint64_t unknown = results_by_doubles(run, to, &waiting, known, at_start, starts, 0);
    return !unknown || results_by_pairs(run, to, waiting, unknown, left, first, position, starts);
}

/* Every lane of the warp calls it. `left` stands left of what the position knows, `first` of every row that begins in
 * the run. What rarely happens gets copies, so that the rest may stay in registers. */
DEVICE void run_results(const struct scan_parameters *given, const struct vector16 *run, struct vector16 *to,
                        int32_t share, const struct left *left, const struct left *first,
                        const struct position *position, const struct starts *starts)
{
    if (is_special(position, left)) {
        struct left its_left = *left;
        special_results(given, run, to, &its_left, *position);
        return;
    }
#if HAS_GIANTS
    int giants = position->by_words & (HAD_GIANTS | CARRIES_GIANTS);
    if (giants && !giants_are_apart(left, first, position, starts)) {
        results_with_giants(given, run, to, share, left, first, *position, *starts);
        return;
    }
#endif
    int known = left->kind > 0 && (!SEGMENTED || first->kind > 0) && position->top < 900 && position->place > -1000;
    if (are_apart(position, known)) {
        struct left its_left = *left, its_first = *first;
        results_apart(given, run, to, share, &its_left, &its_first, position, starts);
    } else {
        int done = known && results_of_wholes(run, to, left, first, position, starts);
        if (is_left(done)) {
            struct left its_left = *left, its_first = *first;
            results_left(given, run, to, share, &its_left, &its_first, position, starts, done);
        }
    }
#if HAS_GIANTS
    if (giants) write_giants(to, *starts, giants);
#endif
    write_if_special(to, position, left, first, starts);
}
