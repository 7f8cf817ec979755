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
    const struct state *beside; /* of the sum */
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

DEVICE_CALL struct left left_of_words(const struct state *beside)
{
    struct left left;
    left.sum = amount_none();
    left.sum.by_words = 1;
    left.beside = beside;
    left.kind = words_pair(&beside->sum[0], &left.pair);
    left.unit = lowest_bit(left.pair.low != 0 ? left.pair.low : left.pair.high);
    return left;
}

/* value * 2^place, nearly; exactly if value has 53 bits. */
DEVICE double whole_nearly(uint128 value, int32_t place)
{
    int64_t high = (int64_t)(value >> 64), low = (int64_t)value;
    if (high == low >> 63) return (double)low * power_of_two(place);
    return ((double)high * 0x1p64 + (double)(uint64_t)low) * power_of_two(place);
}

/* The pair of an amount, exactly if that can be. */
DEVICE struct left left_in_full(const struct amount *sum, const struct state *beside)
{
    if (sum->by_words) return left_of_words(beside);
    struct left left = {*sum, beside, {0, 0}, 0, sum->place};
    uint128 value = amount_value(sum);
    if (sum->high < 0) value = 0 - value;
    int32_t shift = value ? 128 - bits_of(value) : 0;
    struct natural_leading leading = {value << shift, sum->place - shift, 0};
    left.kind = leading_pair(leading, sum->high < 0, &left.pair);
    return left;
}

/* For results narrower than doubles the pair's low part is left out: kind 1, unless there is none. */
DEVICE struct left left_of(const struct amount *sum, const struct state *beside)
{
    if (RESULT_PART == 8 || sum->by_words) return left_in_full(sum, beside);
    struct left left = {*sum, beside, {0, 0}, 1, sum->place};
    if (sum->place == NO_PLACE) {
        left.kind = 2;
        return left;
    }
    left.pair.high = whole_nearly(amount_value(sum), sum->place);
    if (sum->high == (int64_t)sum->low >> 63 && (uint64_t)((int64_t)sum->low + (1ll << 52)) >> 53 == 0) left.kind = 2;
    return left;
}

DEVICE struct state left_state(const struct left *left)
{
    return amount_state(left->sum, left->beside);
}

DEVICE_CALL struct left left_and_by_words(const struct left *left, struct amount more, const struct state *beside_more,
                                          struct state *beside)
{
    struct state sum = left_state(left), some = amount_state(more, beside_more);
    state_append(&sum, &some);
    *beside = sum;
    struct amount amount = state_amount(sum);
    return left_of(&amount, beside);
}

/* What stands left, and more behind it. By one thread; the states are beside `more` and beside the result. */
DEVICE struct left left_and(const struct left *left, const struct amount *more, const struct state *beside_more,
                            struct state *beside)
{
    struct amount sum = amount_sum(&left->sum, more);
    if (sum.by_words) return left_and_by_words(left, *more, beside_more, beside);
    return left_of(&sum, beside);
}

