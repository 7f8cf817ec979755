/* SPDX-License-Identifier: MIT
 *
 * feed.h - files in, partials out: opens the inputs of a command and streams them, chunk by chunk, with a progress bar.
 * reduce.c, scan.c and stats.c use it. */
#ifndef TALLY_CLI_FEED_H
#define TALLY_CLI_FEED_H

#include "cli.h"

/* A bar on standard error: only on a terminal, and only after a second. */
typedef struct cli_progress {
    double begin;
    double shown; /* when it was last drawn; 0 before the first time */
    double total; /* elements; 0 while unknown */
    bool enabled;
} cli_progress;

void cli_progress_begin(cli_progress *progress, const cli_options *options, double total);
void cli_progress_show(cli_progress *progress, double done);
void cli_progress_end(cli_progress *progress);

/* How many elements to ask io_source_next for. */
int64_t cli_chunk_elements(const io_source *source);

/* Elements in a source, 0 while unknown. */
double cli_elements(const io_source *source);

/* Adds every element of a source to all partials, in one pass and constant memory. False with io_error(). */
bool cli_feed(tally_partial *const *partials, int32_t count, io_source *source, cli_progress *progress, double *done);

#endif
