/* SPDX-License-Identifier: MIT
 *
 * sink.c - arrays into files. Text and JSON are built in a buffer, element by element: what stands between two
 * elements follows from the index alone, so that any number of pieces gives the same file. */
#define _GNU_SOURCE
#include "sink.h"
#include "error.h"
#include "map.h"
#include "npy.h"
#include "number.h"
#include "output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BUFFER_BYTES = 1 << 18, AROUND_ELEMENT = IO_NUMBER_ROOM + 4 * TALLY_MAX_RANK };

struct io_sink {
    io_output output;
    io_format format;
    io_result result;
    int64_t written;    /* elements */
    size_t data_offset; /* bytes before the elements of .npy */
    io_map map;
    void *memory; /* the view, when the output cannot be mapped */
    size_t used;  /* of buffer */
    char buffer[BUFFER_BYTES];
};

static bool ends_in(const char *text, const char *suffix)
{
    size_t length = strlen(text);
    return length > strlen(suffix) && strcmp(text + length - strlen(suffix), suffix) == 0;
}

bool io_format_of(const char *path, io_format *format)
{
    static const struct {
        const char *suffix;
        io_format format;
    } suffixes[] = {{".npy", IO_NPY},  {".raw", IO_RAW},   {".bin", IO_RAW},
                    {".txt", IO_TEXT}, {".text", IO_TEXT}, {".json", IO_JSON}};
    struct stat status;
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        if (ends_in(path, suffixes[i].suffix)) {
            *format = suffixes[i].format;
            return true;
        }
    }
    *format = IO_TEXT;
    if (strcmp(path, "-") == 0 || (stat(path, &status) == 0 && !S_ISREG(status.st_mode))) {
        return true;
    }
    return io_fail("%s: the name does not say a format; use .npy, .raw, .txt or .json", path);
}

static bool flush(io_sink *sink)
{
    size_t used = sink->used;
    sink->used = 0;
    return io_output_write(&sink->output, sink->buffer, used);
}

static void add_text(io_sink *sink, const char *text)
{
    size_t length = strlen(text);
    memcpy(sink->buffer + sink->used, text, length);
    sink->used += length;
}

static int64_t count_of(const io_result *result)
{
    int64_t count = 1;
    for (int32_t i = 0; i < result->rank; i++) {
        count *= result->shape[i];
    }
    return count;
}

/* How many axes begin anew at this element: 0 inside a row, rank at the very first. */
static int32_t axes_begun(const io_result *result, int64_t index)
{
    int32_t axes = 0;
    if (result->length_unknown || result->rank == 1) {
        return index == 0;
    }
    for (int32_t i = result->rank - 1; i >= 0 && index % result->shape[i] == 0; i--) {
        index /= result->shape[i];
        axes++;
    }
    return axes;
}

static void add_text_separator(io_sink *sink, int64_t index)
{
    int32_t begun = axes_begun(&sink->result, index);
    if (index > 0) {
        add_text(sink, begun > 1 ? "\n\n" : begun == 1 || (sink->result.lines && sink->result.rank == 1) ? "\n" : " ");
    }
}

static void add_json_separator(io_sink *sink, int64_t index)
{
    int32_t begun = axes_begun(&sink->result, index);
    for (int32_t i = 0; i < begun && index > 0; i++) {
        add_text(sink, "]");
    }
    add_text(sink, index == 0 ? "" : begun > 0 ? ",\n  " : ", ");
    for (int32_t i = 0; i < begun; i++) {
        add_text(sink, "[");
    }
}

static bool write_printed(io_sink *sink, const void *elements, int64_t count)
{
    size_t element = tally_type_size(sink->result.type);
    const unsigned char *from = elements;
    for (int64_t i = 0; i < count; i++, from += element) {
        char text[IO_NUMBER_ROOM];
        if (sink->used + AROUND_ELEMENT > BUFFER_BYTES && !flush(sink)) {
            return false;
        }
        if (sink->format == IO_JSON) {
            add_json_separator(sink, sink->written + i);
            io_number_print_json(sink->result.type, from, text);
        } else {
            add_text_separator(sink, sink->written + i);
            io_number_print(sink->result.type, from, text);
        }
        add_text(sink, text);
    }
    sink->written += count;
    return true;
}

bool io_sink_write(io_sink *sink, const void *elements, int64_t count)
{
    if (sink->format == IO_TEXT || sink->format == IO_JSON) {
        return write_printed(sink, elements, count);
    }
    sink->written += count;
    return io_output_write(&sink->output, elements, (size_t)count * tally_type_size(sink->result.type));
}

