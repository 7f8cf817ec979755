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

DEVICE void publish_far(const struct board *board, int64_t number, struct digits total)
{
    far_keep((struct far *)board->states + number, total, 0);
    __threadfence();
    __syncwarp();
    if (IS_PUBLISHER(lane_of(), 0)) publish_that_beside(board, number, 0);
}

/* The digits of those chunks among 32 that `chunks` has the bits of. FAR_TEAM lanes read those of a chunk, so that
 * teams have chunks side by side; several are under way. */
DEVICE void add_some_far(const struct far *first, uint32_t chunks, struct digits *sum)
{
    enum { SIDE = 32 / FAR_TEAM, AT_ONCE = SIDE == 1 ? 16 : 32 / SIDE, STEP = SIDE * AT_ONCE };
    int32_t lane = lane_of() % FAR_TEAM;
    const struct far *from = first + lane_of() / FAR_TEAM;
    uint32_t mine = lane < FAR_LANES ? chunks >> lane_of() / FAR_TEAM : 0;
    struct digits all = digits_none();
#pragma unroll 1
    for (int32_t i = 0; i < 32; i += STEP, from += STEP, mine = STEP < 32 ? mine >> STEP % 32 : 0) {
        struct packed some[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            some[k].value = some[k].seal = 0;
            if (mine >> k * SIDE & 1) some[k] = packed_load((const struct packed *)&from[k * SIDE].share[lane]);
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            struct digits more;
            memcpy(&more, &some[k], sizeof more);
            digits_add(&all, more);
        }
    }
#pragma unroll
    for (uint32_t lanes = FAR_TEAM; lanes < 32; lanes *= 2) digits_add(&all, digits_xor(all, lanes));
    if (lane_of() < FAR_LANES) digits_add(sum, all);
}

/* What lanes know of amounts among 32. */
DEVICE_CALL struct digits digits_of_amounts(struct amount mine)
{
    struct digits sum = digits_none();
    struct amount together = warp_amount(mine);
    if (!together.by_words) return digits_of_amount(together, 0);
#pragma unroll 1
    for (uint32_t lane = 0; lane < 32; lane++) digits_add(&sum, digits_of_amount(amount_from(mine, lane), 0));
    return sum;
}

/* What was published of a chunk. */
DEVICE struct amount published(const struct board *board, int64_t number)
{
    struct amount amount;
    const struct packed *place = &board->packed[PLACES_OF_SPLIT * number];
    struct packed half[2] = {place_load(&place[0]), place_load(&place[1])};
    amount_is_there(half, &amount);
    return amount;
}

/* All were seen before: nothing is waited for. */
DEVICE_CALL struct amount add_beside(struct board board, int64_t from, int64_t to, struct amount base,
                                     struct beside *beside)
{
    uint32_t special = special_of_amount(&base);
    if (special == EXACT_NAN) return base;
    uint32_t failure = failure_of_amount(&base, &beside->base);
    struct digits sum = digits_of_amount(base, &beside->base);
    __threadfence();
#pragma unroll 1
    for (int64_t first = from; first < to; first += 32) {
        struct amount amount = first + lane_of() < to ? published(&board, first + lane_of()) : amount_none();
        if (amount.by_words) special |= (uint32_t)amount.low;
        uint32_t chunks = __ballot_sync(FULL_WARP, amount.by_words && amount.low == 0);
        if (amount.by_words) amount = amount_none();
        if (__any_sync(FULL_WARP, amount.place != NO_PLACE)) digits_add(&sum, digits_of_amounts(amount));
        add_some_far((const struct far *)board.states + first, chunks, &sum);
        digits_carry(&sum);
    }
    special = specials_of_warp(special);
    if (special) return amount_special(special_of(special));
    digits_settle(&sum);
    far_keep(&beside->base, sum, failure);
    struct far_leading leading = digits_leading(sum);
    return leading_amount(leading.size, leading.negative, failure);
}

/* Makes of the totals of a chunk's warps what stands left of them there. Returns the chunk's. */
DEVICE_CALL struct digits leave_beside(struct amount *totals, struct far *beside)
{
    struct digits sum = digits_none();
#pragma unroll 1
    for (int32_t warp = 0; warp < WARPS; warp++) {
        struct digits own = digits_of_amount(totals[warp], &beside[warp]);
        __syncwarp();
        far_keep(&beside[warp], sum, 0);
        digits_add(&sum, own);
    }
    if (lane_of() < WARPS) totals[lane_of()].by_words = 1;
    digits_carry(&sum);
    return sum;
}

DEVICE_CALL void keep_base(struct amount base, struct far *beside, struct far *to)
{
    far_keep(to, digits_of_amount(base, beside), failure_of_amount(&base, beside));
}

/* What stands left of a warp, as far as one lane finds out: all, but for what lies beside. */
typedef struct kept {
    struct amount sum;
    struct pair pair;
    int32_t kind, unit;
} kept_left;

/* What stands left of the chunk's warps, a lane for each: the base, and of the chunk what publish_chunk left. */
DEVICE void leave_left(const struct amount *base, const struct amount *totals, kept_left *left, struct beside *beside,
                       uint32_t slot)
{
    struct amount sum = amount_none();
    if (lane_of() < WARPS) {
        struct parts none = {0, 0, 0};
        sum = amount_sum(base, &totals[lane_of()]);
        struct left found = left_of_amount(&sum, none);
        kept_left kept = {sum, found.pair, found.kind, found.unit};
        left[lane_of()] = kept;
    }
    if (__any_sync(FULL_WARP, sum.by_words)) keep_base(*base, &beside->base, &beside->chunk[slot]);
}

/* Of the thread's warp, as that was left. Every lane of it calls it. */
DEVICE struct left left_of_warp(const kept_left *left, struct amount *totals, struct beside *beside, uint32_t slot)
{
    int32_t warp = (int32_t)threadIdx.x >> 5;
    const kept_left *kept = &left[warp];
    struct parts parts = {&beside->chunk[slot], &totals[warp], &beside->total[slot][warp]};
    if (kept->sum.by_words) return left_of_parts(&kept->sum, parts);
    struct left found = {kept->sum, parts, kept->pair, kept->kind, kept->unit, 0};
    return found;
}
