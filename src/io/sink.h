/* SPDX-License-Identifier: MIT
 *
 * sink.h - one output array: text, JSON, .npy or raw, to a file or standard output. Elements are written in C order,
 * in pieces or through one view; nothing appears under the file's name before io_sink_commit. */
#ifndef TALLY_IO_SINK_H
#define TALLY_IO_SINK_H

#include <stdbool.h>
#include <stdint.h>
#include <tally.h>

typedef enum io_format { IO_TEXT, IO_JSON, IO_NPY, IO_RAW } io_format;

/* What is written. */
typedef struct io_result {
    const char *op; /* for JSON */
    tally_type type;
    int32_t rank;
    int64_t shape[TALLY_MAX_RANK];
    bool length_unknown; /* of a vector: counted while it is written */
    bool lines;          /* of a vector as text: one element per line instead of one line */
} io_result;

typedef struct io_sink io_sink;

/* The format that a file name asks for by its suffix: .npy, .raw, .bin, .txt, .text, .json. False, with a message, for
 * any other; "-" and existing devices are text. */
bool io_format_of(const char *path, io_format *format);

bool io_sink_open(const char *path, io_format format, const io_result *result, io_sink **sink);

/* The next elements. */
bool io_sink_write(io_sink *sink, const void *elements, int64_t count);

/* A view of the whole output, to be filled before io_sink_commit: the file itself, mapped, for .npy and raw. Not
 * together with io_sink_write. */
bool io_sink_view(io_sink *sink, tally_array *view);

/* Writes what is left and puts the file in place. */
bool io_sink_commit(io_sink *sink);

/* Frees the sink; without a commit before, the target is as it was. NULL is allowed. */
void io_sink_close(io_sink *sink);

#endif
