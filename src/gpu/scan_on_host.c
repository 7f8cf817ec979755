/* SPDX-License-Identifier: MIT
 *
 * scan_on_host.c - one element after the other, on copies of what lies on the device. */
#include "scan_on_host.h"
#include "convert.h"
#include "scan_launch.h"
#include "scan_state.h"
#include "staging.h"
#include "user/tree.h"

#include <fenv.h>
#include <string.h>

/* Replaces an input on the device by a dense copy. */
static tally_status fetch_input(struct tally_context *context, const struct scan *scan, struct scan *local,
                                enum operand operand, const char *name, const void **data, struct host_copy *copy)
{
    struct walk walk = scan_walk(scan);
    const struct calculation *calculation = &scan->calculation;
    int64_t stride = scan->axis.extent;
    tally_type type = operand == OPERAND_WHERE ? TALLY_BOOL
                      : operand == OPERAND_X   ? calculation->type
                                               : calculation->user->inputs[operand == OPERAND_Y ? 1 : 2];
    const void *view = *data;
    int host;
    TRY(staging_check_place(context, view, name, &host));
    if (!view || host) return TALLY_OK;
    copy->bytes = (size_t)(scan->cells * scan->axis.extent) * (size_t)type_row(type)->size;
    copy->memory = context_allocate(context, copy->bytes);
    if (!copy->memory) return TALLY_OUT_OF_MEMORY;
    local->axis.stride[operand] = 1;
    for (int32_t d = scan->kept_count - 1; d >= 0; d--) {
        local->kept[d].stride[operand] = stride;
        stride *= scan->kept[d].extent;
    }
    *data = copy->memory;
    return gather_from_device(context, &walk, operand, type, view, copy->memory);
}

/* Replaces inputs on the device by copies, and the output by room beside it. */
static tally_status fetch(struct tally_context *context, const struct scan *scan, struct host_scan *host)
{
    struct scan *local = &host->dense;
    struct host_copy *copies = host->copies, *out = &copies[OPERAND_OUT];
    const void *where = scan->where;
    int on_host;
    TRY(fetch_input(context, scan, local, OPERAND_X, "input", &local->x, &copies[OPERAND_X]));
    if (scan->calculation.op->flags & OP_SECOND)
        TRY(fetch_input(context, scan, local, OPERAND_Y, "options.second", &local->y, &copies[OPERAND_Y]));
    if (scan->calculation.op->flags & OP_THIRD)
        TRY(fetch_input(context, scan, local, OPERAND_Z, "options.third", &local->z, &copies[OPERAND_Z]));
    TRY(fetch_input(context, scan, local, OPERAND_WHERE, "options.where", &where, &copies[OPERAND_WHERE]));
    local->where = where;
    out->bytes = scan_result_bytes(scan);
    out->memory = context_allocate(context, out->bytes);
    if (!out->memory) return TALLY_OUT_OF_MEMORY;
    scan_make_dense(local, out->memory);
    TRY(staging_check_place(context, scan->out, "output", &on_host));
    return on_host ? TALLY_OK : gpu_allocate(context, out->bytes, &host->way);
}

static int is_present(const struct calculation *calculation, const void *x, const unsigned char *where)
{
    if (where && !*where) return 0;
    if (!(calculation->flags & TALLY_SKIP_NAN)) return 1;
    double re = convert_to_real(calculation->type, x, 0), im = convert_to_real(calculation->type, x, 1);
    return re == re && im == im;
}

/* Runs along one cell from its state. */
static void scan_cell(const struct scan *scan, int64_t cell, struct scan_state *state)
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
        if (exclusive) scan_state_before(calculation, state, result);
        scan_state_step(calculation, state, x, exclusive ? NULL : result);
        memcpy((char *)scan->out + at[OPERAND_OUT] * result_size, result, (size_t)result_size);
    }
}

/* ---- users' operators ---- */

#define RESULT_ROOM 65536

/* A group's elements, or fewer when results are wide. */
struct piece {
    _Alignas(64) unsigned char inputs[USER_INPUTS_MOST][SCAN_GROUP * 16], results[RESULT_ROOM];
    unsigned char present[SCAN_GROUP];
};

/* An input's elements, and which of them are present. */
static void read_input(const struct scan *scan, int32_t c, const void *input, int64_t at, int64_t stride, int64_t n,
                       struct piece *piece)
{
    tally_type type = scan->calculation.user->inputs[c];
    int64_t size = type_row(type)->size;
    for (int64_t k = 0; k < n; k++) {
        unsigned char *x = piece->inputs[c] + k * size;
        memcpy(x, (const char *)input + (at + k * stride) * size, (size_t)size);
        if (!(scan->calculation.flags & TALLY_SKIP_NAN)) continue;
        double re = convert_to_real(type, x, 0), im = convert_to_real(type, x, 1);
        piece->present[k] &= re == re && im == im;
    }
}

