/* SPDX-License-Identifier: MIT
 *
 * rle.c - run-length encoded patterns: comments, a header with the rule, and runs of cells. */
#include "reader.h"
#include "writer.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* "#CXRLE Pos=-5,7 Gen=100": each part may be missing. */
static bool read_extended(struct life_reader *reader)
{
    const size_t end = life_reader_line_end(reader, reader->at);
    reader->at += strlen("#CXRLE");
    while (reader->at < end) {
        struct life_pattern *pattern = reader->pattern;
        if (life_reader_begins(reader, "Pos=")) {
            reader->at += 4;
            pattern->placed = true;
            if (!life_reader_number(reader, LIFE_FARTHEST, &pattern->x)) return false;
            if (life_reader_peek(reader) != ',') return life_reader_expected(reader, "',' and a number");
            reader->at++;
            if (!life_reader_number(reader, LIFE_FARTHEST, &pattern->y)) return false;
        } else if (life_reader_begins(reader, "Gen=")) {
            reader->at += 4;
            if (!life_reader_number(reader, LIFE_LAST_GENERATION, &pattern->generation)) return false;
            if (pattern->generation < 0) return life_reader_fail(reader, reader->at, "a generation below 0");
        } else {
            reader->at++;
        }
    }
    return true;
}

/* "#P -5 7", "#R -5 7": where the upper left corner lies. A "#R" with anything else is only a comment. */
static bool read_corner(struct life_reader *reader)
{
    struct life_why why;
    struct life_reader ahead = *reader;
    int64_t x = 0, y = 0;
    ahead.why = &why;
    ahead.at += 2;
    life_reader_skip_blanks(&ahead);
    if (!life_reader_number(&ahead, LIFE_FARTHEST, &x)) return true;
    life_reader_skip_blanks(&ahead);
    if (!life_reader_number(&ahead, LIFE_FARTHEST, &y)) return true;
    reader->pattern->placed = true;
    reader->pattern->x = x;
    reader->pattern->y = y;
    return true;
}

/* A line that begins with '#'. */
static bool read_hash(struct life_reader *reader)
{
    const size_t begin = reader->at, end = life_reader_line_end(reader, begin);
    const int letter = begin + 1 < end ? reader->bytes[begin + 1] : 0;
    bool sound = true;
    if (life_reader_begins(reader, "#CXRLE")) sound = read_extended(reader);
    else if (letter == 'P' || letter == 'R') sound = read_corner(reader);
    else if (letter == 'r') sound = life_reader_rule(reader, begin + 2, end);
    else if (letter == 'N' || letter == 'O') sound = life_reader_comment(reader, (char)letter, begin + 2);
    else if (letter == 'C' || letter == 'c') sound = life_reader_comment(reader, 'C', begin + 2);
    reader->at = begin;
    life_reader_next_line(reader);
    return sound;
}

/* "x = 3": the sizes are read, but what the cells say counts. */
static bool read_size(struct life_reader *reader, char name, const char *expected)
{
    int64_t size = 0;
    life_reader_skip_blanks(reader);
    if (tolower(life_reader_peek(reader)) != name) return life_reader_expected(reader, expected);
    reader->at++;
    life_reader_skip_blanks(reader);
    if (life_reader_peek(reader) != '=') return life_reader_expected(reader, "'='");
    reader->at++;
    life_reader_skip_blanks(reader);
    return life_reader_number(reader, INT64_MAX, &size);
}

/* Where a rule ends: at a comma, but for one within a size, and at the end of the line. */
static size_t rule_end(const struct life_reader *reader, size_t at, size_t end)
{
    for (; at < end; at++)
        if (reader->bytes[at] == ',' && (at + 1 == end || !isdigit(reader->bytes[at + 1]))) break;
    return at;
}

/* ", rule = B3/S23": the first comma may be missing, and what stands behind another one is left alone. */
static bool read_rule(struct life_reader *reader, size_t end)
{
    static const char name[] = "rule";
    if (life_reader_peek(reader) == ',') reader->at++;
    life_reader_skip_blanks(reader);
    if (reader->at >= end) return true;
    for (int i = 0; i < 4; i++)
        if (reader->at + 4 > end || tolower(reader->bytes[reader->at + (size_t)i]) != name[i])
            return life_reader_expected(reader, "\"rule = RULE\"");
    reader->at += 4;
    life_reader_skip_blanks(reader);
    if (life_reader_peek(reader) != '=') return life_reader_expected(reader, "'='");
    return life_reader_rule(reader, reader->at + 1, rule_end(reader, reader->at + 1, end));
}

/* "x = 3, y = 3, rule = B3/S23" */
static bool read_header(struct life_reader *reader)
{
    const size_t end = life_reader_line_end(reader, reader->at);
    if (!read_size(reader, 'x', "\"x = WIDTH, y = HEIGHT\"")) return false;
    life_reader_skip_blanks(reader);
    if (life_reader_peek(reader) != ',') return life_reader_expected(reader, "\", y = HEIGHT\"");
    reader->at++;
    if (!read_size(reader, 'y', "\"y = HEIGHT\"")) return false;
    life_reader_skip_blanks(reader);
    if (reader->at < end && !read_rule(reader, end)) return false;
    life_reader_next_line(reader);
    return true;
}

