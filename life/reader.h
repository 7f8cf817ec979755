/* SPDX-License-Identifier: MIT
 *
 * reader.h - what the readers of pattern files share. Each goes through the file twice: first the box of the live cells
 * is measured, then they are set, so that a short file cannot ask for much memory in vain. */
#ifndef TALLY_LIFE_READER_H
#define TALLY_LIFE_READER_H

#include "pattern.h"

#define LIFE_FARTHEST ((int64_t)1 << 40)     /* coordinates and counts */
#define LIFE_LAST_GENERATION (INT64_MAX / 2) /* of a file, so that there is room for more */

struct life_reader {
    const unsigned char *bytes;
    size_t size, at;
    bool setting;                     /* the second time */
    int64_t left, top, right, bottom; /* of the live cells; right and bottom behind them */
    struct life_pattern *pattern;
    size_t comment_bytes;
    struct life_why *why;
};

/* Fails with the line and column of a byte. */
bool life_reader_fail(const struct life_reader *reader, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same at the next byte: "met 'x', expected ...". */
bool life_reader_expected(const struct life_reader *reader, const char *expected);

/* The next byte, or -1 at the end; life_reader_line_end is where its line ends, without '\r' and '\n'. */
static inline int life_reader_peek(const struct life_reader *reader)
{
    return reader->at < reader->size ? reader->bytes[reader->at] : -1;
}
size_t life_reader_line_end(const struct life_reader *reader, size_t at);
void life_reader_next_line(struct life_reader *reader);
void life_reader_skip_blanks(struct life_reader *reader); /* within the line */
bool life_reader_begins(const struct life_reader *reader, const char *text);

/* A number with a sign, of at most so many; INT64_MAX stands for itself and all that is larger. */
bool life_reader_number(struct life_reader *reader, int64_t most, int64_t *number);

/* Live cells of a row. */
bool life_reader_cells(struct life_reader *reader, int64_t x, int64_t y, int64_t count);

/* The rest of the line is a comment, or a rule. They are kept in the second pass, and checked in both. */
bool life_reader_comment(struct life_reader *reader, char letter, size_t from);
bool life_reader_rule(struct life_reader *reader, size_t from, size_t to);

bool life_read_rle(struct life_reader *reader);
bool life_read_cells(struct life_reader *reader);
bool life_read_105(struct life_reader *reader);
bool life_read_106(struct life_reader *reader);
bool life_read_macrocell(struct life_reader *reader);

#endif
