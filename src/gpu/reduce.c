/* SPDX-License-Identifier: MIT
 *
 * reduce.c - reductions on a GPU: one launch, with a second one for exact sums whose window may be too small. Device
 * pointers: everything is queued, nothing waits, unless a cell may turn out to have no result. */
#include "complex_parts.h"
#include "dense.h"
#include "one_element.h"
#include "pieces.h"
#include "reduce_plan.h"
#include "scratch.h"
#include "staging.h"
#include "user.h"
#include "whole.h"

#include <string.h>

static int is_end(const struct calculation *calculation)
{
    return calculation->method == METHOD_END;
}

static tally_type type_of_bits(int64_t size)
{
    return size == 1 ? TALLY_U8 : size == 2 ? TALLY_U16 : size == 4 ? TALLY_U32 : TALLY_U64;
}

/* One element each by an operator that more kernels have steps for: integers are the largest of one, and what keeps its
 * type is bits. */
static void copy_end(struct reduction *reduction)
{
    struct calculation *calculation = &reduction->calculation;
    const struct type_row *type = type_row(calculation->type);
    int is_integer = !(type->kind & KIND_FLOAT);
    if (!reduction->out || (is_integer && type_row(calculation->result)->kind == KIND_COMPLEX)) return;
    if (!is_integer && (calculation->result != calculation->type || type->size > 8)) return;
    if (((uintptr_t)reduction->x | (uintptr_t)reduction->out) % (uintptr_t)type->size != 0) return;
    calculation->op = op_row(is_integer ? TALLY_MAX : TALLY_BIT_OR);
    calculation->method = METHOD_FOLD;
    calculation->combine = calculation->op->combine;
    calculation->initial = NULL; /* for cells without elements */
    if (!is_integer) calculation->type = calculation->result = type_of_bits(type->size);
}

/* The first or last element needs no search when none is absent. */
static void shorten_end(struct reduction *reduction)
{
    const struct calculation *calculation = &reduction->calculation;
    int64_t size = type_row(calculation->type)->size, offset = 0;
    if (!is_end(calculation) || reduction->where || calculation->flags & TALLY_SKIP_NAN || reduction->length == 0)
        return;
    for (int32_t d = 0; d < reduction->reduced_count && calculation->combine == COMBINE_LAST; d++)
        offset += (reduction->reduced[d].extent - 1) * reduction->reduced[d].stride[OPERAND_X];
    reduction->x = (const char *)reduction->x + offset * size;
    reduction->reduced_count = 0;
    reduction->length = 1;
    copy_end(reduction);
}

int gpu_may_fail(const struct reduction *reduction)
{
    const struct calculation *calculation = &reduction->calculation;
    if (calculation->flags & TALLY_CHECK_OVERFLOW) return 1;
    return calculation->op->empty == EMPTY_ERROR && !calculation->initial &&
           (reduction->where || calculation->flags & TALLY_SKIP_NAN);
}

/* What a reduction needs to be launched, but for its addresses. */
struct recipe {
    struct reduce_plan plan;
    const struct kernel *kernel, *wide; /* the second one where plan.wide */
    uint32_t wide_threads;
};

static tally_status find_kernel(struct machine *machine, const char *file, const char *entry,
                                const struct definitions *definitions, const struct kernel **kernel)
{
    struct kernel_request request = {file, entry, definitions->text, NULL};
    return machine->table->kernel(machine, &request, kernel);
}

/* Whether sums of products of narrow integers are ones of 64 bits, which folds round to a float once. */
static int products_fit(const struct reduction *reduction)
{
    const struct calculation *calculation = &reduction->calculation;
    int64_t bits = 16 * type_row(calculation->type)->size;
    if (calculation->op->flags & OP_THIRD || calculation->op->finish != FINISH_TOTAL || calculation->initial) return 0;
    if (!reduction->out || calculation->flags & TALLY_CHECK_OVERFLOW) return 0;
    return type_row(calculation->result)->kind == KIND_REAL && bits <= 32 && reduction->length < (int64_t)1 << 31;
}

/* The same results by an operator that more kernels have steps for: sums in place of sums of sizes, wrapping sums of
 * products in place of exact ones, and norms of short integers beside what variances take. Returns whether there is
 * one; its row is the caller's to keep. */
static int find_other_operator(struct reduction *reduction, struct op_row *row)
{
    const struct type_row *type = type_row(reduction->calculation.type);
    *row = *reduction->calculation.op;
    reduction->calculation.op = row;
    if (reduction->calculation.method != METHOD_EXACT || type->kind & KIND_FLOAT) return 0;
    if (row->lift == LIFT_MAGNITUDE && type->kind != KIND_SIGNED) {
        row->lift = LIFT_VALUE;
        return 1;
    }
    if (row->lift == LIFT_PRODUCT && products_fit(reduction)) {
        reduction->calculation.method = METHOD_FOLD;
        return 1;
    }
    if (row->lift != LIFT_SQUARE || (reduction->kept_count < 1 && reduction->reduced_count < 2)) return 0;
    row->lift = LIFT_MOMENTS;
    return reduce_plan_has_moments(reduction);
}

