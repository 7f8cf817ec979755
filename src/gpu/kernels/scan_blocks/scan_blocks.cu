/* SPDX-License-Identifier: MIT
 *
 * scan_blocks.cu - running results of folds that are not associative in floating point, along one long contiguous axis:
 * in the blocks of docs/semantics.md, read and written once. A warp has a group of a block, a lane a run.
 *
 * As many blocks of threads as run at once draw blocks of the axis in order. The first one to draw chains: it collects
 * the blocks' totals, adds them up from left to right, and publishes what stands left of each block. Every other one
 * loads a block ahead, publishes the total of one, and finishes the block that it drew LAG blocks before, whose left is
 * known by then. Whoever waits, waits for blocks that were drawn earlier, so all are sure to come. */
#include "team.cuh"

#include "copy_async.cuh"
#include "ordered_left.cuh"
#include "signal.cuh"

enum {
    RUN = 16,
    GROUP_ELEMENTS = 32 * RUN,
    GROUPS = 8,
    BLOCK_ELEMENTS = GROUPS * GROUP_ELEMENTS,
    EXCHANGER = GROUPS, /* the warp that exchanges; the others have groups */
    RUN_VECTORS = RUN * ELEMENT_SIZE / 16,
    ROOM = 32 * RUN_VECTORS + IN_SHIFTS, /* vectors of a group in shared memory */
    LAG = STAGES - 2,
    SLOTS = LAG + 1, /* for what is known of blocks that are not finished */
#if defined(PICK_VALUE_ADD_POWERS)
    LATER = 1, /* blocks: what the warp that exchanges finds is used then, so that nobody waits while it looks */
    ALONE = ELEMENT_SIZE == 2, /* whether the chain has its processor to itself: it is what all wait for */
#else
    LATER = 0, /* less is done than waited for: an earlier left is worth more */
    ALONE = 0,
#endif
    LOADED = 2,             /* blocks whose loading begins before this one is entered */
    DRAWN = LOADED + LATER, /* and those that are drawn */
    RING = 16               /* all of them, and those that are not yet finished: a power of two */
};

static_assert(THREADS == 32 * (GROUPS + 1), "a warp for each group, and one that exchanges");
static_assert(RESULT_SIZE == ELEMENT_SIZE && LAG > LATER && RING > LAG + DRAWN, "what is planned for");
static_assert(LATER <= 1, "two signals in turn are enough");

#define NO_BLOCK (-1)
#define NO_TICKET 0xffffffffu

struct state {
    struct FOLD(wide) total;
};

#include "shuffle.cuh"

SHUFFLE(state)

#include "board.cuh"

/* ---- totals and carries in global memory: written once, read once, and left zero ---- */

enum { PIECES = (int)(sizeof(struct state) + 7) / 8 };

struct note {
    struct packed piece[PIECES];
};

DEVICE void note_write(struct note *to, struct state s)
{
    uint64_t words[PIECES];
    memset(words, 0, sizeof words);
    memcpy(words, &s, sizeof s);
    for (int i = 0; i < PIECES; i++) packed_store(&to->piece[i], words[i], words[i] ^ TOTAL_MARK);
}

struct note_words {
    struct packed piece[PIECES];
};

DEVICE struct note_words note_look(const struct note *from)
{
    struct note_words words;
    for (int i = 0; i < PIECES; i++) words.piece[i] = packed_load(&from->piece[i]);
    return words;
}

DEVICE int note_is_there(const struct note_words *words, struct state *s)
{
    uint64_t values[PIECES];
    int there = 1;
    for (int i = 0; i < PIECES; i++) {
        values[i] = words->piece[i].value;
        there &= (values[i] ^ words->piece[i].seal) == TOTAL_MARK;
    }
    memcpy(s, values, sizeof *s);
    return there;
}

DEVICE void note_clear(struct note *note)
{
    struct packed none = {0, 0};
    for (int i = 0; i < PIECES; i++) note->piece[i] = none;
}

/* Waits for it, unless it was seen. */
DEVICE struct state note_take(struct note *from, struct note_words seen)
{
    struct state s;
    while (!note_is_there(&seen, &s)) seen = note_look(from);
    note_clear(from);
    return s;
}

/* Of all blocks of the axis. */
struct notes {
    struct note *totals, *carries;
    int64_t blocks;
};

DEVICE struct notes notes_of(const struct scan_parameters *given)
{
    struct notes notes;
    notes.blocks = (given->reduce.length + BLOCK_ELEMENTS - 1) / BLOCK_ELEMENTS;
    notes.totals = (struct note *)given->flags;
    notes.carries = notes.totals + notes.blocks;
    return notes;
}