/* A count of 1 when none is written, or 0, which Golly takes for 1; blanks and line ends may stand anywhere. */
static bool read_count(struct life_reader *reader, int64_t *count)
{
    *count = 1;
    if (isdigit(life_reader_peek(reader)) && !life_reader_number(reader, LIFE_FARTHEST, count)) return false;
    if (*count == 0) *count = 1;
    while (isspace(life_reader_peek(reader))) reader->at++;
    return true;
}

static bool refuse_tag(const struct life_reader *reader)
{
    const int met = life_reader_peek(reader);
    if ((met >= 'B' && met <= 'X') || (met >= 'p' && met <= 'y'))
        return life_reader_fail(reader, reader->at,
                                "met '%c', a cell of a third state; expected b (dead), o (alive), $ or !", met);
    return life_reader_expected(reader, "a count, b (dead), o (alive), $ (end of row) or ! (end of pattern)");
}

static bool read_runs(struct life_reader *reader)
{
    int64_t x = 0, y = 0, count = 0;
    for (;;) {
        while (isspace(life_reader_peek(reader))) reader->at++;
        if (life_reader_peek(reader) == '#' && reader->bytes[reader->at - (reader->at > 0)] == '\n') {
            if (!read_hash(reader)) return false;
            continue;
        }
        if (life_reader_peek(reader) < 0) return true; /* the '!' is often lost */
        if (!read_count(reader, &count)) return false;
        const int tag = life_reader_peek(reader);
        if (tag == '!') return true;
        if (tag == 'b' || tag == '.') x += count;
        else if (tag == 'o' || tag == 'A') {
            if (!life_reader_cells(reader, x, y, count)) return false;
            x += count;
        } else if (tag == '$') x = 0, y += count;
        else return refuse_tag(reader);
        if (x > LIFE_FARTHEST || y > LIFE_FARTHEST)
            return life_reader_fail(reader, reader->at, "a cell farther than 2^40 from the others");
        reader->at++;
    }
}

bool life_read_rle(struct life_reader *reader)
{
    for (;;) {
        while (isspace(life_reader_peek(reader))) reader->at++;
        if (life_reader_peek(reader) != '#') break;
        if (!read_hash(reader)) return false;
    }
    if (tolower(life_reader_peek(reader)) == 'x' && !read_header(reader)) return false;
    return read_runs(reader);
}

/* ---- Writing ---- */

/* Lines have at most 70 characters. */
struct runs {
    struct life_writer *writer;
    int column;
};

static void put_run(struct runs *runs, int64_t count, char tag)
{
    char text[24];
    int begin = sizeof text - 1;
    if (count == 0) return;
    text[begin] = tag;
    if (count > 1)
        for (; count > 0; count /= 10) text[--begin] = (char)('0' + count % 10);
    const int length = (int)sizeof text - begin;
    if (runs->column + length > 70) {
        life_writer_bytes(runs->writer, "\n", 1);
        runs->column = 0;
    }
    life_writer_bytes(runs->writer, text + begin, (size_t)length);
    runs->column += length;
}

/* The next cell from x on that is alive, or dead; width when there is none. */
static int64_t find_cell(const struct life_grid *grid, int64_t x, int64_t y, bool alive)
{
    while (x < grid->width) {
        uint64_t cells = life_cells_at(grid, x, y);
        if (!alive) cells = ~cells;
        if (cells != 0) {
            x += __builtin_ctzll(cells);
            break;
        }
        x += 64;
    }
    return x < grid->width ? x : grid->width;
}

static void put_header(const struct life_pattern *pattern, struct life_writer *writer)
{
    char rule[LIFE_RULE_ROOM];
    life_writer_comments(writer, pattern, "#");
    if (pattern->placed || pattern->generation > 0) {
        life_writer_text(writer, "#CXRLE");
        if (pattern->placed) life_writer_print(writer, " Pos=%" PRId64 ",%" PRId64, pattern->x, pattern->y);
        if (pattern->generation > 0) life_writer_print(writer, " Gen=%" PRId64, pattern->generation);
        life_writer_text(writer, "\n");
    }
    life_writer_print(writer, "x = %" PRId64 ", y = %" PRId64, pattern->cells.width, pattern->cells.height);
    if (pattern->has_rule) life_writer_print(writer, ", rule = %s", life_rule_format(&pattern->rule, rule));
    life_writer_text(writer, "\n");
}

void life_write_rle(const struct life_pattern *pattern, struct life_writer *writer)
{
    const struct life_grid *grid = &pattern->cells;
    struct runs runs = {writer, 0};
    int64_t rows = 0; /* that have ended, and not been written */
    put_header(pattern, writer);
    for (int64_t y = 0; y < grid->height && !writer->failed; y++, rows++) {
        int64_t x = 0, alive = find_cell(grid, 0, y, true);
        if (alive < grid->width) {
            put_run(&runs, rows, '$');
            rows = 0;
        }
        while (alive < grid->width) {
            put_run(&runs, alive - x, 'b');
            x = find_cell(grid, alive, y, false);
            put_run(&runs, x - alive, 'o');
            alive = find_cell(grid, x, y, true);
        }
    }
    put_run(&runs, 1, '!');
    life_writer_text(writer, "\n");
}
