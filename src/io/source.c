/* SPDX-License-Identifier: MIT
 *
 * source.c - opens a path as the kind of source that it holds, and what all kinds share: chunks, the whole, the end. */
#define _GNU_SOURCE
#include "source.h"
#include "error.h"
#include "npy.h"
#include "source_inside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Text is parsed in place, so this is also the longest line; mapped files never fill the buffer. */
enum { STREAM_BYTES = 1 << 20, FIRST_BYTES = 1 << 16 };

/* Chunks of a mapped file that are read from the disk before they are asked for. */
enum { AHEAD = 4 };

static bool is_hdf5_signature(const io_stream *stream)
{
    return stream->end >= 8 && memcmp(stream->buffer, "\x89HDF\r\n\x1a\n", 8) == 0;
}

static bool ends_in(const char *text, const char *suffix)
{
    size_t length = strlen(text);
    return length >= strlen(suffix) && strcmp(text + length - strlen(suffix), suffix) == 0;
}

/* Bytes of a regular file read from its begin, or -1: then it can neither be measured nor mapped. */
static bool measure(io_source *source, int64_t *bytes)
{
    struct stat status;
    if (fstat(source->stream.file, &status) != 0) {
        return io_fail("%s: %s", source->name, strerror(errno));
    }
    if (S_ISDIR(status.st_mode)) {
        return io_fail("%s: is a directory; name a file", source->name);
    }
    bool regular = S_ISREG(status.st_mode) && lseek(source->stream.file, 0, SEEK_CUR) == 0;
    *bytes = regular ? (int64_t)status.st_size : -1;
    return true;
}

static bool open_kind(io_source *source, const io_request *request)
{
    int64_t bytes = -1;
    if (!measure(source, &bytes) || !io_stream_peek(&source->stream, IO_NPY_PREFIX)) {
        return false;
    }
    if (request->raw_type != TALLY_DEFAULT_TYPE) {
        return io_open_raw(source, request, bytes);
    }
    if (is_hdf5_signature(&source->stream)) {
        return io_fail("%s: is an HDF5 file; name a dataset in it, as %s:/group/set", source->name, source->name);
    }
    if (ends_in(source->name, ".npy") ||
        io_npy_has_magic((const unsigned char *)source->stream.buffer, source->stream.end)) {
        return io_open_npy(source, bytes);
    }
    return io_open_text(source, request);
}

static bool open_file(io_source *source, const char *path, const io_request *request)
{
    int file = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    const char *dataset = strstr(path, ":/");
    if (file < 0 && errno == ENOENT && dataset != NULL && dataset != path) {
        char *name = strndup(path, (size_t)(dataset - path));
        bool opened = name != NULL && io_open_hdf5(source, name, dataset + 1);
        free(name);
        return opened;
    }
    if (file < 0) {
        return io_fail("%s: %s", source->name, strerror(errno));
    }
    source->stream.file = file;
    return io_stream_open(&source->stream, file, source->name, STREAM_BYTES) && open_kind(source, request);
}

bool io_source_open(const char *path, const io_request *request, io_source **source)
{
    io_source *opened = calloc(1, sizeof *opened);
    if (opened == NULL) {
        return io_fail("%s: out of memory", path);
    }
    opened->stream.file = -1;
    opened->map.slot = -1;
    opened->name = strdup(strcmp(path, "-") == 0 ? "standard input" : path);
    if (opened->name == NULL || !open_file(opened, path, request)) {
        io_source_close(opened);
        return false;
    }
    opened->fortran_order = opened->fortran_order && opened->rank > 1;
    *source = opened;
    return true;
}

const char *io_source_name(const io_source *source)
{
    return source->name;
}

tally_type io_source_type(const io_source *source)
{
    return source->type;
}

int64_t io_source_count(const io_source *source)
{
    int64_t count = 1;
    for (int32_t i = 0; i < source->rank; i++) {
        count = source->shape[i] == 0 ? 0 : count * source->shape[i];
    }
    return count;
}

bool io_source_shape(const io_source *source, int32_t *rank, int64_t *shape)
{
    *rank = source->rank;
    memcpy(shape, source->shape, (size_t)source->rank * sizeof *shape);
    return source->length_known;
}

bool io_source_is_flat(const io_source *source)
{
    return !source->fortran_order;
}

bool io_source_is_mapped(const io_source *source)
{
    return source->mapped;
}

