/* SPDX-License-Identifier: MIT
 *
 * plan_loops.c - shapes of results, and the loops that walk operands and output together. */
#include "plan.h"
#include "user/operator.h"

#include <string.h>

/* Which axes a verb works on, as a bit mask. */
static tally_status axis_mask(tally_verb verb, const tally_array *input, const tally_options *options, uint32_t *mask)
{
    *mask = 0;
    if (!options->axes) {
        if (verb == TALLY_SCAN && input->rank > 1)
            FAIL(TALLY_INVALID_ARGUMENT, "options.axes is NULL for an input of rank %d: a scan needs its axis",
                 (int)input->rank);
        *mask = (1u << input->rank) - 1;
        return TALLY_OK;
    }
    if (verb == TALLY_SCAN && options->axis_count != 1)
        FAIL(TALLY_INVALID_ARGUMENT, "options.axis_count is %d: a scan runs along exactly one axis",
             (int)options->axis_count);
    for (int32_t i = 0; i < options->axis_count; i++) {
        int32_t axis = options->axes[i];
        if (axis < -input->rank || axis >= input->rank)
            FAIL(TALLY_INVALID_ARGUMENT, "options.axes[%d] is %d: out of range for an input of rank %d", (int)i,
                 (int)axis, (int)input->rank);
        uint32_t bit = 1u << (axis < 0 ? axis + input->rank : axis);
        if (*mask & bit)
            FAIL(TALLY_INVALID_ARGUMENT, "options.axes names axis %d twice: expected each once", (int)axis);
        *mask |= bit;
    }
    return TALLY_OK;
}

tally_status plan_result(tally_verb verb, const struct calculation *calculation, const tally_array *input,
                         const tally_options *options, tally_array *result)
{
    uint32_t mask;
    int64_t shape[TALLY_MAX_RANK + 1];
    int32_t rank = 0;
    TRY(axis_mask(verb, input, options, &mask));
    for (int32_t d = 0; d < input->rank; d++) {
        if (verb == TALLY_SCAN || !(mask >> d & 1)) shape[rank++] = input->shape[d];
        else if (options->flags & TALLY_KEEPDIMS) shape[rank++] = 1;
    }
    if (calculation->values > 1) shape[rank++] = calculation->values;
    if (rank > TALLY_MAX_RANK)
        FAIL(TALLY_INVALID_ARGUMENT, "%s of this input gives rank %d: expected at most %d", calculation->op->name,
             (int)rank, TALLY_MAX_RANK);
    *result = tally_shaped(NULL, calculation->result, rank, shape);
    return TALLY_OK;
}

/* The strides of an operand over the input's shape, and its address. */
static tally_status operand_strides(const char *name, const tally_array *operand, tally_type type,
                                    const tally_array *input, int64_t *strides)
{
    char is[224], expected[224];
    TRY(array_check(name, operand));
    if (operand->type != type)
        FAIL(TALLY_INVALID_ARGUMENT, "%s has type %s: expected %s", name, tally_type_name(operand->type),
             tally_type_name(type));
    if (!array_broadcast(operand, input->rank, input->shape, strides))
        FAIL(TALLY_INVALID_ARGUMENT, "%s has shape %s: expected one that broadcasts to the input's %s", name,
             array_shape_text(operand->rank, operand->shape, is, sizeof is),
             array_shape_text(input->rank, input->shape, expected, sizeof expected));
    return TALLY_OK;
}

struct strides {
    int64_t of[OPERAND_COUNT][TALLY_MAX_RANK];
};

static tally_status all_strides(const struct calculation *calculation, const tally_array *input,
                                const tally_options *options, struct strides *strides)
{
    memset(strides, 0, sizeof *strides);
    memcpy(strides->of[OPERAND_X], input->strides, sizeof input->strides);
    if (calculation->op->flags & OP_SECOND) {
        if (!options->second)
            FAIL(TALLY_INVALID_ARGUMENT, "options.second is NULL: %s takes %s arrays", calculation->op->name,
                 calculation->op->flags & OP_THIRD ? "three" : "two");
        tally_type type = calculation->user ? calculation->user->inputs[1] : input->type;
        TRY(operand_strides("options.second", options->second, type, input, strides->of[OPERAND_Y]));
    }
    if (calculation->op->flags & OP_THIRD) {
        if (!options->third)
            FAIL(TALLY_INVALID_ARGUMENT, "options.third is NULL: %s takes three arrays", calculation->op->name);
        TRY(operand_strides("options.third", options->third, calculation->user->inputs[2], input,
                            strides->of[OPERAND_Z]));
    }
    if (options->where)
        TRY(operand_strides("options.where", options->where, TALLY_BOOL, input, strides->of[OPERAND_WHERE]));
    return TALLY_OK;
}

static struct loop loop_of(const tally_array *input, const struct strides *strides, int32_t d)
{
    struct loop loop = {.extent = input->shape[d]};
    for (int o = 0; o < OPERAND_COUNT; o++) loop.stride[o] = strides->of[o][d];
    return loop;
}

/* Moves an operand's address by elements. */
static const void *moved(const tally_array *array, int64_t elements)
{
    if (!array || !array->data) return NULL;
    return (const char *)array->data + elements * type_row(array->type)->size;
}

static int64_t loop_count(const struct loop *loops, int32_t count)
{
    int64_t n = 1;
    for (int32_t i = 0; i < count; i++) n *= loops[i].extent;
    return n;
}

static int order_matters(const struct calculation *calculation)
{
    return calculation->ordered || calculation->method == METHOD_ARG || calculation->method == METHOD_END;
}

