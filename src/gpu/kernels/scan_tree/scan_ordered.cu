/* SPDX-License-Identifier: MIT
 *
 * scan_ordered.cu - running results of folds that are not associative in floating point, in the blocks of
 * docs/semantics.md: runs of 16 elements, groups of 32 runs, blocks of 8 groups, each combined in its own fixed way.
 *
 * A thread has a run. Where an axis has few splits one kernel walks along it; otherwise there are three: scan_totals
 * finds the total of every block, scan_chain (scan_chain.cu) carries them along the axis, scan writes the results. */
#include "ordered_blocks.cuh"

/* What a cell carries from step to step. */
struct carried {
    struct standing carry;  /* everything before the block */
    struct standing groups; /* the block's complete groups */
};

SHUFFLE(sum)

/* Kogge and Stone over the runs of a group, all groups of the step at once; room[thread] ends up with each result. The
 * runs of a group are those of a warp, or others' cells lie between them. */
DEVICE void scan_groups(struct sum total, const struct seat *seat, int32_t stride, int32_t team, struct sum *room)
{
    int32_t run = seat->member % GROUP_RUNS, thread = (int32_t)threadIdx.x;
    for (int32_t distance = 1; distance < GROUP_RUNS && distance < team; distance *= 2) {
        struct sum left;
        if (stride == 1) {
            left = sum_up(total, (uint32_t)distance);
        } else {
            __syncthreads();
            room[thread] = total;
            __syncthreads();
            left = room[run < distance ? thread : thread - distance * stride];
        }
        if (run < distance) continue;
        sum_append(&left, total);
        total = left;
    }
    __syncthreads();
    room[thread] = total;
    __syncthreads();
}

/* One step: the totals of its runs. Returns what stands left of the thread's run, and moves the cell's state on. */
DEVICE struct standing pass_step(const struct reduce_parameters *p, const struct seat *seat, const struct step *step,
                                 struct sum total, struct carried *carried, struct sum *room)
{
    int32_t stride = p->cells_first ? seat->cells : 1;
    int32_t first = (int32_t)threadIdx.x - seat->member * stride; /* the thread of member 0 */
    int32_t groups = p->team > GROUP_RUNS ? p->team / GROUP_RUNS : 1, mine = seat->member / GROUP_RUNS;
    int32_t last = (p->team < GROUP_RUNS ? p->team : GROUP_RUNS) - 1;
    scan_groups(total, seat, stride, p->team, room);
    struct standing before = carried->groups, base = carried->carry;
#pragma unroll 4
    for (int32_t g = 0; g < groups; g++) {
        if (g == mine && before.some) standing_append(&base, before.value);
        standing_append(&before, room[first + (g * GROUP_RUNS + last) * stride]);
    }
    if (seat->member % GROUP_RUNS > 0) standing_append(&base, room[(int32_t)threadIdx.x - stride]);
    carried->groups = before;
    if ((step->block_first + (int64_t)p->team * RUN) % BLOCK_ELEMENTS == 0) {
        standing_append(&carried->carry, before.value);
        carried->groups = nothing_left();
    }
    __syncthreads();
    return base;
}

/* totals: [block][cell], before scan_chain a block's total, afterwards what stands left of the block. */
KERNEL(scan, struct scan_parameters, given)
{
    DYNAMIC_SHARED(struct vector16, shared);
    const struct reduce_parameters *p = &given.reduce;
    struct seat seat = seat_of(p);
    struct share share = share_of(p, &seat);
    int64_t cell = share.group * seat.cells + seat.cell, apart = p->reduced[0].out * RESULT_SIZE;
    struct step step = step_of(p, &seat, share.group, share.split, (char *)shared);
    struct carried carried = {standing_of(first_left(&given, cell)), nothing_left()};
    if (p->splits > 1 && cell < p->cells)
        carried.carry =
            standing_of(((const struct left *)given.totals)[step.block_first / BLOCK_ELEMENTS * p->cells + cell]);
    prepare_results();
    for (; step.block_first < step.stop; step_move(&step)) {
        element x[RUN];
        struct local local;
        uint32_t present = load_run(p, &step, x);
        __syncthreads();
        struct sum total = enter_run(x, present, &local);
        struct standing base = pass_step(p, &seat, &step, total, &carried, (struct sum *)shared);
        results_begin();
        write_results(x, present, &local, &base, result_place(p, &step, 0), OUT_WAY == BY_RUN ? apart : RESULT_SIZE,
                      step.end - step.first);
        results_end(p, &step, 0);
    }
    struct left last = left_of(carried.carry);
    if (p->splits == 1 && seat.member == 0 && cell < p->cells) leave_carry(&given, cell, &last);
}

KERNEL(scan_totals, struct scan_parameters, given)
{
    DYNAMIC_SHARED(struct vector16, shared);
    const struct reduce_parameters *p = &given.reduce;
    struct seat seat = seat_of(p);
    struct share share = share_of(p, &seat);
    int64_t cell = share.group * seat.cells + seat.cell;
    struct step step = step_of(p, &seat, share.group, share.split, (char *)shared);
    struct carried carried = {nothing_left(), nothing_left()};
    for (; step.block_first < step.stop; step_move(&step)) {
        element x[RUN];
        struct local local;
        uint32_t present = load_run(p, &step, x);
        __syncthreads();
        struct sum total = enter_run(x, present, &local);
        pass_step(p, &seat, &step, total, &carried, (struct sum *)shared);
        if (!carried.carry.some) continue;
        if (seat.member == 0 && cell < p->cells)
            ((struct left *)given.totals)[step.block_first / BLOCK_ELEMENTS * p->cells + cell] = left_of(carried.carry);
        carried.carry = nothing_left();
    }
}
