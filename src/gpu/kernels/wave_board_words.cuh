/* SPDX-License-Identifier: MIT
 *
 * wave_board_words.cuh - of exact sums of narrow floats, what is no amount: words. Part of wave_board_amount.cuh; as
 * wave_board_exact.cuh otherwise. No include guard. */

/* Words of what is no amount. */
struct beside {
    struct state total[SLOTS][WARPS], left[SLOTS][WARPS];
    struct state base;
};

/* Of the thread's warp. */
DEVICE struct state *beside_total(struct beside *beside, uint32_t slot)
{
    return &beside->total[slot][threadIdx.x >> 5];
}

DEVICE_CALL void publish_words(const struct board *board, int64_t number, struct state state)
{
    board->states[2 * number] = state;
    __threadfence();
    publish_that_beside(board, number);
}

/* All were seen before: nothing is waited for. */
DEVICE_CALL struct amount add_beside(struct board board, int64_t from, int64_t to, struct amount base,
                                     struct beside *beside)
{
    struct state sum = state_identity();
    int32_t lane = (int32_t)threadIdx.x & 31;
    __threadfence();
    if (lane == 0) sum = amount_state(base, &beside->base);
    for (int64_t i = from + lane; i < to; i += 32) {
        struct amount amount;
        struct packed half[2] = {packed_load(&board.packed[PLACES_OF_SPLIT * i]),
                                 packed_load(&board.packed[PLACES_OF_SPLIT * i + 1])};
        amount_is_there(half, &amount);
        struct state state = amount_state(amount, &board.states[2 * i]);
        state_append(&sum, &state);
    }
    for (uint32_t distance = 16; distance > 0; distance /= 2) {
        struct state other = state_down(sum, distance);
        if (lane + distance < 32) state_append(&sum, &other);
    }
    sum = state_from(sum, 0);
    base = state_amount(sum);
    if (lane == 0) beside->base = sum;
    __syncwarp();
    return base;
}

DEVICE_CALL void publish_beside(struct board board, int64_t number, struct amount *totals, struct state *words)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
    struct state upto = state_identity();
    if (lane < WARPS) upto = amount_state(totals[lane], &words[lane]);
    upto = warp_scan(upto, lane, WARPS);
    if (lane == WARPS - 1) publish_words(&board, number, upto);
    struct state left = state_up(upto, 1);
    if (lane == 0) left = state_identity();
    if (lane < WARPS) {
        words[lane] = left;
        totals[lane] = state_amount(left);
    }
    __syncwarp();
}

DEVICE_CALL struct amount left_by_words(struct amount base, const struct state *beside_base, struct amount more,
                                        const struct state *beside_more, struct state *beside)
{
    struct state sum = amount_state(base, beside_base), some = amount_state(more, beside_more);
    state_append(&sum, &some);
    *beside = sum;
    return state_amount(sum);
}

/* What stands left of the chunk's warps: the base, and of the chunk what publish_chunk left. */
DEVICE void leave_left(const struct amount *base, const struct amount *totals, struct amount *left,
                       struct beside *beside, uint32_t slot)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
    if (lane >= WARPS) return;
    left[lane] = amount_sum(base, &totals[lane]);
    if (left[lane].by_words)
        left[lane] =
            left_by_words(*base, &beside->base, totals[lane], &beside->total[slot][lane], &beside->left[slot][lane]);
}

/* Of the thread's warp, as that was left. */
DEVICE struct left left_of_warp(const struct amount *left, const struct amount *totals, struct beside *beside,
                                uint32_t slot)
{
    int32_t warp = (int32_t)threadIdx.x >> 5;
    (void)totals;
    return left_of(&left[warp], &beside->left[slot][warp]);
}
