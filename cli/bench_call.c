/* SPDX-License-Identifier: MIT
 *
 * bench_call.c - from a case of tally bench to the arrays and options of a call. */
#include "bench.h"

#define ALIGNMENT 256

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t bytes_of(const tally_array *array)
{
    size_t bytes = tally_type_size(array->type);
    for (int32_t d = 0; d < array->rank; d++) bytes *= (size_t)array->shape[d];
    return bytes;
}

int64_t bench_elements(const bench_case *wanted)
{
    int64_t elements = 1;
    for (int32_t d = 0; d < wanted->rank; d++) elements *= wanted->shape[d];
    return elements;
}

bool bench_is_along(const bench_case *wanted, int32_t dimension)
{
    for (int32_t i = 0; i < wanted->axis_count; i++) {
        if (wanted->axes[i] == dimension) return true;
    }
    return wanted->axis_count == 0;
}

/* Elements before the input's first one, that the output does not have. */
static int64_t ahead_of_input(const bench_case *wanted)
{
    if (wanted->view == BENCH_BACKWARDS) return wanted->shape[wanted->rank - 1] - 1;
    return wanted->view == BENCH_SHIFTED;
}

/* Of the input, with the gaps and what lies before it. */
static size_t span(const bench_case *wanted)
{
    const int64_t rows = wanted->rank == 2 ? wanted->shape[0] : 0, each = wanted->view == BENCH_EVERY_OTHER ? 2 : 1;
    const int64_t elements = bench_elements(wanted) * each + rows * wanted->gap + wanted->offset;
    return (size_t)(elements + (wanted->view == BENCH_SHIFTED)) * tally_type_size(wanted->type);
}

/* A second operand, or a mask, lies in the next window. */
size_t bench_pool_bytes(const bench_case *wanted)
{
    return aligned(span(wanted)) * (wanted->op == TALLY_DOT || wanted->view == BENCH_MASKED ? 2 : 1);
}

static void set_strides(const bench_case *wanted, tally_array *input)
{
    int64_t stride = 1;
    if (wanted->gap > 0) input->strides[0] += wanted->gap;
    if (wanted->view == BENCH_BACKWARDS) input->strides[wanted->rank - 1] = -1;
    for (int32_t d = 0; d < wanted->rank; d++) {
        if (wanted->view == BENCH_EVERY_OTHER) input->strides[d] *= 2;
        if (wanted->view == BENCH_TURNED) input->strides[d] = stride;
        stride *= wanted->shape[d];
    }
}

/* What must be read: memory comes in sectors, so that elements between do, too. */
static size_t bytes_to_read(const bench_case *wanted, const tally_array *input)
{
    const size_t bytes = bytes_of(input);
    if (wanted->view == BENCH_MASKED) return bytes + (size_t)bench_elements(wanted);
    return wanted->view == BENCH_EVERY_OTHER ? 2 * bytes : bytes;
}

tally_status bench_shape(const bench_case *wanted, bench_call *call)
{
    *call = (bench_call){.options = TALLY_OPTIONS_INIT};
    call->input = tally_shaped(NULL, wanted->type, wanted->rank, wanted->shape);
    set_strides(wanted, &call->input);
    if (wanted->axis_count > 0) {
        call->options.axes = wanted->axes;
        call->options.axis_count = wanted->axis_count;
    }
    call->options.flags = wanted->flags;
    call->options.type = wanted->result;
    call->options.modulus = wanted->modulus;
    call->input_bytes = bytes_to_read(wanted, &call->input);
    call->window_bytes = aligned(span(wanted));
    call->input.data = &call->input; /* an address; nobody reads there before the call is placed */
    call->second = call->input;
    call->options.second = wanted->op == TALLY_DOT ? &call->second : NULL;
    call->where = tally_shaped(&call->where, TALLY_BOOL, wanted->rank, wanted->shape);
    call->options.where = wanted->view == BENCH_MASKED ? &call->where : NULL;
    const tally_status status =
        tally_result_like(wanted->verb, wanted->op, &call->input, &call->options, &call->output);
    call->output_bytes = bytes_of(&call->output);
    return status;
}

static size_t output_span(const bench_case *wanted, const bench_call *call)
{
    return aligned(call->output_bytes + (size_t)wanted->offset * tally_type_size(call->output.type));
}

size_t bench_windows(const bench_state *state, const bench_call *call)
{
    const size_t windows = state->pool.bytes / call->window_bytes;
    return windows > 0 ? windows : 1;
}

/* Small windows lie far apart, so that none comes into the cache with its neighbour. */
void bench_place(const bench_state *state, const bench_case *wanted, int window, const void *base, void *outputs,
                 bench_call *call)
{
    const size_t windows = bench_windows(state, call), results = output_span(wanted, call);
    const size_t slots = state->output_bytes / results, apart = windows > 4 * TALLY_MARKS ? windows / TALLY_MARKS : 1;
    const size_t first = (size_t)window * apart % windows, next = (first + 1) % windows;
    const size_t ahead = (size_t)(wanted->offset + ahead_of_input(wanted)) * tally_type_size(wanted->type);
    const unsigned char *bytes = base;
    call->input.data = (void *)(uintptr_t)(bytes + first * call->window_bytes + ahead);
    call->second = call->input;
    call->second.data = (void *)(uintptr_t)(bytes + next * call->window_bytes + ahead);
    const size_t slot = slots > 1 ? (size_t)window % slots : 0;
    call->output.data = NULL;
    if (outputs != NULL) {
        call->output.data =
            (unsigned char *)outputs + slot * results + (size_t)wanted->offset * tally_type_size(call->output.type);
    }
    call->options.second = wanted->op == TALLY_DOT ? &call->second : NULL;
    call->where.data = (void *)(uintptr_t)(bytes + next * call->window_bytes);
    call->options.where = wanted->view == BENCH_MASKED ? &call->where : NULL;
}

tally_status bench_make(tally_context *context, const bench_case *wanted, const bench_call *call)
{
    return wanted->verb == TALLY_REDUCE ? tally_reduce(context, wanted->op, &call->input, &call->output, &call->options)
                                        : tally_scan(context, wanted->op, &call->input, &call->output, &call->options);
}

tally_status bench_plan(tally_context *context, const bench_case *wanted, const bench_call *call, tally_plan **plan)
{
    return wanted->verb == TALLY_REDUCE
               ? tally_plan_reduce(context, wanted->op, &call->input, &call->output, &call->options, plan)
               : tally_plan_scan(context, wanted->op, &call->input, &call->output, &call->options, plan);
}
