/* SPDX-License-Identifier: MIT
 *
 * user_wave.cu - scans by a user's operator along contiguous axes without masks, read and written once. As in
 * scan_wave.cu as many blocks as run at once draw chunks in order; of each a block publishes the total, and finishes
 * it LAG chunks later, when what stands left of it follows from all totals published before: in the sections, blocks,
 * groups and runs of docs/semantics.md. A block that waits, waits for chunks that were drawn earlier.
 *
 * A warp has a group of each chunk. One more draws chunks and publishes their totals, others take turns at finding what
 * stands left. They wait for each other by signals in shared memory, each for no more than it needs.
 *   CARRIED        1: the scan goes on, from whole chunks of the open section and of each cell by whole blocks
 *   CHUNK_BLOCKS   of a chunk: 1 or 2
 *   FINDERS        warps that find what stands left, of one chunk each
 *   LAG, AHEAD     chunks between entering and finishing; chunks whose loading begins before this one is entered */
#include "user_group.cuh"

#include "signal.cuh"
#include "user_board.cuh"
#include "user_line.cuh"

enum {
    GROUPS = CHUNK_BLOCKS * USER_BLOCK_GROUPS, /* of a chunk, and warps that have one */
    PUBLISHER = GROUPS,
    CHUNK = GROUPS * USER_GROUP,
    STAGES = LAG + 1 + AHEAD,
    SLOTS = LAG + 1, /* for what is known of chunks that are not finished */
    RING = 8,        /* chunks that are known of: a power of two */
    SECTION_LEVELS = USER_SECTION_LEVELS - (CHUNK_BLOCKS > 1),
    SECTION_CHUNKS = 1 << SECTION_LEVELS
};
static_assert(CHUNK_BLOCKS == 1 || CHUNK_BLOCKS == 2, "chunks are nodes of a section");
static_assert(THREADS == 32 * (GROUPS + 1 + FINDERS), "a warp for each group, and those that exchange");
static_assert(RING > LAG + AHEAD + 2, "chunks that are known of");

struct chunk {
    int64_t number, cell, split;
    int64_t index; /* its first element's number */
#if CARRIED
    int64_t absent; /* elements of chunks before this call that masks left out */
#endif
    const char *input[INPUT_COUNT];
    char *out;
    int32_t count; /* elements; 0: there is none */
};

/* What the warps of a block tell each other. Chunk k has place k % RING of all that has RING of them, else slot
 * k % SLOTS. */
struct wave_room {
    struct chunk chunks[RING];
    struct left left[RING];           /* what stands left of a chunk */
    state total[SLOTS][GROUPS];       /* of groups */
    state groups_left[SLOTS][GROUPS]; /* what stands left of a group in its block, but for the first one */
    state block[SLOTS][CHUNK_BLOCKS]; /* totals of blocks */
    struct signal drawn[RING];        /* the chunk is there */
    struct signal found[RING];        /* its left is */
    struct signal entered[SLOTS];     /* all totals of groups are */
    struct signal published[SLOTS];   /* what stands left of groups is */
};

/* By a thread for each place. */
DEVICE void open_signals(struct wave_room *room, int32_t place)
{
    if (place < RING) {
        signal_open(&room->drawn[place], 1);
        signal_open(&room->found[place], 1);
    }
    if (place < SLOTS) {
        signal_open(&room->entered[place], GROUPS);
        signal_open(&room->published[place], 1);
    }
}

DEVICE void await_chunk(const struct wave_room *room, uint32_t k)
{
    signal_await(&room->drawn[k % RING], k / RING & 1);
}

/* By one thread. */
DEVICE_CALL void put_chunk(const struct user_parameters *p, int64_t number, struct chunk *c)
{
    c->number = number;
    c->cell = number < p->splits ? 0 : number / p->splits;
    c->count = 0;
    if (c->cell >= p->cells) return;
    c->split = number - c->cell * p->splits;
    int64_t first = c->split * CHUNK;
    c->count = p->length - first < CHUNK ? (int32_t)(p->length - first) : CHUNK;
    c->index = first;
#if CARRIED
    c->index += p->position;
    c->absent = p->position - line_of(p, c->cell)->count;
#endif
    struct place at = place_of_cell(p, c->cell);
    for (int i = 0; i < INPUT_COUNT; i++) c->input[i] = at.input[i] + (BACKWARD ? -first : first) * input_bytes(i);
    c->out = result_of_cell(p, c->cell) + (BACKWARD ? -first : first) * RESULT_BYTES;
}

