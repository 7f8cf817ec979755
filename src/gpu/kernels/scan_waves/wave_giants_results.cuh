/* SPDX-License-Identifier: MIT
 *
 * wave_giants_results.cuh - running sums of rows that have giants (wave_giants.cuh). Part of wave_exact_results.cuh. No
 * include guard. */

DEVICE struct giant_size size_of_both(struct giant_size a, struct giant_size b)
{
    struct giant_size size = {a.unit < b.unit ? a.unit : b.unit, a.floor < b.floor ? a.floor : b.floor,
                              a.top > b.top ? a.top : b.top, a.signs | b.signs};
    return size;
}

DEVICE struct giant_size size_of_sum(const struct pair *sum)
{
    int32_t top = top_of(sum->high);
    struct giant_size size = {lowest_bit(sum->low != 0 ? sum->low : sum->high), top - 2, top, sum->high < 0 ? 1 : 2};
    return size;
}

/* Whether giants are above others in a tile. Every lane of the warp calls it, and gets one answer. */
DEVICE_CALL int giants_above_all(double left, double first, int known, struct position position,
                                 const struct giants *giants)
{
    int had = position.by_words & HAD_GIANTS, carries = position.by_words & CARRIES_GIANTS;
    int32_t others = position.top + WARP_HAS_BITS, left_top = top_of(left), first_top = top_of(first);
    struct giant_size size = had ? giants->size : size_of_sum(&giants->carried);
    if (had && carries) size = size_of_both(size, size_of_sum(&giants->carried));
    others = others > left_top ? others : left_top;
    others = others > first_top ? others : first_top;
    return !__any_sync(FULL_WARP,
                       position.by_words & 1 || !known || !giants_are_above(size_with_more(size), others + 2));
}

DEVICE int giants_are_apart(const struct left *left, const struct left *first, const struct position *position,
                            const struct starts *starts)
{
    return giants_above_all(left->pair.high, first->pair.high, left->kind > 0 && first->kind > 0, *position,
                            starts->giants);
}

/* A left whose sum has two sums of giants, too, in words. */
DEVICE_CALL struct left left_with_giants(struct left left, struct pair a, struct pair b, struct state *beside)
{
    struct state sum = left_state(&left);
    sum.sum[0] = words_add_double(sum.sum[0], a.high, 0);
    sum.sum[0] = words_add_double(sum.sum[0], a.low, 0);
    sum.sum[0] = words_add_double(sum.sum[0], b.high, 0);
    sum.sum[0] = words_add_double(sum.sum[0], b.low, 0);
    *beside = sum;
    struct amount amount = state_amount(sum);
    return left_of(&amount, beside);
}

/* What stands left of the next tile, behind a row that both have some of: `carried` has the others, and gets all where
 * sums of giants are no pairs, or would not be above the others in a tile like the last one. `which` are there. Every
 * lane of the warp calls it; returns whether there are giants. */
DEVICE_CALL int carry_giants(struct giants *giants, int which, struct left *carried, struct state *beside)
{
    struct pair none = {0, 0}, before = which & CARRIES_GIANTS ? giants->carried : none, sum = before;
    struct pair more = which & HAD_GIANTS ? giants->total : none;
    struct left others = *carried;
    int lost = pair_merge(&sum, more);
    __syncwarp();
    if (others.kind == IS_SPECIAL || (!lost && sum.high == 0)) return 0;
    int32_t top = top_of(others.pair.high), next = giants->others + WARP_HAS_BITS;
    struct giant_size size = size_with_more(size_of_sum(&sum));
    if (lost || others.kind == 0 || !giants_are_above(size, (top > next ? top : next) + 2)) {
        if ((threadIdx.x & 31) == 0) *carried = left_with_giants(others, before, more, beside);
        return 0;
    }
    giants->carried = sum;
    return 1;
}

/* Results from words, giants and all. Every lane of the warp calls it. */
DEVICE_CALL void results_with_giants(const struct scan_parameters *given, const struct vector16 *run,
                                     struct vector16 *to, int32_t share, const struct left *left,
                                     const struct left *first, struct position position, struct starts starts)
{
    struct left its_first = *first, its_left = *left;
    struct state beside;
    struct pair none = {0, 0};
    if (position.by_words & CARRIES_GIANTS && starts.open && left->kind != IS_SPECIAL)
        its_left = left_with_giants(its_left, starts.giants->carried, none, &beside);
    if (position.by_words & HAD_GIANTS) giants_put_back(starts.giants, run);
    results_of_warp_by_words(given, run, to, share, &its_left, &its_first, starts);
    write_if_special(to, &position, left, first, &starts);
}

/* How a sum of giants rounds beside others that are less than zero, nothing, and more. */
struct rounded {
    uint64_t less, none, more;
};

/* The double next to high, in the direction of low's sign, if high + low is the middle between the two; else high. */
DEVICE double over_middle(struct pair sum)
{
    double next = sum.high + 2 * sum.low;
    return next - sum.high == 2 * sum.low ? next : sum.high;
}

DEVICE uint64_t round_giant(struct pair sum, double others)
{
    if (RESULT_PART == 8) return double_bits(others * sum.low > 0 ? over_middle(sum) : sum.high);
    return double_result(round_to_odd_sum(sum.high, sum.low != 0 ? sum.low : others * fabs(sum.high) * 0x1p-80));
}

DEVICE_CALL struct rounded round_giants(struct pair sum)
{
    struct rounded r = {round_giant(sum, -1), round_giant(sum, 0), round_giant(sum, 1)};
    return r;
}

/* What others have rounded to becomes what all do. */
DEVICE void add_giants(const struct rounded *r, char *result)
{
    uint64_t bits = 0;
    memcpy(&bits, result, RESULT_SIZE);
    int is_less = (int)(bits >> (8 * RESULT_SIZE - 1)) & 1, is_none = bits << (65 - 8 * RESULT_SIZE) == 0;
    finish_bits(is_none ? r->none : is_less ? r->less : r->more, 0, result);
}

/* Results that others have alone become those of all, of which giants `which` are there. Their sums are pairs. */
DEVICE_CALL void write_giants(struct vector16 *to, struct starts starts, int which)
{
    struct pair sum = {0, 0};
    uint64_t at = which & HAD_GIANTS ? starts.giants->at : 0, inside = starts.inside;
    if (which & CARRIES_GIANTS && starts.open) sum = starts.giants->carried;
    if (which & HAD_GIANTS) pair_merge(&sum, starts.giants->before);
    if (sum.high == 0 && at == 0) return;
    struct rounded rounded = round_giants(sum);
#pragma unroll 1
    for (int32_t i = 0; i < RUN; i++) {
        char *result = (char *)to + IN_ORDER(i) * RESULT_SIZE;
        int is_giant = (int)(at >> i) & 1, has_sum = sum.high != 0;
        struct rounded before = rounded;
        if (inside >> i & 1) sum = {0, 0}, has_sum = 0;
        if (is_giant) {
            pair_add(&sum, giant_value(starts.giants, IN_ORDER(i)));
            rounded = round_giants(sum);
        }
        if (EXCLUSIVE && has_sum) add_giants(&before, result);
        if (!EXCLUSIVE && sum.high != 0) add_giants(&rounded, result);
    }
}
