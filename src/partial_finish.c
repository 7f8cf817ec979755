/* SPDX-License-Identifier: MIT
 *
 * partial_finish.c - the results of partials, as their own operator or as another that the state answers. */
#include "partial.h"

#include <fenv.h>
#include <string.h>

/* A state as another operator's: only what that operator's finish reads. */
static struct state *state_as(const struct calculation *own, const struct calculation *wanted, struct state *state,
                              struct state *other)
{
    if (own->method == METHOD_ARG && wanted->method == METHOD_FOLD) {
        state_open(wanted, other, state->start);
        other->count = state->count;
        other->absent = state->absent;
        if (state->as.arg.index >= 0)
            fold_steps(LIFT_VALUE, wanted->combine, wanted->type)
                ->lift(&other->as.fold, state->as.arg.value, state->as.arg.value);
        return other;
    }
    if (own->op->lift == LIFT_MOMENTS && wanted->op->lift == LIFT_SQUARE) {
        memcpy(other, state, offsetof(struct state, as));
        other->as.exact[0] = state->as.exact[state_exact_count(own) - 1];
        return other;
    }
    return state;
}

static int answers(const struct calculation *own, const struct calculation *wanted)
{
    if (own->method == METHOD_ARG)
        return wanted->combine == (own->combine == COMBINE_ARGMIN ? COMBINE_MINIMUM : COMBINE_MAXIMUM) &&
               wanted->op->lift == LIFT_VALUE;
    if (own->op->combine != COMBINE_ADD || wanted->op->combine != COMBINE_ADD || own->method != METHOD_EXACT) {
        return own->op->lift == LIFT_MOMENTS && wanted->op->lift == LIFT_MOMENTS;
    }
    if (own->op->lift == LIFT_MOMENTS)
        return wanted->op->lift == LIFT_MOMENTS || wanted->op->lift == LIFT_VALUE || wanted->op->lift == LIFT_SQUARE;
    return own->op->lift == LIFT_VALUE && wanted->op->lift == LIFT_VALUE;
}

/* Finishes every cell into memory at out, contiguously. */
static tally_status finish_cells(const tally_partial *partial, const struct calculation *wanted, char *out)
{
    ptrdiff_t size = type_row(wanted->result)->size;
    ptrdiff_t values = wanted->values;
    tally_status status = TALLY_OK;
    fenv_t saved;
    fegetenv(&saved);
    fesetenv(FE_DFL_ENV);
    for (int64_t i = 0; i < partial->cells && status == TALLY_OK; i++) {
        struct state other;
        struct state *state = state_at(&partial->calculation, partial->states, i);
        status =
            state_finish(wanted, state_as(&partial->calculation, wanted, state, &other), out + i * values * size, size);
    }
    fesetenv(&saved);
    return status;
}

static int is_contiguous(const tally_array *array)
{
    int64_t stride = 1;
    for (int32_t d = array->rank - 1; d >= 0; stride *= array->shape[d], d--) {
        if (array->shape[d] > 1 && array->strides[d] != stride) return 0;
    }
    return 1;
}

/* Contiguous results of the host's to where they are wanted, which may be memory of a device alone. */
static tally_status store(tally_context *context, const tally_array *results, size_t bytes, const tally_array *output)
{
    const struct engine *engine = context->engine;
    int32_t none = 0;
    tally_options as_they_are = TALLY_OPTIONS_INIT;
    int on_device = 0;
    if (engine->reaches && bytes > 0) TRY(engine->reaches(context, output->data, &on_device));
    if (!on_device) {
        array_copy(results, output);
        return TALLY_OK;
    }
    if (is_contiguous(output)) return engine->copy(context, output->data, results->data, bytes);
    as_they_are.axes = &none, as_they_are.axis_count = 0;
    return tally_reduce(context, TALLY_FIRST, results, output, &as_they_are);
}

static tally_status finish(const tally_partial *partial, const struct calculation *wanted, const tally_array *output)
{
    int64_t shape[TALLY_MAX_RANK + 1];
    int32_t rank = partial->rank;
    tally_options none = TALLY_OPTIONS_INIT;
    memcpy(shape, partial->shape, sizeof partial->shape);
    if (wanted->values > 1) shape[rank++] = wanted->values;
    if (rank > TALLY_MAX_RANK)
        FAIL(TALLY_INVALID_ARGUMENT, "%s of these cells gives rank %d: expected at most %d", wanted->op->name,
             (int)rank, TALLY_MAX_RANK);
    tally_array aside = tally_shaped(NULL, wanted->result, rank, shape);
    TRY(plan_check_output(TALLY_REDUCE, &aside, NULL, &none, output));
    TRY(context_check_memory(partial->context, "output", output->data));
    size_t bytes = (size_t)array_elements(&aside) * (size_t)type_row(wanted->result)->size;
    aside.data = context_allocate(partial->context, bytes);
    if (!aside.data) return TALLY_OUT_OF_MEMORY;
    tally_status status = finish_cells(partial, wanted, aside.data);
    if (status == TALLY_OK) status = store(partial->context, &aside, bytes, output);
    context_release(partial->context, aside.data, bytes);
    return status;
}

tally_status tally_partial_finish(const tally_partial *partial, const tally_array *output)
{
    if (!partial) FAIL(TALLY_INVALID_ARGUMENT, "partial is NULL");
    return finish(partial, &partial->calculation, output);
}

tally_status tally_partial_finish_as(const tally_partial *partial, tally_op op, const tally_array *output)
{
    if (!partial) FAIL(TALLY_INVALID_ARGUMENT, "partial is NULL");
    const struct calculation *own = &partial->calculation;
    tally_options options = TALLY_OPTIONS_INIT;
    struct calculation wanted;
    if (op == own->op->op) return tally_partial_finish(partial, output);
    options.flags = own->flags & (TALLY_SKIP_NAN | TALLY_PLAIN | TALLY_CHECK_OVERFLOW);
    TRY(plan_calculation(TALLY_REDUCE, op, own->type, &options, &wanted));
    if (!answers(own, &wanted))
        FAIL(TALLY_UNSUPPORTED, "op is %s, which a partial of %s of %s cannot answer", wanted.op->name, own->op->name,
             tally_type_name(own->type));
    if (own->op->combine == COMBINE_ADD) wanted.method = own->method;
    wanted.correction = wanted.op->lift == LIFT_MOMENTS ? own->correction : 0;
    return finish(partial, &wanted, output);
}