/* Elements of the chunk in a group. */
DEVICE int32_t count_in_group(const struct chunk *c, int32_t group)
{
    int32_t left = c->count - group * USER_GROUP;
    return left < 0 ? 0 : left < USER_GROUP ? left : USER_GROUP;
}

/* ---- lanes of a warp ---- */

/* The totals of the first `count` lanes, up to each: Kogge and Stone (1973). */
DEVICE state scan_lanes(state total, int32_t count)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
#pragma unroll
    for (int32_t distance = 1; distance < 32; distance *= 2) {
        state left = state_shuffled(total, lane - distance);
        if (lane >= distance && lane < count) total = user_combine(left, total);
    }
    return total;
}

/* Lanes to nodes: a lane's has as many lanes up to it as its number has ones at its end, or fewer; below `count`. Those
 * below `first` have been joined before. */
DEVICE state join_lanes(state value, int64_t first, int64_t count)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
#pragma unroll
    for (int l = 0; l < SECTION_LEVELS; l++) {
        state left = state_shuffled(value, lane - (1 << l));
        int32_t low = (2 << l) - 1;
        if ((lane & low) == low && lane >= first && lane < count) value = user_combine(left, value);
    }
    return value;
}

/* ---- the warp that publishes ---- */

/* Of each block a lane follows its groups. Nobody needs the total of a cell's last chunk, unless the scan goes on. */
DEVICE void publish_chunk(const struct user_parameters *p, const struct chunk *c, struct packed *places,
                          struct wave_room *room, uint32_t slot)
{
    int32_t block = (int32_t)threadIdx.x & 31;
    if (block < CHUNK_BLOCKS && c->count > block * USER_BLOCK) {
        const state *total = &room->total[slot][block * USER_BLOCK_GROUPS];
        state *left = &room->groups_left[slot][block * USER_BLOCK_GROUPS], sum = total[0];
#pragma unroll
        for (int g = 1; g < USER_BLOCK_GROUPS; g++) {
            if (c->count <= block * USER_BLOCK + g * USER_GROUP) break;
            left[g] = sum;
            sum = user_combine(sum, total[g]);
        }
        room->block[slot][block] = sum;
    }
    __syncwarp();
    if (block > 0 || (!CARRIED && c->split + 1 == p->splits)) return;
    state sum = room->block[slot][0];
    if (CHUNK_BLOCKS > 1 && (!CARRIED || c->count > USER_BLOCK))
        sum = user_combine(sum, room->block[slot][CHUNK_BLOCKS - 1]);
    state_publish(places, c->number, &sum);
}

DEVICE void publish_all(const struct user_parameters *p, struct packed *places, struct wave_room *room)
{
    int draws = (threadIdx.x & 31) == 0;
    uint32_t ticket = draws ? atomicAdd(p->tickets, 1u) : 0;
    for (uint32_t k = 0, slot = 0, turn = 0;; k++) {
        if (draws) {
            put_chunk(p, ticket, &room->chunks[(k + AHEAD + 1) % RING]);
            signal_raise(&room->drawn[(k + AHEAD + 1) % RING]);
            ticket = atomicAdd(p->tickets, 1u);
        }
        signal_await(&room->entered[slot], turn);
        __syncwarp();
        if (room->chunks[k % RING].count) publish_chunk(p, &room->chunks[k % RING], places, room, slot);
        __syncwarp();
        if (draws) signal_raise(&room->published[slot]);
        if (k >= LAG && room->chunks[(k - LAG) % RING].count == 0) return;
        if (slot == LAG) turn ^= 1;
        slot = slot < LAG ? slot + 1 : 0;
    }
}

/* ---- the warps that find what stands left ---- */

enum { LOOKS = STATE_BYTES <= 16 ? 6 : 2 };

/* What all lanes of one know. Chunks of the section that was open come before the cell's first. */
struct finder {
    struct left carry; /* left of chunk `known`, a multiple of 32 */
    int64_t known, cell;
    int32_t open; /* chunks of that section */
    const struct user_line *line;
};

