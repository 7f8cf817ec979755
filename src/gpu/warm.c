/* SPDX-License-Identifier: MIT
 *
 * warm.c - compiles ahead of use: plans of the calls that most programs make, which compile their kernels and are
 * thrown away. */
#include "gpu.h"

/* Long enough for the kernels that long arrays get. */
#define ELEMENTS (1 << 20)

static tally_status warm_one(tally_context *context, tally_verb verb, tally_op op, tally_type type, void *memory)
{
    tally_array input = tally_vector(memory, type, ELEMENTS), output;
    tally_plan *plan = NULL;
    TRY(tally_result_like(verb, op, &input, NULL, &output));
    output.data = (char *)memory + ELEMENTS * sizeof(double);
    if (verb == TALLY_REDUCE) TRY(tally_plan_reduce(context, op, &input, &output, NULL, &plan));
    else TRY(tally_plan_scan(context, op, &input, &output, NULL, &plan));
    return tally_plan_free(plan);
}

tally_status gpu_warm(struct tally_context *context)
{
    static const tally_type types[] = {TALLY_I32, TALLY_I64, TALLY_F32, TALLY_F64};
    static const tally_op reductions[] = {TALLY_SUM, TALLY_MIN, TALLY_MAX, TALLY_MEAN, TALLY_ARGMIN, TALLY_ARGMAX};
    size_t bytes = 2 * ELEMENTS * sizeof(double);
    void *memory;
    TRY(gpu_allocate(context, bytes, &memory));
    tally_status status = TALLY_OK;
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
        for (size_t o = 0; status == TALLY_OK && o < sizeof reductions / sizeof reductions[0]; o++)
            status = warm_one(context, TALLY_REDUCE, reductions[o], types[t], memory);
        if (status == TALLY_OK) status = warm_one(context, TALLY_SCAN, TALLY_SUM, types[t], memory);
    }
    gpu_release(context, memory, bytes);
    return status;
}
