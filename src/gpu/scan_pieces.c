/* SPDX-License-Identifier: MIT
 *
 * scan_pieces.c - scans of host arrays that do not fit into the device's memory at once. Parallel scans are
 * independent, so a cut between them makes scans of their own. A cut along the axis goes on from the piece before,
 * through states that the host keeps. */
#include "scan_pieces.h"
#include "gather.h"
#include "pieces.h"
#include "scan_carried.h"
#include "scan_launch.h"
#include "scan_state.h"
#include "staging.h"

#define AXIS (-1) /* beside the kept loops, which count from 0 */

struct cutter {
    struct tally_context *context;
    int host[OPERAND_COUNT];
    size_t limit;
};

static size_t bytes_of(const struct scan *scan, const int host[OPERAND_COUNT])
{
    struct reduction inputs = scan_as_reduction(scan);
    const int without_output[OPERAND_COUNT] = {host[OPERAND_X], host[OPERAND_Y], host[OPERAND_WHERE], 0,
                                               host[OPERAND_Z]};
    return staging_bytes(&inputs, without_output) + (host[OPERAND_OUT] ? scan_result_bytes(scan) : 0);
}

static size_t host_bytes(struct tally_context *context, const struct scan *scan, int host[OPERAND_COUNT])
{
    struct reduction operands = scan_as_reduction(scan);
    operands.out = scan->out;
    staging_host_operands(context, &operands, host);
    return bytes_of(scan, host);
}

int scan_pieces_needed(struct tally_context *context, const struct scan *scan, size_t *limit)
{
    uint32_t flags = scan->calculation.op->flags;
    int host[OPERAND_COUNT] = {1, (flags & OP_SECOND) != 0, scan->where != NULL, 1, (flags & OP_THIRD) != 0};
    if (!pieces_may_be_needed(context, bytes_of(scan, host))) return 0;
    return pieces_over_limit(context, host_bytes(context, scan, host), limit);
}

int scan_pieces_worth_trying(struct tally_context *context, const struct scan *scan, size_t *limit)
{
    struct machine *machine = gpu_device(context)->machine;
    int host[OPERAND_COUNT];
    *limit = machine->table->free_memory(machine) / 2;
    return host_bytes(context, scan, host) > *limit;
}

/* ---- cutting ---- */

static int64_t extent_of(const struct scan *scan, int32_t d)
{
    return d == AXIS ? scan->axis.extent : scan->kept[d].extent;
}

/* `extent` steps of a loop from `first` on. States follow the outermost loop alone. */
static struct scan slice(const struct scan *scan, int32_t d, int64_t first, int64_t extent)
{
    struct scan piece = *scan;
    struct loop *loop = d == AXIS ? &piece.axis : &piece.kept[d];
    scan_move(&piece, loop, first);
    if (d != AXIS) {
        int64_t cells_of_step = scan->cells / loop->extent;
        piece.cells = cells_of_step * extent;
        if (scan->states) piece.states = scan_state_at(&scan->calculation, scan->states, first * cells_of_step);
    }
    loop->extent = extent;
    return piece;
}

/* The most steps of a loop that fit, along the axis whole blocks if it can be; 0 when not even one fits. */
static int64_t steps_that_fit(const struct cutter *cutter, const struct scan *scan, int32_t d)
{
    int64_t least = 0, most = extent_of(scan, d);
    while (least < most) {
        int64_t middle = least + (most - least + 1) / 2;
        struct scan piece = slice(scan, d, 0, middle);
        if (bytes_of(&piece, cutter->host) <= cutter->limit) least = middle;
        else most = middle - 1;
    }
    return d == AXIS && least >= SCAN_BLOCK ? least / SCAN_BLOCK * SCAN_BLOCK : least;
}

/* The loop whose steps fit in the fewest pieces, or else the one of which a step takes the least: then *steps is 1.
 * False when no cut makes the scan smaller. */
