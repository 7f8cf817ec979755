/* SPDX-License-Identifier: MIT
 *
 * source_text.c - numbers as text: every number of the file in order, or one column of it. Words are parsed where they
 * lie in the stream's buffer; text_column.c finds the field of a line. */
#define _GNU_SOURCE
#include "error.h"
#include "number.h"
#include "source_inside.h"
#include "text_column.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct text_state {
    int64_t line;       /* of the next unread byte, from 1 */
    int64_t line_begin; /* its offset from the begin of the file */
    int64_t dropped;    /* bytes of the file before the buffer */
    bool after_comma;   /* a number must come before the next comma */
    bool after_number;
    text_column column; /* unused without --column */
} text_state;

enum { WORD = 0, SPACE, NEWLINE, COMMA, COMMENT };

static const unsigned char class_of[256] = {[' '] = SPACE,  ['\t'] = SPACE,   ['\r'] = SPACE, ['\v'] = SPACE,
                                            ['\f'] = SPACE, ['\n'] = NEWLINE, [','] = COMMA,  ['#'] = COMMENT};

static bool fill(io_source *source, text_state *state)
{
    state->dropped += (int64_t)source->stream.at;
    return io_stream_fill(&source->stream);
}

static int64_t column_at(const text_state *state, size_t at)
{
    return state->dropped + (int64_t)at - state->line_begin + 1;
}

static bool refuse_word(const io_source *source, io_number_status status, int64_t line, int64_t column,
                        const char *word, size_t length)
{
    char shown[36] = "";
    size_t copied = length < 32 ? length : 32;
    for (size_t i = 0; i < copied; i++) {
        shown[i] = word[i] > ' ' && word[i] <= '~' ? word[i] : '?';
    }
    strcpy(shown + copied, length > copied ? "..." : "");
    if (status == IO_NUMBER_RANGE) {
        return io_fail("%s:%" PRId64 ":%" PRId64 ": %s is outside the range of %s", source->name, line, column, shown,
                       tally_type_name(source->type));
    }
    return io_fail("%s:%" PRId64 ":%" PRId64 ": '%s' is not %s (reading %s; --type, --column and --raw change that)",
                   source->name, line, column, shown, io_number_expected(source->type), tally_type_name(source->type));
}

static bool note_comma(const io_source *source, text_state *state)
{
    bool empty = !state->after_number;
    state->after_number = false;
    if (empty) {
        return io_fail("%s:%" PRId64 ":%" PRId64 ": nothing stands before this comma; a missing value is written nan",
                       source->name, state->line, column_at(state, source->stream.at));
    }
    return true;
}

static void note_newline(const io_source *source, text_state *state)
{
    state->line++;
    state->line_begin = state->dropped + (int64_t)source->stream.at + 1;
    state->after_number = false;
}

/* Passes separators and comments; *found tells whether a word begins at stream.at. */
static bool skip_to_word(io_source *source, text_state *state, bool *found)
{
    io_stream *stream = &source->stream;
    bool comment = false;
    for (;;) {
        for (; stream->at < stream->end; stream->at++) {
            int class = class_of[(unsigned char)stream->buffer[stream->at]];
            if (class == NEWLINE) {
                comment = false;
                note_newline(source, state);
            } else if (comment) {
                continue;
            } else if (class == WORD) {
                *found = true;
                return true;
            } else if (class == COMMA && !note_comma(source, state)) {
                return false;
            } else {
                comment = class == COMMENT;
            }
        }
        if (stream->finished) {
            *found = false;
            return true;
        }
        if (!fill(source, state)) {
            return false;
        }
    }
}

/* The word at stream.at, wholly in the buffer. */
static bool whole_word(io_source *source, text_state *state, size_t *length)
{
    io_stream *stream = &source->stream;
    size_t at = stream->at;
    for (;;) {
        while (at < stream->end && class_of[(unsigned char)stream->buffer[at]] == WORD) {
            at++;
        }
        *length = at - stream->at;
        if (at < stream->end || stream->finished) {
            return true;
        }
        if (*length == stream->capacity) {
            return io_fail("%s:%" PRId64
                           ": more than %zu bytes without a separator; is this a raw file? then say --raw",
                           source->name, state->line, stream->capacity);
        }
        if (!fill(source, state)) {
            return false;
        }
        at = stream->at + *length;
    }
}

