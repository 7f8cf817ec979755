/* SPDX-License-Identifier: MIT
 *
 * blocks_powers.cuh - what blocks_chain.cuh chains of logsumexp. Which exponent is the larger one does not depend on
 * the sums: one thread chains the exponents, the warps that bring find the powers, and a multiplication and an addition
 * are left for the thread that chains the sums. No include guard. */

enum { LOOKS = 4 }; /* at what is known of those that came, while others are asked for */

struct most {
    power_real value;
};

DEVICE struct most most_after(struct most upto, struct most own)
{
    upto.value = own.value > upto.value || own.value != own.value ? own.value : upto.value;
    return upto;
}

#define LINK most
#define LINK_AFTER most_after
#define LINK_BEFORE 1
#define LINK_NAME(name) most_##name
#include "blocks_ring.cuh"

/* As it is brought: {scale, more}; as it is left: {anything, sum}. */
struct step {
    power_real scale, sum;
};

DEVICE struct step step_after(struct step upto, struct step own)
{
    own.sum = upto.sum * own.scale + own.sum;
    return own;
}

#define LINK step
#define LINK_AFTER step_after
#define LINK_BEFORE 0
#define LINK_NAME(name) chain_##name
#include "blocks_ring.cuh"

struct chain_room {
    struct chain_ring ring;
    struct most_ring most; /* brought: a block's; then, what stands left of it; then, what is known behind it */
    uint32_t taken[CREWS]; /* the turn that may use the places */
};

DEVICE void chain_room_open(struct chain_room *room)
{
    chain_open(&room->ring);
    most_open(&room->most);
}

/* By thread 0 of warps below CHAINERS. */
DEVICE void chain(struct left *left, struct chain_room *room, int64_t count, int32_t warp)
{
    struct most most = {left->value.part[0]};
    struct step step = {1, left->value.part[1]};
    if (warp == 0) chain_chain(step, left->some, &room->ring, count);
    else most_chain(most, left->some, &room->most, count);
}

/* What stands left behind a block. */
DEVICE struct state chain_upto(struct chain_room *room, int64_t number)
{
    struct state upto;
    upto.total.part[0] = most_look(&room->most, number).value;
    upto.total.part[1] = chain_look(&room->ring, number).sum;
    return upto;
}

/* The step that adds a total, which has something left of it or not. */
DEVICE struct step step_of(struct most before, const struct state *total, int some)
{
    power_real own = total->total.part[0], sum = total->total.part[1];
    power_real scale = OF_POWERS(powers_scale)(before.value, own);
    struct step step = {own > before.value ? scale : 1, own > before.value || !some ? sum : sum * scale};
    return step;
}

/* Of those that came, what waits for the exponents left of it; returns what still does. */
DEVICE uint32_t pass_on(struct chain_room *room, int64_t first, const struct left *left, const struct state *total,
                        uint32_t come, uint32_t wait)
{
    for (int32_t i = 0; i < BROUGHT; i++) {
        int64_t number = number_of(first, i);
        if (!((wait & ~come) >> i & 1) || !most_is_done(&room->most, number)) continue;
        struct most before = most_look(&room->most, number), own = {total[i].total.part[0]};
        struct step step = step_of(before, &total[i], number > 0 || left->some);
        most_put(&room->most, number, number > 0 || left->some ? most_after(before, own) : own);
        chain_bring(&room->ring, number, step);
        wait ^= 1u << i;
    }
    return wait;
}

/* A crew's totals: each is passed on as soon as it is there, as others may wait for it. Those that came are looked
 * after while others are asked for. */
DEVICE void bring_crew(const struct notes *notes, struct chain_room *room, int64_t first, const struct left *left)
{
    struct note_words words[BROUGHT];
    struct state total[BROUGHT];
    uint32_t come = crew_lacks(notes, first), wait = come;
    int all_came = 0;
    for (int32_t i = 0; i < BROUGHT; i++) total[i].total = FOLD(wide_identity)();
    while (__any_sync(FULL_WARP, wait != 0)) {
        for (int32_t i = 0; i < BROUGHT; i++) {
            if (come >> i & 1) words[i] = note_look(&notes->totals[number_of(first, i)]);
        }
#pragma unroll 1
        for (int32_t look = 0; look < LOOKS; look++) wait = pass_on(room, first, left, total, come, wait);
        for (int32_t i = 0; i < BROUGHT; i++) {
            if (!(come >> i & 1) || !note_is_there(&words[i], &total[i])) continue;
            struct most own = {total[i].total.part[0]};
            note_clear(&notes->totals[number_of(first, i)]);
            most_bring(&room->most, number_of(first, i), own);
            come ^= 1u << i;
        }
        if (all_came || __any_sync(FULL_WARP, come != 0)) continue;
        most_bring_end(&room->most, first);
        all_came = 1;
    }
    chain_bring_end(&room->ring, first);
}
