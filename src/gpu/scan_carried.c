/* SPDX-License-Identifier: MIT
 *
 * scan_carried.c - a chunk of a scan that goes on. The kernels are told what comes before each cell. What the chunk
 * adds to that comes from the kernels of reductions, read a second time from memory of the device's own, or, of ordered
 * scans, from the scan itself; those begin and end inside a block (scan_state.h), and the host does that part. */
#include "scan_carried.h"
#include "accumulate.h"
#include "scan_carry_words.h"
#include "scan_launch.h"
#include "scan_on_host.h"
#include "scan_pieces.h"
#include "staging.h"
#include "transfer.h"
#include "user.h"
#include "user/tree.h"

#include <fenv.h>
#include <string.h>

struct reduction scan_as_reduction(const struct scan *scan)
{
    struct reduction r = {.calculation = scan->calculation,
                          .x = scan->x,
                          .y = scan->y,
                          .z = scan->z,
                          .where = scan->where,
                          .kept_count = scan->kept_count,
                          .reduced_count = 1,
                          .cells = scan->cells,
                          .length = scan->axis.extent};
    int64_t stride = 1;
    r.reduced[0] = scan->axis;
    for (int32_t d = scan->kept_count - 1; d >= 0; d--) {
        r.kept[d] = scan->kept[d];
        r.kept[d].stride[OPERAND_OUT] = stride;
        stride *= scan->kept[d].extent;
    }
    return r;
}

/* ---- totals of unordered scans ---- */

static void append_totals(const struct scan *scan, struct state *totals)
{
    const struct calculation *calculation = &scan->calculation;
    fenv_t environment;
    feholdexcept(&environment);
    fesetenv(FE_DFL_ENV);
    for (int64_t i = 0; i < scan->cells; i++) {
        struct scan_state *state = scan_state_at(calculation, scan->states, i);
        const struct state *total = state_at(calculation, totals, i);
        if (calculation->method == METHOD_EXACT) {
            for (int k = 0; k < state_exact_count(calculation); k++)
                exact_merge(&state->as.exact[k], &total->as.exact[k]);
        } else {
            fold_combine(calculation, &state->as.fold, &total->as.fold);
        }
    }
    fesetenv(&environment);
}

/* The totals come first: an in-place scan overwrites what they are of. */
static tally_status scan_unordered(struct tally_context *context, const struct scan *scan, int host_output,
                                   const struct scan_carries *carries)
{
    struct reduction reduction = scan_as_reduction(scan);
    size_t bytes = state_size(&scan->calculation) * (size_t)scan->cells;
    struct state *totals = context_allocate(context, bytes);
    if (!totals) return TALLY_OUT_OF_MEMORY;
    for (int64_t i = 0; i < scan->cells; i++)
        state_open(&scan->calculation, state_at(&scan->calculation, totals, i), 0);
    tally_status status = accumulate_on_device(context, &reduction, totals);
    if (status == TALLY_OK) status = scan_launch(context, scan, host_output, carries);
    if (status == TALLY_OK) append_totals(scan, totals);
    context_release(context, totals, bytes);
    return status;
}

/* ---- a chunk on the device ---- */

static tally_status scan_with_words(struct tally_context *context, const struct scan *scan, int host_output,
                                    uint64_t *words, int64_t each)
{
    size_t bytes = (size_t)(scan->cells * each) * sizeof *words;
    struct scan_carries carries = {.words = each};
    void *in, *out = NULL;
    TRY(gpu_allocate(context, bytes, &in));
    tally_status status = transfer_in(context, in, words, bytes);
    carries.in = in;
    if (status == TALLY_OK && scan->calculation.ordered) {
        status = gpu_allocate(context, bytes, &out);
        carries.out = out;
        if (status == TALLY_OK) status = scan_launch(context, scan, host_output, &carries);
        if (status == TALLY_OK) status = transfer_out(context, words, out, bytes);
        if (status == TALLY_OK) carry_read_ordered(scan, each, words);
    } else if (status == TALLY_OK) {
        status = scan_unordered(context, scan, host_output, &carries);
    }
    gpu_release(context, in, bytes);
    gpu_release(context, out, bytes);
    return status;
}