static int plan_special(const struct device_limits *limits, const struct reduction *reduction,
                        const struct reduce_plan *usual, struct reduce_plan *plan)
{
    static int (*const special[])(const struct device_limits *, const struct reduction *, const struct reduce_plan *,
                                  struct reduce_plan *) = {
        reduce_plan_ordered_rows, reduce_plan_lanes,  reduce_plan_rows,  reduce_plan_matrices,
        reduce_plan_shifted,      reduce_plan_ragged, reduce_plan_short, reduce_plan_spread,
        reduce_plan_whole,        reduce_plan_tall,   reduce_plan_long,  reduce_plan_staged};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (special[i](limits, reduction, usual, plan)) return 1;
    return 0;
}

static tally_status make_recipe(struct machine *machine, const struct reduction *reduction, struct recipe *recipe)
{
    const struct device_limits *limits = &machine->limits;
    struct reduction other = *reduction;
    struct op_row row;
    struct reduce_plan usual, *plan = &recipe->plan;
    int is_special = 0;
    if (find_other_operator(&other, &row)) {
        reduce_plan(limits, &other, &usual);
        is_special = plan_special(limits, &other, &usual, plan);
    }
    if (!is_special) {
        reduce_plan(limits, reduction, &usual);
        if (!plan_special(limits, reduction, &usual, plan)) *plan = usual;
    }
    if (plan->blocks > INT32_MAX)
        FAIL(TALLY_UNSUPPORTED, "the reduction needs %lld blocks: a GPU takes at most %d", (long long)plan->blocks,
             INT32_MAX);
    TRY(find_kernel(machine, plan->file, "reduce", &plan->definitions, &recipe->kernel));
    recipe->wide = NULL;
    if (!plan->wide) return TALLY_OK;
    definitions_add_number(&usual.definitions, "WIDE", 1);
    recipe->wide_threads = usual.threads;
    return find_kernel(machine, "reduce_wide.cu", "reduce_wide", &usual.definitions, &recipe->wide);
}

/* `room` is used if it was not made before. */
static tally_status find_recipe(struct tally_context *context, const struct reduction *reduction, struct recipe *room,
                                const struct recipe **recipe)
{
    struct gpu_device *device = gpu_device(context);
    struct recall_key key;
    int is_kept = recall_key_of_reduction(reduction, &key);
    *recipe = is_kept ? recall_find(&device->recall, &key) : NULL;
    if (*recipe) return TALLY_OK;
    TRY(make_recipe(device->machine, reduction, room));
    *recipe = room;
    if (is_kept) recall_keep(&device->recall, &key, room, sizeof *room);
    return TALLY_OK;
}

/* The plan's parameters, with the addresses of this call. */
static struct reduce_parameters parameters_of(const struct reduce_plan *plan, const struct reduction *reduction,
                                              const struct scratch *scratch, int wants_failures)
{
    struct reduce_parameters p = plan->parameters;
    int64_t listed = plan->wide ? least(p.cells, WIDE_LIST) : 0;
    const char *x = reduction->x, *planned = p.x;
    if (p.low) p.low = x + (p.low - planned);
    if (p.high) p.high = x + (p.high - planned);
    p.x = x;
    p.y = reduction->y;
    p.where = reduction->where;
    p.out = reduction->out;
    p.tickets = scratch->tickets;
    p.failures = wants_failures ? scratch->failures : NULL;
    p.wide_count = scratch->wide_count;
    p.wide_capacity = listed;
    p.wide_cells = scratch->room;
    if (scratch->room) p.states = (char *)scratch->room + listed * 8;
    return p;
}

static tally_status launch_wide(struct machine *machine, const struct calculation *calculation,
                                const struct recipe *recipe, const struct scratch *scratch,
                                const struct reduce_parameters *given)
{
    struct reduce_parameters p = *given;
    p.states = scratch->wide_states;
    p.tickets = scratch->wide_tickets;
    struct launch launch = {recipe->wide,
                            (uint32_t)machine->limits.processors * 4,
                            recipe->wide_threads,
                            (uint32_t)wide_state_bytes(calculation),
                            &p,
                            sizeof p};
    tally_status status = machine->table->launch(machine, &launch);
    if (status != TALLY_OK) scratch_clear_counts(machine, scratch); /* else the next call goes by them */
    return status;
}

