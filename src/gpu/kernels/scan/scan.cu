/* SPDX-License-Identifier: MIT
 *
 * scan.cu - running results whose bits do not depend on how elements are grouped: integer sums, extremes, truth, bits,
 * and exact sums. scan_ordered.cu has the others.
 *
 * A block takes a group of cells and, of each, one split of the axis, step by step. A thread scans its run, the team
 * scans the totals of the runs, and the split's carry comes from the splits before it: each publishes its total, then
 * looks back until it meets one that knows its whole prefix (Merrill and Garland, "Single-pass parallel prefix scan
 * with decoupled look-back"). Splits start in the order of a ticket, so that nobody waits for a block that has not
 * started. */
#include "scan_step.cuh"

#if defined(METHOD_EXACT)
#include "scan_method_exact.cuh"
#else
#include "scan_method_fold.cuh"
#endif

#include "shuffle.cuh"

SHUFFLE(state)

/* What stands left of each thread in its team, and the team's total, where neighbours are neighbouring lanes. */
DEVICE struct state scan_lanes(struct state sum, int32_t member, int32_t team, struct state *room, struct state *all)
{
    int32_t lane = (int32_t)threadIdx.x & 31, warp = (int32_t)threadIdx.x >> 5, warps = team / 32;
    for (int32_t distance = 1; distance < 32 && distance < team; distance *= 2) {
        struct state left = state_up(sum, (uint32_t)distance);
        if (lane < distance || member < distance) continue;
        state_append(&left, &sum);
        sum = left;
    }
    struct state before = state_up(sum, 1);
    if (lane == 0 || member == 0) before = state_identity();
    if (member % 32 == 31 || member == team - 1)
        room[team < 32 ? THREADS / 32 + (int32_t)threadIdx.x / team : warp] = sum;
    __syncthreads();
    if (team > 32 && warp == 0) { /* the warps' totals, of each team apart */
        struct state total = state_identity();
        if (lane < THREADS / 32) total = room[lane];
        for (int32_t distance = 1; distance < warps; distance *= 2) {
            struct state left = state_up(total, (uint32_t)distance);
            if (lane % warps < distance) continue;
            state_append(&left, &total);
            total = left;
        }
        if (lane < THREADS / 32) room[lane] = total;
    }
    __syncthreads();
    if (member >= 32) {
        struct state left = room[warp - 1];
        state_append(&left, &before);
        before = left;
    }
    *all = room[team < 32 ? THREADS / 32 + (int32_t)threadIdx.x / team : warp - member / 32 + warps - 1];
    __syncthreads();
    return before;
}

/* The same where neighbours lie `stride` threads apart. */
DEVICE struct state scan_apart(struct state sum, int32_t member, int32_t team, int32_t stride, struct state *room)
{
    for (int32_t distance = 1; distance < team; distance *= 2) {
        __syncthreads();
        room[threadIdx.x] = sum;
        __syncthreads();
        if (member < distance) continue;
        struct state left = room[(int32_t)threadIdx.x - distance * stride];
        state_append(&left, &sum);
        sum = left;
    }
    return sum;
}

/* The total of the members before this one; *all gets the total of the team. */
DEVICE struct state scan_team(struct state mine, const struct seat *seat, const struct reduce_parameters *p,
                              struct state *room, struct state *all)
{
    int32_t stride = seat->cells, thread = (int32_t)threadIdx.x;
    __syncthreads();
    if (!p->cells_first) return scan_lanes(mine, seat->member, p->team, room, all);
    struct state sum = scan_apart(mine, seat->member, p->team, stride, room);
    __syncthreads();
    room[thread] = sum;
    __syncthreads();
    struct state before = state_identity();
    if (seat->member > 0) before = room[thread - stride];
    *all = room[thread + (p->team - 1 - seat->member) * stride];
    __syncthreads();
    return before;
}

#include "look_back.cuh"

/* A thread's elements; absent ones are zero where sums are exact. */
struct run {
    element x[RUN];
    uint32_t present;
};

DEVICE struct run take_run(const struct reduce_parameters *p, const struct step *step)
{
    struct run run;
    run.present = load_run(p, step, run.x);
#if defined(FAST_RUN)
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        if (!(run.present >> i & 1)) memset(&run.x[i], 0, sizeof run.x[i]);
    }
#endif
    return run;
}

DEVICE struct state run_total(const struct run *run)
{
#if defined(FAST_RUN)
    return fast_run_total(run->x);
#else
    struct state total = state_identity();
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        if (run->present >> i & 1) state_add(&total, run->x[i]);
    }
    return total;
