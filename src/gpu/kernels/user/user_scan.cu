/* SPDX-License-Identifier: MIT
 *
 * user_scan.cu - scans by a user's operator, in the blocks of docs/semantics.md: runs of 16 elements, groups of 32
 * runs, blocks of 8 groups, combined as user/kernels_tmpl.h does on the CPU.
 *
 * A thread has a run, and a team of them takes steps along the axis. Where there are cells enough, one kernel walks
 * along all of it; otherwise there are three: user_scan_totals finds the total of every block, user_scan_chain carries
 * them along the axis, user_scan writes the results.
 *   PASS   the kernel that is wanted (user_parameters.h): compiling takes time in proportion to the code */
#include "user_operator.cuh"

#define STAGE_RUN USER_RUN
#include "user_line.cuh"
#include "user_stage.cuh"

enum {
    WARPS = THREADS / 32,
    ROOM_BYTES = THREADS * USER_PART_BYTES(STATE_BYTES), /* of shared memory; rows of inputs follow, then of results */
    RESULT_ROW = STAGE_ROW(RESULT_BYTES)
};

/* Where a thread stands. */
struct seat {
    int64_t split, cell;
    int32_t member, cells;
    int32_t stride; /* from a member of the team to the next, in threads */
    int32_t idle;   /* there is no such cell */
};

DEVICE struct seat seat_of(const struct user_parameters *p)
{
    struct seat seat;
    int32_t thread = (int32_t)threadIdx.x;
    int64_t block = blockIdx.x;
    seat.cells = THREADS / p->team;
    int64_t groups = (p->cells + seat.cells - 1) / seat.cells;
    int64_t group = p->cells_first ? block % groups : block / p->splits;
    seat.split = p->cells_first ? block / groups : block % p->splits;
    seat.member = p->cells_first ? thread / seat.cells : thread % p->team;
    seat.cell = group * seat.cells + (p->cells_first ? thread % seat.cells : thread / p->team);
    seat.stride = p->cells_first ? seat.cells : 1;
    seat.idle = seat.cell >= p->cells;
    return seat;
}

/* What is known left of a step. */
struct walk {
    struct part left;   /* of the block */
    struct part groups; /* the block's complete groups */
};

/* A thread's run: its elements lie `step` bytes apart, in memory or as rows in shared memory. */
struct run {
    struct place at;
    int64_t step[INPUT_COUNT], where_step;
    int64_t first; /* its first element's number */
    int32_t n;
};

DEVICE struct run run_of(const struct user_parameters *p, const struct seat *seat, const struct place *cell,
                         int64_t first, char *area)
{
    struct run run;
    run.first = first;
    run.n = seat->idle || first >= p->length ? 0
            : p->length - first < USER_RUN   ? (int32_t)(p->length - first)
                                             : USER_RUN;
    run.at = *cell;
    if (run.n > 0) place_move(&run.at, &p->along[0], first);
    run.where_step = p->along[0].where;
    for (int c = 0; c < INPUT_COUNT; c++) run.step[c] = p->along[0].input[c] * input_bytes(c);
    if (!p->stage_inputs) return run;
    __syncwarp();
    stage_inputs(&p->along[0], &run.at, 0, run.n, area);
    __syncwarp();
    for (int c = 0; c < INPUT_COUNT; c++) {
        run.at.input[c] = area + stage_at(c) + threadIdx.x % 32 * STAGE_ROW(input_bytes(c));
        run.step[c] = input_bytes(c);
    }
    return run;
}

DEVICE void run_move(struct run *run)
{
    for (int c = 0; c < INPUT_COUNT; c++) run->at.input[c] += run->step[c];
    run->at.where += run->where_step;
}

DEVICE struct part run_total(const struct user_parameters *p, struct run run)
{
    struct part total;
    part_clear(&total);
#pragma unroll 4
    for (int32_t k = 0; k < run.n; k++) {
        if (is_present(p, &run.at)) part_append(&total, &run.at, p->position + run.first + k);
        run_move(&run);
    }
    return total;
}

