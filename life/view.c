/* SPDX-License-Identifier: MIT
 *
 * view.c - frames of text. */
#include "view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Live cells among cells from to to - 1 of a row. */
static int64_t count_in_row(const struct life_grid *grid, int64_t y, int64_t from, int64_t to)
{
    const uint64_t *row = grid->bits + y * grid->words;
    int64_t alive = 0;
    for (int64_t x = from; x < to;) {
        const int64_t end = (x / 64 + 1) * 64 < to ? (x / 64 + 1) * 64 : to;
        const uint64_t mask = ~(uint64_t)0 >> (64 - (end - x)) << (x % 64);
        alive += __builtin_popcountll(row[x / 64] & mask);
        x = end;
    }
    return alive;
}

/* The least s whose square is at least n, for n from 1 to 255 * 255. */
static int root_up(int64_t n)
{
    int64_t below = 0;
    for (int64_t bit = 128; bit > 0; bit /= 2)
        if ((below + bit) * (below + bit) < n) below += bit;
    return (int)below + 1;
}

int life_shade(const struct life_grid *grid, int64_t x, int64_t y, int64_t side)
{
    const int64_t left = x < 0 ? 0 : x, top = y < 0 ? 0 : y;
    const int64_t right = x + side < grid->width ? x + side : grid->width;
    const int64_t bottom = y + side < grid->height ? y + side : grid->height;
    int64_t alive = 0;
    if (left >= right || top >= bottom) return 0;
    for (int64_t v = top; v < bottom; v++) alive += count_in_row(grid, v, left, right);
    const int64_t cells = (right - left) * (bottom - top);
    if (alive == 0 || alive == cells) return alive == 0 ? 0 : 255;
    return root_up((int64_t)(255.0 * 255.0 * (double)alive / (double)cells) + 1);
}

int life_view_across(enum life_style style)
{
    return style == LIFE_BRAILLE ? 2 : 1;
}

int life_view_down(enum life_style style)
{
    return style == LIFE_BRAILLE ? 4 : style == LIFE_HALVES ? 2 : 1;
}

void life_text_add(struct life_text *text, const char *bytes, size_t size)
{
    if (text->failed) return;
    if (size > text->room - text->size) {
        const size_t room = 2 * (text->size + size) + 256;
        char *more = realloc(text->bytes, room);
        text->failed = more == NULL;
        if (text->failed) return;
        text->bytes = more;
        text->room = room;
    }
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
}

static void add_text(struct life_text *text, const char *words)
{
    life_text_add(text, words, strlen(words));
}

/* The dot at x,y of the view, 0 to 255. */
static int dot(const struct life_view *view, const struct life_grid *grid, int64_t x, int64_t y)
{
    return life_shade(grid, view->x + x * view->side, view->y + y * view->side, view->side);
}

static void draw_braille(const struct life_view *view, const struct life_grid *grid, int column, int row,
                         struct life_text *text)
{
    static const unsigned char bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    unsigned dots = 0;
    for (int v = 0; v < 4; v++)
        for (int u = 0; u < 2; u++)
            if (dot(view, grid, column * 2 + u, row * 4 + v) > 0) dots |= bits[v][u];
    const char utf8[3] = {'\xe2', (char)(0xa0 + (dots >> 6)), (char)(0x80 + (dots & 0x3f))};
    life_text_add(text, utf8, sizeof utf8);
}

/* Two dots, one above the other; shaded where dots are several cells and there are colours. *colours are those that
 * the terminal has now. */
static void draw_halves(const struct life_view *view, const struct life_grid *grid, int column, int row, int *colours,
                        struct life_text *text)
{
    static const char *const blocks[4] = {" ", "▀", "▄", "█"};
    const int upper = dot(view, grid, column, row * 2), lower = dot(view, grid, column, row * 2 + 1);
    char shaded[48];
    if (!view->colour || view->side == 1) {
        add_text(text, blocks[(upper > 0) + 2 * (lower > 0)]);
        return;
    }
    const int above = upper * 23 / 255, below = lower * 23 / 255;
    if (*colours != above * 24 + below) {
        snprintf(shaded, sizeof shaded, "\033[38;5;%d;48;5;%dm", 232 + above, 232 + below);
        add_text(text, shaded);
        *colours = above * 24 + below;
    }
    add_text(text, "▀");
}

