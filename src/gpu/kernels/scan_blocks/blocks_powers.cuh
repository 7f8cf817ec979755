/* SPDX-License-Identifier: MIT
 *
 * blocks_powers.cuh - what blocks_chain.cuh chains of logsumexp. Which exponent is the larger one does not depend on
 * the sums, and the largest of many does not depend on their order: the lanes that bring find it together, and a
 * multiplication by a power of two and an addition are left for the thread that chains the sums. No include guard. */

/* NaN if one of them is; of zeros, either. */
DEVICE power_real larger_or_nan(power_real a, power_real b)
{
#if !defined(TALLY_SIMT) && POWERS_ARE_FLOATS && __CUDA_ARCH__ >= 800
    float larger;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(a), "f"(b));
    return larger;
#else
    return b > a || b != b ? b : a;
#endif
}

/* As it is brought; as it is left: {anything, sum}. */
typedef struct chain_link {
    power_real scale, sum;
} chain_link;

/* As the product is exact, both are rounded once. */
DEVICE chain_link chain_after(chain_link upto, chain_link own)
{
    own.sum = FUSED(upto.sum, own.scale, own.sum);
    return own;
}

enum { chain_at_once = 128 / sizeof(chain_link), chain_tries = 32 };
#include "blocks_ring.cuh"

struct chain_room {
    struct chain_ring ring;
    power_real upto[PLACES];     /* the largest element up to a block, since that was brought */
    power_real before[CREWS];    /* that of all that stands left of a crew's blocks */
    uint32_t before_turn[CREWS]; /* the turn that it is known of */
    uint32_t taken[CREWS];       /* the turn that may use the places */
};

DEVICE void chain_room_open(struct chain_room *room)
{
    chain_open(&room->ring);
    if (threadIdx.x < CREWS) room->before_turn[threadIdx.x] = 0;
}

DEVICE chain_link first_link(const struct left *left)
{
    chain_link upto = {1, left->value.part[1]};
    return upto;
}

DEVICE void real_put(power_real *to, power_real value)
{
    *(volatile power_real *)to = value;
}

DEVICE power_real real_look(const power_real *from)
{
    return *(const volatile power_real *)from;
}

/* What stands left behind a block. */
DEVICE struct state chain_upto(struct chain_room *room, int64_t number)
{
    struct state upto;
    upto.total.part[0] = real_look(&room->upto[(uint32_t)number % PLACES]);
    upto.total.part[1] = chain_look(&room->ring, number).sum;
    return upto;
}

/* The link of a total, which has something left of it or not. */
DEVICE chain_link link_of(power_real before, const struct state *total, int some)
{
    power_real own = total->total.part[0], sum = total->total.part[1];
    power_real scale = OF_POWERS(powers_scale)(before, own);
    chain_link link = {own > before ? scale : 1, own > before || !some ? sum : sum * scale};
    return link;
}

/* Whether the largest element left of a crew's blocks is known: to all lanes, or to none. */
DEVICE int look_before(struct chain_room *room, int64_t first, const struct left *left, power_real *before)
{
    *before = left->value.part[0];
    if (first == 0) return 1;
    int known = word_poll(&room->before_turn[crew_of(first)]) == turn_of(first);
    *before = real_look(&room->before[crew_of(first)]);
    return __all_sync(FULL_WARP, known);
}

/* What a crew has of its blocks. */
struct crew {
    struct state total[BROUGHT];
    power_real before; /* the largest element left of them */
    uint32_t lacks;    /* totals that have not come: a bit for each of the lane's */
    uint32_t waits;    /* those that were not passed on */
};

/* Of those that came, what has all others left of it; and to the next crew, what stands left of that. */
DEVICE void pass_on(struct chain_room *room, int64_t first, int some, struct crew *crew)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
    power_real before = crew->before;
    for (int32_t i = 0; i < BROUGHT; i++) {
        int64_t number = number_of(first, i);
        uint32_t come = __ballot_sync(FULL_WARP, !(crew->lacks >> i & 1));
        power_real upto = crew->total[i].total.part[0];
#pragma unroll
        for (int32_t distance = 1; distance < 32; distance *= 2) {
            power_real other = __shfl_up_sync(FULL_WARP, upto, (uint32_t)distance);
            if (lane >= distance) upto = larger_or_nan(upto, other);
        }
        upto = larger_or_nan(upto, before);
        power_real own_before = __shfl_up_sync(FULL_WARP, upto, 1);
        if (lane == 0) own_before = before;
        if ((crew->waits >> i & 1) && (~come & ((2u << lane) - 1)) == 0) {
            real_put(&room->upto[(uint32_t)number % PLACES], upto);
            chain_bring(&room->ring, number, link_of(own_before, &crew->total[i], some || number > 0));
            crew->waits ^= 1u << i;
        }
        if (come != FULL_WARP) return;
        before = __shfl_sync(FULL_WARP, upto, 31);
    }
    if (lane == 0) {
        real_put(&room->before[crew_of(first + CREW)], before);
        word_put(&room->before_turn[crew_of(first + CREW)], turn_of(first + CREW));
    }
}

/* A crew's totals: each is passed on as soon as it and those left of it are there, as others may wait for it. */
DEVICE void bring_crew(const struct notes *notes, struct chain_room *room, int64_t first, const struct left *left)
{
    struct note_words words[BROUGHT];
    struct crew crew;
    int known = 0;
    crew.lacks = crew.waits = crew_lacks(notes, first);
    for (int32_t i = 0; i < BROUGHT; i++) crew.total[i].total = FOLD(wide_identity)();
    while (__any_sync(FULL_WARP, crew.waits != 0)) {
        for (int32_t i = 0; i < BROUGHT; i++) {
            if (crew.lacks >> i & 1) words[i] = note_look(&notes->totals[number_of(first, i)]);
        }
        for (int32_t i = 0; i < BROUGHT; i++) {
            if (!(crew.lacks >> i & 1) || !note_is_there(&words[i], &crew.total[i])) continue;
            note_clear(&notes->totals[number_of(first, i)]);
            crew.lacks ^= 1u << i;
        }
        if (!known) known = look_before(room, first, left, &crew.before);
        if (known) pass_on(room, first, left->some, &crew);
    }
    chain_bring_end(&room->ring, first);
}
