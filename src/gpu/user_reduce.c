/* SPDX-License-Identifier: MIT
 *
 * user_reduce.c - reductions by users' operators: how they are dealt out to blocks of kernels/user/user_reduce.cu. */
#include "user_reduce.h"
#include "scratch.h"
#include "staging.h"
#include "user_stream.h"
#include "whole.h"

#define THREADS 128
#define BLOCKS_PER_PROCESSOR 16
#define MOST_TICKETS 16384
#define SMALL_STATE 32 /* bytes: then so many blocks fit a multiprocessor without spilling registers */
#define SMALL_BLOCKS 5

struct user_reduce_plan {
    struct user_parameters parameters;
    int64_t team, groups;
    size_t shared_bytes, part_bytes;
};

static tally_status kernel_of(struct machine *machine, const struct user_op *op, int64_t team, int leaves,
                              const struct kernel **kernel)
{
    struct definitions definitions;
    user_definitions(op, &definitions);
    definitions_add_number(&definitions, "USER_THREADS", THREADS);
    definitions_add_number(&definitions, "USER_TEAM", team);
    definitions_add_number(&definitions, "USER_LEAVES", leaves);
    if (user_kernels(op)->state_bytes <= SMALL_STATE)
        definitions_add_number(&definitions, "USER_BLOCKS_AT_ONCE", SMALL_BLOCKS);
    return user_kernel(machine, op, "user_reduce.cu", leaves ? "user_leaves" : "user_reduce", &definitions, kernel);
}

void user_fill_reduction(const struct reduction *reduction, struct user_parameters *p)
{
    user_fill(&reduction->calculation, p);
    p->inputs[0] = reduction->x;
    p->inputs[1] = reduction->y;
    p->inputs[2] = reduction->z;
    p->where = reduction->where;
    p->out = reduction->out;
    for (int32_t d = 0; d < reduction->kept_count; d++) p->kept[d] = user_loop_of(&reduction->kept[d]);
    for (int32_t d = 0; d < reduction->reduced_count; d++) p->along[d] = user_loop_of(&reduction->reduced[d]);
    p->kept_count = reduction->kept_count;
    p->along_count = reduction->reduced_count;
    if (p->along_count == 0) p->along[p->along_count++].extent = reduction->length;
    p->cells = reduction->cells;
    p->length = reduction->length;
    p->step = reduction->step;
}

/* The kernel is compiled for each team: a few sizes will do. A thread has at least one lane, and where the order of
 * elements does not count, several of short cells. */
static int64_t team_of(int commutative, const struct user_parameters *p)
{
    static const int64_t teams[] = {128, 32, 16, 4, 1};
    int64_t most = p->lanes, side = 1;
    if (commutative && p->length < 512) most = divide_up(most, 4);
    if (p->cells_first) side = least(32, power_above(p->cells));
    if (p->cells_first && THREADS / side < most) most = THREADS / side;
    for (size_t i = 0; i + 1 < sizeof teams / sizeof *teams; i++) {
        if (teams[i] <= most) return teams[i];
    }
    return 1;
}

static void deal_out(const struct device_limits *limits, const struct user_op *op, struct user_reduce_plan *plan)
{
    struct user_parameters *p = &plan->parameters;
    plan->groups = divide_up(p->cells, THREADS / plan->team);
    int64_t wanted = divide_up((int64_t)limits->processors * BLOCKS_PER_PROCESSOR, plan->groups);
    if (plan->groups > MOST_TICKETS) wanted = 1;
    p->units = divide_up(p->length ? p->length : 1, USER_LEAF);
    p->split_units = power_above(divide_up(p->units, wanted));
    p->splits = divide_up(p->units, p->split_units);
    size_t part = USER_PART_BYTES(user_kernels(op)->state_bytes);
    plan->part_bytes = p->units > 1 ? (size_t)(p->units * p->cells) * part : 0;
    plan->shared_bytes = THREADS * part;
}