static tally_array whole(const io_source *source, const void *elements)
{
    tally_array array = tally_shaped(elements, source->type, source->rank, source->shape);
    int64_t stride = 1;
    for (int32_t i = 0; i < source->rank && source->fortran_order; i++) {
        array.strides[i] = stride;
        stride *= source->shape[i];
    }
    array.flags = TALLY_READ_ONLY;
    return array;
}

/* Pages behind the reader are let go, so that resident memory stays constant. Pages ahead are asked for early enough to
 * keep a disk busy: page faults alone read it at half its speed. */
static void next_mapped(io_source *source, int64_t limit, tally_array *chunk)
{
    size_t bytes = tally_type_size(source->type);
    int64_t rest = io_source_count(source) - source->position;
    int64_t count = rest < limit ? rest : limit;
    size_t at = source->data_offset + (size_t)source->position * bytes;
    io_map_forget(&source->map, source->forgotten, at);
    source->forgotten = at;
    size_t step = (size_t)count * bytes;
    io_map_prepare(&source->map, source->position == 0 ? at : at + AHEAD * step, at + (AHEAD + 1) * step);
    *chunk = tally_vector(source->map.bytes == NULL ? NULL : source->map.bytes + at, source->type, count);
    chunk->flags = TALLY_READ_ONLY;
    source->position += count;
}

static bool next_read(io_source *source, int64_t limit, tally_array *chunk)
{
    int64_t got = 0;
    if (source->buffer_elements < limit) {
        free(source->buffer);
        source->buffer = malloc((size_t)limit * tally_type_size(source->type));
        source->buffer_elements = source->buffer == NULL ? 0 : limit;
    }
    if (source->buffer == NULL) {
        return io_fail("%s: out of memory for a chunk of %lld elements", source->name, (long long)limit);
    }
    if (!source->reader->read(source, source->buffer, limit, &got)) {
        return false;
    }
    source->position += got;
    *chunk = tally_vector(source->buffer, source->type, got);
    return true;
}

bool io_source_next(io_source *source, int64_t limit, tally_array *chunk)
{
    if (source->fortran_order) {
        if (source->position > 0 || io_source_count(source) == 0) {
            *chunk = tally_vector(NULL, source->type, 0);
            return true;
        }
        source->position = io_source_count(source);
        return io_source_load(source, chunk);
    }
    if (source->mapped) {
        next_mapped(source, limit, chunk);
        return true;
    }
    return next_read(source, limit, chunk);
}

/* Doubles the buffer as data really arrives: a header's claim alone never allocates anything. */
static bool grow(io_source *source)
{
    size_t element = tally_type_size(source->type);
    int64_t elements = source->buffer_elements == 0 ? (int64_t)(FIRST_BYTES / element) : source->buffer_elements * 2;
    void *larger = realloc(source->buffer, (size_t)elements * element);
    if (larger == NULL) {
        return io_fail("%s: out of memory: the whole array is needed at once here, and it has more than %lld elements",
                       source->name, (long long)source->buffer_elements);
    }
    source->buffer = larger;
    source->buffer_elements = elements;
    return true;
}

bool io_source_load(io_source *source, tally_array *array)
{
    size_t element = tally_type_size(source->type);
    int64_t total = 0;
    int64_t got = 1;
    if (source->mapped) {
        *array = whole(source, source->map.bytes == NULL ? NULL : source->map.bytes + source->data_offset);
        return true;
    }
    while (got > 0 && !(source->length_known && total == io_source_count(source))) {
        if (total == source->buffer_elements && !grow(source)) {
            return false;
        }
        char *free_room = (char *)source->buffer + (size_t)total * element;
        if (!source->reader->read(source, free_room, source->buffer_elements - total, &got)) {
            return false;
        }
        total += got;
    }
    if (!source->length_known) {
        source->shape[0] = total;
        source->length_known = true;
    }
    *array = whole(source, source->buffer);
    return true;
}

bool io_source_check(const io_source *source)
{
    if (io_map_lost(&source->map)) {
        return io_fail("%s: the file shrank while it was read; run again when it is complete", source->name);
    }
    return true;
}

void io_source_close(io_source *source)
{
    if (source == NULL) {
        return;
    }
    if (source->reader != NULL && source->reader->close != NULL) {
        source->reader->close(source);
    }
    io_map_close(&source->map);
    io_stream_close(&source->stream);
    free(source->buffer);
    free(source->name);
    free(source);
}
