/* SPDX-License-Identifier: MIT
 *
 * writer.h - what the writers of pattern files share: bytes gather in a buffer, and the first failure ends the writing.
 */
#ifndef TALLY_LIFE_WRITER_H
#define TALLY_LIFE_WRITER_H

#include "pattern.h"

struct life_writer {
    const struct life_out *out;
    struct life_why *why;
    bool failed;
    size_t used;
    char buffer[32768];
};

void life_writer_bytes(struct life_writer *writer, const char *bytes, size_t size);
void life_writer_text(struct life_writer *writer, const char *text);
void life_writer_print(struct life_writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void life_writer_flush(struct life_writer *writer);

/* The pattern's comments as lines "#N name", "#C text"; with "!", as "!Name: name" and "!text". */
void life_writer_comments(struct life_writer *writer, const struct life_pattern *pattern, const char *mark);

void life_write_rle(const struct life_pattern *pattern, struct life_writer *writer);
void life_write_cells(const struct life_pattern *pattern, struct life_writer *writer);
void life_write_106(const struct life_pattern *pattern, struct life_writer *writer);
void life_write_macrocell(const struct life_pattern *pattern, struct life_writer *writer);

#endif
