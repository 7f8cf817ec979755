/* SPDX-License-Identifier: MIT
 *
 * partial.c - unfinished reductions: making, adding, merging. */
#include "partial.h"
#include "user/operator.h"

#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#define ADDED_AT_ONCE 16

static tally_status copy_options(tally_partial *partial, const tally_options *options)
{
    partial->has_axes = options->axes != NULL;
    partial->axis_count = options->axis_count;
    for (int32_t i = 0; i < options->axis_count; i++) partial->axes[i] = options->axes[i];
    partial->position = options->position;
    if (options->initial) {
        memcpy(partial->initial, options->initial, state_initial_size(&partial->calculation));
        partial->calculation.initial = partial->initial;
    }
    if (partial->calculation.ordered && options->position % TREE_LEAF != 0)
        FAIL(TALLY_INVALID_ARGUMENT, "options.position is %lld: %s on a tree takes multiples of %d",
             (long long)options->position, partial->calculation.op->name, TREE_LEAF);
    return TALLY_OK;
}

static tally_status copy_shape(tally_partial *partial, int32_t rank, const int64_t *cells)
{
    size_t bytes = state_size(&partial->calculation);
    if (rank < 0 || rank > TALLY_MAX_RANK)
        FAIL(TALLY_INVALID_ARGUMENT, "rank is %d: expected 0 to %d", (int)rank, TALLY_MAX_RANK);
    if (rank > 0 && !cells) FAIL(TALLY_INVALID_ARGUMENT, "cells is NULL: expected %d lengths", (int)rank);
    partial->rank = rank;
    partial->cells = 1;
    for (int32_t d = 0; d < rank; d++) {
        if (cells[d] < 0)
            FAIL(TALLY_INVALID_ARGUMENT, "cells[%d] is %lld: expected 0 or more", (int)d, (long long)cells[d]);
        partial->shape[d] = cells[d];
        if (__builtin_mul_overflow(partial->cells, cells[d], &partial->cells) ||
            __builtin_mul_overflow((size_t)partial->cells, bytes, &partial->bytes))
            FAIL(TALLY_OUT_OF_MEMORY, "cells has a shape of more than 2^63 bytes of states");
    }
    if (rank == 0) partial->bytes = bytes;
    return TALLY_OK;
}

tally_status partial_allocate(tally_partial *partial)
{
    partial->states = context_allocate(partial->context, partial->bytes);
    if (!partial->states) return TALLY_OUT_OF_MEMORY;
    for (int64_t i = 0; i < partial->cells; i++)
        state_open(&partial->calculation, state_at(&partial->calculation, partial->states, i), partial->position);
    return TALLY_OK;
}

tally_status tally_partial_new(tally_context *context, tally_op op, tally_type type, int32_t rank, const int64_t *cells,
                               const tally_options *options, tally_partial **partial)
{
    tally_options filled;
    if (!context || !partial) FAIL(TALLY_INVALID_ARGUMENT, "%s is NULL", context ? "partial" : "context");
    TRY(plan_options(TALLY_REDUCE, options, &filled));
    if (!type_row(type)) FAIL(TALLY_INVALID_ARGUMENT, "type is %d: expected TALLY_BOOL to TALLY_C128", (int)type);
    if (filled.second || filled.where)
        FAIL(TALLY_INVALID_ARGUMENT, "options.%s is given: partials take it with each tally_partial_add",
             filled.second ? "second" : "where");
    if (filled.third) FAIL(TALLY_INVALID_ARGUMENT, "options.third is given: partials take up to two arrays");
    tally_partial *made = calloc(1, sizeof *made);
    if (!made) FAIL(TALLY_OUT_OF_MEMORY, "no memory left for a partial");
    made->context = context;
    tally_status status;
    TRY_GOTO(plan_calculation(TALLY_REDUCE, op, type, &filled, &made->calculation));
    TRY_GOTO(context_check_operator(context, made->calculation.user));
    if (made->calculation.op->flags & OP_THIRD) {
        status = status_fail(TALLY_UNSUPPORTED, "operator %s takes three arrays: partials take up to two",
                             made->calculation.op->name);
        goto done;
    }
    TRY_GOTO(copy_options(made, &filled));
    TRY_GOTO(copy_shape(made, rank, cells));
    TRY_GOTO(partial_allocate(made));
    *partial = made;
    return TALLY_OK;
done:
    free(made);
    return status;
}