static tally_status scan_from_words(struct tally_context *context, const struct scan *scan, int host_output)
{
    int64_t each = carry_words(scan);
    size_t bytes = (size_t)(scan->cells * each) * sizeof(uint64_t);
    uint64_t *words = context_allocate(context, bytes);
    if (!words) return TALLY_OUT_OF_MEMORY;
    carry_write(scan, each, words);
    tally_status status = scan_with_words(context, scan, host_output, words, each);
    context_release(context, words, bytes);
    return status;
}

/* Any chunk, or whole blocks of an ordered scan from the beginning of one. */
static tally_status scan_chunk(struct tally_context *context, const struct scan *scan)
{
    struct gpu_device *device = gpu_device(context);
    struct scan local = *scan;
    struct staging staging;
    pthread_mutex_lock(&device->mutex);
    tally_status status = staging_upload_scan(context, &local, &staging);
    if (status == TALLY_OK && scan->calculation.user) status = user_scan_carried(context, &local, staging.host_output);
    else if (status == TALLY_OK) status = scan_from_words(context, &local, staging.host_output);
    staging.waits = 1; /* for the states */
    tally_status done = staging_end(context, &staging);
    pthread_mutex_unlock(&device->mutex);
    return status == TALLY_OK ? done : status;
}

void scan_move(struct scan *scan, const struct loop *loop, int64_t steps)
{
    const struct calculation *calculation = &scan->calculation;
    const int64_t *stride = loop->stride;
    scan->x = (const char *)scan->x + steps * stride[OPERAND_X] * staging_element_bytes(calculation, OPERAND_X);
    if (calculation->op->flags & OP_SECOND)
        scan->y = (const char *)scan->y + steps * stride[OPERAND_Y] * staging_element_bytes(calculation, OPERAND_Y);
    if (calculation->op->flags & OP_THIRD)
        scan->z = (const char *)scan->z + steps * stride[OPERAND_Z] * staging_element_bytes(calculation, OPERAND_Z);
    if (scan->where) scan->where += steps * stride[OPERAND_WHERE];
    scan->out = (char *)scan->out + steps * stride[OPERAND_OUT] * type_row(calculation->result)->size;
}

/* Elements [first, first + count) of the axis. */
static struct scan part_of(const struct scan *scan, int64_t first, int64_t count)
{
    struct scan part = *scan;
    scan_move(&part, &scan->axis, first);
    part.axis.extent = count;
    return part;
}

static int position_in_block(const struct scan *scan)
{
    return scan->calculation.user ? user_line_position(scan->states) : scan->states->as.block.position;
}

/* Whole blocks, in pieces where there is no memory for all. */
static tally_status scan_blocks(struct tally_context *context, const struct scan *scan)
{
    size_t limit;
    if (scan->axis.extent == 0) return TALLY_OK;
    tally_status status = scan_chunk(context, scan);
    if (status != TALLY_OUT_OF_MEMORY || !scan_pieces_worth_trying(context, scan, &limit)) return status;
    return scan_pieces(context, scan, limit);
}

/* Where something fails, the states have moved on, but no result is written unless blocks went in pieces. */
static tally_status scan_ordered(struct tally_context *context, const struct scan *scan)
{
    int64_t extent = scan->axis.extent, head = -(int64_t)position_in_block(scan) & (SCAN_BLOCK - 1); /* of all cells */
    if (head > extent) head = extent;
    int64_t blocks = (extent - head) / SCAN_BLOCK * SCAN_BLOCK, tail = extent - head - blocks;
    struct scan first = part_of(scan, 0, head), middle = part_of(scan, head, blocks),
                last = part_of(scan, head + blocks, tail);
    struct host_scan begin, end = {.scan.axis.extent = 0};
    tally_status status = host_scan_begin(context, &first, &begin);
    if (status == TALLY_OK) status = host_scan_begin(context, &last, &end);
    if (status == TALLY_OK) {
        host_scan_compute(&begin);
        status = scan_blocks(context, &middle);
    }
    int done = status == TALLY_OK;
    if (done) host_scan_compute(&end);
    tally_status ended = host_scan_end(context, &begin, done), last_ended = host_scan_end(context, &end, done);
    if (status == TALLY_OK) status = ended;
    return status == TALLY_OK ? last_ended : status;
}

tally_status scan_carried(struct tally_context *context, const struct scan *scan)
{
    return scan->calculation.ordered ? scan_ordered(context, scan) : scan_chunk(context, scan);
}
