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

enum {
    RUN = 16,
    GROUP_ELEMENTS = 32 * RUN,
    GROUPS = 8,
    BLOCK_ELEMENTS = GROUPS * GROUP_ELEMENTS,
    EXCHANGER = GROUPS, /* the warp that exchanges; the others have groups */
    RUN_VECTORS = RUN * ELEMENT_SIZE / 16,
    STRIDE = RUN_VECTORS | 1, /* vectors from run to run in shared memory: odd, which keeps banks apart */
    ROOM = 32 * STRIDE,       /* of a group */
    LAG = STAGES - 2,
    SLOTS = LAG + 1, /* for what is known of blocks that are not finished */
    AHEAD = 3,       /* blocks that are known of, from the one that is entered on */
    RING = 16        /* and those that are not yet finished: a power of two */
};

static_assert(THREADS == 32 * (GROUPS + 1), "a warp for each group, and one that exchanges");
static_assert(RESULT_SIZE == ELEMENT_SIZE && AHEAD <= LAG + 1 && RING > LAG + AHEAD, "what is planned for");

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

/* Whether it is there; then it is taken. */
DEVICE int note_take(struct note *from, struct state *s)
{
    struct packed piece[PIECES], none = {0, 0};
    uint64_t words[PIECES];
    int there = 1;
    for (int i = 0; i < PIECES; i++) piece[i] = packed_load(&from->piece[i]);
    for (int i = 0; i < PIECES; i++) {
        words[i] = piece[i].value;
        there &= (piece[i].value ^ piece[i].seal) == TOTAL_MARK;
    }
    if (!there) return 0;
    for (int i = 0; i < PIECES; i++) from->piece[i] = none;
    memcpy(s, words, sizeof *s);
    return 1;
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

DEVICE void left_append_state(struct left *left, const struct state *s)
{
    left_append(left, s->total);
}

#include "blocks_chain.cuh"

/* ---- what the warps of a block share ---- */

struct room {
    int64_t number[RING];              /* of blocks of the axis; none is NO_BLOCK */
    struct state total[SLOTS][GROUPS]; /* of groups */
    struct left before[SLOTS][GROUPS]; /* the groups of the same block that stand left of each */
    struct left left[SLOTS][GROUPS];   /* everything that does */
};

#define NO_BLOCK (-1)

DEVICE int64_t number_of_ticket(const struct notes *notes, uint32_t ticket)
{
    return (int64_t)ticket - 1 < notes->blocks ? (int64_t)ticket - 1 : NO_BLOCK;
}

/* Where all warps meet: once for each block, behind its entering and before the finishing of the one LAG blocks before.
 * Not after the last one was finished. */
DEVICE int meet(const struct room *room, uint32_t k)
{
    if (k >= LAG && room->number[(k - LAG) & (RING - 1)] == NO_BLOCK) return 0;
    __syncthreads();
    return 1;
}

/* ---- the warp that exchanges ---- */

/* A lane for each group. Those behind the last one have what stands left of the block's end. */
DEVICE void publish_block(const struct notes *notes, int64_t number, struct room *room, uint32_t slot)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
    struct left before = no_left();
    for (int32_t g = 0; g < GROUPS; g++) {
        if (g < lane) left_append_state(&before, &room->total[slot][g]);
    }
    if (lane < GROUPS) room->before[slot][lane] = before;
    struct state total = {before.value};
    if (lane == GROUPS) note_write(&notes->totals[number], total);
    __syncwarp();
}

DEVICE void find_left(const struct scan_parameters *given, const struct notes *notes, int64_t number, struct room *room,
                      uint32_t slot)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
    struct state carry = {FOLD(wide_identity)()};
    struct left left = no_left();
    if (lane == 0) {
        while (!note_take(&notes->carries[number], &carry)) {
        }
    }
    left.value = state_from(carry, 0).total;
    left.some = number > 0 || first_left(given, 0).some;
    if (lane >= GROUPS) return;
    if (room->before[slot][lane].some) left_append(&left, room->before[slot][lane].value);
    room->left[slot][lane] = left;
}

