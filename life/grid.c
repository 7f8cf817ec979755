/* SPDX-License-Identifier: MIT
 *
 * grid.c - pictures of cells, and how things fail. */
#include "life.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool life_fail(struct life_why *why, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why->text, sizeof why->text, format, arguments);
    va_end(arguments);
    return false;
}

bool life_fail_call(struct life_why *why, const char *what)
{
    return life_fail(why, "%s: %s", what, tally_last_error());
}

bool life_grid_new(struct life_grid *grid, int64_t width, int64_t height, struct life_why *why)
{
    *grid = (struct life_grid){0, 0, 0, NULL};
    if (width < 0 || height < 0 || (width == 0) != (height == 0) || (width > 0 && height > LIFE_MOST_CELLS / width))
        return life_fail(why, "a world of %" PRId64 " x %" PRId64 " cells: expected 1 x 1 or more, up to 2^40 cells",
                         width, height);
    if (width == 0) return true;
    const int64_t words = (width + 63) / 64;
    uint64_t *bits = calloc((size_t)(words * height), sizeof *bits);
    if (bits == NULL) return life_fail(why, "a world of %" PRId64 " x %" PRId64 " cells: out of memory", width, height);
    *grid = (struct life_grid){width, height, words, bits};
    return true;
}

void life_grid_free(struct life_grid *grid)
{
    free(grid->bits);
    *grid = (struct life_grid){0, 0, 0, NULL};
}