DEVICE void finder_enter(const struct user_parameters *p, struct finder *finder, int64_t cell)
{
    finder->cell = cell;
    finder->known = 0;
    finder->open = 0;
    finder->carry.some = p->has_initial;
    if (p->has_initial) memcpy(&finder->carry.value, p->initial, sizeof finder->carry.value);
    if (!CARRIED) return;
    finder->line = line_of(p, cell);
    finder->open = finder->line->blocks / CHUNK_BLOCKS;
    finder->carry.some = finder->line->has[USER_LINE_CARRY];
    if (finder->carry.some) finder->carry.value = *line_state(finder->line, USER_LINE_CARRY);
}

/* The total of a chunk from before the cell; what is no node's last chunk has none. */
DEVICE state total_before(const struct finder *finder, int64_t number)
{
    int32_t node = 0;
    for (int32_t l = 0; l < SECTION_LEVELS; l++) {
        if (number == node_place(finder->open, l)) node = l + (CHUNK_BLOCKS > 1);
    }
    return *line_state(finder->line, USER_LINE_NODES + node);
}

/* Whether a chunk's total is there; it is asked for again unless seen already. */
DEVICE int see_total(const struct finder *finder, const struct packed *places, int64_t number, state *total)
{
    if (!CARRIED || number >= finder->open) return state_peek(places, number - (CARRIED ? finder->open : 0), total);
    *total = total_before(finder, number);
    return 1;
}

/* Appends the first n of 32 chunks, of which these are the nodes. */
DEVICE void append_chunks(struct left *left, const state *nodes, int32_t n)
{
#pragma unroll
    for (int32_t section = 0; section < 32; section += SECTION_CHUNKS) {
        int32_t rest = n - section;
        state whole = state_shuffled(*nodes, section + SECTION_CHUNKS - 1);
        if (rest >= SECTION_CHUNKS) left_append(left, &whole);
        if (rest <= 0 || rest >= SECTION_CHUNKS) continue;
#pragma unroll
        for (int l = SECTION_LEVELS - 1; l >= 0; l--) {
            state node = state_shuffled(*nodes, section + (rest >> l << l) - 1);
            if (rest >> l & 1) left_append(left, &node);
        }
    }
}

/* What stands left of chunk `end` of its cell. Several times 32 totals are asked for before the first answer is looked
 * at, and only those that were not there are asked for again. */
DEVICE struct left find_left(struct finder *finder, const struct packed *places, int64_t end)
{
    struct left left = finder->carry;
    while (finder->known < end) {
        state nodes[LOOKS];
        int seen[LOOKS];
        int64_t number = finder->known + ((int32_t)threadIdx.x & 31), rest = end - finder->known;
#pragma unroll
        for (int q = 0; q < LOOKS; q++) {
            seen[q] = number + 32 * q >= end;
            if (!seen[q]) seen[q] = see_total(finder, places, number + 32 * q, &nodes[q]);
        }
#pragma unroll 1
        for (int q = 0; q < LOOKS && rest > 0; q++, rest -= 32) {
            state node = nodes[0];
            int there = seen[0];
            while (!__all_sync(FULL_WARP, there)) {
                if (!there) there = see_total(finder, places, number + 32 * q, &node);
            }
            node = join_lanes(node, CARRIED ? finder->open - finder->known : 0, rest);
            append_chunks(&left, &node, rest < 32 ? (int32_t)rest : 32);
            if (rest < 32) return left;
            finder->carry = left;
            finder->known += 32;
#pragma unroll
            for (int i = 0; i + 1 < LOOKS; i++) { /* registers have no index */
                nodes[i] = nodes[i + 1];
                seen[i] = seen[i + 1];
            }
        }
    }
    return left;
}

