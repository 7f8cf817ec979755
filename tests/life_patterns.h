/* SPDX-License-Identifier: MIT
 *
 * life_patterns.h - what the tests of patterns share: patterns as rows of text, and files in memory. */
#ifndef TALLY_TESTS_LIFE_PATTERNS_H
#define TALLY_TESTS_LIFE_PATTERNS_H

#include "pattern.h"
#include "test.h"

struct bytes {
    char *data;
    size_t size, room;
};

static inline bool put_bytes(void *to, const char *data, size_t size, struct life_why *why)
{
    struct bytes *bytes = to;
    if (bytes->size + size + 1 > bytes->room) {
        bytes->room = 2 * (bytes->size + size + 1);
        bytes->data = realloc(bytes->data, bytes->room);
        if (bytes->data == NULL) return life_fail(why, "out of memory");
    }
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
    bytes->data[bytes->size] = '\0';
    return true;
}

/* The cells as rows of '.' and 'O' with '/' between them; for small ones. */
static inline const char *rows_of(const struct life_grid *grid)
{
    static char text[4096];
    size_t at = 0;
    for (int64_t y = 0; y < grid->height && at + (size_t)grid->width + 2 < sizeof text; y++) {
        if (y > 0) text[at++] = '/';
        for (int64_t x = 0; x < grid->width; x++) text[at++] = life_get(grid, x, y) ? 'O' : '.';
    }
    text[at] = '\0';
    return text;
}

/* What a file holds, as rows, or why it is refused. */
static inline const char *read_rows(const char *file)
{
    static struct life_why why;
    struct life_pattern pattern;
    if (!life_pattern_read(file, strlen(file), LIFE_PATTERN_CELLS, &pattern, &why)) return why.text;
    const char *rows = rows_of(&pattern.cells);
    life_pattern_free(&pattern);
    return rows;
}

#endif
