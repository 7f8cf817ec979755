/* SPDX-License-Identifier: MIT
 *
 * user_scan.c - scans by users' operators: those of contiguous axes go in waves (user_wave.c); how the others are
 * dealt out to blocks of kernels/user/user_scan.cu. One launch where there are cells enough to keep a GPU busy,
 * otherwise three. */
#include "scan_launch.h"
#include "scratch.h"
#include "transfer.h"
#include "user.h"
#include "user/tree.h"
#include "user_wave.h"
#include "whole.h"

#define BLOCKS_PER_PROCESSOR 8
#define SHARED_BYTES (64 << 10) /* of a block, at most: so that several run at once */

struct user_scan_plan {
    struct user_parameters parameters;
    struct definitions definitions;
    uint32_t threads;
    int64_t groups;
    size_t room_bytes, input_bytes, result_bytes; /* of shared memory */
    size_t part_bytes;
};

void user_fill_scan(const struct scan *scan, struct user_parameters *p)
{
    user_fill(&scan->calculation, p);
    p->inputs[0] = scan->x;
    p->inputs[1] = scan->y;
    p->inputs[2] = scan->z;
    p->where = scan->where;
    p->out = scan->out;
    for (int32_t d = 0; d < scan->kept_count; d++) p->kept[d] = user_loop_of(&scan->kept[d]);
    p->along[0] = user_loop_of(&scan->axis);
    p->kept_count = scan->kept_count;
    p->along_count = 1;
    p->cells = scan->cells;
    p->length = scan->axis.extent;
    p->step = scan->step;
}

void user_fill_carries(const struct scan *scan, const struct scan_carries *carries, struct user_parameters *p)
{
    if (!carries) return;
    p->lines = carries->in;
    p->lines_out = carries->out;
    p->position = user_line_elements(scan->states);
}

/* A run for each thread until the axis is covered, but whole groups of runs where it is longer. */
static void choose_team(struct user_scan_plan *plan)
{
    struct user_parameters *p = &plan->parameters;
    int64_t team = least(plan->threads, power_above(divide_up(p->length, USER_RUN)));
    int64_t side = p->cells_first ? least(plan->threads / USER_GROUP_RUNS, power_above(p->cells)) : 1;
    p->team = (int32_t)least(team, plan->threads / side);
    plan->groups = divide_up(p->cells, plan->threads / p->team);
}

static void choose_splits(const struct device_limits *limits, struct user_scan_plan *plan)
{
    struct user_parameters *p = &plan->parameters;
    int64_t wanted = (int64_t)limits->processors * BLOCKS_PER_PROCESSOR;
    p->split_units = p->units;
    if (2 * plan->groups < wanted) p->split_units = divide_up(p->units, divide_up(2 * wanted, plan->groups));
    p->splits = divide_up(p->units, p->split_units);
}

static int lies_close(const struct user_loop *loop, int32_t inputs)
{
    int close = 1;
    for (int32_t c = 0; c < inputs; c++) close &= loop->input[c] >= -1 && loop->input[c] <= 1;
    return close;
}

static void choose_staging(const struct device_limits *limits, const struct user_op *op, struct user_scan_plan *plan)
{
    struct user_parameters *p = &plan->parameters;
    int64_t size = type_row(op->result)->size;
    size_t warps = plan->threads / 32, inputs = warps * user_stage_bytes(op, USER_RUN);
    size_t results = warps * 32 * (size_t)(USER_RUN * size + (size < 4 ? 4 : size)), left;
    left = (limits->shared_bytes < SHARED_BYTES ? limits->shared_bytes : SHARED_BYTES) - plan->room_bytes;
    if (p->cells_first || p->length < 2) return;
    p->stage_results = op->values == 1 && p->along[0].out >= -1 && p->along[0].out <= 1 && results <= left;
    if (p->stage_results) plan->result_bytes = results;
    p->stage_inputs = lies_close(&p->along[0], op->input_count) && inputs + plan->result_bytes <= left;
    if (p->stage_inputs) plan->input_bytes = inputs;
}