tally_status tally_partial_free(tally_partial *partial)
{
    if (!partial) return TALLY_OK;
    context_release(partial->context, partial->states, partial->bytes);
    free(partial);
    return TALLY_OK;
}

/* The walk over one chunk, whose cells are the partial's. */
static tally_status plan_chunk(const tally_partial *partial, const tally_array *input, const tally_array *second,
                               const tally_array *where, struct reduction *reduction)
{
    tally_options options = TALLY_OPTIONS_INIT;
    struct calculation calculation = partial->calculation;
    tally_array result, cells = tally_shaped(NULL, TALLY_U8, partial->rank, partial->shape);
    options.axes = partial->has_axes ? partial->axes : NULL;
    options.axis_count = partial->axis_count;
    options.second = second;
    options.where = where;
    TRY(array_check("input", input));
    if (input->type != calculation.type)
        FAIL(TALLY_INVALID_ARGUMENT, "input has type %s: this partial takes %s", tally_type_name(input->type),
             tally_type_name(calculation.type));
    if (second && !(calculation.op->flags & OP_SECOND))
        FAIL(TALLY_UNSUPPORTED, "second is given, but %s takes one array", calculation.op->name);
    calculation.values = 1; /* a result's own axis belongs to the result, not to the cells */
    TRY(plan_result(TALLY_REDUCE, &calculation, input, &options, &result));
    TRY(array_check_shape("input's result", &result, partial->rank, partial->shape, "the partial's cells"));
    TRY(plan_reduction(&calculation, input, &options, &cells, reduction));
    reduction->calculation = partial->calculation;
    return TALLY_OK;
}

/* Of operators that take one array, no type. */
static tally_type second_type(const tally_partial *partial)
{
    if (!(partial->calculation.op->flags & OP_SECOND)) return TALLY_DEFAULT_TYPE;
    return partial->calculation.user ? partial->calculation.user->inputs[1] : partial->calculation.type;
}

static int same_walk(const tally_partial *a, const tally_partial *b)
{
    return a->calculation.type == b->calculation.type && a->context == b->context && a->cells == b->cells &&
           a->position + a->count == b->position + b->count && a->has_axes == b->has_axes &&
           a->axis_count == b->axis_count && memcmp(a->axes, b->axes, sizeof a->axes) == 0 && a->rank == b->rank &&
           memcmp(a->shape, b->shape, sizeof a->shape) == 0 &&
           (a->calculation.op->flags & OP_SECOND) == (b->calculation.op->flags & OP_SECOND) &&
           second_type(a) == second_type(b);
}

static tally_status check_chunk(const tally_partial *partial, const struct reduction *reduction)
{
    int64_t end;
    if (__builtin_add_overflow(partial->position + partial->count, reduction->length, &end))
        FAIL(TALLY_INVALID_ARGUMENT, "the partial would count more than 2^63 elements");
    return TALLY_OK;
}

/* Whether a walk in memory order serves all of them: what depends on the order wants it in C order. */
static int wants_order(const struct calculation *calculation)
{
    return calculation->ordered || calculation->method == METHOD_ARG || calculation->method == METHOD_END;
}

tally_status tally_partial_add_all(tally_partial *const *partials, int32_t count, const tally_array *input,
                                   const tally_array *second, const tally_array *where)
{
    if (!partials && count > 0) FAIL(TALLY_INVALID_ARGUMENT, "partials is NULL: expected %d of them", (int)count);
    if (count < 0 || count > ADDED_AT_ONCE)
        FAIL(TALLY_INVALID_ARGUMENT, "count is %d: expected 0 to %d partials", (int)count, ADDED_AT_ONCE);
    struct reduction reduction;
    struct calculation calculations[ADDED_AT_ONCE];
    struct state *states[ADDED_AT_ONCE];
    int32_t leader = 0;
    for (int32_t i = 0; i < count; i++) {
        if (!partials[i]) FAIL(TALLY_INVALID_ARGUMENT, "partials[%d] is NULL", (int)i);
        for (int32_t j = 0; j < i; j++) {
            if (partials[j] == partials[i])
                FAIL(TALLY_INVALID_ARGUMENT, "partials[%d] is partials[%d] again: expected each once", (int)i, (int)j);
        }
        if (!same_walk(partials[0], partials[i]))
            FAIL(TALLY_INVALID_ARGUMENT, "partials[%d] differs from partials[0] in type, cells, axes or position",
                 (int)i);
        if ((partials[i]->calculation.flags ^ partials[0]->calculation.flags) & TALLY_SKIP_NAN)
            FAIL(TALLY_INVALID_ARGUMENT, "partials[%d] and partials[0] differ in TALLY_SKIP_NAN", (int)i);
        calculations[i] = partials[i]->calculation;
        states[i] = partials[i]->states;
        if (wants_order(&calculations[i])) leader = i;
    }
    if (count == 0) return TALLY_OK;
    TRY(plan_chunk(partials[leader], input, second, where, &reduction));
    TRY(context_check_memory(partials[0]->context, "input", input->data));
    if (second) TRY(context_check_memory(partials[0]->context, "second", second->data));
    if (where) TRY(context_check_memory(partials[0]->context, "where", where->data));
    TRY(check_chunk(partials[0], &reduction));
    if (reduction.cells > 0 && reduction.length > 0)
        TRY(partials[0]->context->engine->accumulate(partials[0]->context, &reduction, calculations, states, count));
    for (int32_t i = 0; i < count; i++) partials[i]->count += reduction.length;
    return TALLY_OK;
}