/* What the cell leaves behind. Its last chunk, whose left was found, may have half of its blocks. */
DEVICE void leave_line(const struct user_parameters *p, struct finder *finder, const struct packed *places)
{
    int32_t lane = (int32_t)threadIdx.x & 31, count = (int32_t)(finder->open + p->splits - finder->known);
    int32_t whole = (int32_t)(finder->open + p->length / CHUNK - finder->known), rest = whole % SECTION_CHUNKS;
    struct user_line *to = line_left_behind(p, finder->cell);
    struct left left = finder->carry;
    state node;
    int seen = lane >= count;
    while (!__all_sync(FULL_WARP, seen)) {
        if (!seen) seen = see_total(finder, places, finder->known + lane, &node);
    }
    state last = state_shuffled(node, count - 1);
    node = join_lanes(node, finder->open - finder->known, whole);
    append_chunks(&left, &node, whole - rest);
#pragma unroll
    for (int l = 0; l < SECTION_LEVELS; l++) {
        state part = state_shuffled(node, whole - rest + node_place(rest, l));
        if (lane == 0 && rest >> l & 1) line_put(to, USER_LINE_NODES + l + (CHUNK_BLOCKS > 1), &part, 1);
    }
    if (lane != 0) return;
    if (whole < count) line_put(to, USER_LINE_NODES, &last, 1);
    line_put(to, USER_LINE_CARRY, &left.value, left.some);
    to->blocks = rest * CHUNK_BLOCKS + (whole < count);
    to->count += p->length;
    to->elements += p->length;
}

DEVICE void find_all(const struct user_parameters *p, const struct packed *places, struct wave_room *room, uint32_t own)
{
    struct finder finder;
    finder.cell = -1;
    for (uint32_t k = own;; k += FINDERS) {
        await_chunk(room, k);
        const struct chunk *c = &room->chunks[k % RING];
        if (c->count == 0) return;
        if (c->cell != finder.cell) finder_enter(p, &finder, c->cell);
        const struct packed *totals = places + c->cell * p->splits * PLACE_WORDS;
        int last = c->split + 1 == p->splits;
        struct left left = find_left(&finder, totals, c->split + (CARRIED ? finder.open : 0));
        __syncwarp();
        if ((threadIdx.x & 31) == 0) {
            room->left[k % RING] = left;
            signal_raise(&room->found[k % RING]);
        }
        if (CARRIED && last) leave_line(p, &finder, totals);
    }
}

/* ---- the warps that have groups ---- */

DEVICE void begin_loading(struct wave_room *room, struct vector16 *stages, uint32_t k)
{
    const struct chunk *c = &room->chunks[k % RING];
    int32_t group = (int32_t)threadIdx.x >> 5, count = count_in_group(c, group);
    if (count > 0) {
        const char *from[INPUT_COUNT];
        int64_t skip = (BACKWARD ? -1 : 1) * group * USER_GROUP;
        for (int i = 0; i < INPUT_COUNT; i++) from[i] = c->input[i] + skip * input_bytes(i);
        group_load(from, count, stages + k % STAGES * GROUP_VECTORS);
    }
    copy_group(); /* one for each chunk, so that they can be counted */
}

/* The group's total, and what stands left of the lane's run in the group. */
DEVICE state enter_group(struct wave_room *room, const struct vector16 *memory, const struct chunk *c, uint32_t slot)
{
    int32_t lane = (int32_t)threadIdx.x & 31, group = (int32_t)threadIdx.x >> 5, count = count_in_group(c, group);
    int64_t index = c->index + group * USER_GROUP + lane * USER_RUN;
    int32_t n = count - lane * USER_RUN, runs = (count + USER_RUN - 1) / USER_RUN;
    state total;
    if (count == USER_GROUP) total = run_total(memory, 1, USER_RUN, index);
    else if (n > 0) total = run_total(memory, 0, n, index);
    __syncwarp();
    total = scan_lanes(total, runs);
    if (lane == runs - 1) room->total[slot][group] = total;
    return state_shuffled(total, lane - 1);
}

