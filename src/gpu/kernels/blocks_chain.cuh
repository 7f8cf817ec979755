/* SPDX-License-Identifier: MIT
 *
 * blocks_chain.cuh - the block of scan_blocks.cu that chains the totals of the axis's blocks, from left to right. One
 * warp chains batches of 32, the others bring the next ones. No include guard. */

enum { BATCH = 32, BATCHES = 16, BRINGERS = GROUPS };

struct chain_room {
    struct state total[BATCHES][BATCH];
    volatile uint32_t batch[BATCHES][BATCH]; /* which one a total is of, plus 1 */
    volatile uint32_t done;                  /* batches */
};

DEVICE void chain_open(struct chain_room *room)
{
    for (int i = 0; i < BATCHES * BATCH; i++) room->batch[i / BATCH][i % BATCH] = 0;
    room->done = 0;
}

DEVICE uint32_t shared_look(const volatile uint32_t *from)
{
#if defined(TALLY_SIMT)
    simt_yield();
#endif
    return *from;
}

/* Every BRINGERS-th batch, from one on; each total is passed on as soon as it is there. */
DEVICE void bring(const struct notes *notes, struct chain_room *room, uint32_t batch)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
    for (; (int64_t)batch * BATCH < notes->blocks; batch += BRINGERS) {
        int64_t number = (int64_t)batch * BATCH + lane;
        uint32_t slot = batch % BATCHES;
        int there = number >= notes->blocks;
        while (shared_look(&room->done) + BATCHES <= batch) {
        }
        __syncwarp();
        do {
            struct state total;
            if (there || !note_take(&notes->totals[number], &total)) continue;
            room->total[slot][lane] = total;
            __threadfence_block();
            room->batch[slot][lane] = batch + 1;
            there = 1;
#if defined(TALLY_SIMT)
            simt_progress();
#endif
        } while (!__all_sync(FULL_WARP, there));
    }
}

/* The carry is what stands left of lane `begin`; *left gets what stands left of the lane, if it is below `end`. */
#if defined(PICK_VALUE_LOGADD)
#if defined(ONLY_TYPE_f64)
typedef double real;
#define POWER exp_nonpositive_double
#else
typedef float real;
#define POWER exp_nonpositive_float
#endif

DEVICE real larger_exponent(real a, real b)
{
    return b > a || b != b ? b : a;
}

/* The steps of LOGADD: which exponent is the larger one does not depend on the sums, so that all lanes find their
 * powers at once, and a multiplication and an addition are left to do one after the other. */
DEVICE void chain_lanes(struct left *carry, const struct state *total, int32_t begin, int32_t end, struct left *left)
{
    int32_t lane = (int32_t)threadIdx.x & 31, first = begin;
    if (!carry->some) {
        struct state own = state_from(*total, (uint32_t)begin);
        left_append_state(carry, &own);
        first++;
    }
    real most = carry->value.part[0], sum = carry->value.part[1], own = total->total.part[0], its_sum = sum, power;
    real upto = lane == first ? larger_exponent(most, own) : own, before;
    for (int32_t distance = 1; distance < 32; distance *= 2) {
        real lower = __shfl_up_sync(FULL_WARP, upto, (uint32_t)distance);
        if (lane - distance >= first) upto = larger_exponent(lower, upto);
    }
    before = __shfl_up_sync(FULL_WARP, upto, 1);
    if (lane <= first) before = most;
    power = POWER(before == own ? 0 : -REAL_MAGNITUDE(before - own));
    real scale = own > before ? power : 1, more = own > before ? total->total.part[1] : total->total.part[1] * power;
#pragma unroll 8
    for (int32_t i = first; i < end; i++) {
        real its_scale = __shfl_sync(FULL_WARP, scale, i), its_more = __shfl_sync(FULL_WARP, more, i);
        if (lane == i) its_sum = sum;
        sum = sum * its_scale + its_more;
    }
    carry->value.part[0] = end > first ? __shfl_sync(FULL_WARP, upto, end - 1) : most;
    carry->value.part[1] = sum;
    if (lane < first) return;
    left->value.part[0] = before;
    left->value.part[1] = its_sum;
    left->some = 1;
}
#else
DEVICE void chain_lane(struct left *carry, const struct state *total, int32_t i, struct left *left)
{
    struct state own = state_from(*total, (uint32_t)i);
    if (((int32_t)threadIdx.x & 31) == i) left->value = carry->value;
    FOLD(wide_combine)(&carry->value, own.total);
}

DEVICE void chain_lanes(struct left *carry, const struct state *total, int32_t begin, int32_t end, struct left *left)
{
    if (!carry->some) { /* of the first one */
        struct state own = state_from(*total, (uint32_t)begin++);
        left_append_state(carry, &own);
    }
    if (begin == 0 && end == 32) {
#pragma unroll
        for (int32_t i = 0; i < 32; i++) chain_lane(carry, total, i, left);
    } else {
#pragma unroll 1
        for (int32_t i = begin; i < end; i++) chain_lane(carry, total, i, left);
    }
}
#endif

DEVICE void chain(const struct scan_parameters *given, const struct notes *notes, struct chain_room *room)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
    struct left carry = first_left(given, 0);
    for (uint32_t batch = 0; (int64_t)batch * BATCH < notes->blocks; batch++) {
        int64_t first = (int64_t)batch * BATCH, rest = notes->blocks - first;
        int32_t count = rest < BATCH ? (int32_t)rest : BATCH, slot = (int32_t)(batch % BATCHES);
        for (int32_t begin = 0, end; begin < count; begin = end) {
            struct left left = no_left();
            uint32_t there = __ballot_sync(FULL_WARP, shared_look(&room->batch[slot][lane]) == batch + 1);
            __threadfence_block();
            struct state total = room->total[slot][lane];
            end = there == FULL_WARP ? 32 : __ffs((int)~there) - 1;
            if (end > begin) chain_lanes(&carry, &total, begin, end, &left);
            else end = begin;
            struct state value = {left.value};
            if (lane >= begin && lane < end) note_write(&notes->carries[first + lane], value);
        }
        __syncwarp();
        if (lane == 0) room->done = batch + 1;
    }
    if (lane == 0) leave_carry(given, 0, &carry);
}

DEVICE void chain_all(const struct scan_parameters *given, const struct notes *notes, struct chain_room *room)
{
    uint32_t warp = threadIdx.x >> 5;
    if (warp == 0) chain(given, notes, room);
    else bring(notes, room, warp - 1);
}