DEVICE void exchange(const struct scan_parameters *given, const struct notes *notes, struct room *room)
{
    int draws = (threadIdx.x & 31) == 0;
    for (uint32_t k = 0, slot = 0;; k++) {
        uint32_t after = slot < LAG ? slot + 1 : 0; /* also the oldest block's */
        if (draws) room->number[(k + AHEAD) & (RING - 1)] = number_of_ticket(notes, atomicAdd(given->ticket, 1u));
        __syncwarp();
        if (k >= LAG) {
            int64_t number = room->number[(k - LAG) & (RING - 1)];
            if (number != NO_BLOCK) find_left(given, notes, number, room, after);
        }
        if (!meet(room, k)) return;
        int64_t number = room->number[k & (RING - 1)];
        if (number != NO_BLOCK) publish_block(notes, number, room, slot);
        slot = after;
    }
}

/* ---- the warps that have groups ---- */

/* Elements of the warp's group that there are. */
DEVICE int32_t group_share(const struct reduce_parameters *p, int64_t number)
{
    int64_t left = p->length - number * BLOCK_ELEMENTS - (int64_t)(threadIdx.x >> 5) * GROUP_ELEMENTS;
    return left < 0 ? 0 : left < GROUP_ELEMENTS ? (int32_t)left : GROUP_ELEMENTS;
}

/* Vector i of a group lies there in its room. */
DEVICE int32_t place_of(int32_t i)
{
    return i / RUN_VECTORS * STRIDE + i % RUN_VECTORS;
}

DEVICE void begin_loading(const struct scan_parameters *given, int64_t number, struct vector16 *memory)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
    if (number != NO_BLOCK) {
        int32_t bytes = group_share(&given->reduce, number) * ELEMENT_SIZE;
        const char *from = (const char *)given->reduce.x +
                           (number * BLOCK_ELEMENTS + (int64_t)(threadIdx.x >> 5) * GROUP_ELEMENTS) * ELEMENT_SIZE;
#pragma unroll
        for (int32_t k = 0; k < RUN_VECTORS; k++) {
            int32_t i = k * 32 + lane;
            if (16 * i + 16 <= bytes) copy_async((char *)&memory[place_of(i)], from + 16 * i, 16);
            else if (16 * i < bytes) memcpy(&memory[place_of(i)], from + 16 * i, (uint32_t)(bytes - 16 * i));
        }
    }
    copy_group();
}

DEVICE element run_element(const struct vector16 *run, int i)
{
    struct vector16 v = run[i * ELEMENT_SIZE / 16];
    return vector_element(&v, i % (16 / ELEMENT_SIZE));
}

/* An element's value, or the identity where there is none. */
DEVICE struct FOLD(lane) lifted(const struct vector16 *run, int i, int32_t share)
{
    element x = run_element(run, i);
    struct FOLD(lane) value = FOLD(lane_identity)();
    if (i < share && !(SKIP_NAN && element_is_nan(x))) value = FOLD(lift)(x, x);
    return value;
}

/* Returns what stands left of the run in its group, and leaves the group's total. */
DEVICE struct state enter_group(const struct vector16 *run, int32_t share, struct state *total)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
    struct FOLD(lane) local = lifted(run, 0, share);
#pragma unroll
    for (int i = 1; i < RUN; i++) FOLD(lane_combine)(&local, lifted(run, i, share));
    struct state upto = {FOLD(widen)(local)};
#pragma unroll
    for (int32_t distance = 1; distance < 32; distance *= 2) {
        struct state left = state_up(upto, (uint32_t)distance);
        FOLD(wide_combine)(&left.total, upto.total);
        if (lane >= distance) upto = left;
    }
    if (lane == 31) *total = upto;
    return state_up(upto, 1);
}

DEVICE void group_results(const struct vector16 *run, struct vector16 *to, struct left left, int32_t share,
                          int exclusive)
{
    enum { OF_VECTOR = 16 / RESULT_SIZE };
    struct FOLD(lane) local = FOLD(lane_identity)();
    struct vector16 results = {{0, 0, 0, 0}}, elements[RUN_VECTORS];
#pragma unroll
    for (int i = 0; i < RUN_VECTORS; i++) elements[i] = run[i]; /* ahead of the first result */
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        struct left value = left;
        struct FOLD(lane) own = lifted(elements, i, share);
        if (exclusive && i > 0) left_append(&value, FOLD(widen)(local));
        if (i > 0) FOLD(lane_combine)(&local, own);
        else local = own;
        if (!exclusive) left_append(&value, FOLD(widen)(local));
        store_value(value.value, (char *)&results + i % OF_VECTOR * RESULT_SIZE);
        if (i % OF_VECTOR == OF_VECTOR - 1) to[i / OF_VECTOR] = results;
    }
}

