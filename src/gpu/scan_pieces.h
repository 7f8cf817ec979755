/* SPDX-License-Identifier: MIT
 *
 * scan_pieces.h - scans of host arrays that do not fit into the device's memory at once. */
#ifndef TALLY_GPU_SCAN_PIECES_H
#define TALLY_GPU_SCAN_PIECES_H

#include "gpu.h"

/* As pieces_needed and pieces_worth_trying (pieces.h). */
int scan_pieces_needed(struct tally_context *context, const struct scan *scan, size_t *limit);
int scan_pieces_worth_trying(struct tally_context *context, const struct scan *scan, size_t *limit);

tally_status scan_pieces(struct tally_context *context, const struct scan *scan, size_t limit);

/* The whole of a scan at once, from states if it has them. */
tally_status scan_piece(struct tally_context *context, const struct scan *scan);

#endif
