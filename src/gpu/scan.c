/* SPDX-License-Identifier: MIT
 *
 * scan.c - the verb: one piece or several, from the beginning or going on. */
#include "scan_carried.h"
#include "scan_launch.h"
#include "scan_pieces.h"
#include "staging.h"

#include <string.h>

tally_status scan_piece(struct tally_context *context, const struct scan *scan)
{
    struct gpu_device *device = gpu_device(context);
    struct scan local = *scan;
    struct staging staging;
    if (scan->states) return scan_carried(context, scan);
    pthread_mutex_lock(&device->mutex);
    tally_status status = staging_upload_scan(context, &local, &staging);
    if (status == TALLY_OK) status = scan_launch(context, &local, staging.host_output, NULL);
    tally_status done = staging_end(context, &staging);
    pthread_mutex_unlock(&device->mutex);
    return status == TALLY_OK ? done : status;
}

/* Whether lines are of one element each, and so a running result is what that element alone is reduced to. In place, a
 * reduction might read again what it wrote over; complex products have a tree's identities. */
static int is_reduction(const struct scan *scan, struct reduction *reduction)
{
    const struct calculation *calculation = &scan->calculation;
    const uint32_t others = TALLY_EXCLUSIVE | TALLY_SKIP_NAN | TALLY_CHECK_OVERFLOW;
    if (scan->axis.extent != 1 || scan->where || scan->states || scan->x == scan->out) return 0;
    if (calculation->user || calculation->initial || calculation->flags & others || calculation->modulus.p) return 0;
    if (calculation->ordered && type_row(calculation->type)->kind == KIND_COMPLEX) return 0;
    *reduction = (struct reduction){.calculation = *calculation, .x = scan->x, .out = scan->out, .length = 1};
    reduction->calculation.flags &= ~(uint32_t)TALLY_REVERSE;
    reduction->cells = scan->cells;
    reduction->kept_count = scan->kept_count;
    memcpy(reduction->kept, scan->kept, sizeof reduction->kept);
    return 1;
}

tally_status gpu_scan(struct tally_context *context, const struct scan *scan)
{
    struct reduction reduction;
    size_t limit;
    if (is_reduction(scan, &reduction)) return gpu_reduce(context, &reduction);
    if (scan_pieces_needed(context, scan, &limit)) return scan_pieces(context, scan, limit);
    tally_status status = scan_piece(context, scan);
    if (status == TALLY_OUT_OF_MEMORY && scan_pieces_worth_trying(context, scan, &limit))
        status = scan_pieces(context, scan, limit);
    return status;
}