DEVICE void store_group(const struct scan_parameters *given, int64_t number, const struct vector16 *memory)
{
    int32_t lane = (int32_t)threadIdx.x & 31, bytes = group_share(&given->reduce, number) * RESULT_SIZE;
    char *to = (char *)given->reduce.out +
               (number * BLOCK_ELEMENTS + (int64_t)(threadIdx.x >> 5) * GROUP_ELEMENTS) * RESULT_SIZE;
#pragma unroll
    for (int32_t k = 0; k < RUN_VECTORS; k++) {
        int32_t i = k * 32 + lane;
        const struct vector16 *from = &memory[place_of(i)];
        if (16 * i + 16 <= bytes) *(struct vector16 *)(to + 16 * i) = *from;
        else if (16 * i < bytes) memcpy(to + 16 * i, from, (uint32_t)(bytes - 16 * i));
    }
}

DEVICE void compute(const struct scan_parameters *given, struct room *room, struct vector16 *stages)
{
    const struct reduce_parameters *p = &given->reduce;
    int32_t lane = (int32_t)threadIdx.x & 31, warp = (int32_t)threadIdx.x >> 5;
    struct state before[SLOTS]; /* of the block that is entered, and of those before it */
    for (int i = 0; i < SLOTS; i++) before[i].total = FOLD(wide_identity)();
    for (uint32_t k = 0; k < 2; k++) begin_loading(given, room->number[k], stages + k * ROOM);
    for (uint32_t k = 0, stage = 0, slot = 0;; k++) {
        uint32_t after = stage + 1 < STAGES ? stage + 1 : 0, spare = after + 1 < STAGES ? after + 1 : 0;
        int64_t number = room->number[k & (RING - 1)];
        COPY_AWAIT_BUT(1);
        __syncwarp();
        if (number != NO_BLOCK)
            before[0] = enter_group(stages + stage * ROOM + lane * STRIDE, group_share(p, number) - lane * RUN,
                                    &room->total[slot][warp]);
        slot = slot < LAG ? slot + 1 : 0; /* the next block's, and until then the oldest one's */
        if (!meet(room, k)) break;
        if (k >= LAG) {
            struct vector16 *memory = stages + spare * ROOM, *run = memory + lane * STRIDE;
            struct left left = room->left[slot][warp];
            number = room->number[(k - LAG) & (RING - 1)];
            if (lane > 0) left_append_state(&left, &before[LAG]);
            group_results(run, run, left, group_share(p, number) - lane * RUN, given->exclusive);
            __syncwarp();
            store_group(given, number, memory);
            __syncwarp();
        }
        begin_loading(given, room->number[(k + 2) & (RING - 1)], stages + spare * ROOM);
#pragma unroll
        for (int i = LAG; i > 0; i--) before[i] = before[i - 1];
        stage = after;
    }
}

KERNEL(scan, struct scan_parameters, given)
{
    DYNAMIC_SHARED(struct vector16, shared); /* of each group: stages */
    __shared__ struct room room;
    __shared__ struct chain_room chain_room;
    __shared__ uint32_t first_ticket;
    int32_t warp = (int32_t)threadIdx.x >> 5;
    struct notes notes = notes_of(&given);
    if (threadIdx.x == 0) {
        first_ticket = atomicAdd(given.ticket, 1u);
        chain_open(&chain_room);
        room.number[0] = number_of_ticket(&notes, first_ticket);
        for (int i = 1; i < AHEAD && first_ticket > 0; i++)
            room.number[i] = number_of_ticket(&notes, atomicAdd(given.ticket, 1u));
    }
    __syncthreads();
    if (first_ticket == 0) chain_all(&given, &notes, &chain_room);
    else if (warp == EXCHANGER) exchange(&given, &notes, &room);
    else compute(&given, &room, shared + warp * STAGES * ROOM);
    if (last_to_arrive(given.ticket + 1, gridDim.x) && threadIdx.x == 0) *given.ticket = 0;
}
