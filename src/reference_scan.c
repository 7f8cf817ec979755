/* SPDX-License-Identifier: MIT
 *
 * reference_scan.c - the reference engine's running results: scan_state_step for one element after the other. */
#include "reference.h"
#include "scan_state.h"

#include <fenv.h>
#include <string.h>

static tally_status overflow(const struct calculation *calculation, int64_t index)
{
    FAIL(TALLY_OVERFLOW,
         "the running %s does not fit its result type %s at element %lld: give a wider options.type, or drop "
         "TALLY_CHECK_OVERFLOW",
         calculation->op->name, tally_type_name(calculation->result), (long long)index);
}

/* Runs along one cell from its state; writes the results unless `check` asks only whether they fit. */
static tally_status scan_cell(const struct scan *scan, int64_t cell, struct scan_state *state, int check)
{
    const struct calculation *calculation = &scan->calculation;
    int64_t size = type_row(calculation->type)->size, result_size = type_row(calculation->result)->size;
    int exclusive = (calculation->flags & TALLY_EXCLUSIVE) != 0;
    int64_t start[OPERAND_COUNT] = {0};
    reference_offsets(scan->kept, scan->kept_count, cell, start);
    for (int64_t i = 0; i < scan->axis.extent; i++) {
        int64_t at[OPERAND_COUNT];
        unsigned char result[16], element[16];
        for (int o = 0; o < OPERAND_COUNT; o++) at[o] = start[o] + i * scan->axis.stride[o];
        memcpy(element, (const char *)scan->x + at[OPERAND_X] * size, (size_t)size);
        const unsigned char *where = scan->where ? scan->where + at[OPERAND_WHERE] : NULL;
        const void *x = reference_present(calculation, element, NULL, where) ? element : NULL;
        int fits = exclusive ? scan_state_before(calculation, state, result) : 1;
        fits &= scan_state_step(calculation, state, x, exclusive ? NULL : result);
        if (!fits) return overflow(calculation, i);
        if (!check) memcpy((char *)scan->out + at[OPERAND_OUT] * result_size, result, (size_t)result_size);
    }
    return TALLY_OK;
}

/* Lines of a user's operator: from the caller's states, or from one that is made for each. */
static tally_status scan_user_cells(struct tally_context *context, const struct scan *scan)
{
    size_t bytes = scan_state_size(&scan->calculation);
    struct scan_state *own = scan->states ? NULL : context_allocate(context, bytes);
    if (!scan->states && !own) return TALLY_OUT_OF_MEMORY;
    for (int64_t cell = 0; cell < scan->cells; cell++) {
        struct scan_state *state = own ? own : scan_state_at(&scan->calculation, scan->states, cell);
        if (own) scan_state_open(&scan->calculation, own);
        reference_user_scan(scan, cell, state);
    }
    context_release(context, own, bytes);
    return TALLY_OK;
}

static tally_status scan_cells(const struct scan *scan, int check)
{
    for (int64_t cell = 0; cell < scan->cells; cell++) {
        struct scan_state own;
        struct scan_state *state = &own;
        size_t bytes = scan_state_size(&scan->calculation);
        if (!scan->states) scan_state_open(&scan->calculation, state);
        else if (check) memcpy(state, scan_state_at(&scan->calculation, scan->states, cell), bytes);
        else state = scan_state_at(&scan->calculation, scan->states, cell);
        TRY(scan_cell(scan, cell, state, check));
    }
    return TALLY_OK;
}

tally_status reference_scan(struct tally_context *context, const struct scan *scan)
{
    fenv_t environment;
    tally_status status = TALLY_OK;
    feholdexcept(&environment);
    fesetenv(FE_DFL_ENV);
    if (scan->calculation.user) {
        status = scan_user_cells(context, scan);
        fesetenv(&environment);
        return status;
    }
    if (scan->calculation.flags & TALLY_CHECK_OVERFLOW) status = scan_cells(scan, 1);
    if (status == TALLY_OK) status = scan_cells(scan, 0);
    fesetenv(&environment);
    return status;
}