static const tally_array *second_of(const struct calculation *calculation, const tally_options *options)
{
    return calculation->op->flags & OP_SECOND ? options->second : NULL;
}

static const tally_array *third_of(const struct calculation *calculation, const tally_options *options)
{
    return calculation->op->flags & OP_THIRD ? options->third : NULL;
}

tally_status plan_reduction(const struct calculation *calculation, const tally_array *input,
                            const tally_options *options, const tally_array *output, struct reduction *reduction)
{
    struct strides strides;
    uint32_t mask;
    TRY(axis_mask(TALLY_REDUCE, input, options, &mask));
    TRY(all_strides(calculation, input, options, &strides));
    memset(reduction, 0, sizeof *reduction);
    reduction->calculation = *calculation;
    int32_t out = 0;
    for (int32_t d = 0; d < input->rank; d++) {
        if (mask >> d & 1) {
            reduction->reduced[reduction->reduced_count++] = loop_of(input, &strides, d);
            out += (options->flags & TALLY_KEEPDIMS) != 0;
        } else {
            strides.of[OPERAND_OUT][d] = output->strides[out++];
            reduction->kept[reduction->kept_count++] = loop_of(input, &strides, d);
        }
    }
    reduction->step = calculation->values > 1 ? output->strides[output->rank - 1] : 0;
    reduction->cells = loop_count(reduction->kept, reduction->kept_count);
    reduction->length = loop_count(reduction->reduced, reduction->reduced_count);
    int64_t base[OPERAND_COUNT] = {0};
    if (reduction->cells > 0 && reduction->length > 0) {
        reduction->kept_count = loops_collapse(reduction->kept, reduction->kept_count, 1, base);
        reduction->reduced_count =
            loops_collapse(reduction->reduced, reduction->reduced_count, !order_matters(calculation), base);
    } else if (reduction->cells > 0) {
        reduction->kept_count = loops_collapse(reduction->kept, reduction->kept_count, 1, base);
        reduction->reduced_count = 0;
    }
    reduction->x = moved(input, base[OPERAND_X]);
    reduction->y = moved(second_of(calculation, options), base[OPERAND_Y]);
    reduction->z = moved(third_of(calculation, options), base[OPERAND_Z]);
    reduction->where = moved(options->where, base[OPERAND_WHERE]);
    reduction->out = (void *)(uintptr_t)moved(output, base[OPERAND_OUT]);
    reduction->first_state = base[OPERAND_OUT];
    return TALLY_OK;
}

tally_status plan_scan(const struct calculation *calculation, const tally_array *input, const tally_options *options,
                       const tally_array *output, struct scan *scan)
{
    struct strides strides;
    uint32_t mask;
    TRY(axis_mask(TALLY_SCAN, input, options, &mask));
    TRY(all_strides(calculation, input, options, &strides));
    memcpy(strides.of[OPERAND_OUT], output->strides, sizeof *output->strides * (size_t)input->rank);
    memset(scan, 0, sizeof *scan);
    scan->calculation = *calculation;
    scan->axis.extent = 1;
    int64_t base[OPERAND_COUNT] = {0};
    for (int32_t d = 0; d < input->rank; d++) {
        struct loop loop = loop_of(input, &strides, d);
        if (mask >> d & 1) scan->axis = loop;
        else scan->kept[scan->kept_count++] = loop;
    }
    scan->cells = loop_count(scan->kept, scan->kept_count);
    if (options->flags & TALLY_REVERSE && scan->axis.extent > 0) {
        for (int o = 0; o < OPERAND_COUNT; o++) {
            base[o] += scan->axis.stride[o] * (scan->axis.extent - 1);
            scan->axis.stride[o] = -scan->axis.stride[o];
        }
    }
    if (scan->cells > 0) scan->kept_count = loops_collapse(scan->kept, scan->kept_count, 0, base);
    scan->step = calculation->values > 1 ? output->strides[output->rank - 1] : 0;
    scan->x = moved(input, base[OPERAND_X]);
    scan->y = moved(second_of(calculation, options), base[OPERAND_Y]);
    scan->z = moved(third_of(calculation, options), base[OPERAND_Z]);
    scan->where = moved(options->where, base[OPERAND_WHERE]);
    scan->out = (void *)(uintptr_t)moved(output, base[OPERAND_OUT]);
    return TALLY_OK;
}

tally_status plan_check_output(tally_verb verb, const tally_array *result, const tally_array *input,
                               const tally_options *options, const tally_array *output)
{
    TRY(array_check("output", output));
    if (output->type != result->type)
        FAIL(TALLY_INVALID_ARGUMENT, "output has type %s: expected %s, which tally_result_like gives",
             tally_type_name(output->type), tally_type_name(result->type));
    TRY(array_check_shape("output", output, result->rank, result->shape, "which tally_result_like gives"));
    TRY(array_check_output("output", output));
    const tally_array *operands[] = {input, options->second, options->third, options->where};
    const char *names[] = {"the input", "options.second", "options.third", "options.where"};
    for (int i = 0; i < 4; i++) {
        if (!operands[i] || !array_may_overlap(operands[i], output)) continue;
        if (verb == TALLY_SCAN && i == 0 && array_same_view(input, output)) continue;
        FAIL(TALLY_OVERLAP, "output shares memory with %s: expected separate memory%s", names[i],
             verb == TALLY_SCAN ? ", or for a scan exactly the input's view" : "");
    }
    return TALLY_OK;
}