#include "blocks_chain.cuh"

static_assert(sizeof(struct chain_room) <= GROUPS * STAGES * ROOM * 16, "places instead of stages");

/* ---- groups ---- */

#include "blocks_runs.cuh"

#if defined(PICK_VALUE_ADD_POWERS) && (POWERS_ARE_FLOATS || defined(ONLY_TYPE_f64))
#include "blocks_by_powers.cuh"
#else
#include "blocks_plain.cuh"
#endif

/* ---- what the warps of a block share ---- */

struct room {
    int64_t number[RING];              /* of blocks of the axis; none is NO_BLOCK */
    struct state total[SLOTS][GROUPS]; /* of groups */
    struct left before[SLOTS][GROUPS]; /* the groups of the same block that stand left of each */
    struct left left[SLOTS][GROUPS];   /* everything that does */
    struct entered entered_as[SLOTS][GROUPS];
    /* Of blocks in turn, where each may come again before all have seen the one before. */
    struct signal entered[LATER + 1]; /* by all groups: a phase for each block, or every other one */
    struct signal found[LATER + 1];   /* what stands left of the block LAG - LATER blocks before, and what is DRAWN */
    uint32_t processor;               /* one more than its number */
};

/* The phase of block k. */
DEVICE void await_block(const struct signal *signals, uint32_t k)
{
    signal_await(&signals[k & LATER], k >> LATER & 1);
}

DEVICE int64_t number_of_ticket(const struct notes *notes, uint32_t ticket)
{
    return (int64_t)ticket - 1 < notes->blocks ? (int64_t)ticket - 1 : NO_BLOCK;
}

/* ---- the chain's processor, for itself ---- */

/* One more than the number of a processor: of the block's own, as it was when the block began, and of the chain's; and
 * whether blocks are drawn elsewhere. The last two are read in the parameters' tickets some time before. */
struct seats {
    uint32_t own, chain, elsewhere;
};

DEVICE void seats_look(const struct scan_parameters *given, struct seats *seats)
{
    const volatile uint32_t *words = given->ticket + 2;
    seats->chain = words[0];
    seats->elsewhere = words[1];
}

/* A ticket; none any more where the chain is, which is faster alone: once a block elsewhere draws, which never stops,
 * whatever processor it goes on at. */
DEVICE uint32_t draw(const struct scan_parameters *given, const struct seats *seats)
{
    if (ALONE && seats->chain == seats->own && seats->elsewhere) return NO_TICKET;
    if (ALONE && seats->chain && seats->chain != seats->own && !seats->elsewhere)
        *(volatile uint32_t *)(given->ticket + 3) = 1;
    return atomicAdd(given->ticket, 1u);
}

/* ---- the warp that exchanges ---- */

/* A lane for each group. Those behind the last one have what stands left of the block's end. */
DEVICE void publish_block(const struct notes *notes, int64_t number, struct room *room, uint32_t slot)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
    struct left before = groups_before(room->total[slot]);
    if (lane < GROUPS) room->before[slot][lane] = before;
    struct state total = {before.value};
    if (lane == GROUPS) note_write(&notes->totals[number], total);
    __syncwarp();
}

DEVICE void find_left(const struct scan_parameters *given, const struct notes *notes, int64_t number,
                      struct note_words seen, struct room *room, uint32_t slot)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
    struct left left = first_left(given, 0);
    if (number > 0) {
        struct state carry = {FOLD(wide_identity)()};
        if (lane == 0) carry = note_take(&notes->carries[number], seen);
        left.value = state_from(carry, 0).total;
        left.some = 1;
    }
    if (lane >= GROUPS) return;
    if (room->before[slot][lane].some) left_append(&left, room->before[slot][lane].value);
    room->left[slot][lane] = left;
}

/* Whether there is no block k - lag. */
DEVICE int is_over(const struct room *room, uint32_t k, uint32_t lag)
{
    return k >= lag && room->number[(k - lag) & (RING - 1)] == NO_BLOCK;
}

