/* SPDX-License-Identifier: MIT
 *
 * text_column.c - fields of a line. A field in double quotes may hold separators and '#'. */
#include "text_column.h"
#include "error.h"

#include <inttypes.h>
#include <string.h>

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\v' || byte == '\f';
}

size_t text_line_length(const char *line, size_t length)
{
    bool quoted = false;
    for (size_t i = 0; i < length; i++) {
        quoted ^= line[i] == '"';
        if (line[i] == '#' && !quoted) {
            length = i;
        }
    }
    while (length > 0 && is_blank(line[length - 1])) {
        length--;
    }
    return length;
}

bool text_column_choose(text_column *column, const char *text)
{
    *column = (text_column){.name = text};
    int64_t number = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9' && number < INT32_MAX; at++) {
        number = number * 10 + (*at - '0');
    }
    column->name_given = *at != '\0' || at == text;
    column->number = number;
    if (!column->name_given && number == 0) {
        return io_fail("--column 0: columns count from 1");
    }
    return true;
}

/* The end of the field that begins at at: its separator, or the line's end. */
static size_t field_end(const text_column *column, const char *line, size_t length, size_t at)
{
    bool quoted = false;
    for (; at < length; at++) {
        quoted ^= line[at] == '"';
        bool ends = column->separator == ' ' ? is_blank(line[at]) : line[at] == column->separator;
        if (ends && !quoted) {
            break;
        }
    }
    return at;
}

static void trim(const char **field, size_t *length)
{
    const char *begin = *field;
    const char *end = begin + *length;
    while (begin < end && is_blank(*begin)) {
        begin++;
    }
    while (end > begin && is_blank(end[-1])) {
        end--;
    }
    if (end - begin >= 2 && *begin == '"' && end[-1] == '"') {
        begin++;
        end--;
    }
    *field = begin;
    *length = (size_t)(end - begin);
}

/* Steps to the next field: *at is where to look, and moves behind the field's separator. */
static bool next_field(const text_column *column, const char *line, size_t length, size_t *at, const char **field,
                       size_t *field_length)
{
    while (column->separator == ' ' && *at < length && is_blank(line[*at])) {
        ++*at;
    }
    if (*at > length || (*at == length && column->separator == ' ')) {
        return false;
    }
    size_t end = field_end(column, line, length, *at);
    *field = line + *at;
    *field_length = end - *at;
    trim(field, field_length);
    *at = end + 1;
    return true;
}

bool text_column_field(const text_column *column, const char *line, size_t length, const char **field,
                       size_t *field_length)
{
    size_t at = 0;
    for (int64_t i = 0; i < column->number; i++) {
        if (!next_field(column, line, length, &at, field, field_length)) {
            return false;
        }
    }
    return true;
}

bool text_column_start(text_column *column, const char *file, const char *line, size_t length)
{
    const char *field = NULL;
    size_t field_length = 0;
    size_t at = 0;
    column->started = true;
    column->separator = memchr(line, ',', length) ? ',' : memchr(line, '\t', length) ? '\t' : ' ';
    for (int64_t i = 1; column->name_given; i++) {
        if (!next_field(column, line, length, &at, &field, &field_length)) {
            return io_fail("%s: no column is called '%s'; the first line is: %.*s", file, column->name,
                           (int)(length > 200 ? 200 : length), line);
        }
        if (field_length == strlen(column->name) && memcmp(field, column->name, field_length) == 0) {
            column->number = i;
            break;
        }
    }
    return true;
}
