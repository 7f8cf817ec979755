/* SPDX-License-Identifier: MIT
 *
 * scan_plan_runs.c - what the plans for scan_wave.cu and scan_rows.cu have in common. */
#include "scan_plan.h"

#define APART_BYTES 16 /* from element to element, at most, of those that are copied one by one */

int scan_goes_by_runs(const struct device_limits *limits, const struct scan *scan)
{
    const struct calculation *calculation = &scan->calculation;
    int64_t size = type_row(calculation->type)->size, result = type_row(calculation->result)->size;
    int64_t stride = scan->axis.stride[OPERAND_X];
    int real = type_row(calculation->type)->kind == KIND_REAL;
    if (limits->architecture < 90 || calculation->ordered) return 0;
    if (calculation->method != METHOD_FOLD && !(calculation->method == METHOD_EXACT && real)) return 0;
    if (scan->where || calculation->flags & TALLY_CHECK_OVERFLOW) return 0;
    if (calculation->method == METHOD_EXACT && result < size) return 0;
    return (stride == 1 || stride == -1) && scan->axis.stride[OPERAND_OUT] == stride;
}

int scan_make_bare(const struct scan *scan, struct scan *bare)
{
    int64_t step = scan->axis.stride[OPERAND_X], result = scan->axis.stride[OPERAND_OUT];
    int64_t bytes = (step < 0 ? -step : step) * type_row(scan->calculation.type)->size;
    *bare = *scan;
    bare->where = NULL;
    bare->axis.stride[OPERAND_X] = result;
    return step == result || (bytes > 0 && bytes <= APART_BYTES);
}

int scan_results_are_lanes(const struct calculation *calculation)
{
    if (calculation->result != calculation->type || calculation->op->lift != LIFT_VALUE) return 0;
    switch (calculation->combine) {
    case COMBINE_MINIMUM:
    case COMBINE_MAXIMUM:
    case COMBINE_AND:
    case COMBINE_OR:
    case COMBINE_XOR: return 1;
    default: return 0;
    }
}

int scan_runs_are_truth(const struct calculation *calculation)
{
    if (type_row(calculation->type)->size != 1 || calculation->result != TALLY_BOOL) return 0;
    if (calculation->op->lift == LIFT_NONZERO)
        return calculation->combine == COMBINE_OR || calculation->combine == COMBINE_AND;
    return scan_results_are_lanes(calculation) &&
           (calculation->combine == COMBINE_MINIMUM || calculation->combine == COMBINE_MAXIMUM);
}

void scan_define_runs(const struct scan *scan, struct scan_plan *plan)
{
    definitions_add_number(&plan->definitions, "BACKWARD", scan->axis.stride[OPERAND_OUT] < 0);
    definitions_add_number(&plan->definitions, "TURNED",
                           scan->axis.stride[OPERAND_X] == -scan->axis.stride[OPERAND_OUT]);
    definitions_add_number(&plan->definitions, "EXCLUSIVE", plan->parameters.exclusive);
    definitions_add_number(&plan->definitions, "RUNS_OF_TRUTH", scan_runs_are_truth(&scan->calculation));
    definitions_add_number(&plan->definitions, "RESULTS_ARE_LANES", scan_results_are_lanes(&scan->calculation));
}
