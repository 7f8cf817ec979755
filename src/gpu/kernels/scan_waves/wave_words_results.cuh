/* SPDX-License-Identifier: MIT
 *
 * wave_words_results.cuh - running sums of rows by words, where doubles do not know them. Part of
 * wave_exact_results.cuh. No include guard. */

DEVICE_CALL struct left left_of_words(const struct state *beside)
{
    struct left left = {amount_none(), beside, {0, 0}, 0, 0, 0};
    left.sum.by_words = 1;
    left.kind = words_pair(&beside->sum[0], &left.pair);
    left.unit = lowest_bit(left.pair.low != 0 ? left.pair.low : left.pair.high);
    return left;
}

DEVICE struct left left_of(const struct amount *sum, const struct state *beside)
{
    if (special_of_amount(sum)) return left_special(special_of_amount(sum), beside);
    return sum->by_words ? left_of_words(beside) : left_of_amount(sum, beside);
}

DEVICE struct state left_state(const struct left *left)
{
    return amount_state(left->sum, left->beside);
}

DEVICE_CALL struct left left_and_by_words(const struct left *left, struct amount more, const struct state *beside_more,
                                          struct state *beside)
{
    struct state sum = left_state(left), some = amount_state(more, beside_more);
    uint32_t special = special_of_left(left) | special_of_amount(&more);
    if (special) return left_special(special, beside);
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

/* The same in pairs of doubles where these tell enough. */
DEVICE_CALL void results_after(const struct scan_parameters *given, const struct vector16 *run, struct vector16 *to,
                               int32_t share, struct state before, const struct left *first, uint64_t inside)
{
    struct waiting waiting;
    struct near near;
    if (share == RUN && near_of_state(&before, &near) && (inside == 0 || first->kind >= 2) &&
        !run_in_pairs(run, (char *)(IN_PLACE ? waiting.results : to), near, 0, ~0ull, first->pair, inside))
        waiting_store(&waiting, to);
    else results_by_words(given, run, to, share, before, first, inside);
}

DEVICE_CALL void results_without_doubles(const struct scan_parameters *given, const struct vector16 *run,
                                         struct vector16 *to, int32_t share, const struct left *left,
                                         const struct left *first, struct position position, uint64_t inside)
{
    struct state before = left_state(left);
    if (position.before.value != 0)
        words_add(&before.sum[0], (uint64_t)position.before.value, (int64_t)(position.before.value >> 64),
                  position.place);
    results_after(given, run, to, share, before, first, inside);
}

/* The same of a warp whose numbers are no integers in one unit. Every lane of the warp calls it. */
DEVICE_CALL void results_of_warp_by_words(const struct scan_parameters *given, const struct vector16 *run,
                                          struct vector16 *to, int32_t share, const struct left *left,
                                          const struct left *first, struct starts starts)
{
    struct state total, before = warp_by_words(run, starts.last, starts.reach, &total), at = left_state(left);
    state_append(&at, &before);
    results_after(given, run, to, share, at, first, starts.inside);
}

/* Nothing but NaN comes behind it, until the next row begins; and results of a run there. */
DEVICE int left_is_nan(const struct left *left)
{
    return left->kind == IS_SPECIAL && special_of_left(left) == EXACT_NAN;
}

DEVICE void results_all_nan(struct vector16 *to)
{
    results_all_special(to, EXACT_NAN);
}

/* What is special was cleared when the warp was entered: it is written over results in the end. */
DEVICE int is_special(const struct position *position, const struct left *left)
{
    (void)position, (void)left;
    return 0;
}

DEVICE void special_results(const struct scan_parameters *given, const struct vector16 *run, struct vector16 *to,
                            const struct left *left, struct position position)
{
    (void)given, (void)run, (void)to, (void)left, (void)position;
}

DEVICE void write_if_special(struct vector16 *to, const struct position *position, const struct left *left,
                             const struct left *first, const struct starts *starts)
{
    int was_cleared = position->by_words & WAS_CLEARED;
    if (was_cleared || left->kind == IS_SPECIAL || first->kind == IS_SPECIAL)
        write_specials(to, special_of_left(left), special_of_left(first), starts->specials, was_cleared, *starts);
}

/* A position that knows nothing else. */
DEVICE int are_apart(const struct position *position, int known)
{
    (void)known;
    return position->by_words & 1;
}

DEVICE void results_apart(const struct scan_parameters *given, const struct vector16 *run, struct vector16 *to,
                          int32_t share, const struct left *left, const struct left *first,
                          const struct position *position, const struct starts *starts)
{
    (void)position;
    results_of_warp_by_words(given, run, to, share, left, first, *starts);
}

DEVICE int is_left(int done)
{
    return !done;
}

DEVICE void results_left(const struct scan_parameters *given, const struct vector16 *run, struct vector16 *to,
                         int32_t share, const struct left *left, const struct left *first,
                         const struct position *position, const struct starts *starts, int done)
{
    (void)done;
    results_without_doubles(given, run, to, share, left, first, *position, starts->inside);
}
