/* SPDX-License-Identifier: MIT
 *
 * scan_carry.c - scans that go on from chunk to chunk. */
#include "plan.h"
#include "scan_state.h"

#include <fenv.h>
#include <stdlib.h>
#include <string.h>

struct tally_scan_carry {
    tally_context *context;
    struct calculation calculation;
    int64_t cells;
    _Alignas(16) unsigned char initial[TALLY_OP_MOST_STATE];
    struct scan_state *states;
    struct scan_state *before; /* the states before the call in progress, for when it fails */
    size_t bytes;
};

tally_status tally_scan_carry_new(tally_context *context, tally_op op, tally_type type, int64_t cells,
                                  const tally_options *options, tally_scan_carry **carry)
{
    tally_options filled;
    if (!context || !carry) FAIL(TALLY_INVALID_ARGUMENT, "%s is NULL", context ? "carry" : "context");
    TRY(plan_options(TALLY_SCAN, options, &filled));
    if (!type_row(type)) FAIL(TALLY_INVALID_ARGUMENT, "type is %d: expected TALLY_BOOL to TALLY_C128", (int)type);
    if (cells < 0) FAIL(TALLY_INVALID_ARGUMENT, "cells is %lld: expected 0 or more", (long long)cells);
    tally_scan_carry *made = calloc(1, sizeof *made);
    if (!made) FAIL(TALLY_OUT_OF_MEMORY, "no memory left for a scan carry");
    made->context = context;
    made->cells = cells;
    tally_status status;
    TRY_GOTO(plan_calculation(TALLY_SCAN, op, type, &filled, &made->calculation));
    TRY_GOTO(context_check_operator(context, made->calculation.user));
    if (filled.initial) {
        memcpy(made->initial, filled.initial, state_initial_size(&made->calculation));
        made->calculation.initial = made->initial;
    }
    if (__builtin_mul_overflow((size_t)cells, 2 * scan_state_size(&made->calculation), &made->bytes)) {
        status = status_fail(TALLY_OUT_OF_MEMORY, "cells is %lld: more than 2^64 bytes of states", (long long)cells);
        goto done;
    }
    made->states = context_allocate(context, made->bytes);
    if (!made->states) {
        status = TALLY_OUT_OF_MEMORY;
        goto done;
    }
    made->before = scan_state_at(&made->calculation, made->states, cells);
    fenv_t saved;
    fegetenv(&saved);
    fesetenv(FE_DFL_ENV);
    for (int64_t i = 0; i < cells; i++)
        scan_state_open(&made->calculation, scan_state_at(&made->calculation, made->states, i));
    fesetenv(&saved);
    *carry = made;
    return TALLY_OK;
done:
    free(made);
    return status;
}

tally_status tally_scan_carry_free(tally_scan_carry *carry)
{
    if (!carry) return TALLY_OK;
    context_release(carry->context, carry->states, carry->bytes);
    free(carry);
    return TALLY_OK;
}

static int same_calculation(const struct calculation *a, const struct calculation *b)
{
    return a->op == b->op && a->type == b->type && a->result == b->result && a->flags == b->flags &&
           a->modulus.p == b->modulus.p;
}

tally_status tally_scan_continue(tally_scan_carry *carry, const tally_array *input, const tally_array *output,
                                 const tally_options *options)
{
    tally_options filled;
    struct calculation calculation;
    struct scan scan;
    tally_array like;
    if (!carry) FAIL(TALLY_INVALID_ARGUMENT, "carry is NULL");
    TRY(plan_options(TALLY_SCAN, options, &filled));
    TRY(array_check("input", input));
    TRY(plan_calculation(TALLY_SCAN, carry->calculation.op->op, input->type, &filled, &calculation));
    if (!same_calculation(&calculation, &carry->calculation))
        FAIL(TALLY_INVALID_ARGUMENT, "options or input.type differ from the carry's: expected %s of %s as it was made",
             carry->calculation.op->name, tally_type_name(carry->calculation.type));
    TRY(plan_result(TALLY_SCAN, &calculation, input, &filled, &like));
    TRY(plan_check_output(TALLY_SCAN, &like, input, &filled, output));
    TRY(context_check_memory(carry->context, "input", input->data));
    TRY(context_check_memory(carry->context, "output", output->data));
    if (filled.where) TRY(context_check_memory(carry->context, "options.where", filled.where->data));
    if (filled.second) TRY(context_check_memory(carry->context, "options.second", filled.second->data));
    if (filled.third) TRY(context_check_memory(carry->context, "options.third", filled.third->data));
    TRY(plan_scan(&carry->calculation, input, &filled, output, &scan));
    if (scan.cells != carry->cells)
        FAIL(TALLY_INVALID_ARGUMENT, "input has %lld parallel scans: the carry was made for %lld",
             (long long)scan.cells, (long long)carry->cells);
    if (scan.cells == 0 || scan.axis.extent == 0) return TALLY_OK;
    size_t bytes = scan_state_size(&calculation) * (size_t)carry->cells;
    memcpy(carry->before, carry->states, bytes);
    scan.states = carry->states;
    tally_status status = carry->context->engine->scan(carry->context, &scan);
    if (status != TALLY_OK) memcpy(carry->states, carry->before, bytes);
    return status;
}