/* A chunk whose left is known: results of the group, and then to memory. */
DEVICE void finish_group(const struct wave_room *room, struct vector16 *memory, struct vector16 *results,
                         const struct chunk *c, const struct left *left, const state *before, uint32_t slot)
{
    int32_t lane = (int32_t)threadIdx.x & 31, group = (int32_t)threadIdx.x >> 5, count = count_in_group(c, group);
    int64_t skip = group * USER_GROUP, index = c->index + skip + lane * USER_RUN;
#if CARRIED
    int64_t absent = c->absent;
#else
    int64_t absent = 0;
#endif
    int32_t n = count - lane * USER_RUN;
    struct left base = *left;
    struct vector16 *to = IN_PLACE ? memory : results;
    if (count <= 0) return;
    if (group >= USER_BLOCK_GROUPS) left_append(&base, &room->block[slot][0]);
    if (group % USER_BLOCK_GROUPS > 0) left_append(&base, &room->groups_left[slot][group]);
    if (lane > 0) left_append(&base, before);
    if (count == USER_GROUP && __all_sync(FULL_WARP, base.some))
        run_results(memory, 1, USER_RUN, index, absent, &base, to);
    else if (n > 0) run_results(memory, 0, n, index, absent, &base, to);
    __syncwarp();
    group_store(c->out + (BACKWARD ? -skip : skip) * RESULT_BYTES, count, to);
    __syncwarp();
}

/* A warp's way through the chunks: it enters one, and finishes the one that it entered LAG chunks before. */
DEVICE void compute(struct wave_room *room, struct vector16 *stages)
{
    struct vector16 *results = stages + STAGES * GROUP_VECTORS;
    /* Of the chunk that is entered, and of those before it. */
    state before[SLOTS];
    for (uint32_t next = 0, slot = 0, turn = 0;; next++) { /* turn: of the oldest chunk's slot */
        const uint32_t k = next - AHEAD;
        await_chunk(room, next);
        begin_loading(room, stages, next);
        if (next < AHEAD) continue;
        COPY_AWAIT_BUT(AHEAD);
        __syncwarp();
        if (count_in_group(&room->chunks[k % RING], (int32_t)threadIdx.x >> 5) > 0)
            before[0] = enter_group(room, stages + k % STAGES * GROUP_VECTORS, &room->chunks[k % RING], slot);
        __syncwarp();
        if ((threadIdx.x & 31) == 0) signal_raise(&room->entered[slot]);
        slot = slot < LAG ? slot + 1 : 0; /* the next chunk's, and until then the oldest one's */
        if (k >= LAG) {
            const struct chunk *c = &room->chunks[(k - LAG) % RING];
            if (c->count == 0) break;
            signal_await(&room->published[slot], turn);
            signal_await(&room->found[(k - LAG) % RING], (k - LAG) / RING & 1);
            __syncwarp();
            finish_group(room, stages + (k - LAG) % STAGES * GROUP_VECTORS, results, c, &room->left[(k - LAG) % RING],
                         &before[LAG], slot);
            if (slot == LAG) turn ^= 1;
        }
#pragma unroll
        for (int i = LAG; i > 0; i--) before[i] = before[i - 1];
    }
}

/* Every block's last step: the last of all puts back the zeros that it was started with. */
DEVICE void leave_zeros(const struct user_parameters *p, struct packed *places)
{
    struct packed none = {0, 0};
    if (!last_to_arrive(p->tickets + 1, gridDim.x)) return;
#pragma unroll 1
    for (int64_t i = threadIdx.x; i < p->cells * p->splits * PLACE_WORDS; i += THREADS) places[i] = none;
    if (threadIdx.x == 0) *p->tickets = 0;
}

KERNEL(user_wave, struct user_parameters, p)
{
    DYNAMIC_SHARED(struct vector16,
                   shared); /* of each warp: stages, then results, unless these take the stages' place */
    __shared__ struct wave_room room;
    struct packed *places = (struct packed *)p.parts;
    int32_t warp = (int32_t)threadIdx.x >> 5;
    if (warp == 0) {
        open_signals(&room, (int32_t)threadIdx.x);
        __syncwarp();
    }
    if (threadIdx.x == 0) {
#pragma unroll 1
        for (int32_t k = 0; k <= AHEAD; k++) {
            put_chunk(&p, atomicAdd(p.tickets, 1u), &room.chunks[k]);
            signal_raise(&room.drawn[k]);
        }
    }
    __syncthreads();
    if (warp < GROUPS) compute(&room, shared + warp * (STAGES * GROUP_VECTORS + (IN_PLACE ? 0 : RESULT_VECTORS)));
    else if (warp == PUBLISHER) publish_all(&p, places, &room);
    else find_all(&p, places, &room, (uint32_t)(warp - PUBLISHER - 1));
    leave_zeros(&p, places);
}