static int choose_loop(const struct cutter *cutter, const struct scan *scan, int32_t *loop, int64_t *steps)
{
    int64_t fewest = INT64_MAX;
    size_t smallest = bytes_of(scan, cutter->host);
    int found = 0;
    for (int32_t d = AXIS; d < scan->kept_count; d++) {
        if (extent_of(scan, d) < 2 || (scan->states && d > 0)) continue;
        int64_t fit = steps_that_fit(cutter, scan, d);
        int64_t pieces = fit ? (extent_of(scan, d) + fit - 1) / fit : INT64_MAX;
        struct scan step = slice(scan, d, 0, fit ? fit : 1);
        size_t bytes = bytes_of(&step, cutter->host);
        int better = pieces < fewest || (fewest == INT64_MAX && pieces == INT64_MAX && bytes < smallest);
        if (!better) continue;
        found = 1;
        fewest = pieces;
        smallest = bytes;
        *loop = d;
        *steps = fit ? fit : 1;
    }
    return found;
}

static tally_status cut(const struct cutter *cutter, const struct scan *scan);

static tally_status cut_loop(const struct cutter *cutter, const struct scan *scan, int32_t d, int64_t steps)
{
    int64_t extent = extent_of(scan, d);
    for (int64_t first = 0; first < extent; first += steps) {
        struct scan piece = slice(scan, d, first, extent - first < steps ? extent - first : steps);
        TRY(cut(cutter, &piece));
    }
    return TALLY_OK;
}

/* Along the axis, with states for the length of the call if there are none. */
static tally_status cut_axis(const struct cutter *cutter, const struct scan *scan, int64_t steps)
{
    struct scan going_on = *scan;
    size_t bytes = scan_state_size(&scan->calculation) * (size_t)scan->cells;
    if (scan->states) return cut_loop(cutter, scan, AXIS, steps);
    going_on.states = context_allocate(cutter->context, bytes);
    if (!going_on.states) return TALLY_OUT_OF_MEMORY;
    for (int64_t i = 0; i < scan->cells; i++)
        scan_state_open(&scan->calculation, scan_state_at(&scan->calculation, going_on.states, i));
    tally_status status = cut_loop(cutter, &going_on, AXIS, steps);
    context_release(cutter->context, going_on.states, bytes);
    return status;
}

static tally_status cut(const struct cutter *cutter, const struct scan *scan)
{
    int32_t loop = AXIS;
    int64_t steps = 1;
    if (bytes_of(scan, cutter->host) <= cutter->limit) return scan_piece(cutter->context, scan);
    if (!choose_loop(cutter, scan, &loop, &steps))
        FAIL(TALLY_OUT_OF_MEMORY,
             "the running %s needs %zu bytes of the device %s at once, for the smallest part of its arrays in host "
             "memory that their layout lets it take; %zu are free",
             scan->calculation.op->name, bytes_of(scan, cutter->host), cutter->context->engine->name, cutter->limit);
    return loop == AXIS ? cut_axis(cutter, scan, steps) : cut_loop(cutter, scan, loop, steps);
}

/* ---- the whole ---- */

/* Overflows are found late: the output stays as it is until all results are there. */
static tally_status cut_aside(const struct cutter *cutter, const struct scan *scan)
{
    struct scan aside = *scan;
    size_t bytes = scan_result_bytes(scan);
    void *dense = context_allocate(cutter->context, bytes);
    if (!dense) return TALLY_OUT_OF_MEMORY;
    scan_make_dense(&aside, dense);
    struct cutter to_host = *cutter;
    to_host.host[OPERAND_OUT] = 1;
    tally_status status = cut(&to_host, &aside);
    if (status == TALLY_OK && cutter->host[OPERAND_OUT]) scan_scatter(scan, dense);
    else if (status == TALLY_OK) status = scan_scatter_to_device(cutter->context, scan, dense, NULL);
    context_release(cutter->context, dense, bytes);
    return status;
}

tally_status scan_pieces(struct tally_context *context, const struct scan *scan, size_t limit)
{
    struct cutter cutter = {.context = context, .limit = limit};
    host_bytes(context, scan, cutter.host);
    int checked = (scan->calculation.flags & TALLY_CHECK_OVERFLOW) != 0;
    return checked ? cut_aside(&cutter, scan) : cut(&cutter, scan);
}
