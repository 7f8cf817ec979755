/* SPDX-License-Identifier: MIT
 *
 * pattern.h - patterns as files: RLE, plaintext (.cells), Life 1.05 and 1.06, and macrocells of two states, from memory
 * and to a function that takes bytes. */
#ifndef TALLY_LIFE_PATTERN_H
#define TALLY_LIFE_PATTERN_H

#include "area.h"
#include "rule.h"

struct life_pattern {
    struct life_grid cells; /* the bounding box of the live cells; 0 x 0 when there is none */
    bool placed;            /* the file says where it lies: */
    int64_t x, y;           /* its upper left cell, from the centre of the world (width / 2, height / 2) */
    int64_t generation;
    bool has_rule;
    struct life_rule_text rule;
    char *comments; /* lines, each a letter ('N' name, 'O' author, 'C' comment), the text and '\n'; or NULL */
};

enum life_format { LIFE_RLE, LIFE_CELLS, LIFE_105, LIFE_106, LIFE_MACROCELL };

#define LIFE_PATTERN_CELLS ((int64_t)1 << 32)

/* Which format the bytes are in is told by what they hold. A bounding box of more than most_cells cells is refused.
 * What is wrong says where: "line 3, column 7: met 'x', expected ...". The pattern is empty then. */
bool life_pattern_read(const void *bytes, size_t size, int64_t most_cells, struct life_pattern *pattern,
                       struct life_why *why);

/* Hands out the bytes of a file in pieces; put returns false to end it. LIFE_105 is not written. */
struct life_out {
    bool (*put)(void *to, const char *bytes, size_t size, struct life_why *why);
    void *to;
};
bool life_pattern_write(const struct life_pattern *pattern, enum life_format format, const struct life_out *out,
                        struct life_why *why);

void life_pattern_free(struct life_pattern *pattern);

/* The live cells of a world, as a pattern of its rule and size. */
bool life_pattern_of(const struct life_grid *world, const struct life_problem *problem, int64_t generation,
                     struct life_pattern *pattern, struct life_why *why);

/* Makes a pattern's cells live in a world: where it says, else in the middle. Fails where it does not fit. */
bool life_pattern_place(const struct life_pattern *pattern, struct life_grid *world, struct life_why *why);

#endif
