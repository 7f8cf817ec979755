/* SPDX-License-Identifier: MIT
 *
 * plain.c - patterns as rows of characters (plaintext .cells, Life 1.05) and as lists of coordinates (Life 1.06). */
#include "reader.h"
#include "writer.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* One line of '.' or ' ', and 'O' or '*'. */
static bool read_row(struct life_reader *reader, int64_t x, int64_t y)
{
    const size_t end = life_reader_line_end(reader, reader->at);
    for (; reader->at < end; reader->at++, x++) {
        const int met = life_reader_peek(reader);
        if (met == 'O' || met == '*') {
            if (!life_reader_cells(reader, x, y, 1)) return false;
        } else if (met == '\t') {
            life_reader_skip_blanks(reader);
            if (reader->at >= end) break;
            return life_reader_expected(reader, "the end of the line");
        } else if (met != '.' && met != ' ') {
            return life_reader_expected(reader, "'.' (dead) or 'O' (alive)");
        }
    }
    life_reader_next_line(reader);
    return true;
}

bool life_read_cells(struct life_reader *reader)
{
    for (int64_t y = 0; reader->at < reader->size;) {
        if (life_reader_peek(reader) != '!') {
            if (!read_row(reader, 0, y++)) return false;
            continue;
        }
        const bool name = life_reader_begins(reader, "!Name:"), author = life_reader_begins(reader, "!Author:");
        const size_t from = reader->at + (name ? strlen("!Name:") : author ? strlen("!Author:") : 1);
        if (!life_reader_comment(reader, name ? 'N' : author ? 'O' : 'C', from)) return false;
        life_reader_next_line(reader);
    }
    return true;
}

/* "-5 7" */
static bool read_pair(struct life_reader *reader, int64_t *x, int64_t *y)
{
    life_reader_skip_blanks(reader);
    if (!life_reader_number(reader, LIFE_FARTHEST, x)) return false;
    life_reader_skip_blanks(reader);
    if (!life_reader_number(reader, LIFE_FARTHEST, y)) return false;
    life_reader_skip_blanks(reader);
    return life_reader_peek(reader) < 0 || life_reader_peek(reader) == '\n' ||
           life_reader_expected(reader, "the end of the line");
}

/* "#Life 1.05", "#D text", "#N" (the rule is Conway's), "#R 23/3", "#P -5 7" (a block of rows begins there). */
static bool read_105_hash(struct life_reader *reader, int64_t *x, int64_t *y)
{
    const size_t begin = reader->at, end = life_reader_line_end(reader, begin);
    const int letter = begin + 1 < end ? toupper(reader->bytes[begin + 1]) : 0;
    bool sound = true;
    if (letter == 'P') {
        reader->at += 2;
        reader->pattern->placed = true;
        sound = read_pair(reader, x, y);
    } else if (letter == 'N') {
        reader->pattern->has_rule = true;
        reader->pattern->rule = (struct life_rule_text){.rule = LIFE_CONWAY};
    } else if (letter == 'R') {
        sound = life_reader_rule(reader, begin + 2, end);
    } else if (letter == 'D' || letter == 'C' || letter == 'O') {
        sound = life_reader_comment(reader, letter == 'O' ? 'O' : 'C', begin + 2);
    }
    life_reader_next_line(reader);
    return sound;
}

bool life_read_105(struct life_reader *reader)
{
    int64_t x = 0, y = 0;
    while (reader->at < reader->size) {
        if (life_reader_peek(reader) == '#' ? !read_105_hash(reader, &x, &y) : !read_row(reader, x, y++)) return false;
    }
    return true;
}

bool life_read_106(struct life_reader *reader)
{
    reader->pattern->placed = true;
    life_reader_next_line(reader);
    while (reader->at < reader->size) {
        int64_t x = 0, y = 0;
        life_reader_skip_blanks(reader);
        const int met = life_reader_peek(reader);
        if (met >= 0 && met != '\n' && met != '#' &&
            (!read_pair(reader, &x, &y) || !life_reader_cells(reader, x, y, 1)))
            return false;
        life_reader_next_line(reader);
    }
    return true;
}

void life_write_cells(const struct life_pattern *pattern, struct life_writer *writer)
{
    const struct life_grid *grid = &pattern->cells;
    life_writer_comments(writer, pattern, "!");
    for (int64_t y = 0; y < grid->height && !writer->failed; y++) {
        for (int64_t x = 0; x < grid->width; x++) life_writer_bytes(writer, life_get(grid, x, y) ? "O" : ".", 1);
        life_writer_bytes(writer, "\n", 1);
    }
    if (grid->height == 0) life_writer_text(writer, ".\n");
}

/* Where nothing says where the pattern lies, its middle is at 0 0. */
void life_write_106(const struct life_pattern *pattern, struct life_writer *writer)
{
    const struct life_grid *grid = &pattern->cells;
    const int64_t left = pattern->placed ? pattern->x : -(grid->width / 2);
    const int64_t top = pattern->placed ? pattern->y : -(grid->height / 2);
    life_writer_text(writer, "#Life 1.06\n");
    for (int64_t y = 0; y < grid->height && !writer->failed; y++) {
        for (int64_t w = 0; w < grid->words; w++) {
            for (uint64_t left_over = grid->bits[y * grid->words + w]; left_over != 0; left_over &= left_over - 1)
                life_writer_print(writer, "%" PRId64 " %" PRId64 "\n", left + w * 64 + __builtin_ctzll(left_over),
                                  top + y);
        }
    }
}
