/* SPDX-License-Identifier: MIT
 *
 * fuzz_life.c - any bytes as a pattern: a clear failure, or cells that come back the same from every format. */
#include "pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 20, MOST_CELLS = 1 << 18 };

struct text {
    size_t size;
    char bytes[ROOM];
};

static void require(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "fuzz_life: %s\n", what);
    abort();
}

static bool put(void *to, const char *bytes, size_t size, struct life_why *why)
{
    struct text *text = to;
    if (size > ROOM - text->size) return life_fail(why, "full");
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum life_format formats[] = {LIFE_RLE, LIFE_CELLS, LIFE_106, LIFE_MACROCELL};
    static struct text text;
    struct life_pattern pattern, again;
    struct life_why why = {""};
    if (!life_pattern_read(data, size, MOST_CELLS, &pattern, &why)) {
        require(why.text[0] != '\0' && pattern.cells.bits == NULL, "a failure without a reason, or with cells");
        return 0;
    }
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        const struct life_out out = {put, &text};
        text.size = 0;
        if (!life_pattern_write(&pattern, formats[i], &out, &why)) continue; /* full */
        require(life_pattern_read(text.bytes, text.size, MOST_CELLS, &again, &why), why.text);
        require(life_same(&pattern.cells, &again.cells), "cells differ");
        if (formats[i] == LIFE_RLE)
            require(pattern.placed == again.placed && pattern.x == again.x && pattern.y == again.y &&
                        pattern.generation == again.generation && pattern.has_rule == again.has_rule,
                    "what stands before the cells differs");
        life_pattern_free(&again);
    }
    life_pattern_free(&pattern);
    return 0;
}
