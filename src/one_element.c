/* SPDX-License-Identifier: MIT
 *
 * one_element.c - calculations on one element each, which many operators have in common. */
#include "one_element.h"
#include "array.h"
#include "tables.h"

#include <string.h>

int scan_is_of_one(const struct scan *scan, struct reduction *reduction)
{
    const struct calculation *calculation = &scan->calculation;
    const uint32_t others = TALLY_EXCLUSIVE | TALLY_SKIP_NAN | TALLY_CHECK_OVERFLOW;
    if (scan->axis.extent != 1 || scan->where || scan->states || scan->x == scan->out) return 0;
    if (calculation->user || calculation->initial || calculation->flags & others || calculation->modulus.p) return 0;
    if (calculation->ordered && type_row(calculation->type)->kind == KIND_COMPLEX) return 0;
    *reduction = (struct reduction){.calculation = *calculation, .x = scan->x, .out = scan->out, .length = 1};
    reduction->calculation.flags &= ~(uint32_t)TALLY_REVERSE;
    reduction->cells = scan->cells;
    reduction->kept_count = scan->kept_count;
    memcpy(reduction->kept, scan->kept, sizeof reduction->kept);
    if (scan->cells < 1) return 1;
    int64_t base[OPERAND_COUNT] = {0};
    reduction->kept_count = loops_collapse(reduction->kept, scan->kept_count, 1, base);
    reduction->x = (const char *)scan->x + base[OPERAND_X] * type_row(calculation->type)->size;
    reduction->out = (char *)scan->out + base[OPERAND_OUT] * type_row(calculation->result)->size;
    return 1;
}

/* Whether doubles hold every element, so that a result is rounded once whichever way it comes. */
static int is_rounded_once(const struct calculation *calculation)
{
    const struct type_row *type = type_row(calculation->type);
    return type->kind & KIND_FLOAT || type->size < 8 || calculation->result == TALLY_F64;
}

void reduction_of_one(struct reduction *reduction)
{
    struct calculation *calculation = &reduction->calculation;
    if (reduction->length != 1 || reduction->where || calculation->initial || calculation->flags & TALLY_SKIP_NAN)
        return;
    if (calculation->combine != COMBINE_ADD_POWERS || !is_rounded_once(calculation)) return;
    calculation->op = op_row(TALLY_SUM);
    calculation->combine = calculation->op->combine;
    calculation->method = METHOD_EXACT;
    calculation->ordered = 0;
    calculation->flags &= ~(uint32_t)TALLY_PLAIN;
}
