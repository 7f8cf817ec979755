/* SPDX-License-Identifier: MIT
 *
 * scan_on_host.c - one element after the other, on copies of what lies on the device. */
#include "scan_on_host.h"
#include "convert.h"
#include "scan_launch.h"
#include "scan_state.h"
#include "staging.h"

#include <fenv.h>
#include <string.h>

/* An operand that lies on the device, and its dense copy. */
struct copy {
    void *memory;
    size_t bytes;
};

/* Memory for a dense copy of an operand, and the strides of one. */
static tally_status make_copy(struct tally_context *context, struct scan *scan, enum operand operand, tally_type type,
                              struct copy *copy)
{
    int64_t stride = scan->axis.extent;
    copy->bytes = (size_t)(scan->cells * scan->axis.extent) * (size_t)type_row(type)->size;
    copy->memory = context_allocate(context, copy->bytes);
    if (!copy->memory) return TALLY_OUT_OF_MEMORY;
    scan->axis.stride[operand] = 1;
    for (int32_t d = scan->kept_count - 1; d >= 0; d--) {
        scan->kept[d].stride[operand] = stride;
        stride *= scan->kept[d].extent;
    }
    return TALLY_OK;
}

/* Replaces operands on the device by copies; an output gets room for one. */
static tally_status fetch(struct tally_context *context, const struct scan *scan, struct scan *local,
                          struct copy *copies)
{
    struct walk walk = scan_walk(scan);
    const struct calculation *calculation = &scan->calculation;
    int host[OPERAND_COUNT];
    TRY(staging_check_place(context, scan->x, "input", &host[OPERAND_X]));
    TRY(staging_check_place(context, scan->where, "options.where", &host[OPERAND_WHERE]));
    TRY(staging_check_place(context, scan->out, "output", &host[OPERAND_OUT]));
    if (!host[OPERAND_X]) {
        TRY(make_copy(context, local, OPERAND_X, calculation->type, &copies[OPERAND_X]));
        local->x = copies[OPERAND_X].memory;
        TRY(gather_from_device(context, &walk, OPERAND_X, calculation->type, scan->x, copies[OPERAND_X].memory));
    }
    if (scan->where && !host[OPERAND_WHERE]) {
        TRY(make_copy(context, local, OPERAND_WHERE, TALLY_BOOL, &copies[OPERAND_WHERE]));
        local->where = copies[OPERAND_WHERE].memory;
        TRY(gather_from_device(context, &walk, OPERAND_WHERE, TALLY_BOOL, scan->where, copies[OPERAND_WHERE].memory));
    }
    if (!host[OPERAND_OUT]) {
        TRY(make_copy(context, local, OPERAND_OUT, calculation->result, &copies[OPERAND_OUT]));
        local->out = copies[OPERAND_OUT].memory;
    }
    return TALLY_OK;
}

static int is_present(const struct calculation *calculation, const void *x, const unsigned char *where)
{
    if (where && !*where) return 0;
    if (!(calculation->flags & TALLY_SKIP_NAN)) return 1;
    double re = convert_to_real(calculation->type, x, 0), im = convert_to_real(calculation->type, x, 1);
    return re == re && im == im;
}

/* Runs along one cell from its state; with `check`, only to see whether all fits. */
static tally_status scan_cell(const struct scan *scan, int64_t cell, struct scan_state *state, int check)
{
    const struct calculation *calculation = &scan->calculation;
    int64_t size = type_row(calculation->type)->size, result_size = type_row(calculation->result)->size;
    int exclusive = (calculation->flags & TALLY_EXCLUSIVE) != 0;
    int64_t start[OPERAND_COUNT];
    for (int o = 0; o < OPERAND_COUNT; o++) start[o] = walk_offset(scan->kept, scan->kept_count, (enum operand)o, cell);
    for (int64_t i = 0; i < scan->axis.extent; i++) {
        int64_t at[OPERAND_COUNT];
        _Alignas(16) unsigned char result[16], element[16];
        for (int o = 0; o < OPERAND_COUNT; o++) at[o] = start[o] + i * scan->axis.stride[o];
        memcpy(element, (const char *)scan->x + at[OPERAND_X] * size, (size_t)size);
        const unsigned char *where = scan->where ? scan->where + at[OPERAND_WHERE] : NULL;
        const void *x = is_present(calculation, element, where) ? element : NULL;
        int fits = exclusive ? scan_state_before(calculation, state, result) : 1;
        fits &= scan_state_step(calculation, state, x, exclusive ? NULL : result);
        if (!fits)
            FAIL(TALLY_OVERFLOW,
                 "the running %s does not fit its result type %s: give a wider options.type, or drop "
                 "TALLY_CHECK_OVERFLOW",
                 calculation->op->name, tally_type_name(calculation->result));
        if (!check) memcpy((char *)scan->out + at[OPERAND_OUT] * result_size, result, (size_t)result_size);
    }
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

static tally_status compute(const struct scan *scan)
{
    fenv_t environment;
    tally_status status = TALLY_OK;
    feholdexcept(&environment);
    fesetenv(FE_DFL_ENV);
    if (scan->calculation.flags & TALLY_CHECK_OVERFLOW) status = scan_cells(scan, 1);
    if (status == TALLY_OK) status = scan_cells(scan, 0);
    fesetenv(&environment);
    return status;
}

tally_status scan_on_host(struct tally_context *context, const struct scan *scan)
{
    struct gpu_device *device = gpu_device(context);
    struct scan local = *scan;
    struct copy copies[OPERAND_COUNT] = {{NULL, 0}};
    struct walk walk = scan_walk(scan);
    pthread_mutex_lock(&device->mutex);
    tally_status status = fetch(context, scan, &local, copies);
    if (status == TALLY_OK) status = compute(&local);
    if (status == TALLY_OK && copies[OPERAND_OUT].memory)
        status = scatter_to_device(context, &walk, OPERAND_OUT, scan->calculation.result, scan->out,
                                   copies[OPERAND_OUT].memory);
    for (int o = 0; o < OPERAND_COUNT; o++) context_release(context, copies[o].memory, copies[o].bytes);
    pthread_mutex_unlock(&device->mutex);
    return status;
}
