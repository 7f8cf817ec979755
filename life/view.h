/* SPDX-License-Identifier: MIT
 *
 * view.h - worlds for the eye: brightness of dots, and frames of text for a terminal, with the keys that steer them.
 * Nothing here knows a terminal, so that frames can be tested. */
#ifndef TALLY_LIFE_VIEW_H
#define TALLY_LIFE_VIEW_H

#include "area.h"

/* The brightness of a dot of side x side cells, 0 to 255: light that grows with the part of them that is alive, as
 * screens show it (the root of that part). Cells outside the world do not count. Never 0 where one is alive. */
int life_shade(const struct life_grid *grid, int64_t x, int64_t y, int64_t side);

enum life_style { LIFE_HALVES, LIFE_BRAILLE, LIFE_ASCII };

struct life_view {
    enum life_style style;
    bool colour;       /* the terminal has 256 */
    int columns, rows; /* characters for cells */
    int64_t x, y;      /* the upper left cell that is shown */
    int64_t side;      /* a dot is side x side cells: 1, 2, 4, ... */
    bool paused, quit;
    int64_t steps;  /* that are still wanted, one by one */
    int rate;       /* frames a second, 1 to 60 */
    int64_t stride; /* generations a frame */
};

/* Cells across and down one character. */
int life_view_across(enum life_style style);
int life_view_down(enum life_style style);

/* Text that grows; the first failure to get memory stays. */
struct life_text {
    char *bytes;
    size_t size, room;
    bool failed;
};
void life_text_add(struct life_text *text, const char *bytes, size_t size);

/* rows lines, each ended by line_end ("\n"; terminals in raw mode need more). */
void life_view_draw(const struct life_view *view, const struct life_grid *grid, const char *line_end,
                    struct life_text *text);

/* Places the view on the middle of the live cells, with the smallest dots that show all of them. */
void life_view_centre(struct life_view *view, const struct life_grid *grid);

/* Moves the view, whose size has changed, to where there is something to see. */
void life_view_keep(struct life_view *view, const struct life_grid *grid);

enum life_key { LIFE_UP = 256, LIFE_DOWN, LIFE_LEFT, LIFE_RIGHT };

/* space pause, s one step, + and - speed, arrows move, z and Z zoom out and in, q quit. False: no such key. */
bool life_view_key(struct life_view *view, const struct life_grid *grid, int key);

#endif
