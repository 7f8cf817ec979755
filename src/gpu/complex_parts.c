/* SPDX-License-Identifier: MIT
 *
 * complex_parts.c - requests for exact sums of complex numbers, told as requests for sums of real ones. */
#include "complex_parts.h"

/* A number that is absent since one part is NaN, and an initial value, are of both parts. */
static int parts_are_apart(const struct calculation *calculation)
{
    return calculation->method == METHOD_EXACT && type_row(calculation->type)->kind == KIND_COMPLEX &&
           !(calculation->flags & TALLY_SKIP_NAN) && !calculation->initial;
}

static tally_type real_type(tally_type type)
{
    return type_row(type)->kind == KIND_COMPLEX ? type_row(type)->real_part : type;
}

static void make_real(struct calculation *calculation)
{
    calculation->type = real_type(calculation->type);
    calculation->result = real_type(calculation->result);
}

static void double_strides(struct loop *loops, int32_t count, int results_too)
{
    for (int32_t d = 0; d < count; d++) {
        loops[d].stride[OPERAND_X] *= 2;
        if (results_too) loops[d].stride[OPERAND_OUT] *= 2;
    }
}

/* Appends the axis of the parts; neighbours that have no gap to it become one with it. */
static int32_t add_parts(struct loop *loops, int32_t count, int64_t out_stride)
{
    int64_t base[OPERAND_COUNT] = {0};
    loops[count] = (struct loop){.extent = 2};
    loops[count].stride[OPERAND_X] = 1;
    loops[count].stride[OPERAND_OUT] = out_stride;
    return loops_collapse(loops, count + 1, 0, base);
}

/* Sums and means have a cell for each part, norms add the squares of both; under masks they have kernels of their own.
 */
int complex_parts_of_reduction(const struct reduction *reduction, struct reduction *parts)
{
    const struct calculation *calculation = &reduction->calculation;
    int is_norm = calculation->op->lift == LIFT_SQUARE, is_sum = calculation->op->lift == LIFT_VALUE;
    int32_t count = is_norm ? reduction->reduced_count : reduction->kept_count;
    if (!parts_are_apart(calculation) || !(is_norm || is_sum) || count == TALLY_MAX_RANK) return 0;
    if (is_norm && reduction->where) return 0;
    if (reduction->cells == 0 || reduction->length == 0 || !reduction->out) return 0;
    if (is_sum && (reduction->cells == 1 || type_row(calculation->result)->kind != KIND_COMPLEX)) return 0;
    *parts = *reduction;
    make_real(&parts->calculation);
    double_strides(parts->kept, parts->kept_count, is_sum);
    double_strides(parts->reduced, parts->reduced_count, 0);
    if (is_norm) {
        parts->reduced_count = add_parts(parts->reduced, parts->reduced_count, 0);
        parts->length *= 2;
    } else {
        parts->kept_count = add_parts(parts->kept, parts->kept_count, 1);
        parts->cells *= 2;
    }
    return 1;
}

int complex_parts_of_scan(const struct scan *scan, struct scan *parts)
{
    if (!parts_are_apart(&scan->calculation) || scan->states || scan->kept_count == TALLY_MAX_RANK) return 0;
    if (type_row(scan->calculation.result)->kind != KIND_COMPLEX || scan->cells == 0) return 0;
    *parts = *scan;
    make_real(&parts->calculation);
    double_strides(parts->kept, parts->kept_count, 1);
    double_strides(&parts->axis, 1, 1);
    parts->kept_count = add_parts(parts->kept, parts->kept_count, 1);
    parts->cells *= 2;
    return 1;
}
