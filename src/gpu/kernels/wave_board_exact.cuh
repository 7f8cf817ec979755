/* SPDX-License-Identifier: MIT
 *
 * wave_board_exact.cuh - what the blocks of scan_wave.cu tell each other of exact sums: amounts, or that digits lie
 * beside. As wave_board_fold.cuh otherwise. No include guard. */

/* The low and the high half of an amount, whose place goes with the first seal's mark, or that there are digits. */
enum { PLACES_OF_SPLIT = 2 };

#define HALF_MARK (TOTAL_MARK & ~0xffffull)
#define DIGITS_MARK PREFIX_MARK

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

DEVICE void publish_amount(const struct board *board, int64_t number, const struct amount *amount)
{
    struct packed *to = &board->packed[PLACES_OF_SPLIT * number];
    uint64_t place = (uint64_t)(uint32_t)(amount->place == NO_PLACE ? 0 : amount->place) & 0xffff;
    packed_store(&to[0], amount->low, amount->low ^ (HALF_MARK | place));
    packed_store(&to[1], (uint64_t)amount->high, (uint64_t)amount->high ^ HALF_MARK);
}

DEVICE void publish_far(const struct board *board, int64_t number, struct digits total, uint32_t special)
{
    struct packed *to = &board->packed[PLACES_OF_SPLIT * number];
    far_keep((struct far *)board->states + number, total, special);
    __threadfence();
    __syncwarp();
    if (lane_of() != 0) return;
    packed_store(&to[0], 0, DIGITS_MARK);
    packed_store(&to[1], 0, HALF_MARK);
}

/* Whether the two places hold an amount. */
DEVICE int amount_is_there(const struct packed *half, struct amount *amount)
{
    uint64_t low = half[0].value, high = half[1].value, mark = low ^ half[0].seal;
    amount->low = low;
    amount->high = (int64_t)high;
    amount->place = (low | high) ? (int32_t)(int16_t)(uint16_t)mark : NO_PLACE;
    amount->by_words = mark == DIGITS_MARK;
    return (high ^ half[1].seal) == HALF_MARK & ((mark == DIGITS_MARK) | ((mark & ~0xffffull) == HALF_MARK));
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
DEVICE_CALL struct amount add_far(struct board board, int64_t from, int64_t to, struct amount base,
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
    return sum.by_words || moved.by_words ? add_far(*board, from, to, base, beside) : moved;
}

DEVICE_CALL void publish_by_digits(struct board board, int64_t number, struct amount *totals, struct far *beside)
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

/* Sums of 32 amounts may be longer than an amount. */
DEVICE void publish_chunk(const struct board *board, int64_t number, struct amount *totals, struct beside *beside,
                          uint32_t slot)
{
    int32_t lane = lane_of(), place;
    struct amount total = amount_none();
    struct whole value, all;
    if (lane < WARPS) total = totals[lane];
    int fails = align_lanes(&total, &place, &value.value);
    if (!fails) value = scan_whole(value.value, lane, &all);
    if (fails || __any_sync(FULL_WARP, is_too_long((int64_t)(uint64_t)(all.value >> 64)))) {
        publish_by_digits(*board, number, totals, beside->total[slot]);
        return;
    }
    total = amount_in(all.value, place);
    if (lane == 31) publish_amount(board, number, &total);
    if (lane < WARPS) totals[lane] = amount_in(value.value, place);
    __syncwarp();
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