static bool read_every_number(io_source *source, void *elements, int64_t count, int64_t *got)
{
    text_state *state = source->state;
    io_stream *stream = &source->stream;
    size_t element = tally_type_size(source->type);
    unsigned char *to = elements;
    for (*got = 0; *got < count; ++*got, to += element) {
        bool found = false;
        size_t length = 0;
        if (!skip_to_word(source, state, &found)) {
            return false;
        }
        if (!found) {
            return true;
        }
        if (!whole_word(source, state, &length)) {
            return false;
        }
        const char *word = stream->buffer + stream->at;
        io_number_status status = io_number_parse(word, length, source->type, to);
        if (status != IO_NUMBER_OK) {
            return refuse_word(source, status, state->line, column_at(state, stream->at), word, length);
        }
        stream->at += length;
        state->after_number = true;
    }
    return true;
}

/* The next line with something in it, without its comment and newline; *found is false at the end. */
static bool next_line(io_source *source, text_state *state, const char **line, size_t *length, bool *found)
{
    io_stream *stream = &source->stream;
    for (;;) {
        char *begin = stream->buffer + stream->at;
        size_t buffered = stream->end - stream->at;
        char *newline = memchr(begin, '\n', buffered);
        if (newline == NULL && !stream->finished) {
            if (buffered == stream->capacity) {
                return io_fail("%s:%" PRId64 ": the line is longer than %zu bytes", source->name, state->line + 1,
                               stream->capacity);
            }
            if (!fill(source, state)) {
                return false;
            }
            continue;
        }
        size_t bytes = newline == NULL ? buffered : (size_t)(newline - begin);
        stream->at += bytes + (newline != NULL);
        state->line += bytes > 0 || newline != NULL;
        *length = text_line_length(begin, bytes);
        *line = begin;
        *found = *length > 0;
        if (*found || (newline == NULL && stream->finished)) {
            return true;
        }
    }
}

static bool read_column_of_line(io_source *source, text_state *state, const char *line, size_t length, void *to,
                                bool *taken)
{
    const char *field = NULL;
    size_t field_length = 0;
    bool first = !state->column.started;
    *taken = false;
    if (first && !text_column_start(&state->column, source->name, line, length)) {
        return false;
    }
    if (first && state->column.name_given) {
        return true;
    }
    if (!text_column_field(&state->column, line, length, &field, &field_length)) {
        return io_fail("%s:%" PRId64 ": the line has no column %" PRId64, source->name, state->line,
                       state->column.number);
    }
    io_number_status status = io_number_parse(field, field_length, source->type, to);
    *taken = status == IO_NUMBER_OK;
    if (*taken || (first && status == IO_NUMBER_MALFORMED)) {
        return true;
    }
    return field_length == 0
               ? io_fail("%s:%" PRId64 ":%td: column %" PRId64 " is empty; a missing value is written nan",
                         source->name, state->line, field - line + 1, state->column.number)
               : refuse_word(source, status, state->line, field - line + 1, field, field_length);
}

static bool read_column(io_source *source, void *elements, int64_t count, int64_t *got)
{
    text_state *state = source->state;
    size_t element = tally_type_size(source->type);
    unsigned char *to = elements;
    for (*got = 0; *got < count;) {
        const char *line = NULL;
        size_t length = 0;
        bool found = false;
        bool taken = false;
        if (!next_line(source, state, &line, &length, &found)) {
            return false;
        }
        if (!found) {
            return state->column.started || !state->column.name_given ||
                   io_fail("%s: has no line with column names", source->name);
        }
        if (!read_column_of_line(source, state, line, length, to, &taken)) {
            return false;
        }
        to += taken ? element : 0;
        *got += taken;
    }
    return true;
}

static void close_text(io_source *source)
{
    free(source->state);
}

static const io_reader every_number = {read_every_number, close_text};
static const io_reader one_column = {read_column, close_text};

bool io_open_text(io_source *source, const io_request *request)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    text_state *state = calloc(1, sizeof *state);
    if (state == NULL) {
        return io_fail("%s: out of memory", source->name);
    }
    source->state = state;
    source->type = request->text_type == TALLY_DEFAULT_TYPE ? TALLY_F64 : request->text_type;
    source->rank = 1;
    source->reader = request->column == NULL ? &every_number : &one_column;
    if (source->stream.end >= 3 && memcmp(source->stream.buffer, byte_order_mark, 3) == 0) {
        source->stream.at = 3;
        state->line_begin = 3;
    }
    state->line = request->column == NULL;
    return request->column == NULL || text_column_choose(&state->column, request->column);
}
