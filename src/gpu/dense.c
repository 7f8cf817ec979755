/* SPDX-License-Identifier: MIT
 *
 * dense.c - a reduction's results one after the other. */
#include "dense.h"

#include <string.h>

int64_t dense_values(const struct reduction *reduction)
{
    const struct calculation *calculation = &reduction->calculation;
    return calculation->user ? calculation->values : calculation->method == METHOD_MINMAX ? 2 : 1;
}

static size_t value_bytes(const struct reduction *reduction)
{
    return (size_t)type_row(reduction->calculation.result)->size;
}

size_t dense_bytes(const struct reduction *reduction)
{
    return (size_t)(reduction->cells * dense_values(reduction)) * value_bytes(reduction);
}

int dense_is(const struct reduction *reduction)
{
    int64_t stride = dense_values(reduction);
    if (stride > 1 && reduction->step != 1) return 0;
    for (int32_t d = reduction->kept_count - 1; d >= 0; d--) {
        if (reduction->kept[d].stride[OPERAND_OUT] != stride) return 0;
        stride *= reduction->kept[d].extent;
    }
    return 1;
}

void dense_make(struct reduction *reduction, void *out)
{
    int64_t stride = dense_values(reduction);
    reduction->step = stride > 1;
    for (int32_t d = reduction->kept_count - 1; d >= 0; d--) {
        reduction->kept[d].stride[OPERAND_OUT] = stride;
        stride *= reduction->kept[d].extent;
    }
    reduction->out = out;
}

/* Where a cell's result begins. */
static char *place_of(const struct reduction *reduction, int64_t cell)
{
    int64_t offset = 0;
    for (int32_t d = reduction->kept_count - 1; d >= 0; d--) {
        offset += cell % reduction->kept[d].extent * reduction->kept[d].stride[OPERAND_OUT];
        cell /= reduction->kept[d].extent;
    }
    return (char *)reduction->out + offset * (int64_t)value_bytes(reduction);
}

void dense_scatter(const struct reduction *reduction, const char *dense)
{
    size_t size = value_bytes(reduction);
    for (int64_t cell = 0; cell < reduction->cells; cell++) {
        char *out = place_of(reduction, cell);
        for (int64_t value = 0; value < dense_values(reduction); value++, dense += size)
            memcpy(out + value * reduction->step * (int64_t)size, dense, size);
    }
}

/* Nothing between the results may be written, so a copy takes a run of them that lie side by side. */
tally_status dense_upload(struct tally_context *context, const struct reduction *reduction, const char *dense)
{
    struct machine *machine = gpu_device(context)->machine;
    int64_t size = (int64_t)value_bytes(reduction), values = dense_values(reduction), run = 1;
    int joined = values == 1 || reduction->step == 1;
    if (joined && dense_is(reduction)) {
        run = reduction->cells;
    } else if (joined && reduction->kept_count > 0) {
        const struct loop *inner = &reduction->kept[reduction->kept_count - 1];
        if (inner->stride[OPERAND_OUT] == values) run = inner->extent;
    }
    for (int64_t cell = 0; cell < reduction->cells; cell += run) {
        char *out = place_of(reduction, cell);
        int64_t copies = joined ? 1 : values;
        for (int64_t c = 0; c < copies; c++) {
            int64_t bytes = run * values / copies * size;
            TRY(machine->table->copy(machine, LANE_MAIN, out + c * reduction->step * size, dense, (size_t)bytes));
            dense += bytes;
        }
    }
    return machine->table->synchronize(machine, LANE_MAIN);
}