/* Run totals to the totals of all runs of a group up to each: Kogge and Stone (1973). They end up in the room. */
DEVICE void scan_groups(const struct user_parameters *p, const struct seat *seat, struct part total, struct part *room)
{
    int32_t run = seat->member % USER_GROUP_RUNS, thread = (int32_t)threadIdx.x;
#pragma unroll 1
    for (int32_t distance = 1; distance < USER_GROUP_RUNS && distance < p->team; distance *= 2) {
        __syncthreads();
        room[thread] = total;
        __syncthreads();
        if (run < distance) continue;
        struct part left = room[thread - distance * seat->stride];
        part_join(&left, &total);
        total = left;
    }
    __syncthreads();
    room[thread] = total;
    __syncthreads();
}

/* One step, from the totals of its runs: moves the walk on, and returns what stands left of the thread's run. */
DEVICE struct part pass_step(const struct user_parameters *p, const struct seat *seat, struct part total,
                             struct part *room, struct walk *walk)
{
    int32_t group_runs = p->team < USER_GROUP_RUNS ? p->team : USER_GROUP_RUNS, mine = seat->member / USER_GROUP_RUNS;
    const struct part *own = room + ((int32_t)threadIdx.x - seat->member * seat->stride); /* the first member's */
    struct part base = walk->left;
    scan_groups(p, seat, total, room);
#pragma unroll 1
    for (int32_t g = 0; g * USER_GROUP_RUNS < p->team; g++) {
        if (g == mine) part_join(&base, &walk->groups);
        part_join(&walk->groups, &own[(g * USER_GROUP_RUNS + group_runs - 1) * seat->stride]);
    }
    if (seat->member % USER_GROUP_RUNS > 0) part_join(&base, &room[(int32_t)threadIdx.x - seat->stride]);
    return base;
}

/* ---- sections ---- */

/* A cell's blocks up to a place, from its first one on. */
struct line {
    struct part carry;                     /* complete sections */
    struct part node[USER_SECTION_LEVELS]; /* 2^l blocks, where bit l of blocks is set */
    int32_t blocks;                        /* of the open section */
};

DEVICE struct part line_part(const struct user_line *line, int32_t k)
{
    struct part part;
    part_clear(&part);
    part.some = line->has[k];
    if (part.some) part.value = *line_state(line, k);
    return part;
}

DEVICE void line_open(const struct user_parameters *p, int64_t cell, struct line *line)
{
    line->blocks = 0;
    if (!p->lines) {
        part_initial(p, &line->carry);
        return;
    }
    const struct user_line *from = line_of(p, cell);
    line->blocks = from->blocks;
    line->carry = line_part(from, USER_LINE_CARRY);
    line->carry.count = from->count;
#pragma unroll 1
    for (int32_t level = 0; level < USER_SECTION_LEVELS; level++)
        line->node[level] = line_part(from, USER_LINE_NODES + level);
}

/* By one thread. */
DEVICE void line_close(const struct user_parameters *p, int64_t cell, const struct line *line)
{
    struct user_line *to = line_left_behind(p, cell);
    to->count = line->carry.count;
    line_put(to, USER_LINE_CARRY, &line->carry.value, line->carry.some);
#pragma unroll 1
    for (int32_t level = 0; level < USER_SECTION_LEVELS; level++) {
        if (!(line->blocks >> level & 1)) continue;
        to->count += line->node[level].count;
        line_put(to, USER_LINE_NODES + level, &line->node[level].value, line->node[level].some);
    }
    to->blocks = line->blocks;
    to->elements += p->length;
}

DEVICE void line_append(struct line *line, struct part total)
{
    int32_t level = 0;
#pragma unroll 1
    for (; line->blocks >> level & 1; level++) {
        struct part node = line->node[level];
        part_join(&node, &total);
        total = node;
    }
    line->blocks = (line->blocks + 1) % USER_SECTION_BLOCKS;
    if (level < USER_SECTION_LEVELS) line->node[level] = total;
    else part_join(&line->carry, &total);
}

DEVICE struct part line_left(const struct line *line)
{
    struct part left = line->carry;
#pragma unroll 1
    for (int32_t level = USER_SECTION_LEVELS - 1; level >= 0; level--) {
        if (line->blocks >> level & 1) part_join(&left, &line->node[level]);
    }
    return left;
}