static void make_plan(const struct device_limits *limits, const struct scan *scan, struct user_scan_plan *plan)
{
    const struct user_op *op = scan->calculation.user;
    size_t state = user_kernels(op)->state_bytes;
    *plan = (struct user_scan_plan){.threads = state <= 64 ? 256 : 64};
    struct user_parameters *p = &plan->parameters;
    user_fill_scan(scan, p);
    p->units = divide_up(p->length, USER_BLOCK);
    p->cells_first = p->cells > 1 && user_cells_lie_closer(scan->kept, scan->kept_count, &scan->axis);
    plan->room_bytes = plan->threads * USER_PART_BYTES(state);
    choose_team(plan);
    choose_splits(limits, plan);
    choose_staging(limits, op, plan);
    if (p->splits > 1) plan->part_bytes = (size_t)(p->units * p->cells) * USER_PART_BYTES(state);
    user_definitions(op, &plan->definitions);
    definitions_add_number(&plan->definitions, "USER_THREADS", plan->threads);
}

static tally_status launch(struct machine *machine, const struct user_scan_plan *plan, const struct user_op *op,
                           int pass, int64_t blocks, size_t shared_bytes)
{
    static const char *const entries[] = {[USER_SCAN_RESULTS] = "user_scan",
                                          [USER_SCAN_TOTALS] = "user_scan_totals",
                                          [USER_SCAN_CHAIN] = "user_scan_chain"};
    struct definitions definitions = plan->definitions;
    const struct kernel *kernel;
    definitions_add_number(&definitions, "USER_PASS", pass);
    TRY(user_kernel(machine, op, "user_scan.cu", entries[pass], &definitions, &kernel));
    return user_launch(machine, kernel, blocks, plan->threads, shared_bytes, &plan->parameters);
}

tally_status user_scan_launch(struct tally_context *context, const struct scan *scan,
                              const struct scan_carries *carries)
{
    struct machine *machine = gpu_device(context)->machine;
    const struct user_op *op = scan->calculation.user;
    struct user_scan_plan plan;
    struct scratch scratch;
    if (user_wave_suits(machine, scan)) return user_wave_launch(context, scan, carries);
    make_plan(&machine->limits, scan, &plan);
    user_fill_carries(scan, carries, &plan.parameters);
    const struct user_parameters *p = &plan.parameters;
    int64_t blocks = plan.groups * p->splits;
    TRY(scratch_take(context, plan.part_bytes, &scratch));
    plan.parameters.parts = scratch.room;
    if (p->splits > 1) {
        TRY(launch(machine, &plan, op, USER_SCAN_TOTALS, blocks, plan.room_bytes + plan.input_bytes));
        TRY(launch(machine, &plan, op, USER_SCAN_CHAIN, p->cells, plan.room_bytes));
    }
    return launch(machine, &plan, op, USER_SCAN_RESULTS, blocks,
                  plan.room_bytes + plan.input_bytes + plan.result_bytes);
}

tally_status user_scan_carried(struct tally_context *context, const struct scan *scan, int host_output)
{
    struct machine *machine = gpu_device(context)->machine;
    size_t bytes = scan_state_size(&scan->calculation) * (size_t)scan->cells;
    void *lines;
    TRY(gpu_allocate(context, 2 * bytes, &lines));
    struct scan_carries carries = {.in = lines, .out = (uint64_t *)lines + bytes / sizeof(uint64_t)};
    tally_status status = transfer_in(context, lines, scan->states, bytes);
    if (status == TALLY_OK) status = machine->table->copy(machine, LANE_MAIN, carries.out, lines, bytes);
    if (status == TALLY_OK) status = scan_launch(context, scan, host_output, &carries);
    if (status == TALLY_OK) status = transfer_out(context, scan->states, carries.out, bytes);
    gpu_release(context, lines, 2 * bytes);
    return status;
}
