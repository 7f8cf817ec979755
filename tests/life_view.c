/* SPDX-License-Identifier: MIT
 *
 * life_view.c - brightness, frames of text in each kind of character, and the keys. */
#include "test.h"
#include "view.h"

static struct life_grid grid_of(const char *rows, int64_t width, int64_t height)
{
    struct life_grid grid;
    struct life_why why;
    CHECK(life_grid_new(&grid, width, height, &why));
    for (int64_t i = 0; rows[i] != '\0'; i++) life_set(&grid, i % width, i / width, rows[i] == 'O');
    return grid;
}

static void check_frame(const struct life_view *view, const struct life_grid *grid, const char *want)
{
    struct life_text text = {NULL, 0, 0, false};
    life_view_draw(view, grid, "\n", &text);
    life_text_add(&text, "", 1);
    CHECK(!text.failed);
    CHECK_EQUAL_TEXT(text.bytes, want);
    free(text.bytes);
}

static void check_shades(void)
{
    struct life_grid grid = grid_of("", 200, 100);
    CHECK_EQUAL_I64(life_shade(&grid, 0, 0, 100), 0);
    life_set(&grid, 70, 3, true);
    CHECK_EQUAL_I64(life_shade(&grid, 70, 3, 1), 255);
    CHECK_EQUAL_I64(life_shade(&grid, 69, 3, 1), 0);
    CHECK_EQUAL_I64(life_shade(&grid, 70, 2, 2), 128); /* a quarter is half as bright */
    CHECK(life_shade(&grid, 0, 0, 1000) > 0);
    CHECK_EQUAL_I64(life_shade(&grid, 500, 0, 4), 0);
    CHECK_EQUAL_I64(life_shade(&grid, -4, 0, 4), 0);
    for (int64_t x = 0; x < 200; x++)
        for (int64_t y = 0; y < 100; y++) life_set(&grid, x, y, true);
    CHECK_EQUAL_I64(life_shade(&grid, 150, 50, 100), 255);
    CHECK_EQUAL_I64(life_shade(&grid, 60, 50, 5), 255);
    life_grid_free(&grid);
}

static void check_keys(void)
{
    struct life_grid grid = grid_of("", 1000, 1000);
    struct life_view view = {.style = LIFE_HALVES, .columns = 80, .rows = 20, .side = 1, .rate = 10, .stride = 1};
    life_view_centre(&view, &grid); /* nothing is alive: all is shown */
    CHECK(view.side == 32 && view.x == (1000 - 80 * 32) / 2);
    life_set(&grid, 300, 200, true);
    life_view_centre(&view, &grid);
    CHECK(view.side == 1 && view.x == 261 && view.y == 181);
    CHECK(life_view_key(&view, &grid, LIFE_RIGHT) && view.x == 272 && view.y == 181);
    CHECK(life_view_key(&view, &grid, LIFE_DOWN) && view.y == 187);
    for (int i = 0; i < 100; i++) life_view_key(&view, &grid, LIFE_LEFT), life_view_key(&view, &grid, LIFE_UP);
    CHECK(view.x == 0 && view.y == 0);
    for (int i = 0; i < 200; i++) life_view_key(&view, &grid, LIFE_RIGHT), life_view_key(&view, &grid, LIFE_DOWN);
    CHECK(view.x == 920 && view.y == 960);
    CHECK(life_view_key(&view, &grid, 'z') && view.side == 2 && view.x == 840 && view.y == 920);
    CHECK(life_view_key(&view, &grid, 'Z') && view.side == 1 && view.x == 880);
    CHECK(life_view_key(&view, &grid, 'Z') && view.side == 1);
    CHECK(life_view_key(&view, &grid, ' ') && view.paused && life_view_key(&view, &grid, ' ') && !view.paused);
    CHECK(life_view_key(&view, &grid, 's') && view.paused && view.steps == 1);
    for (int i = 0; i < 4; i++) life_view_key(&view, &grid, '+');
    CHECK(view.rate == 60 && view.stride == 2);
    for (int i = 0; i < 9; i++) life_view_key(&view, &grid, '-');
    CHECK(view.rate == 1 && view.stride == 1);
    CHECK(!life_view_key(&view, &grid, 'x') && !view.quit && life_view_key(&view, &grid, 'q') && view.quit);
    life_grid_free(&grid);
}

int main(void)
{
    CASE("shades") check_shades();
    CASE("frames")
    {
        struct life_grid grid = grid_of(".O...O..OOO..........O", 4, 6);
        struct life_view view = {.style = LIFE_ASCII, .columns = 4, .rows = 6, .side = 1};
        check_frame(&view, &grid, ".O..\n.O..\nOOO.\n....\n....\n.O..\n");
        view.x = -1, view.y = 4;
        view.rows = 3;
        check_frame(&view, &grid, "....\n..O.\n....\n");
        view = (struct life_view){.style = LIFE_HALVES, .columns = 4, .rows = 3, .side = 1};
        check_frame(&view, &grid, " █  \n▀▀▀ \n ▄  \n");
        view.side = 2;
        view.columns = 2;
        view.rows = 2;
        check_frame(&view, &grid, "█▄\n▀ \n");
        view.colour = true;
        check_frame(&view, &grid,
                    "\033[38;5;113m\033[38;5;248;48;5;248m▀\033[38;5;232;48;5;243m▀\033[0m\n"
                    "\033[38;5;113m\033[38;5;243;48;5;232m▀\033[38;5;232;48;5;232m▀\033[0m\n");
        view = (struct life_view){.style = LIFE_BRAILLE, .columns = 2, .rows = 2, .side = 1};
        check_frame(&view, &grid, "⠼⠄\n⠐⠀\n");
        life_grid_free(&grid);
    }
    CASE("keys") check_keys();
    return test_finish("life_view");
}