/* Whether a step ends a block. */
DEVICE int ends_block(const struct user_parameters *p, int64_t first)
{
    return (first + (int64_t)p->team * USER_RUN) % USER_BLOCK == 0;
}

/* ---- results ---- */

DEVICE void put_result(const struct part *base, const struct part *local, char *to, int64_t step)
{
    struct part value = *base;
    part_join(&value, local);
    part_finish(&value, to, step);
}

/* The warp's rows of results to where they belong; out is the address of the lane's first one. */
DEVICE void store_rows(const struct user_parameters *p, char *out, int32_t n, const char *area)
{
    int64_t step = p->along[0].out * RESULT_BYTES;
    __syncwarp();
#pragma unroll 8
    for (int32_t i = (int32_t)(threadIdx.x % 32); i < 32 * USER_RUN; i += 32) {
        int32_t row = i / USER_RUN, k = i % USER_RUN;
        char *to = (char *)(uintptr_t)__shfl_sync(FULL_WARP, address_of(out), row);
        if (k < __shfl_sync(FULL_WARP, n, row))
            copy_element(to + k * step, area + row * RESULT_ROW + k * RESULT_BYTES, RESULT_BYTES, RESULT_ALIGN);
    }
}

DEVICE void run_results(const struct user_parameters *p, struct run run, const struct part *base, char *out, char *area)
{
    char *to = out, *row = area + threadIdx.x % 32 * RESULT_ROW;
    int64_t next = p->along[0].out * RESULT_BYTES;
    struct part local;
    part_clear(&local);
    if (p->stage_results) to = row, next = RESULT_BYTES;
#pragma unroll 1
    for (int32_t k = 0; k < run.n; k++, to += next) {
        int present = is_present(p, &run.at);
        struct part shown = local;
        if (present) part_append(&local, &run.at, p->position + run.first + k);
        if (!p->exclusive) shown = local;
        put_result(base, &shown, to, p->step);
        run_move(&run);
    }
    if (p->stage_results) store_rows(p, out, run.n, area);
}

#if PASS == USER_SCAN_RESULTS

KERNEL(user_scan, struct user_parameters, p)
{
    DYNAMIC_SHARED(struct vector16, shared);
    struct seat seat = seat_of(&p);
    struct part *room = (struct part *)shared;
    char *rows = (char *)shared + ROOM_BYTES, *inputs = rows + threadIdx.x / 32 * STAGE_BYTES;
    char *results = rows + (p.stage_inputs ? WARPS * STAGE_BYTES : 0) + threadIdx.x / 32 * (32 * RESULT_ROW);
    struct place cell = place_of_cell(&p, seat.idle ? 0 : seat.cell);
    char *out = result_of_cell(&p, seat.idle ? 0 : seat.cell);
    int64_t begin = seat.split * p.split_units * USER_BLOCK, length = (int64_t)p.team * USER_RUN;
    int64_t stop = begin + p.split_units * USER_BLOCK;
    const struct part *known = (const struct part *)p.parts + seat.cell; /* left of blocks, where there are splits */
    struct walk walk;
    struct line line;
    line_open(&p, seat.idle ? 0 : seat.cell, &line);
    if (stop > p.length) stop = p.length;
    for (int64_t first = begin; first < stop; first += length) {
        if (first % USER_BLOCK == 0) {
            part_clear(&walk.groups);
            part_clear(&walk.left);
            if (p.splits == 1) walk.left = line_left(&line);
            else if (!seat.idle) walk.left = known[first / USER_BLOCK * p.cells];
        }
        struct run run = run_of(&p, &seat, &cell, first + seat.member * USER_RUN, inputs);
        struct part base = pass_step(&p, &seat, run_total(&p, run), room, &walk);
        run_results(&p, run, &base, out + (run.n > 0 ? run.first * p.along[0].out * RESULT_BYTES : 0), results);
        if (p.splits == 1 && ends_block(&p, first)) line_append(&line, walk.groups);
    }
    if (p.lines && p.splits == 1 && seat.member == 0 && !seat.idle) line_close(&p, seat.cell, &line);
}

#elif PASS == USER_SCAN_TOTALS

