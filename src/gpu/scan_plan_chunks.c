/* SPDX-License-Identifier: MIT
 *
 * scan_plan_chunks.c - what the plans for scan_wave.cu and scan_few.cu have in common: chunks of a contiguous axis. */
#include "scan_plan_chunks.h"
#include "whole.h"

int scan_goes_by_chunks(const struct device_limits *limits, const struct scan *scan)
{
    int64_t size = type_row(scan->calculation.type)->size, result = type_row(scan->calculation.result)->size;
    return scan_goes_by_runs(limits, scan) && (uintptr_t)scan->x % (uintptr_t)size == 0 &&
           (uintptr_t)scan->out % (uintptr_t)result == 0;
}

/* What changes nothing of operators that ask whether elements are zero; where they must not be, any other number. */
static int find_truth(const struct calculation *calculation, uint64_t infinity, uint64_t *fill)
{
    switch (calculation->combine) {
    case COMBINE_MINIMUM:
    case COMBINE_MULTIPLY:
    case COMBINE_AND: *fill = infinity ? infinity : 1; return 1;
    case COMBINE_MAXIMUM:
    case COMBINE_OR:
    case COMBINE_XOR: return 1;
    default: return 0;
    }
}

int scan_find_fill(const struct calculation *calculation, uint64_t *fill)
{
    int kind = type_row(calculation->type)->kind, bits = 8 * (int)type_row(calculation->type)->size;
    int is_float = (kind & KIND_FLOAT) != 0;
    *fill = 0;
    if (kind & KIND_COMPLEX) return 0;
    uint64_t top = (uint64_t)1 << (bits - 1), infinity = 0;
    if (calculation->type == TALLY_F16) infinity = 0x7c00;
    else if (calculation->type == TALLY_BF16) infinity = 0x7f80;
    else if (calculation->type == TALLY_F32) infinity = 0x7f800000;
    else if (calculation->type == TALLY_F64) infinity = (uint64_t)0x7ff << 52;
    if (calculation->method == METHOD_EXACT || calculation->combine == COMBINE_ADD) {
        if (is_float) *fill = top; /* -0 */
        return calculation->method == METHOD_EXACT || !is_float;
    }
    if (calculation->op->lift == LIFT_NONZERO || kind == KIND_BOOLEAN) return find_truth(calculation, infinity, fill);
    if (calculation->op->lift != LIFT_VALUE) return 0;
    switch (calculation->combine) {
    case COMBINE_MAXIMUM: *fill = is_float ? infinity | top : kind == KIND_SIGNED ? top : 0; return 1;
    case COMBINE_MINIMUM: *fill = is_float ? infinity : kind == KIND_SIGNED ? top - 1 : top - 1 + top; return 1;
    case COMBINE_MULTIPLY: *fill = 1; return !is_float;
    case COMBINE_AND: *fill = UINT64_MAX; return !is_float;
    case COMBINE_OR:
    case COMBINE_XOR: return !is_float;
    default: return 0;
    }
}

int scan_rows_are_ragged(const struct scan *scan)
{
    int64_t size = type_row(scan->calculation.type)->size;
    for (int32_t d = 0; d < scan->kept_count; d++) {
        if (scan->kept[d].stride[OPERAND_X] * size % VECTOR_BYTES) return 1;
    }
    return 0;
}

int64_t scan_head(const struct scan *scan, uint64_t *fill)
{
    int64_t size = type_row(scan->calculation.type)->size;
    int backward = scan->axis.stride[OPERAND_X] < 0;
    uintptr_t address = (uintptr_t)scan->x + (uintptr_t)(backward ? size : 0);
    int64_t beyond = (int64_t)(address % VECTOR_BYTES);
    if (scan_rows_are_ragged(scan) || beyond == 0 || beyond % size || !scan_find_fill(&scan->calculation, fill))
        return 0;
    return least((backward ? beyond : VECTOR_BYTES - beyond) / size, scan->axis.extent);
}

int64_t scan_count_chunks(int64_t length, int64_t head, int64_t chunk)
{
    return divide_up(length - head, chunk) + (head > 0);
}

int scan_is_wide(const struct calculation *calculation)
{
    return calculation->method == METHOD_EXACT && type_row(calculation->type)->size == 8;
}

/* What a chunk may publish beside its place. */
static size_t total_bytes(const struct calculation *calculation, size_t state_bytes)
{
    if (calculation->method != METHOD_EXACT) return 2 * state_bytes;
    return scan_is_wide(calculation) ? SCAN_FAR_BYTES : SCAN_FAR_BYTES_NARROW;
}

void scan_fill_chunks(const struct scan *scan, const struct scan_chunks *chunks, size_t state_bytes,
                      struct scan_plan *plan)
{
    const struct calculation *calculation = &scan->calculation;
    struct reduce_parameters *p = &plan->parameters.reduce;
    p->splits = chunks->splits;
    p->split_units = chunks->elements;
    plan->parameters.head = chunks->head;
    plan->parameters.fill = chunks->fill;
    size_t places = (size_t)(p->cells * p->splits);
    plan->flag_bytes = places * (calculation->method == METHOD_EXACT ? 32 : 16) + 256;
    plan->leaves_zeros = 1;
    plan->total_bytes = places * total_bytes(calculation, state_bytes);
    if (scan_is_wide(calculation)) plan->wide = 0; /* whatever the numbers are */
    scan_define_runs(scan, plan);
}
