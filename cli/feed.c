/* SPDX-License-Identifier: MIT
 *
 * feed.c - the streaming loop that every full reduction runs in, and the progress bar. */
#define _GNU_SOURCE
#include "feed.h"
#include "io/error.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* Mapped chunks cost nothing but their pages, so they may be long enough to keep every thread busy; chunks that are
 * copied should stay in the cache. */
enum { MAPPED_CHUNK_BYTES = 1 << 24, COPIED_CHUNK_BYTES = 1 << 21 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void cli_progress_begin(cli_progress *progress, const cli_options *options, double total)
{
    *progress = (cli_progress){.begin = now(), .total = total, .enabled = !options->quiet && isatty(STDERR_FILENO)};
}

void cli_progress_show(cli_progress *progress, double done)
{
    static const char full[] = "########################################";
    enum { WIDTH = sizeof full - 1 };
    if (!progress->enabled) return;
    double time = now();
    if (time - progress->begin < 1.0 || time - progress->shown < 0.1) return;
    progress->shown = time;
    double rate = done / (time - progress->begin);
    if (progress->total > 0) {
        double part = done < progress->total ? done / progress->total : 1.0;
        int filled = (int)(part * WIDTH);
        fprintf(stderr, "\r[%-*.*s] %3d %%  %.3g elements/s ", WIDTH, filled, full, (int)(100 * part), rate);
    } else {
        fprintf(stderr, "\r%.3g elements  %.3g elements/s ", done, rate);
    }
}

void cli_progress_end(cli_progress *progress)
{
    if (progress->shown > 0) fprintf(stderr, "\r\033[K");
    progress->shown = 0;
}

int64_t cli_chunk_elements(const io_source *source)
{
    int64_t bytes = io_source_is_mapped(source) ? MAPPED_CHUNK_BYTES : COPIED_CHUNK_BYTES;
    return bytes / (int64_t)tally_type_size(io_source_type(source));
}

double cli_elements(const io_source *source)
{
    int32_t rank = 0;
    int64_t shape[TALLY_MAX_RANK];
    double elements = 1;
    if (!io_source_shape(source, &rank, shape)) return 0;
    for (int32_t i = 0; i < rank; i++) {
        elements *= (double)shape[i];
    }
    return elements;
}

static double elements_of(const tally_array *chunk)
{
    double elements = 1;
    for (int32_t i = 0; i < chunk->rank; i++) {
        elements *= (double)chunk->shape[i];
    }
    return elements;
}

bool cli_feed(tally_partial *const *partials, int32_t count, io_source *source, cli_progress *progress, double *done)
{
    int64_t limit = cli_chunk_elements(source);
    for (;;) {
        tally_array chunk;
        if (!io_source_next(source, limit, &chunk)) return false;
        double elements = elements_of(&chunk);
        if (elements == 0) return io_source_check(source);
        if (tally_partial_add_all(partials, count, &chunk, NULL, NULL) != TALLY_OK) {
            return cli_fail_call(io_source_name(source));
        }
        *done += elements;
        cli_progress_show(progress, *done);
    }
}
