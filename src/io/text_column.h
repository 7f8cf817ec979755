/* SPDX-License-Identifier: MIT
 *
 * text_column.h - one column of a table in text: what separates its fields, and where a line's field lies.
 * source_text.c feeds it the lines. */
#ifndef TALLY_IO_TEXT_COLUMN_H
#define TALLY_IO_TEXT_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct text_column {
    const char *name; /* as asked for; borrowed */
    int64_t number;   /* from 1; found in the first line when a name was given */
    bool name_given;
    bool started;   /* the first line was seen */
    char separator; /* ',' or '\t', or ' ' for any run of blanks */
} text_column;

/* Takes a number from 1 or a name. */
bool text_column_choose(text_column *column, const char *text);

/* Learns from the first line: a comma in it separates fields, else a tab, else blanks; and finds a column by name. */
bool text_column_start(text_column *column, const char *file, const char *line, size_t length);

/* The column's field, without blanks and quotes around it; false when the line is too short. */
bool text_column_field(const text_column *column, const char *line, size_t length, const char **field,
                       size_t *field_length);

/* The length of a line without its comment and the blanks at its end. */
size_t text_line_length(const char *line, size_t length);

#endif
