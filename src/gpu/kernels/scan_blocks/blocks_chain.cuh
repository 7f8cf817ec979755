/* SPDX-License-Identifier: MIT
 *
 * blocks_chain.cuh - the block of scan_blocks.cu that chains the totals of the axis's blocks, from left to right: a
 * thread adds them up in shared memory, some warps bring totals there, others take away what stands left of each block.
 * No include guard. */

enum {
    TAKERS = 2, /* warps, besides the one that chains */
    BRINGERS = GROUPS - TAKERS,
#if defined(PICK_VALUE_ADD_POWERS) && ELEMENT_BYTES == 2
    BROUGHT = 4, /* totals that a lane brings at once */
#else
    BROUGHT = sizeof(struct state) <= 8 ? 2 : 1,
#endif
    CREW = 32 * BROUGHT, /* that a warp does */
    CREWS = 8,           /* that there are places for: a power of two */
    PLACES = CREWS * CREW
};

static_assert(CREWS >= BRINGERS, "places for what is brought");

/* Of the lane's i-th block of a crew's. */
DEVICE int64_t number_of(int64_t first, int32_t i)
{
    return first + i * 32 + ((int32_t)threadIdx.x & 31);
}

/* A bit for each of the lane's blocks. */
DEVICE uint32_t crew_lacks(const struct notes *notes, int64_t first)
{
    uint32_t bits = 0;
    for (int32_t i = 0; i < BROUGHT; i++) bits |= (uint32_t)(number_of(first, i) < notes->blocks) << i;
    return bits;
}

/* The how-manieth that uses a place. */
DEVICE uint32_t turn_of(int64_t number)
{
    return (uint32_t)(number / PLACES) + 1;
}

DEVICE uint32_t crew_of(int64_t number)
{
    return (uint32_t)number % PLACES / CREW;
}

DEVICE uint32_t word_look(const uint32_t *from)
{
    return *(const volatile uint32_t *)from;
}

/* In a loop. */
DEVICE uint32_t word_poll(const uint32_t *from)
{
#if defined(TALLY_SIMT)
    simt_yield();
#endif
    return word_look(from);
}

DEVICE void word_put(uint32_t *to, uint32_t word)
{
    *(volatile uint32_t *)to = word;
#if defined(TALLY_SIMT)
    simt_progress();
#endif
}

DEVICE struct vector16 vector_look(const struct vector16 *from)
{
    struct vector16 v;
#if defined(TALLY_SIMT)
    v = *from;
#else
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3])
                 : "r"((uint32_t)__cvta_generic_to_shared(from))
                 : "memory");
#endif
    return v;
}

DEVICE void vector_put(struct vector16 *to, struct vector16 v)
{
#if defined(TALLY_SIMT)
    *to = v;
#else
    asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"((uint32_t)__cvta_generic_to_shared(to)),
                 "r"(v.word[0]), "r"(v.word[1]), "r"(v.word[2]), "r"(v.word[3])
                 : "memory");
#endif
}

#if defined(PICK_VALUE_ADD_POWERS)
#include "blocks_powers.cuh"
#else
typedef struct state chain_link;

DEVICE struct state chain_after(struct state upto, struct state own)
{
    FOLD(wide_combine)(&upto.total, own.total);
    return upto;
}

enum { chain_at_once = sizeof(chain_link) < 32 ? CHAIN_BYTES / sizeof(chain_link) : 2, chain_tries = 8 };
#include "blocks_ring.cuh"

struct chain_room {
    struct chain_ring ring;
    uint32_t taken[CREWS]; /* the turn that may use the places */
};

DEVICE void chain_room_open(struct chain_room *room)
{
    chain_open(&room->ring);
}

DEVICE struct state first_link(const struct left *left)
{
    struct state upto = {left->value};
    return upto;
}

/* What stands left behind a block. */
DEVICE struct state chain_upto(struct chain_room *room, int64_t number)
{
    return chain_look(&room->ring, number);
}

/* A crew's totals: each is passed on as soon as it is there, as others may wait for it. */
DEVICE void bring_crew(const struct notes *notes, struct chain_room *room, int64_t first, const struct left *left)
{
    struct note_words words[BROUGHT];
    uint32_t come = crew_lacks(notes, first);
    (void)left;
    while (__any_sync(FULL_WARP, come != 0)) {
        for (int32_t i = 0; i < BROUGHT; i++) {
            if (come >> i & 1) words[i] = note_look(&notes->totals[number_of(first, i)]);
        }
        for (int32_t i = 0; i < BROUGHT; i++) {
            struct state total;
            if (!(come >> i & 1) || !note_is_there(&words[i], &total)) continue;
            note_clear(&notes->totals[number_of(first, i)]);
            chain_bring(&room->ring, number_of(first, i), total);
            come ^= 1u << i;
        }
    }
    chain_bring_end(&room->ring, first);
}
#endif

DEVICE void bring(const struct scan_parameters *given, const struct notes *notes, struct chain_room *room, int32_t warp)
{
    struct left left = first_left(given, 0);
    for (int64_t first = warp * CREW; first < notes->blocks; first += BRINGERS * CREW) {
        while (word_poll(&room->taken[crew_of(first)]) != turn_of(first)) {
        }
        bring_crew(notes, room, first, &left);
    }
}

/* To the blocks behind. */
DEVICE void take(const struct notes *notes, struct chain_room *room, int32_t warp)
{
    for (int64_t first = warp * CREW; first < notes->blocks; first += TAKERS * CREW) {
        uint32_t come = crew_lacks(notes, first);
        while (__any_sync(FULL_WARP, come != 0)) {
            for (int32_t i = 0; i < BROUGHT; i++) {
                int64_t number = number_of(first, i);
                if (!(come >> i & 1) || !chain_is_done(&room->ring, number)) continue;
                if (number + 1 < notes->blocks) note_write(&notes->carries[number + 1], chain_upto(room, number));
                come ^= 1u << i;
            }
        }
        if ((threadIdx.x & 31) == 0) word_put(&room->taken[crew_of(first)], turn_of(first) + 1);
    }
}

DEVICE void chain_all(const struct scan_parameters *given, const struct notes *notes, struct chain_room *room)
{
    int32_t warp = (int32_t)threadIdx.x >> 5;
    struct left left = first_left(given, 0);
    chain_room_open(room);
    if (threadIdx.x < CREWS) room->taken[threadIdx.x] = 1;
    __syncthreads();
    if (warp > TAKERS) bring(given, notes, room, warp - 1 - TAKERS);
    else if (warp > 0) take(notes, room, warp - 1);
    else if (threadIdx.x == 0) chain_to_end(first_link(&left), left.some, &room->ring, notes->blocks);
    __syncthreads();
    if (threadIdx.x > 0) return;
    left.value = chain_upto(room, notes->blocks - 1).total;
    left.some = 1;
    leave_carry(given, 0, &left);
}
