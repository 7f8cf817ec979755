/* SPDX-License-Identifier: MIT
 *
 * reader.c - which format a file is in, its two passes, and what its readers share. */
#include "reader.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool life_reader_fail(const struct life_reader *reader, size_t at, const char *format, ...)
{
    char text[300];
    va_list arguments;
    size_t line = 1, begin = 0;
    for (size_t i = 0; i < at && i < reader->size; i++) {
        if (reader->bytes[i] != '\n') continue;
        line++;
        begin = i + 1;
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return life_fail(reader->why, "line %zu, column %zu: %s", line, at - begin + 1, text);
}

bool life_reader_expected(const struct life_reader *reader, const char *expected)
{
    const int met = life_reader_peek(reader);
    if (met < 0) return life_reader_fail(reader, reader->at, "met the end of the file, expected %s", expected);
    if (met == '\n' || met == '\r')
        return life_reader_fail(reader, reader->at, "met the end of the line, expected %s", expected);
    if (met > ' ' && met < 0x7f) return life_reader_fail(reader, reader->at, "met '%c', expected %s", met, expected);
    return life_reader_fail(reader, reader->at, "met the byte 0x%02x, expected %s", (unsigned)met, expected);
}

size_t life_reader_line_end(const struct life_reader *reader, size_t at)
{
    const size_t begin = at;
    while (at < reader->size && reader->bytes[at] != '\n') at++;
    while (at > begin && reader->bytes[at - 1] == '\r') at--;
    return at;
}

void life_reader_next_line(struct life_reader *reader)
{
    while (reader->at < reader->size && reader->bytes[reader->at] != '\n') reader->at++;
    if (reader->at < reader->size) reader->at++;
}

void life_reader_skip_blanks(struct life_reader *reader)
{
    int next = life_reader_peek(reader);
    while (next == ' ' || next == '\t' || next == '\r') {
        reader->at++;
        next = life_reader_peek(reader);
    }
}

bool life_reader_begins(const struct life_reader *reader, const char *text)
{
    const size_t length = strlen(text);
    return reader->size - reader->at >= length && memcmp(reader->bytes + reader->at, text, length) == 0;
}

bool life_reader_number(struct life_reader *reader, int64_t most, int64_t *number)
{
    const size_t begin = reader->at;
    const int sign = life_reader_peek(reader);
    bool larger = false;
    if (sign == '-' || sign == '+') reader->at++;
    if (!isdigit(life_reader_peek(reader))) return life_reader_expected(reader, "a number");
    for (*number = 0; isdigit(life_reader_peek(reader)); reader->at++) {
        const int digit = life_reader_peek(reader) - '0';
        larger = larger || *number > (most - digit) / 10;
        *number = larger ? most : *number * 10 + digit;
    }
    if (larger && most < INT64_MAX) {
        const size_t length = reader->at - begin;
        return life_reader_fail(reader, begin, "met %.*s%s, expected at most %" PRId64, length < 40 ? (int)length : 40,
                                (const char *)reader->bytes + begin, length > 40 ? "..." : "", most);
    }
    if (sign == '-') *number = -*number;
    return true;
}

bool life_reader_cells(struct life_reader *reader, int64_t x, int64_t y, int64_t count)
{
    if (!reader->setting) {
        if (x < -LIFE_FARTHEST || y < -LIFE_FARTHEST || x > LIFE_FARTHEST - count || y >= LIFE_FARTHEST)
            return life_reader_fail(reader, reader->at, "a cell farther than 2^40 from the others");
        if (x < reader->left) reader->left = x;
        if (y < reader->top) reader->top = y;
        if (x + count > reader->right) reader->right = x + count;
        if (y + 1 > reader->bottom) reader->bottom = y + 1;
        return true;
    }
    x -= reader->left;
    uint64_t *row = reader->pattern->cells.bits + (y - reader->top) * reader->pattern->cells.words;
    while (count > 0) {
        const int64_t here = 64 - x % 64 < count ? 64 - x % 64 : count;
        row[x / 64] |= ~(uint64_t)0 >> (64 - here) << (x % 64);
        x += here;
        count -= here;
    }
    return true;
}

/* Comments come one after another, so their room doubles. */
bool life_reader_comment(struct life_reader *reader, char letter, size_t from)
{
    const size_t to = life_reader_line_end(reader, from), used = reader->comment_bytes;
    if (!reader->setting) return true;
    while (from < to && reader->bytes[from] == ' ') from++;
    const size_t needed = used + (to - from) + 3;
    size_t room = 64;
    while (room < used) room *= 2;
    if (reader->pattern->comments == NULL || needed > room) {
        while (room < needed) room *= 2;
        char *more = realloc(reader->pattern->comments, room);
        if (more == NULL) return life_fail(reader->why, "comments: out of memory");
        reader->pattern->comments = more;
    }
    char *text = reader->pattern->comments + used;
    *text++ = letter;
    for (size_t i = from; i < to; i++) *text++ = reader->bytes[i] == '\0' ? ' ' : (char)reader->bytes[i];
    *text++ = '\n';
    *text = '\0';
    reader->comment_bytes = (size_t)(text - reader->pattern->comments);
    return true;
}

bool life_reader_rule(struct life_reader *reader, size_t from, size_t to)
{
    struct life_why why;
    while (from < to && isspace(reader->bytes[from])) from++;
    while (to > from && isspace(reader->bytes[to - 1])) to--;
    if (!life_rule_parse((const char *)reader->bytes + from, to - from, &reader->pattern->rule, &why))
        return life_reader_fail(reader, from, "%s", why.text);
    reader->pattern->has_rule = true;
    return true;
}

static bool (*find_format(const struct life_reader *reader))(struct life_reader *)
{
    if (life_reader_begins(reader, "[M2]")) return life_read_macrocell;
    if (life_reader_begins(reader, "#Life 1.05")) return life_read_105;
    if (life_reader_begins(reader, "#Life 1.06")) return life_read_106;
    bool hash = false; /* lines with '#' before rows of cells: Life 1.05 without its first line */
    for (size_t at = 0; at < reader->size; at++) {
        const int byte = reader->bytes[at];
        if (byte == '!' || byte == '.' || byte == 'O' || byte == '*') return hash ? life_read_105 : life_read_cells;
        if (byte == '#') hash = true, at = life_reader_line_end(reader, at);
        else if (!isspace(byte)) return life_read_rle;
    }
    return hash ? life_read_rle : life_read_cells;
}

static bool make_room(struct life_reader *reader, int64_t most_cells)
{
    struct life_pattern *pattern = reader->pattern;
    if (reader->right == INT64_MIN) return true; /* no cell is alive */
    const int64_t width = reader->right - reader->left, height = reader->bottom - reader->top;
    if (height > most_cells / width)
        return life_fail(reader->why,
                         "a pattern of %" PRId64 " x %" PRId64 " cells: expected at most %" PRId64 " in all", width,
                         height, most_cells);
    return life_grid_new(&pattern->cells, width, height, reader->why);
}

bool life_pattern_read(const void *bytes, size_t size, int64_t most_cells, struct life_pattern *pattern,
                       struct life_why *why)
{
    static const unsigned char nothing = 0;
    struct life_reader reader = {.bytes = bytes != NULL ? bytes : &nothing,
                                 .size = size,
                                 .left = INT64_MAX,
                                 .top = INT64_MAX,
                                 .right = INT64_MIN,
                                 .bottom = INT64_MIN,
                                 .pattern = pattern,
                                 .why = why};
    *pattern = (struct life_pattern){.placed = false};
    if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) reader.bytes += 3, reader.size -= 3;
    if (reader.size == 0) return life_fail(why, "the file is empty");
    bool (*read)(struct life_reader *) = find_format(&reader);
    bool sound = read(&reader);
    if (sound) {
        reader.at = 0;
        reader.setting = true;
        sound = make_room(&reader, most_cells);
        sound = sound && read(&reader);
        if (pattern->cells.width > 0) pattern->x += reader.left, pattern->y += reader.top;
        if (!pattern->placed) pattern->x = pattern->y = 0;
    }
    if (!sound) life_pattern_free(pattern);
    return sound;
}

void life_pattern_free(struct life_pattern *pattern)
{
    life_grid_free(&pattern->cells);
    free(pattern->comments);
    *pattern = (struct life_pattern){.placed = false};
}
