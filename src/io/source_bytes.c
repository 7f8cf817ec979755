/* SPDX-License-Identifier: MIT
 *
 * source_bytes.c - elements stored as their bytes: .npy and raw files. Regular files are mapped, pipes are read, and
 * elements in the other byte order are swapped on their way through a buffer. */
#include "error.h"
#include "npy.h"
#include "source_inside.h"

#include <inttypes.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static void swap_2(unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint16_t value;
        memcpy(&value, bytes + 2 * i, 2);
        value = __builtin_bswap16(value);
        memcpy(bytes + 2 * i, &value, 2);
    }
}

static void swap_4(unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t value;
        memcpy(&value, bytes + 4 * i, 4);
        value = __builtin_bswap32(value);
        memcpy(bytes + 4 * i, &value, 4);
    }
}

static void swap_8(unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value;
        memcpy(&value, bytes + 8 * i, 8);
        value = __builtin_bswap64(value);
        memcpy(bytes + 8 * i, &value, 8);
    }
}

void io_swap_bytes(void *elements, int64_t count, tally_type type)
{
    size_t parts = type == TALLY_C64 || type == TALLY_C128 ? 2 : 1;
    size_t words = (size_t)count * parts;
    switch (tally_type_size(type) / parts) {
    case 2: swap_2(elements, words); break;
    case 4: swap_4(elements, words); break;
    case 8: swap_8(elements, words); break;
    default: break;
    }
}

/* A mapped file in the other byte order is copied from the map, everything else comes from the stream. */
static bool take_bytes(io_source *source, void *memory, size_t wanted, size_t *got)
{
    if (source->map.bytes == NULL) {
        return io_stream_read(&source->stream, memory, wanted, got);
    }
    size_t rest = source->map.size - source->data_offset;
    *got = wanted < rest ? wanted : rest;
    memcpy(memory, source->map.bytes + source->data_offset, *got);
    source->data_offset += *got;
    io_map_forget(&source->map, source->forgotten, source->data_offset);
    source->forgotten = source->data_offset;
    return true;
}

static bool read_elements(io_source *source, void *elements, int64_t count, int64_t *got)
{
    size_t element = tally_type_size(source->type);
    size_t bytes = 0;
    if (source->unread >= 0 && count > source->unread) {
        count = source->unread;
    }
    if (!take_bytes(source, elements, (size_t)count * element, &bytes)) {
        return false;
    }
    *got = (int64_t)(bytes / element);
    if (source->unread >= 0 && *got < count) {
        return io_fail("%s: is truncated: elements missing at its end: %" PRId64, source->name, source->unread - *got);
    }
    if (bytes % element != 0) {
        return io_fail("%s: ends inside an element: the last one has %zu of %zu bytes", source->name, bytes % element,
                       element);
    }
    source->unread -= source->unread >= 0 ? *got : 0;
    if (source->swapped) {
        io_swap_bytes(elements, *got, source->type);
    }
    return true;
}

static const io_reader bytes_reader = {read_elements, NULL};

/* Maps a regular file whose elements begin at source->data_offset. Where they cannot be used as they lie (other byte
 * order, or not aligned), they are read from the map through a buffer. */
static bool open_bytes(io_source *source, int64_t file_bytes)
{
    size_t element = tally_type_size(source->type);
    source->reader = &bytes_reader;
    if (file_bytes < 0) {
        source->stream.at = source->data_offset;
        return true;
    }
    size_t needed = source->data_offset + (size_t)io_source_count(source) * element;
    if ((size_t)file_bytes < needed) {
        return io_fail("%s: is truncated: %" PRId64 " bytes, but its shape needs %zu", source->name, file_bytes,
                       needed);
    }
    size_t alignment = element < 16 && source->type != TALLY_C64 ? element : element / 2;
    source->mapped = !source->swapped && source->data_offset % alignment == 0;
    return io_map_open(&source->map, source->stream.file, needed, false, source->name);
}

bool io_open_npy(io_source *source, int64_t file_bytes)
{
    io_stream *stream = &source->stream;
    const unsigned char *bytes = (const unsigned char *)stream->buffer;
    size_t data_offset = 0;
    io_npy_header header;
    if (!io_npy_data_offset(source->name, bytes, stream->end, &data_offset) || !io_stream_peek(stream, data_offset) ||
        !io_npy_header_parse(source->name, bytes, stream->end, &header)) {
        return false;
    }
    source->type = header.type;
    source->rank = header.rank;
    memcpy(source->shape, header.shape, sizeof source->shape);
    source->length_known = true;
    source->fortran_order = header.fortran_order;
    source->swapped = header.swapped;
    source->data_offset = header.data_offset;
    source->unread = header.count;
    return open_bytes(source, file_bytes);
}

/* The shape that was asked for, or a vector as long as the file. */
static bool raw_shape(io_source *source, const io_request *request, int64_t file_bytes)
{
    int64_t bytes = (int64_t)tally_type_size(source->type);
    source->rank = 1;
    source->length_known = file_bytes >= 0;
    if (request->raw_rank == 0) {
        if (file_bytes > 0 && file_bytes % bytes != 0) {
            return io_fail("%s: has %" PRId64 " bytes, which is not a multiple of the %" PRId64 " bytes of %s",
                           source->name, file_bytes, bytes, tally_type_name(source->type));
        }
        source->shape[0] = file_bytes < 0 ? 0 : file_bytes / bytes;
        return true;
    }
    source->rank = request->raw_rank;
    source->length_known = true;
    for (int32_t i = 0; i < source->rank; i++) {
        source->shape[i] = request->raw_shape[i];
        if (!io_multiply(bytes, source->shape[i], &bytes)) {
            return io_fail("%s: --shape asks for more than 2^63 bytes", source->name);
        }
    }
    if (file_bytes >= 0 && bytes != file_bytes) {
        return io_fail("%s: has %" PRId64 " bytes, but --shape needs %" PRId64, source->name, file_bytes, bytes);
    }
    return true;
}

bool io_open_raw(io_source *source, const io_request *request, int64_t file_bytes)
{
    source->type = request->raw_type;
    if (!raw_shape(source, request, file_bytes)) {
        return false;
    }
    source->unread = source->length_known ? io_source_count(source) : -1;
    return open_bytes(source, file_bytes);
}
