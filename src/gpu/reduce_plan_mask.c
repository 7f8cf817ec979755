/* SPDX-License-Identifier: MIT
 *
 * reduce_plan_mask.c - masks that kernels read as words, beside vectors of elements. */
#include "reduce_plan.h"
#include "scan_plan_chunks.h"
#include "whole.h"

#include <inttypes.h>
#include <stdio.h>

#define VECTOR_BYTES 16

/* The bits of an element that changes no total, of those operators that have one. */
static int find_fill(const struct calculation *calculation, uint64_t *fill)
{
    int lift = calculation->op->lift, combine = calculation->combine;
    *fill = 0;
    if (calculation->op->flags & OP_SECOND) return 0;
    if (calculation->method == METHOD_EXACT) return 1;
    if (calculation->method != METHOD_FOLD) return 0;
    if (lift == LIFT_NONZERO && combine == COMBINE_ADD) return 1;
    if (lift == LIFT_MAGNITUDE && combine == COMBINE_MAXIMUM) return 1;
    return scan_find_fill(calculation, fill);
}

int reduce_plan_has_aligned_mask(const struct reduction *reduction)
{
    int64_t size = type_row(reduction->calculation.type)->size, vector = VECTOR_BYTES / size;
    int64_t strides = 0;
    for (int32_t d = 0; d < reduction->kept_count + reduction->reduced_count; d++) {
        const struct loop *loop =
            d < reduction->kept_count ? &reduction->kept[d] : &reduction->reduced[d - reduction->kept_count];
        strides |= loop->stride[OPERAND_X] - loop->stride[OPERAND_WHERE];
    }
    return (strides | ((int64_t)((uintptr_t)reduction->x / (uintptr_t)size) - (int64_t)(uintptr_t)reduction->where)) %
               vector ==
           0;
}

static void add_fill(uint64_t fill, struct definitions *definitions)
{
    char text[32];
    snprintf(text, sizeof text, "0x%" PRIx64 "ull", fill);
    definitions_add(definitions, "FILL", text);
}

void reduce_plan_add_mask(const struct reduction *reduction, struct definitions *definitions)
{
    uint64_t fill;
    if (!reduction->where || reduction->reduced_count < 1 ||
        reduction->reduced[reduction->reduced_count - 1].stride[OPERAND_WHERE] != 1)
        return;
    definitions_add_number(definitions, "MASK_ALIKE", 1);
    definitions_add_number(definitions, "MASK_ALIGNED", reduce_plan_has_aligned_mask(reduction));
    if (find_fill(&reduction->calculation, &fill)) add_fill(fill, definitions);
}

/* Whether masks lie as the elements do. */
static int is_alike(const struct reduction *reduction)
{
    for (int32_t d = 0; d < reduction->kept_count; d++)
        if (reduction->kept[d].stride[OPERAND_X] != reduction->kept[d].stride[OPERAND_WHERE]) return 0;
    for (int32_t d = 0; d < reduction->reduced_count; d++)
        if (reduction->reduced[d].stride[OPERAND_X] != reduction->reduced[d].stride[OPERAND_WHERE]) return 0;
    return 1;
}

int reduce_plan_is_masked(const struct reduction *reduction)
{
    return reduction->where || reduction->calculation.flags & TALLY_SKIP_NAN;
}

/* Whether results depend on how many elements are absent. */
static int counts_absent(const struct calculation *calculation)
{
    return calculation->op->empty == EMPTY_ERROR || calculation->op->finish == FINISH_MEAN ||
           calculation->op->lift == LIFT_MOMENTS;
}

int reduce_plan_has_masked_strips(const struct reduction *reduction)
{
    struct reduction bare = *reduction;
    uint64_t fill;
    if (!find_fill(&reduction->calculation, &fill) || (reduction->where && !is_alike(reduction))) return 0;
    bare.where = NULL;
    bare.calculation.flags &= ~(uint32_t)TALLY_SKIP_NAN;
    if (reduction->calculation.op->lift == LIFT_MOMENTS || reduction->calculation.op->lift == LIFT_SQUARE)
        return reduce_plan_has_spread(&bare.calculation);
    return reduce_plan_has_strips(&bare);
}

int reduce_plan_has_room_for_absent(const struct calculation *calculation)
{
    return !counts_absent(calculation) || type_row(calculation->type)->size > 1;
}

void reduce_plan_add_fill(const struct reduction *reduction, const char *counts, struct definitions *definitions)
{
    uint64_t fill;
    if (!reduce_plan_is_masked(reduction) || !find_fill(&reduction->calculation, &fill)) return;
    if (reduction->where) definitions_add_number(definitions, "MASK_ALIKE", 1);
    if (reduction->where) definitions_add_number(definitions, "MASK_ALIGNED", reduce_plan_has_aligned_mask(reduction));
    if (counts_absent(&reduction->calculation)) definitions_add_number(definitions, counts, 1);
    add_fill(fill, definitions);
}

void reduce_plan_add_strip_mask(const struct reduction *reduction, struct definitions *definitions)
{
    reduce_plan_add_fill(reduction, "COUNTS_ABSENT", definitions);
}
