/* SPDX-License-Identifier: MIT
 *
 * user_scan.cu - scans by a user's operator, in the blocks of docs/semantics.md: runs of 16 elements, groups of 32
 * runs, blocks of 8 groups, combined as user/kernels_tmpl.h does on the CPU.
 *
 * A thread has a run, and a team of them takes steps along the axis. Where there are cells enough, one kernel walks
 * along all of it; otherwise there are three: user_scan_totals finds the total of every block, user_scan_chain carries
 * them along the axis, user_scan writes the results. */
#include "user_operator.cuh"

#define STAGE_RUN USER_RUN
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
    struct part carry;  /* before the block */
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
        if (is_present(p, &run.at)) part_append(&total, &run.at, run.first + k);
        run_move(&run);
    }
    return total;
}

/* Run totals to the totals of all runs of a group up to each: Kogge and Stone (1973). They end up in the room. */
DEVICE void scan_groups(const struct user_parameters *p, const struct seat *seat, struct part total, struct part *room)
{
    int32_t run = seat->member % USER_GROUP_RUNS, thread = (int32_t)threadIdx.x;
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

/* One step, which begins at element `first` of the cell, from the totals of its runs: moves the walk on, and returns
 * what stands left of the thread's run. */
DEVICE struct part pass_step(const struct user_parameters *p, const struct seat *seat, int64_t first, struct part total,
                             struct part *room, struct walk *walk)
{
    int32_t group_runs = p->team < USER_GROUP_RUNS ? p->team : USER_GROUP_RUNS, mine = seat->member / USER_GROUP_RUNS;
    const struct part *own = room + ((int32_t)threadIdx.x - seat->member * seat->stride); /* the first member's */
    struct part base = walk->carry;
    scan_groups(p, seat, total, room);
    for (int32_t g = 0; g * USER_GROUP_RUNS < p->team; g++) {
        if (g == mine) part_join(&base, &walk->groups);
        part_join(&walk->groups, &own[(g * USER_GROUP_RUNS + group_runs - 1) * seat->stride]);
    }
    if (seat->member % USER_GROUP_RUNS > 0) part_join(&base, &room[(int32_t)threadIdx.x - seat->stride]);
    if ((first + (int64_t)p->team * USER_RUN) % USER_BLOCK == 0) {
        part_join(&walk->carry, &walk->groups);
        part_clear(&walk->groups);
    }
    return base;
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
    for (int32_t k = 0; k < run.n; k++, to += next) {
        int present = is_present(p, &run.at);
        struct part before = local;
        if (present) part_append(&local, &run.at, run.first + k);
        put_result(base, p->exclusive ? &before : &local, to, p->step);
        run_move(&run);
    }
    if (p->stage_results) store_rows(p, out, run.n, area);
}

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
    struct walk walk;
    part_initial(&p, &walk.carry);
    part_clear(&walk.groups);
    if (p.splits > 1 && !seat.idle)
        walk.carry = ((const struct part *)p.parts)[seat.split * p.split_units * p.cells + seat.cell];
    if (stop > p.length) stop = p.length;
    for (int64_t first = begin; first < stop; first += length) {
        struct run run = run_of(&p, &seat, &cell, first + seat.member * USER_RUN, inputs);
        struct part base = pass_step(&p, &seat, first, run_total(&p, run), room, &walk);
        run_results(&p, run, &base, out + (run.n > 0 ? run.first * p.along[0].out * RESULT_BYTES : 0), results);
    }
}

KERNEL(user_scan_totals, struct user_parameters, p)
{
    DYNAMIC_SHARED(struct vector16, shared);
    struct seat seat = seat_of(&p);
    char *inputs = (char *)shared + ROOM_BYTES + threadIdx.x / 32 * STAGE_BYTES;
    struct place cell = place_of_cell(&p, seat.idle ? 0 : seat.cell);
    int64_t begin = seat.split * p.split_units, end = begin + p.split_units, length = (int64_t)p.team * USER_RUN;
    struct walk walk;
    part_clear(&walk.groups);
    if (end > p.units - 1) end = p.units - 1; /* nothing stands right of the last block */
    for (int64_t first = begin * USER_BLOCK; first < end * USER_BLOCK; first += length) {
        if (first % USER_BLOCK == 0) part_clear(&walk.carry);
        struct run run = run_of(&p, &seat, &cell, first + seat.member * USER_RUN, inputs);
        pass_step(&p, &seat, first, run_total(&p, run), (struct part *)shared, &walk);
        if ((first + length) % USER_BLOCK == 0 && seat.member == 0 && !seat.idle)
            ((struct part *)p.parts)[first / USER_BLOCK * p.cells + seat.cell] = walk.carry;
    }
}

/* ---- the chain of carries ---- */

enum { ROUND = THREADS / 2, CHAINED_AT_ONCE = STATE_BYTES <= 32 ? 8 : 2 };

/* The totals of blocks, `stride` parts apart, give their places to what stands left of them. The last block of a cell
 * has none. Several are read before one is joined: only joining has to wait for what was before. */
DEVICE void chain(const struct user_parameters *p, int64_t block, int64_t count, struct part *totals, int64_t stride,
                  struct part *carry)
{
    int64_t read = p->units - 1 - block < count ? p->units - 1 - block : count;
    for (int64_t k = 0; k < count; k += CHAINED_AT_ONCE) {
        struct part own[CHAINED_AT_ONCE];
#pragma unroll
        for (int j = 0; j < CHAINED_AT_ONCE; j++) {
            part_clear(&own[j]);
            if (k + j < read) own[j] = totals[(k + j) * stride];
        }
#pragma unroll
        for (int j = 0; j < CHAINED_AT_ONCE; j++) {
            if (k + j < count) totals[(k + j) * stride] = *carry;
            part_join(carry, &own[j]);
        }
    }
}

/* A cell of one block's: its first thread chains a round of totals, while the others fetch the next ones and take back
 * those that are done. */
DEVICE void chain_rounds(const struct user_parameters *p, struct part *totals, struct part *room)
{
    int32_t slot = (int32_t)threadIdx.x - ROUND; /* of those who fetch */
    int64_t rounds = (p->units + ROUND - 1) / ROUND;
    struct part carry;
    part_initial(p, &carry);
    for (int64_t round = -1; round <= rounds; round++) {
        struct part *now = room + (round & 1) * ROUND, *other = room + (~round & 1) * ROUND;
        int64_t done = (round - 1) * ROUND + slot, next = (round + 1) * ROUND + slot;
        if (threadIdx.x == 0 && round >= 0) {
            int64_t left = p->units - round * ROUND;
            chain(p, round * ROUND, left < ROUND ? left : ROUND, now, 1, &carry);
        } else if (slot >= 0) {
            if (round >= 1 && done < p->units) totals[done * p->cells] = other[slot];
            if (next < p->units) other[slot] = totals[next * p->cells];
        }
        __syncthreads();
    }
}

KERNEL(user_scan_chain, struct user_parameters, p)
{
    DYNAMIC_SHARED(struct vector16, shared);
    struct part *totals = (struct part *)p.parts;
    if (p.cells < THREADS) {
        chain_rounds(&p, totals + blockIdx.x, (struct part *)shared);
        return;
    }
    int64_t cell = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    struct part carry;
    if (cell >= p.cells) return;
    part_initial(&p, &carry);
    chain(&p, 0, p.units, totals + cell, p.cells, &carry);
}
