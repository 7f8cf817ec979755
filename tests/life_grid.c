/* SPDX-License-Identifier: MIT
 *
 * life_grid.c - pictures of cells, and the obvious loop on worlds whose next generation is known. */
#include "life.h"
#include "test.h"

static int64_t population(const struct life_grid *grid)
{
    int64_t alive = 0;
    for (int64_t y = 0; y < grid->height; y++)
        for (int64_t x = 0; x < grid->width; x++) alive += life_get(grid, x, y);
    return alive;
}

static int64_t after(int64_t width, int64_t height, enum life_edges edges, const char *cells, int64_t generations)
{
    const struct life_problem problem = {width, height, LIFE_CONWAY, edges};
    struct life_why why = {""};
    struct life_grid grid;
    void *world = NULL;
    CHECK(life_grid_new(&grid, width, height, &why));
    for (int64_t i = 0; cells[i] != '\0'; i++) life_set(&grid, i % width, i / width, cells[i] == 'O');
    CHECK(life_naive.open(NULL, &problem, &world, &why));
    CHECK(life_naive.write(world, &grid, &why) && life_naive.step(world, generations, &why));
    CHECK(life_naive.read(world, &grid, &why));
    life_naive.close(world);
    const int64_t alive = population(&grid);
    life_grid_free(&grid);
    return alive;
}

int main(void)
{
    CASE("sizes")
    {
        struct life_why why = {""};
        struct life_grid grid;
        CHECK(!life_grid_new(&grid, -1, 5, &why) && grid.bits == NULL);
        CHECK(!life_grid_new(&grid, 0, 5, &why));
        CHECK(!life_grid_new(&grid, INT64_MAX, INT64_MAX, &why));
        CHECK_EQUAL_TEXT(why.text,
                         "a world of 9223372036854775807 x 9223372036854775807 cells: expected 1 x 1 or more, "
                         "up to 2^40 cells");
        CHECK(life_grid_new(&grid, 0, 0, &why));
        life_grid_free(&grid);
        CHECK(life_grid_new(&grid, 65, 2, &why) && grid.words == 2);
        life_set(&grid, 64, 1, true);
        CHECK(life_get(&grid, 64, 1) && !life_get(&grid, 63, 1) && population(&grid) == 1);
        life_grid_free(&grid);
    }
    CASE("blinkers, and neighbours that are met more than once")
    {
        CHECK_EQUAL_I64(after(5, 5, LIFE_DEAD, "..........OOO", 1), 3);
        CHECK_EQUAL_I64(after(3, 3, LIFE_DEAD, "OOO......", 1), 2);
        CHECK_EQUAL_I64(after(3, 3, LIFE_TORUS, "OOO......", 1), 9);
        CHECK_EQUAL_I64(after(1, 1, LIFE_TORUS, "O", 1), 0);
        CHECK_EQUAL_I64(after(2, 2, LIFE_TORUS, "O...", 1), 0);
        CHECK_EQUAL_I64(after(4, 1, LIFE_TORUS, "O...", 1), 3);
    }
    return test_finish("life_grid");
}