#endif
}

#if defined(FAST_RUN)
/* The results of a run as pairs; false when it must be done in words. */
DEVICE int store_fast(const struct scan_parameters *p, const struct step *step, const struct run *run,
                      const struct state *before)
{
    int lost = 0;
    for (int part = 0; part < SUMS; part++) {
        struct pair pair;
        if (words_pair(&before->sum[part], &pair) < 2) return 0;
#pragma unroll
        for (int i = 0; i < RUN; i++) {
            struct pair left = pair;
            lost |= pair_add(&pair, (double)RUN_PART(run->x[i], part));
            if (step->first + i < step->end)
                pair_store(p->exclusive ? left : pair, part, result_place(&p->reduce, step, i));
        }
    }
    return !lost;
}
#define SLOW_RUN DEVICE_CALL
#define SLOW_UNROLL _Pragma("unroll 1")
#else
#define SLOW_RUN DEVICE
#define SLOW_UNROLL _Pragma("unroll")
#endif

/* Writes a run's results from what comes before it, by states. */
SLOW_RUN void store_slow(const struct scan_parameters *p, struct step step, struct run run, struct state before)
{
    uint32_t failure = 0;
#if defined(METHOD_EXACT)
    if (all_comes_again(p)) return;
#endif
    SLOW_UNROLL
    for (int i = 0; i < RUN; i++) {
        struct state next = before;
        if (run.present >> i & 1) state_add(&next, run.x[i]);
        if (step.first + i < step.end)
            failure |= state_store(p->exclusive ? &before : &next, p->check_only, result_place(&p->reduce, &step, i));
        before = next;
    }
    if (failure & FAILED_WINDOW) *p->reduce.wide_count = 1;
    if (failure & ~(uint32_t)FAILED_WINDOW && p->reduce.failures) atomicOr(p->reduce.failures, failure);
}

DEVICE void store_run(const struct scan_parameters *p, const struct step *step, const struct run *run,
                      struct state before)
{
#if defined(FAST_RUN)
    if (store_fast(p, step, run, &before)) return;
#endif
    store_slow(p, *step, *run, before);
}

/* The total of a split that takes several steps: a pass of its own over it. */
DEVICE struct state split_total(const struct reduce_parameters *p, struct step step, const struct seat *seat,
                                struct state *room)
{
    struct state mine = state_identity(), all;
    for (; step.block_first < step.stop; step_move(&step)) {
        struct run run = take_run(p, &step);
        struct state part = run_total(&run);
        state_append(&mine, &part);
    }
    scan_team(mine, seat, p, room, &all);
    return all;
}

KERNEL(scan, struct scan_parameters, given)
{
    DYNAMIC_SHARED(struct vector16, shared); /* a run of each thread, or a state of each */
    __shared__ uint32_t ticket;
    const struct reduce_parameters *p = &given.reduce;
    struct state *room = (struct state *)shared, all;
    struct seat seat = seat_of(p);
    if (threadIdx.x == 0) ticket = p->splits > 1 ? atomicAdd(given.ticket, 1u) : blockIdx.x;
    __syncthreads();
    int64_t groups = (p->cells + seat.cells - 1) / seat.cells;
    int64_t group = p->cells_first ? ticket % groups : ticket / p->splits;
    int64_t split = p->cells_first ? ticket / groups : ticket % p->splits;
    int64_t cell = group * seat.cells + seat.cell;
    struct step step = step_of(p, &seat, group, split, (char *)shared);
    int one_step = p->split_units <= step_length(&step);
    struct state carry = state_identity();
    if (p->splits == 1 && cell < p->cells) carry = state_first(&given, cell);
    if (p->splits > 1 && !one_step)
        carry = look_back(&given, seat, group, split, split_total(p, step, &seat, room), room);
    for (; step.block_first < step.stop; step_move(&step)) {
        struct run run = take_run(p, &step);
        struct state before = scan_team(run_total(&run), &seat, p, room, &all);
        if (p->splits > 1 && one_step) carry = look_back(&given, seat, group, split, all, room);
        struct state left = carry;
        state_append(&left, &before);
        results_begin();
        store_run(&given, &step, &run, left);
        results_end(p, &step, given.check_only);
        state_append(&carry, &all);
    }
    if (p->splits > 1) leave_zeros(&given, (int64_t)gridDim.x);
}
