/* SPDX-License-Identifier: MIT
 *
 * user_wave.c - which scans by users' operators a wave of chunks goes through (kernels/user/user_wave.cu), and in what
 * chunks. */
#include "user_wave.h"
#include "scan_plan.h"
#include "scratch.h"
#include "user/tree.h"
#include "whole.h"

#define FINDERS 2          /* warps of a block that find what stands left of its chunks; one more publishes totals */
#define LARGEST_STATE 32   /* bytes: lanes hand states to each other in registers */
#define STATIC_BYTES 12288 /* of shared memory, beside the stages */
#define ZERO_WORDS 64      /* before the places where blocks publish */

/* Blocks of a chunk, chunks between entering and finishing one, chunks that are loaded ahead, blocks of a GPU's
 * processor: as many bytes under way as fit. */
struct shape {
    int64_t chunk_blocks, lag, ahead, at_once;
};

struct user_wave_plan {
    struct user_parameters parameters;
    struct definitions definitions;
    struct shape shape;
    uint32_t threads;
    size_t shared_bytes, place_bytes;
};

/* Nodes that hold no element, which masks leave behind, are none here. */
static int starts_well(const struct scan *scan)
{
    int well = 1;
    for (int64_t i = 0; scan->states && i < scan->cells; i++)
        well &= user_line_has_nodes(scan_state_at(&scan->calculation, scan->states, i));
    return well;
}

static int is_suitable(const struct scan *scan)
{
    const struct user_op *op = scan->calculation.user;
    static const enum operand operands[] = {OPERAND_X, OPERAND_Y, OPERAND_Z};
    int64_t step = scan->axis.stride[OPERAND_OUT];
    int same = step == 1 || step == -1;
    for (int32_t c = 0; c < op->input_count; c++) same &= scan->axis.stride[operands[c]] == step;
    return same && starts_well(scan) && op->values == 1 && user_kernels(op)->state_bytes <= LARGEST_STATE &&
           !scan->where && !(scan->calculation.flags & TALLY_SKIP_NAN) && scan->axis.extent >= USER_GROUP;
}

static int64_t stage_bytes(const struct user_op *op)
{
    int64_t bytes = 0;
    for (int32_t c = 0; c < op->input_count; c++) bytes += type_row(op->inputs[c])->size;
    return bytes * USER_BLOCK;
}

static int64_t bytes_of_block(const struct user_op *op, const struct shape *shape)
{
    int64_t result = type_row(op->result)->size * USER_BLOCK;
    int in_place = op->input_count == 1 && type_row(op->inputs[0])->size == type_row(op->result)->size;
    return shape->chunk_blocks * (stage_bytes(op) * (shape->lag + 1 + shape->ahead) + (in_place ? 0 : result));
}

/* The first shape that fits. Of short rows smaller chunks leave less empty, and chunks are whole from a section's first
 * block on. */
static int choose_shape(const struct device_limits *limits, const struct scan *scan, struct shape *shape)
{
    static const struct shape shapes[] = {{2, 4, 1, 1}, {2, 3, 1, 1}, {2, 2, 1, 1}, {1, 4, 1, 1},
                                          {1, 3, 1, 1}, {1, 2, 1, 1}, {1, 1, 1, 1}};
    const struct user_op *op = scan->calculation.user;
    int64_t open = scan->states ? user_line_blocks(scan->states) : 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        *shape = shapes[i];
        if (shape->chunk_blocks > 1 && scan->cells > 1 && (scan->axis.extent - 1) % (2 * USER_BLOCK) < USER_BLOCK)
            continue;
        if (open % shape->chunk_blocks) continue;
        if (bytes_of_block(op, shape) <= device_room_of_block(limits, shape->at_once) - STATIC_BYTES) return 1;
    }
    return 0;
}

static void define(const struct scan *scan, struct user_wave_plan *plan)
{
    const struct shape *shape = &plan->shape;
    user_definitions(scan->calculation.user, &plan->definitions);
    definitions_add_number(&plan->definitions, "USER_THREADS", plan->threads);
    definitions_add_number(&plan->definitions, "USER_BLOCKS_AT_ONCE", shape->at_once);
    definitions_add_number(&plan->definitions, "USER_CARRIED", scan->states != NULL);
    definitions_add_number(&plan->definitions, "USER_CHUNK_BLOCKS", shape->chunk_blocks);
    definitions_add_number(&plan->definitions, "USER_FINDERS", FINDERS);
    definitions_add_number(&plan->definitions, "USER_LAG", shape->lag);
    definitions_add_number(&plan->definitions, "USER_AHEAD", shape->ahead);
    definitions_add_number(&plan->definitions, "USER_BACKWARD", scan->axis.stride[OPERAND_OUT] < 0);
    definitions_add_number(&plan->definitions, "USER_EXCLUSIVE", (scan->calculation.flags & TALLY_EXCLUSIVE) != 0);
}

static int make_plan(const struct device_limits *limits, const struct scan *scan, struct user_wave_plan *plan)
{
    const struct user_op *op = scan->calculation.user;
    struct user_parameters *p = &plan->parameters;
    if (!is_suitable(scan) || !choose_shape(limits, scan, &plan->shape)) return 0;
    user_fill_scan(scan, p);
    p->splits = divide_up(p->length, plan->shape.chunk_blocks * USER_BLOCK);
    plan->threads = (uint32_t)(32 * (plan->shape.chunk_blocks * USER_BLOCK_GROUPS + 1 + FINDERS));
    plan->shared_bytes = (size_t)bytes_of_block(op, &plan->shape);
    plan->place_bytes = (size_t)(p->cells * p->splits) * (size_t)divide_up(user_kernels(op)->state_bytes, 8) * 16;
    define(scan, plan);
    return 1;
}

int user_wave_suits(struct machine *machine, const struct scan *scan)
{
    struct user_wave_plan plan;
    return make_plan(&machine->limits, scan, &plan);
}

tally_status user_wave_launch(struct tally_context *context, const struct scan *scan,
                              const struct scan_carries *carries)
{
    struct machine *machine = gpu_device(context)->machine;
    const struct kernel *kernel;
    struct user_wave_plan plan;
    uint32_t *zeros;
    make_plan(&machine->limits, scan, &plan);
    user_fill_carries(scan, carries, &plan.parameters);
    TRY(user_kernel(machine, scan->calculation.user, "user_wave.cu", "user_wave", &plan.definitions, &kernel));
    TRY(scratch_zeros(context, ZERO_WORDS * sizeof *zeros + plan.place_bytes, &zeros));
    plan.parameters.tickets = zeros;
    plan.parameters.parts = zeros + ZERO_WORDS;
    int64_t chunks = plan.parameters.cells * plan.parameters.splits;
    return user_launch(machine, kernel, least(chunks, machine->limits.processors * plan.shape.at_once), plan.threads,
                       plan.shared_bytes, &plan.parameters);
}
