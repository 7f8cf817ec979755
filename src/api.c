/* SPDX-License-Identifier: MIT
 *
 * api.c - the verbs: check, plan, call the engine. No arithmetic here. */
#include "call.h"

/* What every verb does before it needs an output. */
static tally_status prepare(tally_verb verb, tally_op op, const tally_array *input, const tally_options *options,
                            tally_options *filled, struct calculation *calculation, tally_array *result)
{
    TRY(plan_options(verb, options, filled));
    TRY(array_check("input", input));
    if (filled->position != 0)
        FAIL(TALLY_INVALID_ARGUMENT, "options.position is %lld: only partials take one", (long long)filled->position);
    TRY(plan_calculation(verb, op, input->type, filled, calculation));
    return plan_result(verb, calculation, input, filled, result);
}

static tally_status check_empty(const struct reduction *reduction)
{
    const struct calculation *calculation = &reduction->calculation;
    if (reduction->cells == 0 || reduction->length > 0) return TALLY_OK;
    if (calculation->op->empty != EMPTY_ERROR || calculation->initial) return TALLY_OK;
    FAIL(TALLY_EMPTY, "%s along an axis of length 0 has no value: give options.initial", calculation->op->name);
}

tally_status tally_result_like(tally_verb verb, tally_op op, const tally_array *input, const tally_options *options,
                               tally_array *result)
{
    tally_options filled;
    struct calculation calculation;
    tally_array like;
    if (!result) FAIL(TALLY_INVALID_ARGUMENT, "result is NULL");
    if (verb != TALLY_REDUCE && verb != TALLY_SCAN)
        FAIL(TALLY_INVALID_ARGUMENT, "verb is %d: expected TALLY_REDUCE or TALLY_SCAN", (int)verb);
    TRY(prepare(verb, op, input, options, &filled, &calculation, &like));
    if (verb == TALLY_REDUCE) {
        struct reduction reduction;
        TRY(plan_reduction(&calculation, input, &filled, &like, &reduction));
        TRY(check_empty(&reduction));
    } else {
        struct scan scan;
        TRY(plan_scan(&calculation, input, &filled, &like, &scan));
    }
    *result = like;
    return TALLY_OK;
}

/* Whether an engine may find out late that a cell has no result, with others already written. */
static int may_fail_late(const struct reduction *reduction, const tally_options *options)
{
    const struct calculation *calculation = &reduction->calculation;
    if (reduction->cells <= 1) return 0;
    if (calculation->flags & TALLY_CHECK_OVERFLOW) return 1;
    return calculation->op->empty == EMPTY_ERROR && !calculation->initial &&
           (options->where || calculation->flags & TALLY_SKIP_NAN);
}

/* Reduces into memory of its own first, so that a late failure leaves the output untouched. */
static tally_status reduce_aside(tally_context *context, const struct calculation *calculation,
                                 const tally_array *input, const tally_options *options, const tally_array *like,
                                 const tally_array *output)
{
    struct reduction reduction;
    tally_array aside = *like;
    size_t bytes = (size_t)array_elements(like) * (size_t)type_row(like->type)->size;
    aside.data = context_allocate(context, bytes);
    if (!aside.data) return TALLY_OUT_OF_MEMORY;
    tally_status status = plan_reduction(calculation, input, options, &aside, &reduction);
    if (status == TALLY_OK) status = context->engine->reduce(context, &reduction);
    if (status == TALLY_OK) array_copy(&aside, output);
    context_release(context, aside.data, bytes);
    return status;
}

static tally_status check_memory(const tally_context *context, const tally_array *input, const tally_array *output,
                                 const tally_options *options)
{
    TRY(context_check_memory(context, "input", input->data));
    TRY(context_check_memory(context, "output", output->data));
    if (options->second) TRY(context_check_memory(context, "options.second", options->second->data));
    if (options->third) TRY(context_check_memory(context, "options.third", options->third->data));
    return options->where ? context_check_memory(context, "options.where", options->where->data) : TALLY_OK;
}

tally_status call_reduce(tally_context *context, tally_op op, const tally_array *input, const tally_array *output,
                         const tally_options *options, struct call *call)
{
    if (!context) FAIL(TALLY_INVALID_ARGUMENT, "context is NULL");
    TRY(prepare(TALLY_REDUCE, op, input, options, &call->options, &call->calculation, &call->like));
    TRY(context_check_operator(context, call->calculation.user));
    TRY(plan_check_output(TALLY_REDUCE, &call->like, input, &call->options, output));
    TRY(check_memory(context, input, output, &call->options));
    TRY(plan_reduction(&call->calculation, input, &call->options, output, &call->reduction));
    plan_narrow(&call->reduction);
    return check_empty(&call->reduction);
}

tally_status call_scan(tally_context *context, tally_op op, const tally_array *input, const tally_array *output,
                       const tally_options *options, struct call *call)
{
    if (!context) FAIL(TALLY_INVALID_ARGUMENT, "context is NULL");
    TRY(prepare(TALLY_SCAN, op, input, options, &call->options, &call->calculation, &call->like));
    TRY(context_check_operator(context, call->calculation.user));
    TRY(plan_check_output(TALLY_SCAN, &call->like, input, &call->options, output));
    TRY(check_memory(context, input, output, &call->options));
    return plan_scan(&call->calculation, input, &call->options, output, &call->scan);
}

tally_status tally_reduce(tally_context *context, tally_op op, const tally_array *input, const tally_array *output,
                          const tally_options *options)
{
    struct call call;
    TRY(call_reduce(context, op, input, output, options, &call));
    if (call.reduction.cells == 0) return TALLY_OK;
    /* A device with memory of its own sees to that itself. */
    if (!context->engine->allocate && may_fail_late(&call.reduction, &call.options))
        return reduce_aside(context, &call.calculation, input, &call.options, &call.like, output);
    return context->engine->reduce(context, &call.reduction);
}

tally_status tally_scan(tally_context *context, tally_op op, const tally_array *input, const tally_array *output,
                        const tally_options *options)
{
    struct call call;
    TRY(call_scan(context, op, input, output, options, &call));
    if (call.scan.cells == 0 || call.scan.axis.extent == 0) return TALLY_OK;
    return context->engine->scan(context, &call.scan);
}