void life_view_draw(const struct life_view *view, const struct life_grid *grid, const char *line_end,
                    struct life_text *text)
{
    for (int row = 0; row < view->rows; row++) {
        int colours = -1;
        if (view->colour) add_text(text, "\033[38;5;113m");
        for (int column = 0; column < view->columns; column++) {
            if (view->style == LIFE_BRAILLE) draw_braille(view, grid, column, row, text);
            else if (view->style == LIFE_HALVES) draw_halves(view, grid, column, row, &colours, text);
            else add_text(text, dot(view, grid, column, row) > 0 ? "O" : ".");
        }
        if (view->colour) add_text(text, "\033[0m");
        add_text(text, line_end);
    }
}

/* Where the view begins along one side: never beyond what there is, and in the middle of what fits as a whole. */
static int64_t keep_inside(int64_t at, int64_t shown, int64_t size)
{
    if (shown >= size) return (size - shown) / 2;
    return at < 0 ? 0 : at > size - shown ? size - shown : at;
}

static int64_t cells_across(const struct life_view *view)
{
    return (int64_t)view->columns * life_view_across(view->style) * view->side;
}

static int64_t cells_down(const struct life_view *view)
{
    return (int64_t)view->rows * life_view_down(view->style) * view->side;
}

static void move_to(struct life_view *view, const struct life_grid *grid, int64_t x, int64_t y)
{
    view->x = keep_inside(x, cells_across(view), grid->width);
    view->y = keep_inside(y, cells_down(view), grid->height);
}

void life_view_keep(struct life_view *view, const struct life_grid *grid)
{
    move_to(view, grid, view->x, view->y);
}

void life_view_centre(struct life_view *view, const struct life_grid *grid)
{
    struct life_box box = life_bounding_box(grid);
    if (box.width == 0) box = (struct life_box){0, 0, grid->width, grid->height};
    view->side = 1;
    while (cells_across(view) < box.width || cells_down(view) < box.height) view->side *= 2;
    move_to(view, grid, box.x + (box.width - cells_across(view)) / 2, box.y + (box.height - cells_down(view)) / 2);
}

/* The same middle at another size of dots. */
static void zoom(struct life_view *view, const struct life_grid *grid, int64_t side)
{
    const int64_t x = view->x + cells_across(view) / 2, y = view->y + cells_down(view) / 2;
    if (side < 1 || side > (int64_t)1 << 20) return;
    view->side = side;
    move_to(view, grid, x - cells_across(view) / 2, y - cells_down(view) / 2);
}

/* Faster is more frames a second up to 60, then more generations a frame. */
static void hurry(struct life_view *view, bool faster)
{
    if (faster && view->rate < 60) view->rate = view->rate * 2 > 60 ? 60 : view->rate * 2;
    else if (faster && view->stride < (int64_t)1 << 30) view->stride *= 2;
    else if (!faster && view->stride > 1) view->stride /= 2;
    else if (!faster && view->rate > 1) view->rate /= 2;
}

bool life_view_key(struct life_view *view, const struct life_grid *grid, int key)
{
    const int64_t x = view->x, y = view->y;
    const int64_t across = cells_across(view) / 8 + 1, down = cells_down(view) / 8 + 1;
    switch (key) {
    case ' ': view->paused = !view->paused; return true;
    case 's':
        view->paused = true;
        view->steps++;
        return true;
    case '+':
    case '=': hurry(view, true); return true;
    case '-': hurry(view, false); return true;
    case 'z': zoom(view, grid, view->side * 2); return true;
    case 'Z': zoom(view, grid, view->side / 2); return true;
    case 'q': view->quit = true; return true;
    case LIFE_UP: move_to(view, grid, x, y - down); return true;
    case LIFE_DOWN: move_to(view, grid, x, y + down); return true;
    case LIFE_LEFT: move_to(view, grid, x - across, y); return true;
    case LIFE_RIGHT: move_to(view, grid, x + across, y); return true;
    default: return false;
    }
}