static tally_status launch_reduction(struct tally_context *context, const struct reduction *reduction,
                                     int wants_failures)
{
    struct machine *machine = gpu_device(context)->machine;
    struct recipe room;
    const struct recipe *recipe;
    struct scratch scratch;
    if (reduction->calculation.user) return user_reduce_launch(context, reduction, wants_failures);
    TRY(find_recipe(context, reduction, &room, &recipe));
    const struct reduce_plan *plan = &recipe->plan;
    int64_t listed = plan->wide ? least(plan->parameters.cells, WIDE_LIST) : 0;
    TRY(scratch_take(context, plan->state_bytes + (size_t)listed * 8, &scratch));
    struct reduce_parameters p = parameters_of(plan, reduction, &scratch, wants_failures);
    struct launch launch = {recipe->kernel, (uint32_t)plan->blocks, plan->threads, plan->shared_bytes, &p, sizeof p};
    TRY(machine->table->launch(machine, &launch));
    return recipe->wide ? launch_wide(machine, &reduction->calculation, recipe, &scratch, &p) : TALLY_OK;
}

static tally_status failure_of(const struct calculation *calculation, uint32_t failures)
{
    if (failures & FAILED_EMPTY)
        FAIL(TALLY_EMPTY, "%s of no elements has no value: give options.initial, or leave the empty cells out",
             calculation->op->name);
    if (failures & FAILED_OVERFLOW)
        FAIL(TALLY_OVERFLOW,
             "%s does not fit its result type %s: give a wider options.type, or drop TALLY_CHECK_OVERFLOW",
             calculation->op->name, tally_type_name(calculation->result));
    return TALLY_OK;
}

/* Launches and waits; what failed is said, and then nothing was written if there is one cell. */
static tally_status try_reduction(struct tally_context *context, const struct reduction *reduction)
{
    uint32_t failures;
    TRY(launch_reduction(context, reduction, 1));
    TRY(scratch_failures(context, &failures));
    return failure_of(&reduction->calculation, failures);
}

/* Reduces into memory of its own first when several cells may fail: the output must stay as it is then. From there
 * results are copied, if they lie so in the output, too; it takes another reduction else. */
static tally_status reduce_on_device(struct tally_context *context, const struct reduction *reduction)
{
    struct machine *machine = gpu_device(context)->machine;
    struct reduction aside = *reduction;
    size_t bytes = dense_bytes(reduction);
    void *room;
    if (!gpu_may_fail(reduction)) return launch_reduction(context, reduction, 0);
    if (reduction->cells <= 1) return try_reduction(context, reduction);
    TRY(gpu_allocate(context, bytes, &room));
    dense_make(&aside, room);
    tally_status status = try_reduction(context, &aside);
    int is_dense = dense_is(reduction);
    if (status == TALLY_OK && is_dense) status = machine->table->copy(machine, LANE_MAIN, reduction->out, room, bytes);
    gpu_release(context, room, bytes);
    return status == TALLY_OK && !is_dense ? launch_reduction(context, reduction, 0) : status;
}

/* The output is in host memory: results come back in one piece. */
static tally_status reduce_to_host(struct tally_context *context, const struct reduction *reduction)
{
    struct reduction dense = *reduction;
    size_t bytes = dense_bytes(reduction);
    int in_place = dense_is(reduction);
    void *room, *copy = in_place ? reduction->out : context_allocate(context, bytes);
    if (!copy) return TALLY_OUT_OF_MEMORY;
    tally_status status = gpu_allocate(context, bytes, &room);
    if (status == TALLY_OK) {
        dense_make(&dense, room);
        status = gpu_may_fail(reduction) ? try_reduction(context, &dense) : launch_reduction(context, &dense, 0);
        if (status == TALLY_OK) status = staging_download(context, copy, room, bytes);
        gpu_release(context, room, bytes);
    }
    if (in_place) return status;
    if (status == TALLY_OK) dense_scatter(reduction, copy);
    context_release(context, copy, bytes);
    return status;
}

static tally_status reduce_whole(struct tally_context *context, const struct reduction *reduction)
{
    struct gpu_device *device = gpu_device(context);
    struct reduction local = *reduction, parts;
    struct staging staging;
    pthread_mutex_lock(&device->mutex);
    tally_status status = staging_upload_reduction(context, &local, &staging);
    if (status == TALLY_OK && complex_parts_of_reduction(&local, &parts)) local = parts;
    if (status == TALLY_OK)
        status = staging.host_output ? reduce_to_host(context, &local) : reduce_on_device(context, &local);
    tally_status done = staging_end(context, &staging);
    pthread_mutex_unlock(&device->mutex);
    return status == TALLY_OK ? done : status;
}

tally_status gpu_reduce(struct tally_context *context, const struct reduction *reduction)
{
    struct reduction local = *reduction;
    size_t limit;
    if (!local.calculation.user) shorten_end(&local);
    reduction_of_one(&local);
    if (pieces_needed(context, &local, &limit)) return pieces_reduce(context, &local, limit);
    tally_status status = reduce_whole(context, &local);
    if (status == TALLY_OUT_OF_MEMORY && pieces_worth_trying(context, &local, &limit))
        status = pieces_reduce(context, &local, limit);
    return status;
}
