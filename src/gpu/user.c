/* SPDX-License-Identifier: MIT
 *
 * user.c - what reductions and scans by users' operators have in common: their kernels, and what these are told. */
#include "user.h"
#include "whole.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What elements are aligned to: complex ones to their parts. */
static int64_t align_of(tally_type type)
{
    return type_row(type)->size / (type_row(type)->kind == KIND_COMPLEX ? 2 : 1);
}

void user_definitions_of_inputs(const struct user_op *op, struct definitions *definitions)
{
    char name[32], text[40];
    snprintf(text, sizeof text, "h%016" PRIx64 "%016" PRIx64, op->hash.high, op->hash.low);
    definitions->length = 0;
    definitions_add(definitions, "USER_OPERATOR", text);
    definitions_add_number(definitions, "USER_INPUT_COUNT", op->input_count);
    for (int c = 0; c < op->input_count; c++) {
        snprintf(name, sizeof name, "USER_INPUT_%d", c);
        definitions_add(definitions, name, tally_type_name(op->inputs[c]));
        snprintf(name, sizeof name, "USER_INPUT_BYTES_%d", c);
        definitions_add_number(definitions, name, type_row(op->inputs[c])->size);
        snprintf(name, sizeof name, "USER_INPUT_ALIGN_%d", c);
        definitions_add_number(definitions, name, align_of(op->inputs[c]));
    }
}

void user_definitions(const struct user_op *op, struct definitions *definitions)
{
    user_definitions_of_inputs(op, definitions);
    definitions_add_number(definitions, "USER_STATE_BYTES", user_kernels(op)->state_bytes);
    definitions_add_number(definitions, "USER_RESULT_BYTES", type_row(op->result)->size);
    definitions_add_number(definitions, "USER_RESULT_ALIGN", align_of(op->result));
}

tally_status user_kernel(struct machine *machine, const struct user_op *op, const char *file, const char *entry,
                         const struct definitions *definitions, const struct kernel **kernel)
{
    char said[3600];
    struct kernel_request request = {file, entry, definitions->text, op->text};
    tally_status status = machine->table->kernel(machine, &request, kernel);
    if (status != TALLY_INVALID_ARGUMENT) return status;
    snprintf(said, sizeof said, "%s", tally_last_error());
    return status_fail(status, "operator %s: %s", op->name, said);
}

/* A kernel that takes a tenth of the others' time: which of these are needed, calls will tell. */
static tally_status check_text(struct machine *machine, const struct user_op *op)
{
    struct definitions definitions;
    const struct kernel *kernel;
    user_definitions(op, &definitions);
    definitions_add_number(&definitions, "USER_THREADS", 32);
    return user_kernel(machine, op, "user_check.cu", "user_check", &definitions, &kernel);
}

tally_status user_operator_ready(struct tally_context *context, const struct user_op *op)
{
    struct machine *machine = gpu_device(context)->machine;
    if (!op->text)
        FAIL(TALLY_UNSUPPORTED,
             "operator %s is made of C functions, which device %s cannot call: expected one from tally_op_compile",
             op->name, context->engine->name);
    TRY(user_op_compile(op));
    return op->is_map ? user_map_prepare(machine, op) : check_text(machine, op);
}

struct user_loop user_loop_of(const struct loop *loop)
{
    const int64_t *stride = loop->stride;
    return (struct user_loop){loop->extent,
                              {stride[OPERAND_X], stride[OPERAND_Y], stride[OPERAND_Z]},
                              stride[OPERAND_WHERE],
                              stride[OPERAND_OUT]};
}

int user_cells_lie_closer(const struct loop *kept, int32_t kept_count, const struct loop *inner)
{
    if (kept_count == 0) return 0;
    int64_t across = kept[kept_count - 1].stride[OPERAND_X], along = inner->stride[OPERAND_X];
    across = across < 0 ? -across : across;
    along = along < 0 ? -along : along;
    return across != 0 && (along == 0 || across < along);
}

void user_fill(const struct calculation *calculation, struct user_parameters *p)
{
    memset(p, 0, sizeof *p);
    p->skip_nan = (calculation->flags & TALLY_SKIP_NAN) != 0;
    p->exclusive = (calculation->flags & TALLY_EXCLUSIVE) != 0;
    p->has_initial = calculation->initial != NULL;
    if (calculation->initial) memcpy(p->initial, calculation->initial, user_kernels(calculation->user)->state_bytes);
}

tally_status user_launch(struct machine *machine, const struct kernel *kernel, int64_t blocks, uint32_t threads,
                         size_t shared_bytes, const struct user_parameters *p)
{
    if (blocks > INT32_MAX)
        FAIL(TALLY_UNSUPPORTED, "the call needs %lld blocks: a GPU takes at most %d", (long long)blocks, INT32_MAX);
    struct launch launch = {kernel, (uint32_t)blocks, threads, (uint32_t)shared_bytes, p, sizeof *p};
    return machine->table->launch(machine, &launch);
}

size_t user_stage_bytes(const struct user_op *op, int64_t run)
{
    int64_t bytes = 0;
    for (int c = 0; c < op->input_count; c++) {
        int64_t size = type_row(op->inputs[c])->size;
        bytes += 32 * (run * size + (size < 4 ? 4 : size));
    }
    return (size_t)bytes;
}
