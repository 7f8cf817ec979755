/* SPDX-License-Identifier: MIT
 *
 * stream.c - buffered reading of files and pipes; short reads and interrupted calls are retried here and nowhere else.
 */
#define _GNU_SOURCE
#include "stream.h"
#include "error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool io_stream_open(io_stream *stream, int file, const char *name, size_t capacity)
{
    *stream = (io_stream){.file = file, .name = name, .capacity = capacity};
    stream->buffer = malloc(capacity + 1);
    if (stream->buffer == NULL) {
        return io_fail("%s: out of memory for a buffer of %zu bytes", name, capacity);
    }
    stream->buffer[0] = '\0';
    return true;
}

static bool read_some(io_stream *stream, char *memory, size_t wanted, size_t *got)
{
    ssize_t bytes;
    do {
        bytes = read(stream->file, memory, wanted);
    } while (bytes < 0 && errno == EINTR);
    if (bytes < 0) {
        return io_fail("%s: cannot read: %s", stream->name, strerror(errno));
    }
    stream->finished = bytes == 0;
    *got = (size_t)bytes;
    return true;
}

bool io_stream_fill(io_stream *stream)
{
    if (stream->at > 0) {
        memmove(stream->buffer, stream->buffer + stream->at, stream->end - stream->at);
        stream->end -= stream->at;
        stream->at = 0;
    }
    size_t got = 0;
    if (stream->end < stream->capacity && !stream->finished &&
        !read_some(stream, stream->buffer + stream->end, stream->capacity - stream->end, &got)) {
        return false;
    }
    stream->end += got;
    stream->buffer[stream->end] = '\0';
    return true;
}

bool io_stream_peek(io_stream *stream, size_t wanted)
{
    while (stream->end - stream->at < wanted && !stream->finished) {
        if (!io_stream_fill(stream)) {
            return false;
        }
    }
    return true;
}

bool io_stream_read(io_stream *stream, void *memory, size_t wanted, size_t *got)
{
    size_t buffered = stream->end - stream->at;
    size_t total = buffered < wanted ? buffered : wanted;
    memcpy(memory, stream->buffer + stream->at, total);
    stream->at += total;
    while (total < wanted && !stream->finished) {
        size_t more = 0;
        if (!read_some(stream, (char *)memory + total, wanted - total, &more)) {
            return false;
        }
        total += more;
    }
    *got = total;
    return true;
}

void io_stream_close(io_stream *stream)
{
    free(stream->buffer);
    if (stream->file > STDIN_FILENO) {
        close(stream->file);
    }
    *stream = (io_stream){.file = -1};
}