static void write_results(const struct scan *scan, int64_t at, int64_t n, const struct piece *piece)
{
    int64_t size = type_row(scan->calculation.result)->size, values = scan->calculation.values;
    for (int64_t k = 0; k < n; k++) {
        for (int64_t v = 0; v < values; v++)
            memcpy((char *)scan->out + (at + k * scan->axis.stride[OPERAND_OUT] + v * scan->step) * size,
                   piece->results + (k * values + v) * size, (size_t)size);
    }
}

static void scan_user_cell(const struct scan *scan, int64_t cell, struct scan_state *state)
{
    static const enum operand operands[] = {OPERAND_X, OPERAND_Y, OPERAND_Z};
    const struct calculation *calculation = &scan->calculation;
    const void *const inputs[] = {scan->x, scan->y, scan->z};
    int64_t most = RESULT_ROOM / (type_row(calculation->result)->size * calculation->values), n, at[OPERAND_COUNT];
    struct piece piece;
    for (int64_t i = 0; i < scan->axis.extent; i += n) {
        struct user_run run = {.present = piece.present, .index = user_line_elements(state)};
        n = SCAN_GROUP - user_line_position(state) % SCAN_GROUP;
        if (n > most) n = most;
        if (n > scan->axis.extent - i) n = scan->axis.extent - i;
        for (int o = 0; o < OPERAND_COUNT; o++)
            at[o] = walk_offset(scan->kept, scan->kept_count, (enum operand)o, cell) + i * scan->axis.stride[o];
        for (int64_t k = 0; k < n; k++)
            piece.present[k] = !scan->where || scan->where[at[OPERAND_WHERE] + k * scan->axis.stride[OPERAND_WHERE]];
        for (int32_t c = 0; c < calculation->user->input_count; c++) {
            read_input(scan, c, inputs[c], at[operands[c]], scan->axis.stride[operands[c]], n, &piece);
            run.inputs[c] = piece.inputs[c];
        }
        run.n = n;
        if (!scan->where && !(calculation->flags & TALLY_SKIP_NAN)) run.present = NULL;
        user_line_run(calculation, state, &run, piece.results);
        write_results(scan, at[OPERAND_OUT], n, &piece);
    }
}

/* ---- the steps ---- */

tally_status host_scan_begin(struct tally_context *context, const struct scan *scan, struct host_scan *host)
{
    struct gpu_device *device = gpu_device(context);
    *host = (struct host_scan){.scan = *scan, .dense = *scan};
    if (scan->axis.extent == 0) return TALLY_OK;
    pthread_mutex_lock(&device->mutex);
    tally_status status = fetch(context, scan, host);
    pthread_mutex_unlock(&device->mutex);
    return status;
}

void host_scan_compute(struct host_scan *host)
{
    const struct scan *scan = &host->dense;
    fenv_t environment;
    if (scan->axis.extent == 0) return;
    feholdexcept(&environment);
    fesetenv(FE_DFL_ENV);
    for (int64_t cell = 0; cell < scan->cells; cell++) {
        struct scan_state *state = scan_state_at(&scan->calculation, scan->states, cell);
        if (scan->calculation.user) scan_user_cell(scan, cell, state);
        else scan_cell(scan, cell, state);
    }
    fesetenv(&environment);
}

static tally_status write_dense(struct tally_context *context, const struct host_scan *host)
{
    const void *results = host->copies[OPERAND_OUT].memory;
    struct gpu_device *device = gpu_device(context);
    if (!host->way) {
        scan_scatter(&host->scan, results);
        return TALLY_OK;
    }
    pthread_mutex_lock(&device->mutex);
    tally_status status = scan_scatter_to_device(context, &host->scan, results, host->way);
    pthread_mutex_unlock(&device->mutex);
    return status;
}

tally_status host_scan_end(struct tally_context *context, struct host_scan *host, int wanted)
{
    tally_status status = wanted && host->scan.axis.extent > 0 ? write_dense(context, host) : TALLY_OK;
    gpu_release(context, host->way, host->copies[OPERAND_OUT].bytes);
    for (int o = 0; o < OPERAND_COUNT; o++) context_release(context, host->copies[o].memory, host->copies[o].bytes);
    return status;
}