static bool write_npy_header(io_sink *sink)
{
    char header[IO_NPY_HEADER_ROOM];
    const io_result *result = &sink->result;
    sink->data_offset = io_npy_header_write(sink->output.name, result->type, result->rank, result->shape, header);
    return sink->data_offset > 0 && io_output_write(&sink->output, header, sink->data_offset);
}

static bool begin(io_sink *sink, const char *path)
{
    if (!io_output_open(&sink->output, path)) {
        return false;
    }
    if (sink->format == IO_NPY && sink->result.length_unknown && sink->output.temporary == NULL) {
        return io_fail("%s: the length of this result is known only at the end, and a .npy header cannot be completed "
                       "here; write to a file",
                       path);
    }
    if (sink->format == IO_JSON) {
        sink->used = (size_t)snprintf(sink->buffer, BUFFER_BYTES,
                                      "{\"operator\": \"%s\", \"type\": \"%s\", \"value\": ", sink->result.op,
                                      tally_type_name(sink->result.type));
    }
    return sink->format != IO_NPY || write_npy_header(sink);
}

bool io_sink_open(const char *path, io_format format, const io_result *result, io_sink **sink)
{
    io_sink *opened = malloc(sizeof *opened);
    if (opened == NULL) {
        return io_fail("%s: out of memory", path);
    }
    memset(opened, 0, offsetof(io_sink, buffer));
    opened->output.file = -1;
    opened->map.slot = -1;
    opened->format = format;
    opened->result = *result;
    if (!begin(opened, path)) {
        io_sink_close(opened);
        return false;
    }
    *sink = opened;
    return true;
}

bool io_sink_view(io_sink *sink, tally_array *view)
{
    const io_result *result = &sink->result;
    size_t bytes = (size_t)count_of(result) * tally_type_size(result->type);
    bool mappable = sink->output.temporary != NULL && (sink->format == IO_NPY || sink->format == IO_RAW);
    void *elements;
    if (mappable) {
        if (!io_output_reserve(&sink->output, sink->data_offset + bytes) ||
            !io_map_open(&sink->map, sink->output.file, sink->data_offset + bytes, true, sink->output.name)) {
            return false;
        }
        elements = sink->map.bytes == NULL ? NULL : sink->map.bytes + sink->data_offset;
    } else {
        elements = sink->memory = malloc(bytes > 0 ? bytes : 1);
        if (elements == NULL) {
            return io_fail("%s: out of memory for a result of %zu bytes; -o FILE.npy needs none", sink->output.name,
                           bytes);
        }
    }
    *view = tally_shaped(elements, result->type, result->rank, result->shape);
    return true;
}

static void add_json_end(io_sink *sink)
{
    io_result *result = &sink->result;
    char number[32];
    if (result->length_unknown) {
        result->shape[0] = sink->written;
    }
    add_text(sink, sink->written == 0 ? "[" : "");
    for (int32_t i = 0; i < (sink->written == 0 ? 1 : result->rank); i++) {
        add_text(sink, "]");
    }
    add_text(sink, ", \"shape\": [");
    for (int32_t i = 0; i < result->rank; i++) {
        snprintf(number, sizeof number, "%s%" PRId64, i > 0 ? ", " : "", result->shape[i]);
        add_text(sink, number);
    }
    add_text(sink, "]}\n");
}

/* The header has the same length for every first axis, so it can be written again over itself. */
static bool complete_npy(io_sink *sink)
{
    char header[IO_NPY_HEADER_ROOM];
    io_result *result = &sink->result;
    if (!result->length_unknown) {
        return true;
    }
    result->shape[0] = sink->written;
    size_t length = io_npy_header_write(sink->output.name, result->type, result->rank, result->shape, header);
    return io_output_write_at(&sink->output, header, length, 0);
}

bool io_sink_commit(io_sink *sink)
{
    if (sink->memory != NULL && !io_sink_write(sink, sink->memory, count_of(&sink->result))) {
        return false;
    }
    if (sink->format == IO_JSON || sink->format == IO_TEXT) {
        if (sink->used + 512 > BUFFER_BYTES && !flush(sink)) {
            return false;
        }
        if (sink->format == IO_JSON) {
            add_json_end(sink);
        } else if (sink->written > 0) {
            add_text(sink, "\n");
        }
        if (!flush(sink)) {
            return false;
        }
    }
    if (sink->format == IO_NPY && !complete_npy(sink)) {
        return false;
    }
    if (io_map_lost(&sink->map)) {
        return io_fail("%s: the file system could not take the data", sink->output.name);
    }
    io_map_close(&sink->map);
    return io_output_commit(&sink->output);
}

void io_sink_close(io_sink *sink)
{
    if (sink != NULL) {
        io_map_close(&sink->map);
        io_output_close(&sink->output);
        free(sink->memory);
        free(sink);
    }
}
