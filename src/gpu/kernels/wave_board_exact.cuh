/* SPDX-License-Identifier: MIT
 *
 * wave_board_exact.cuh - of exact sums, what is no amount: digits. Part of wave_board_amount.cuh. No include guard. */

/* Digits of what is no amount. A total becomes what stands left of it in its chunk. */
struct beside {
    struct far total[SLOTS][WARPS];
    struct far chunk[SLOTS]; /* what stands left of a chunk, where digits are needed */
    struct far base;
};

/* Of the thread's warp. */
DEVICE struct far *beside_total(struct beside *beside, uint32_t slot)
{
    return &beside->total[slot][threadIdx.x >> 5];
}

DEVICE void publish_far(const struct board *board, int64_t number, struct digits total, uint32_t special)
{
    far_keep((struct far *)board->states + number, total, special);
    __threadfence();
    __syncwarp();
    if (lane_of() == 0) publish_that_beside(board, number);
}

/* The digits of those chunks among 32 that `chunks` has the bits of; several are under way. */
DEVICE void add_some_far(const struct far *first, uint32_t chunks, struct digits *sum, uint32_t *special)
{
    enum { AT_ONCE = 16 };
    int32_t lane = lane_of();
    while (chunks) {
        struct packed half[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            half[k].value = half[k].seal = 0;
            if (chunks && lane <= FAR_LANES)
                half[k] = packed_load((const struct packed *)&first[__ffs((int)chunks) - 1].share[lane]);
            chunks &= chunks - 1;
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            struct digits more;
            memcpy(&more, &half[k], sizeof more);
            if (lane < FAR_LANES) digits_add(sum, more);
            else *special |= (uint32_t)more.digit[0];
        }
    }
}

/* All were seen before: nothing is waited for. */
DEVICE_CALL struct amount add_beside(struct board board, int64_t from, int64_t to, struct amount base,
                                     struct beside *beside)
{
    uint32_t special = 0;
    int negative;
    struct digits sum = digits_of_amount(&base, &beside->base, &special);
    __threadfence();
    for (int64_t first = from; first < to; first += 32) {
        struct amount amount = amount_none();
        if (first + lane_of() < to) {
            const struct packed *place = &board.packed[PLACES_OF_SPLIT * (first + lane_of())];
            struct packed half[2] = {packed_load(&place[0]), packed_load(&place[1])};
            amount_is_there(half, &amount);
        }
        uint32_t chunks = __ballot_sync(FULL_WARP, amount.by_words);
        if (amount.by_words) amount = amount_none();
        struct amount together = warp_amount(amount);
        for (int32_t lane = 0; together.by_words && lane < 32; lane++) {
            struct amount one = amount_from(amount, (uint32_t)lane);
            digits_add(&sum, digits_of_amount(&one, 0, &special));
        }
        if (!together.by_words) digits_add(&sum, digits_of_amount(&together, 0, &special));
        add_some_far((const struct far *)board.states + first, chunks, &sum, &special);
        digits_carry(&sum);
    }
    special = __shfl_sync(FULL_WARP, special, FAR_LANES);
    digits_settle(&sum);
    far_keep(&beside->base, sum, special);
    struct natural_leading leading = digits_leading(sum, &negative);
    return leading_amount(leading, negative, special);
}

DEVICE_CALL void publish_beside(struct board board, int64_t number, struct amount *totals, struct far *beside)
{
    struct digits sum = digits_none();
    uint32_t special = 0;
    for (int32_t warp = 0; warp < WARPS; warp++) {
        uint32_t upto = special;
        struct digits own = digits_of_amount(&totals[warp], &beside[warp], &special);
        __syncwarp();
        far_keep(&beside[warp], sum, upto);
        digits_add(&sum, own);
    }
    if (lane_of() < WARPS) totals[lane_of()].by_words = 1;
    digits_carry(&sum);
    publish_far(&board, number, sum, special);
}

DEVICE_CALL void keep_base(struct amount base, struct far *beside, struct far *to)
{
    uint32_t special = 0;
    struct digits s = digits_of_amount(&base, beside, &special);
    far_keep(to, s, special);
}

/* What stands left of the chunk's warps: the base, and of the chunk what publish_chunk left. */
DEVICE void leave_left(const struct amount *base, const struct amount *totals, struct amount *left,
                       struct beside *beside, uint32_t slot)
{
    struct amount sum = amount_none();
    if (lane_of() < WARPS) left[lane_of()] = sum = amount_sum(base, &totals[lane_of()]);
    if (__any_sync(FULL_WARP, sum.by_words)) keep_base(*base, &beside->base, &beside->chunk[slot]);
}

/* Of the thread's warp, as that was left. Every lane of it calls it. */
DEVICE struct left left_of_warp(const struct amount *left, struct amount *totals, struct beside *beside, uint32_t slot)
{
    int32_t warp = (int32_t)threadIdx.x >> 5;
    struct parts parts = {&beside->chunk[slot], &totals[warp], &beside->total[slot][warp]};
    return left_of_parts(&left[warp], parts);
}
