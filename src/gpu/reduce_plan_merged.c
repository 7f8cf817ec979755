/* SPDX-License-Identifier: MIT
 *
 * reduce_plan_merged.c - reductions over an innermost loop of a few bytes and others that lie far apart, as columns:
 * those of a cell lie beside each other, and reduce_tall.cu merges their totals. */
#include "reduce_plan_tall.h"

#define SHORTEST_RUN 32 /* bytes: reduce_plan_long.c takes longer ones */

int64_t tall_columns_of(const struct reduction *reduction, struct reduction *columns)
{
    int32_t inner = reduction->reduced_count - 1, side = reduction->kept_count - 1;
    int64_t size = type_row(reduction->calculation.type)->size;
    *columns = *reduction;
    if (inner < 1 || side < 0) return 1;
    const struct loop *run = &reduction->reduced[inner];
    struct loop *cells = &columns->kept[side];
    if (run->extent < 2 || run->extent * size >= SHORTEST_RUN) return 1;
    if (run->stride[OPERAND_X] != 1 || cells->stride[OPERAND_X] != run->extent) return 1;
    cells->stride[OPERAND_X] = 1;
    cells->stride[OPERAND_WHERE] = run->stride[OPERAND_WHERE];
    cells->extent *= run->extent;
    columns->cells *= run->extent;
    columns->length /= run->extent;
    columns->reduced_count = inner;
    return run->extent;
}