KERNEL(user_scan_totals, struct user_parameters, p)
{
    DYNAMIC_SHARED(struct vector16, shared);
    struct seat seat = seat_of(&p);
    char *inputs = (char *)shared + ROOM_BYTES + threadIdx.x / 32 * STAGE_BYTES;
    struct place cell = place_of_cell(&p, seat.idle ? 0 : seat.cell);
    int64_t begin = seat.split * p.split_units, end = begin + p.split_units, length = (int64_t)p.team * USER_RUN;
    struct walk walk;
    part_clear(&walk.left);
    int64_t known = p.lines ? p.units : p.units - 1; /* nothing stands right of the last block, or the next chunk */
    if (end > known) end = known;
    for (int64_t first = begin * USER_BLOCK; first < end * USER_BLOCK; first += length) {
        if (first % USER_BLOCK == 0) part_clear(&walk.groups);
        struct run run = run_of(&p, &seat, &cell, first + seat.member * USER_RUN, inputs);
        pass_step(&p, &seat, run_total(&p, run), (struct part *)shared, &walk);
        if (ends_block(&p, first) && seat.member == 0 && !seat.idle)
            ((struct part *)p.parts)[first / USER_BLOCK * p.cells + seat.cell] = walk.groups;
    }
}

#elif PASS == USER_SCAN_CHAIN

/* ---- the chain of carries ---- */

/* What the scan leaves behind: sections, and the nodes of so many blocks of the open one. */
DEVICE void chain_close(const struct user_parameters *p, const struct part *carry, int32_t blocks,
                        const struct part *nodes)
{
    struct line line;
    line.carry = *carry;
    line.blocks = blocks;
#pragma unroll 1
    for (int32_t level = 0; level < USER_SECTION_LEVELS; level++) {
        if (blocks >> level & 1) line.node[level] = nodes[node_place(blocks, level)];
    }
    line_close(p, blockIdx.x, &line);
}

/* A block for each cell, and a warp for each section: the totals of blocks give their places to what stands left of
 * them. A node lies where its last block does; it is no left half of another, so the nodes of a section's beginning are
 * all there when the section is one node. The last block of a cell has a total only where the scan goes on; there the
 * nodes of the section that was open come before the blocks, and one place behind them is the line's next block. */
KERNEL(user_scan_chain, struct user_parameters, p)
{
    DYNAMIC_SHARED(struct vector16, shared);
    struct part *room = (struct part *)shared, *totals = (struct part *)p.parts + blockIdx.x;
    int32_t thread = (int32_t)threadIdx.x, lane = thread % 32, warp = thread / 32;
    struct line line;
    line_open(&p, blockIdx.x, &line);
    struct part carry = line.carry;
    int64_t open = line.blocks, known = p.lines ? p.units : p.units - 1, places = open + known + 1;
    for (int64_t base = 0; base < places; base += THREADS) {
        int64_t place = base + thread, block = place - open;
        struct part left;
        part_clear(&room[thread]);
        if (block >= 0 && block < known) room[thread] = totals[block * p.cells];
        for (int32_t level = 0; level < USER_SECTION_LEVELS && block < 0; level++) {
            if (place == node_place(line.blocks, level)) room[thread] = line.node[level];
        }
        for (int32_t half = 1; half < USER_SECTION_BLOCKS; half *= 2) {
            __syncwarp();
            if (lane % (2 * half) != 2 * half - 1) continue;
            left = room[thread - half];
            part_join(&left, &room[thread]);
            room[thread] = left;
        }
        __syncthreads();
        for (int32_t w = 0; w < WARPS; w++) {
            if (w == warp) left = carry;
            part_join(&carry, &room[w * 32 + 31]);
        }
        struct part before = left; /* the section */
#pragma unroll 1
        for (int32_t level = USER_SECTION_LEVELS - 1; level >= 0; level--) {
            if (lane >> level & 1) part_join(&left, &room[warp * 32 + (lane >> level << level) - 1]);
        }
        if (block >= 0 && block < p.units) totals[block * p.cells] = left;
        if (p.lines && block == p.units) chain_close(&p, &before, lane, room + warp * 32);
        __syncthreads();
    }
}

#endif