DEVICE void exchange(const struct scan_parameters *given, const struct notes *notes, struct room *room)
{
    const uint32_t lag = LAG - LATER;
    int draws = (threadIdx.x & 31) == 0;
    struct seats seats = {room->processor, 0, 0};
    for (uint32_t k = 0, slot = 0; !is_over(room, k, lag); k++) {
        uint32_t after = slot < LAG ? slot + 1 : 0, oldest_slot = LATER == 0 ? after : after < LAG ? after + 1 : 0;
        uint32_t ticket = draws ? draw(given, &seats) : 0; /* which is long in coming */
        int64_t number = room->number[k & (RING - 1)], oldest = k < lag ? 0 : room->number[(k - lag) & (RING - 1)];
        struct note_words seen = note_look(&notes->carries[oldest]); /* and so is this */
        if (ALONE && draws) seats_look(given, &seats);
        await_block(room->entered, k);
        if (number != NO_BLOCK) publish_block(notes, number, room, slot);
        if (k >= lag) find_left(given, notes, oldest, seen, room, oldest_slot);
        if (draws) room->number[(k + DRAWN) & (RING - 1)] = number_of_ticket(notes, ticket);
        __syncwarp();
        if (draws) signal_raise(&room->found[k & LATER]);
        slot = after;
    }
}

/* ---- the warps that have groups ---- */

DEVICE void compute(const struct scan_parameters *given, struct room *room, struct vector16 *stages,
                    const struct logarithms *logarithms)
{
    int32_t lane = (int32_t)threadIdx.x & 31, warp = (int32_t)threadIdx.x >> 5;
    lane_kept kept[SLOTS]; /* of the block that is entered, and of those before it */
    struct learnt learnt;
    learnt_open(&learnt);
    memset(kept, 0, sizeof kept);
    for (uint32_t k = 0; k < LOADED; k++) begin_loading(given, room->number[k], stages + k * ROOM);
    for (uint32_t k = 0, stage = 0, slot = 0; !is_over(room, k, LAG); k++) {
        uint32_t after = stage + 1 < STAGES ? stage + 1 : 0, spare = after + 1 < STAGES ? after + 1 : 0;
        int64_t number = room->number[k & (RING - 1)];
        COPY_AWAIT_BUT(1);
        __syncwarp();
        if (number != NO_BLOCK)
            kept[0] = enter_group(&given->reduce, stages + stage * ROOM, &learnt, &room->entered_as[slot][warp],
                                  &room->total[slot][warp]);
        slot = slot < LAG ? slot + 1 : 0; /* the next block's, and until then the oldest one's */
        __syncwarp();
        if (lane == 0) signal_raise(&room->entered[k & LATER]);
        if (k >= LATER) await_block(room->found, k - LATER);
        if (k >= LAG) {
            struct vector16 *memory = stages + spare * ROOM;
            number = room->number[(k - LAG) & (RING - 1)];
            group_results(memory, &learnt, &room->entered_as[slot][warp], room->left[slot][warp], kept[LAG],
                          logarithms);
            __syncwarp();
            store_group(given, number, memory);
            __syncwarp();
        }
        begin_loading(given, room->number[(k + LOADED) & (RING - 1)], stages + spare * ROOM);
#pragma unroll
        for (int i = LAG; i > 0; i--) kept[i] = kept[i - 1];
        stage = after;
    }
}

static_assert(sizeof(struct room) + sizeof(struct logarithms) + 64 <= SCAN_BLOCKS_STATIC_BYTES, "room for stages");

KERNEL(scan, struct scan_parameters, given)
{
    DYNAMIC_SHARED(struct vector16, shared); /* of each group: stages; or the chain's places */
    __shared__ struct room room;
    __shared__ struct logarithms logarithms;
    __shared__ uint32_t first_ticket;
    int32_t warp = (int32_t)threadIdx.x >> 5;
    struct notes notes = notes_of(&given);
    logarithms_open(&logarithms);
    if (threadIdx.x == 0) {
        for (int i = 0; i <= LATER; i++) signal_open(&room.entered[i], GROUPS), signal_open(&room.found[i], 1);
        first_ticket = atomicAdd(given.ticket, 1u);
        room.processor = processor_number() + 1;
        if (ALONE && first_ticket == 0) *(volatile uint32_t *)(given.ticket + 2) = room.processor;
        room.number[0] = number_of_ticket(&notes, first_ticket);
        for (int i = 1; i < DRAWN && first_ticket > 0; i++)
            room.number[i] = number_of_ticket(&notes, atomicAdd(given.ticket, 1u));
    }
    __syncthreads();
    if (first_ticket == 0) chain_all(&given, &notes, (struct chain_room *)shared);
    else if (warp == EXCHANGER) exchange(&given, &notes, &room);
    else compute(&given, &room, shared + warp * STAGES * ROOM, &logarithms);
    if (last_to_arrive(given.ticket + 1, gridDim.x) && threadIdx.x == 0) {
        *given.ticket = 0;
        if (ALONE) given.ticket[2] = given.ticket[3] = 0;
    }
}
