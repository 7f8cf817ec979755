/* SPDX-License-Identifier: MIT
 *
 * scan.c - the verb: one piece or several, from the beginning or going on. */
#include "one_element.h"
#include "scan_arrange.h"
#include "scan_carried.h"
#include "scan_launch.h"
#include "scan_pieces.h"
#include "staging.h"

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

tally_status gpu_scan(struct tally_context *context, const struct scan *scan)
{
    struct reduction reduction;
    size_t limit;
    if (scan_is_of_one(scan, &reduction) && !scan_orders_differ(scan)) return gpu_reduce(context, &reduction);
    if (scan_pieces_needed(context, scan, &limit)) return scan_pieces(context, scan, limit);
    tally_status status = scan_piece(context, scan);
    if (scan->states && scan->calculation.ordered) return status; /* whose blocks have gone in pieces, if any could */
    if (status == TALLY_OUT_OF_MEMORY && scan_pieces_worth_trying(context, scan, &limit))
        status = scan_pieces(context, scan, limit);
    return status;
}