/* Where a lane's elements lie one after the other, warps read them by way of shared memory. */
static void choose_staging(const struct user_op *op, struct user_reduce_plan *plan)
{
    struct user_parameters *p = &plan->parameters;
    int64_t largest = 1;
    for (int c = 0; c < op->input_count; c++) {
        int64_t size = type_row(op->inputs[c])->size;
        largest = size > largest ? size : largest;
    }
    size_t rows = THREADS / 32 * user_stage_bytes(op, least(USER_LANE_ELEMENTS, 128 / largest));
    p->stage_inputs = !(op->flags & TALLY_OP_COMMUTATIVE) && p->along_count == 1 && !p->cells_first && !p->where &&
                      !p->skip_nan && p->length > 1;
    if (p->stage_inputs && rows > plan->shared_bytes) plan->shared_bytes = rows;
}

static void make_plan(const struct device_limits *limits, const struct reduction *reduction,
                      struct user_reduce_plan *plan)
{
    const struct user_op *op = reduction->calculation.user;
    struct user_parameters *p = &plan->parameters;
    int commutative = (op->flags & TALLY_OP_COMMUTATIVE) != 0;
    int64_t n = reduction->length ? reduction->length : 1;
    user_fill_reduction(reduction, p);
    p->cells_first = p->cells > 1 && (reduction->reduced_count == 0 ||
                                      user_cells_lie_closer(reduction->kept, reduction->kept_count,
                                                            &reduction->reduced[reduction->reduced_count - 1]));
    p->lanes = (int32_t)least(USER_LANES, power_above(commutative ? n : divide_up(n, USER_LANE_ELEMENTS)));
    plan->team = team_of(commutative, p);
    deal_out(limits, op, plan);
    choose_staging(op, plan);
}

tally_status user_reduce_launch(struct tally_context *context, const struct reduction *reduction, int wants_failures)
{
    struct machine *machine = gpu_device(context)->machine;
    struct user_reduce_plan plan;
    struct scratch scratch;
    const struct kernel *kernel;
    if (user_stream_suits(&machine->limits, reduction)) return user_stream_launch(context, reduction);
    make_plan(&machine->limits, reduction, &plan);
    TRY(kernel_of(machine, reduction->calculation.user, plan.team, 0, &kernel));
    TRY(scratch_take(context, plan.part_bytes, &scratch));
    plan.parameters.parts = scratch.room;
    plan.parameters.tickets = scratch.tickets;
    plan.parameters.failures = wants_failures ? scratch.failures : NULL;
    return user_launch(machine, kernel, plan.groups * plan.parameters.splits, THREADS, plan.shared_bytes,
                       &plan.parameters);
}

tally_status user_share_leaves(struct tally_context *context, const struct reduction *reduction, int64_t position,
                               struct share *share)
{
    struct machine *machine = gpu_device(context)->machine;
    const struct user_op *op = share->calculation->user;
    struct reduction local = *reduction;
    struct user_reduce_plan plan;
    struct user_parameters *p = &plan.parameters;
    const struct kernel *kernel;
    if (share->leaves == 0) return TALLY_OK;
    local.length = share->leaves * USER_LEAF;
    make_plan(&machine->limits, &local, &plan);
    p->first = share->first;
    p->position = position;
    p->length = share->first + share->leaves * USER_LEAF;
    p->split_units = 1;
    p->splits = p->units = share->leaves;
    TRY(kernel_of(machine, op, plan.team, 1, &kernel));
    share->bytes = (size_t)(reduction->cells * share->leaves) * USER_PART_BYTES(user_kernels(op)->state_bytes);
    share->words = context_allocate(context, share->bytes);
    if (!share->words) return TALLY_OUT_OF_MEMORY;
    TRY(gpu_allocate(context, share->bytes, &p->parts));
    tally_status status = user_launch(machine, kernel, plan.groups * p->splits, THREADS, plan.shared_bytes, p);
    if (status == TALLY_OK) status = staging_download(context, share->words, p->parts, share->bytes);
    gpu_release(context, p->parts, share->bytes);
    return status;
}
