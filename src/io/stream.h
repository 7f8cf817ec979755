/* SPDX-License-Identifier: MIT
 *
 * stream.h - bytes of a file or pipe in order, through one buffer that can be looked ahead into.
 * source_bytes.c and source_text.c read through it. */
#ifndef TALLY_IO_STREAM_H
#define TALLY_IO_STREAM_H

#include <stdbool.h>
#include <stddef.h>

typedef struct io_stream {
    int file;
    const char *name; /* for messages; borrowed */
    char *buffer;     /* bytes [at, end) are read but not used; buffer[end] is always '\0' */
    size_t at;
    size_t end;
    size_t capacity;
    bool finished; /* the file has no more bytes behind end */
} io_stream;

bool io_stream_open(io_stream *stream, int file, const char *name, size_t capacity);

/* Moves the unused bytes to the buffer's front and reads more behind them. When nothing is added, finished is set, or
 * the buffer was full. False on a read error. */
bool io_stream_fill(io_stream *stream);

/* Has at least wanted bytes in the buffer, unless the file ends before. wanted is at most the capacity. */
bool io_stream_peek(io_stream *stream, size_t wanted);

/* Reads until memory is full or the file ends. */
bool io_stream_read(io_stream *stream, void *memory, size_t wanted, size_t *got);

void io_stream_close(io_stream *stream);

#endif