tally_status tally_partial_add(tally_partial *partial, const tally_array *input, const tally_array *second,
                               const tally_array *where)
{
    if (!partial) FAIL(TALLY_INVALID_ARGUMENT, "partial is NULL");
    return tally_partial_add_all(&partial, 1, input, second, where);
}

static int same_calculation(const struct calculation *a, const struct calculation *b)
{
    if (!(a->user ? user_op_is_same(a->user, b->user) : a->op == b->op) || (a->initial != NULL) != (b->initial != NULL))
        return 0;
    if (a->initial && memcmp(a->initial, b->initial, state_initial_size(a)) != 0) return 0;
    return a->type == b->type && a->result == b->result && a->flags == b->flags && a->correction == b->correction &&
           a->modulus.p == b->modulus.p;
}

tally_status tally_partial_merge(tally_partial *partial, const tally_partial *other)
{
    if (!partial || !other) FAIL(TALLY_INVALID_ARGUMENT, "%s is NULL", partial ? "other" : "partial");
    if (partial == other) FAIL(TALLY_INVALID_ARGUMENT, "other is partial itself: expected another one");
    if (!same_calculation(&partial->calculation, &other->calculation))
        FAIL(TALLY_INVALID_ARGUMENT, "other is a partial of %s of %s with other options: expected the same as partial",
             other->calculation.op->name, tally_type_name(other->calculation.type));
    if (partial->rank != other->rank || memcmp(partial->shape, other->shape, sizeof partial->shape) != 0)
        FAIL(TALLY_INVALID_ARGUMENT, "other has other cells than partial: expected the same shape");
    int64_t end = partial->position + partial->count, last = end;
    if (other->position < partial->position) last = other->position + partial->count;
    if (__builtin_add_overflow(last, other->count, &last))
        FAIL(TALLY_INVALID_ARGUMENT, "other has %lld elements: with partial's %lld they would be more than 2^63",
             (long long)other->count, (long long)partial->count);
    int neighbours = other->position == end && end % TREE_LEAF == 0;
    if (partial->calculation.ordered && other->count > 0 && partial->count > 0 && !neighbours)
        FAIL(TALLY_INVALID_ARGUMENT,
             "other begins at element %lld and partial ends at %lld: partials of %s are merged in order, where one "
             "ends at "
             "a multiple of %d; give options.position",
             (long long)other->position, (long long)end, partial->calculation.op->name, TREE_LEAF);
    fenv_t saved;
    fegetenv(&saved);
    fesetenv(FE_DFL_ENV);
    for (int64_t i = 0; i < partial->cells; i++) {
        state_merge(&partial->calculation, state_at(&partial->calculation, partial->states, i),
                    state_at(&other->calculation, other->states, i));
    }
    fesetenv(&saved);
    if (other->count > 0 && (partial->count == 0 || other->position < partial->position))
        partial->position = other->position;
    partial->count += other->count;
    return TALLY_OK;
}

tally_status tally_partial_count(const tally_partial *partial, int64_t *added, int64_t *absent)
{
    if (!partial || !added || !absent)
        FAIL(TALLY_INVALID_ARGUMENT, "%s is NULL", !partial ? "partial" : added ? "absent" : "added");
    int64_t total = 0, left_out = 0;
    for (int64_t i = 0; i < partial->cells; i++) {
        const struct state *state = state_at(&partial->calculation, partial->states, i);
        total += state->count;
        left_out += state->absent;
    }
    *added = total;
    *absent = left_out;
    return TALLY_OK;
}
