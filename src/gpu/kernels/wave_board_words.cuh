/* SPDX-License-Identifier: MIT
 *
 * wave_board_words.cuh - what the blocks of scan_wave.cu tell each other of exact sums of narrow floats: amounts, or
 * that words lie beside. As wave_board_exact.cuh otherwise. No include guard. */

/* The low and the high half of an amount, whose place goes with the first seal's mark, or that there are words. */
enum { PLACES_OF_SPLIT = 2 };

#define HALF_MARK (TOTAL_MARK & ~0xffffull)
#define WORDS_MARK PREFIX_MARK

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

DEVICE void publish_amount(const struct board *board, int64_t number, const struct amount *amount)
{
    struct packed *to = &board->packed[PLACES_OF_SPLIT * number];
    uint64_t place = (uint64_t)(uint32_t)(amount->place == NO_PLACE ? 0 : amount->place) & 0xffff;
    packed_store(&to[0], amount->low, amount->low ^ (HALF_MARK | place));
    packed_store(&to[1], (uint64_t)amount->high, (uint64_t)amount->high ^ HALF_MARK);
}

DEVICE_CALL void publish_words(const struct board *board, int64_t number, struct state state)
{
    struct packed *to = &board->packed[PLACES_OF_SPLIT * number];
    board->states[2 * number] = state;
    __threadfence();
    packed_store(&to[0], 0, WORDS_MARK);
    packed_store(&to[1], 0, HALF_MARK);
}

/* Whether the two places hold an amount. */
DEVICE int amount_is_there(const struct packed *half, struct amount *amount)
{
    uint64_t low = half[0].value, high = half[1].value, mark = low ^ half[0].seal;
    amount->low = low;
    amount->high = (int64_t)high;
    amount->place = (low | high) ? (int32_t)(int16_t)(uint16_t)mark : NO_PLACE;
    amount->by_words = mark == WORDS_MARK;
    return (high ^ half[1].seal) == HALF_MARK & ((mark == WORDS_MARK) | ((mark & ~0xffffull) == HALF_MARK));
}

/* All were seen before: nothing is waited for. */
DEVICE_CALL struct amount add_words(struct board board, int64_t from, int64_t to, struct amount base,
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

DEVICE struct amount add_published(const struct board *board, int64_t from, int64_t to, struct amount base,
                                   struct beside *beside)
{
    enum { LOOKS = 5 };
    struct amount sum = amount_none();
    int32_t by_words = 0;
    for (int64_t i = from + ((int32_t)threadIdx.x & 31); i < to; i += 32 * LOOKS) {
        struct amount seen[LOOKS];
        int all_seen;
        do { /* all of them are asked for before the first answer is looked at */
            struct packed half[LOOKS][2];
#pragma unroll
            for (int k = 0; k < LOOKS; k++) {
                const struct packed *from = &board->packed[PLACES_OF_SPLIT * (i + 32 * k < to ? i + 32 * k : i)];
                half[k][0] = packed_load(&from[0]);
                half[k][1] = packed_load(&from[1]);
            }
            all_seen = 1;
#pragma unroll
            for (int k = 0; k < LOOKS; k++) all_seen &= amount_is_there(half[k], &seen[k]);
        } while (!all_seen);
#pragma unroll
        for (int k = 1; k < LOOKS; k++) {
            if (i + 32 * k >= to) seen[k] = amount_none();
        }
#pragma unroll
        for (int k = 0; k < LOOKS; k++) {
            sum = amount_sum(&sum, &seen[k]);
            by_words |= sum.by_words;
        }
    }
    sum.by_words = by_words;
    sum = warp_amount(sum);
    struct amount moved = amount_sum(&base, &sum);
    return sum.by_words || moved.by_words ? add_words(*board, from, to, base, beside) : moved;
}

DEVICE_CALL void publish_by_words(struct board board, int64_t number, struct amount *totals, struct state *words)
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

/* Sums of 32 amounts may be longer than an amount. */
DEVICE void publish_chunk(const struct board *board, int64_t number, struct amount *totals, struct beside *beside,
                          uint32_t slot)
{
    int32_t lane = (int32_t)threadIdx.x & 31, place;
    struct amount total = amount_none();
    struct whole value, all;
    if (lane < WARPS) total = totals[lane];
    int fails = align_lanes(&total, &place, &value.value);
    if (!fails) value = scan_whole(value.value, lane, &all);
    if (fails || __any_sync(FULL_WARP, is_too_long((int64_t)(uint64_t)(all.value >> 64)))) {
        publish_by_words(*board, number, totals, beside->total[slot]);
        return;
    }
    total = amount_in(all.value, place);
    if (lane == 31) publish_amount(board, number, &total);
    if (lane < WARPS) totals[lane] = amount_in(value.value, place);
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