/* Of the first `share` elements alone, since there may be nothing behind them. `inside` as in struct starts. */
DEVICE_CALL void results_by_words(const struct scan_parameters *given, const struct vector16 *run, struct vector16 *to,
                                  int32_t share, struct state before, const struct left *first, uint64_t inside)
{
    uint32_t failure = 0;
#pragma unroll 1
    for (int32_t i = 0; i < share; i++) {
        if (SEGMENTED && (inside >> i & 1)) before = left_state(first);
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

/* A running sum as far as doubles know it: base + what was added along the run, give or take the error. Results as wide
 * as doubles need the base; others are between two doubles each of which goes along. */
struct known {
    struct pair base;
    double error;
    double least, most;
};

DEVICE struct known known_of(struct pair base, double error)
{
    struct known known = {base, error, base.high - error, base.high + error};
    return known;
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
        least = (exact ? known->base.high : known->least) + along->high;
        most = known->most + along->high;
    }
    uint64_t bits = nearest(least);
    finish_bits(bits, 0, out);
    return !exact && bits != nearest(most);
}

/* What is lost along a run, and in what stands left of it. Nothing, if all are multiples of a unit, and so few that a
 * double holds them, or two. `size` bounds the numbers of the warp together. */
DEVICE double error_of(const struct left *left, const struct left *first, const struct pair *base, double size,
                       const struct position *position)
{
    double most = fabs(base->high) + fabs(left->pair.high) + size;
    int32_t unit = position->unit < left->unit ? position->unit : left->unit;
    int kind = left->kind;
    if (SEGMENTED) {
        most += fabs(first->pair.high);
        unit = unit < first->unit ? unit : first->unit;
        kind = kind < first->kind ? kind : first->kind;
    }
    int exact = kind == 2 && unit > -1000 && (unit > 900 || most < power_of_two(unit + (RESULT_PART == 8 ? 100 : 52)));
    return exact ? 0 : most * (RESULT_PART == 8 ? 0x1p-96 : 0x1p-45);
}

/* The same in pairs of doubles, which hold ties as well: nothing is written if something is lost. Rarely needed. */
DEVICE_CALL int results_by_pairs(const struct vector16 *run, struct vector16 *to, struct pair base, uint128 before,
                                 int32_t place, const struct left *first, uint64_t inside)
{
    struct pair start = base;
    int lost = 0;
    for (int i = 0; i < 4; i++) lost |= pair_add(&start, whole_part(before, place, i));
    for (int storing = 0; storing < 2 && !lost; storing++) {
        struct pair pair = start;
#pragma unroll 1
        for (int i = 0; i < RUN; i++) {
            if (SEGMENTED && (inside >> i & 1)) pair = first->pair;
            struct pair left = pair;
            element x = load_element(run, IN_ORDER(i));
            if (!(SKIP_NAN && element_is_nan(x))) lost |= pair_add(&pair, (double)x.v);
            if (storing) pair_store(EXCLUSIVE ? left : pair, 0, (char *)to + IN_ORDER(i) * RESULT_SIZE);
        }
    }
    return !lost;
}

/* All results if they are known; otherwise nothing is written to a run that is its own place. */
DEVICE int results_by_doubles(const struct vector16 *run, struct vector16 *to, struct known known,
                              struct known at_start, const struct starts *starts, int exact)
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
        if (BEGINS_ROW(starts, i)) known = at_start, along.high = along.low = 0;
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
                                         const struct left *first, struct position position, uint64_t inside)
{
    struct state before = left_state(left);
    if (position.before.value != 0)
        words_add(&before.sum[0], (uint64_t)position.before.value, (int64_t)(position.before.value >> 64),
                  position.place);
    if (before.sum[0].special & (EXACT_FAILED - 1) && inside == 0) results_all_special(to, before);
    else results_by_words(given, run, to, share, before, first, inside);
}

/* The same of a warp whose numbers are no integers in one unit. Every lane of the warp calls it. */
DEVICE_CALL void results_of_warp_by_words(const struct scan_parameters *given, const struct vector16 *run,
                                          struct vector16 *to, int32_t share, const struct left *left,
                                          const struct left *first, struct starts starts)
{
    struct state total, before = warp_by_words(run, starts.last, starts.reach, &total), at = left_state(left);
    state_append(&at, &before);
    results_by_words(given, run, to, share, at, first, starts.inside);
}

/* Every lane of the warp calls it. `left` stands left of what the position knows, `first` of every row that begins in
 * the run. What rarely happens gets copies, so that the rest may stay in registers. */
DEVICE void run_results(const struct scan_parameters *given, const struct vector16 *run, struct vector16 *to,
                        int32_t share, const struct left *left, const struct left *first,
                        const struct position *position, const struct starts *starts)
{
    if (position->by_words) {
        struct left its_left = *left, its_first = *first;
        results_of_warp_by_words(given, run, to, share, &its_left, &its_first, *starts);
        return;
    }
    struct pair base = left->pair;
    int done = left->kind > 0 && (!SEGMENTED || first->kind > 0) && position->top < 900 && position->place > -1000;
    if (done) {
        if (RESULT_PART == 8) pair_add_whole(&base, position->before.value, position->place);
        else base.high += whole_nearly(position->before.value, position->place);
        double error = error_of(left, first, &base, power_of_two(position->top) * (32 * RUN), position);
        struct known known = known_of(base, error), at_start = known_of(first->pair, error);
        if (error == 0) done = results_by_doubles(run, to, known, at_start, starts, 1);
        else done = results_by_doubles(run, to, known, at_start, starts, 0);
        if (!done) {
            struct left its_left = left_in_full(&left->sum, left->beside);
            struct left its_first = left_in_full(&first->sum, first->beside);
            if (its_left.kind == 2 && its_first.kind == 2)
                done = results_by_pairs(run, to, its_left.pair, position->before.value, position->place, &its_first,
                                        starts->inside);
        }
    }
    if (!done) {
        struct left its_left = *left, its_first = *first;
        results_without_doubles(given, run, to, share, &its_left, &its_first, *position, starts->inside);
    }
}
