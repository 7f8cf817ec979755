/* SPDX-License-Identifier: MIT
 *
 * wave_board_amount.cuh - what the blocks of scan_wave.cu tell each other of exact sums: amounts, or that what is none
 * lies beside, as digits (wave_board_exact.cuh). As wave_board_fold.cuh otherwise. No include guard. */

/* The low and the high half of an amount, whose place goes with the first seal's mark; or that it lies beside, and the
 * bits of what is special. */
enum { PLACES_OF_SPLIT = 2 };

#define HALF_MARK (TOTAL_MARK & ~0xffffull)
#define BESIDE_MARK PREFIX_MARK

DEVICE void publish_amount(const struct board *board, int64_t number, const struct amount *amount)
{
    struct packed *to = &board->packed[PLACES_OF_SPLIT * number];
    uint64_t place = (uint64_t)(uint32_t)(amount->place == NO_PLACE ? 0 : amount->place) & 0xffff;
    place_store(board, number, &to[0], amount->low, amount->low ^ (HALF_MARK | place));
    place_store(board, number, &to[1], (uint64_t)amount->high, (uint64_t)amount->high ^ HALF_MARK);
}

/* That the sum of this chunk lies beside: to be said by those who publish, once all of it is written. Or that it is
 * special. */
DEVICE void publish_that_beside(const struct board *board, int64_t number, uint32_t special)
{
    struct packed *to = &board->packed[PLACES_OF_SPLIT * number];
    place_store(board, number, &to[0], special, special ^ BESIDE_MARK);
    place_store(board, number, &to[1], 0, HALF_MARK);
}

/* Whether the two places hold an amount. */
DEVICE int amount_is_there(const struct packed *half, struct amount *amount)
{
    uint64_t low = half[0].value, high = half[1].value, mark = low ^ half[0].seal;
    amount->low = low;
    amount->high = (int64_t)high;
    amount->place = (low | high) ? (int32_t)(int16_t)(uint16_t)mark : NO_PLACE;
    amount->by_words = mark == BESIDE_MARK;
    return (high ^ half[1].seal) == HALF_MARK & ((mark == BESIDE_MARK) | ((mark & ~0xffffull) == HALF_MARK));
}

#include "wave_board_exact.cuh"

DEVICE struct amount add_published(const struct board *board, int64_t from, int64_t to, struct amount base,
                                   struct beside *beside)
{
    enum { LOOKS = CLUSTER_BLOCKS > 1 ? 1 : 5 };
    struct amount sum = amount_none();
    int32_t by_words = 0;
    if (from == to && !base.by_words) return base;
    board_await(board);
    for (int64_t i = from + ((int32_t)threadIdx.x & 31); i < to; i += 32 * LOOKS) {
        struct amount seen[LOOKS];
        int all_seen;
        do { /* all of them are asked for before the first answer is looked at */
            struct packed half[LOOKS][2];
#pragma unroll
            for (int k = 0; k < LOOKS; k++) {
                const struct packed *from = &board->packed[PLACES_OF_SPLIT * (i + 32 * k < to ? i + 32 * k : i)];
                half[k][0] = place_load(&from[0]);
                half[k][1] = place_load(&from[1]);
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
    return sum.by_words || moved.by_words ? add_beside(*board, from, to, base, beside) : moved;
}

/* Infinities and NaN among the totals of a chunk's warps: those left of the lane's, and all. The finite numbers beside
 * them no longer matter, but stand in a total no more. */
struct chunk_specials {
    uint32_t before, all;
};

DEVICE_CALL struct chunk_specials specials_of_totals(struct amount *totals)
{
    struct chunk_specials specials = {0, 0};
    int32_t lane = (int32_t)threadIdx.x & 31;
    uint32_t own = lane < WARPS ? special_of_amount(&totals[lane]) : 0, upto = specials_upto(own, lane);
    specials.before = __shfl_up_sync(FULL_WARP, upto, 1);
    if (lane == 0) specials.before = 0;
    specials.all = __shfl_sync(FULL_WARP, upto, 31);
    if (own) totals[lane] = amount_none();
    __syncwarp();
    return specials;
}

/* Sums of 32 amounts may be longer than an amount. */
DEVICE void publish_chunk(const struct board *board, int64_t number, struct amount *totals, struct beside *beside,
                          uint32_t slot)
{
    int32_t lane = (int32_t)threadIdx.x & 31, place;
    struct amount total = amount_none();
    struct whole value, all;
    struct chunk_specials specials = {0, 0};
    if (lane < WARPS) total = totals[lane];
    if (__any_sync(FULL_WARP, special_of_amount(&total) != 0)) {
        specials = specials_of_totals(totals);
        total = lane < WARPS ? totals[lane] : amount_none();
    }
    int fails = align_lanes(&total, &place, &value.value);
    if (!fails) value = scan_whole(value.value, lane, &all);
    if (fails || __any_sync(FULL_WARP, is_too_long((int64_t)(uint64_t)(all.value >> 64)))) {
        struct digits sum = leave_beside(totals, beside->total[slot]);
        if (!specials.all) publish_far(board, number, sum);
    } else {
        if (CLUSTER_BLOCKS > 1) all = whole_from(all, 31);
        total = amount_in(all.value, place);
        if (IS_PUBLISHER(lane, 31) && !specials.all) publish_amount(board, number, &total);
        if (lane < WARPS) totals[lane] = amount_in(value.value, place);
    }
    if (specials.all) {
        if (IS_PUBLISHER(lane, 31)) publish_that_beside(board, number, specials.all);
        if (lane < WARPS) totals[lane].by_words |= (int32_t)(2 * specials.before);
    }
    __syncwarp();
}
