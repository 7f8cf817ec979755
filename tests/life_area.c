/* SPDX-License-Identifier: MIT
 *
 * life_area.c - parts of pictures against loops over cells, soups against their definition, and periods. */
#include "area.h"
#include "pattern.h"
#include "test.h"

#include <math.h>

static struct life_grid random_grid(int64_t width, int64_t height, double density)
{
    struct life_grid grid;
    struct life_why why;
    CHECK(life_grid_new(&grid, width, height, &why));
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++) life_set(&grid, x, y, test_random_uniform() < density);
    return grid;
}

static void check_measures(const struct life_grid *grid)
{
    int64_t alive = 0, left = grid->width, right = -1, top = grid->height, bottom = -1;
    for (int64_t y = 0; y < grid->height; y++) {
        for (int64_t x = 0; x < grid->width; x++) {
            if (!life_get(grid, x, y)) continue;
            alive++;
            if (x < left) left = x;
            if (x > right) right = x;
            if (y < top) top = y;
            if (y > bottom) bottom = y;
        }
    }
    const struct life_box box = life_bounding_box(grid);
    CHECK_EQUAL_I64(life_population(grid), alive);
    if (alive == 0) CHECK(box.width == 0 && box.height == 0);
    else CHECK(box.x == left && box.y == top && box.width == right - left + 1 && box.height == bottom - top + 1);
}

static int64_t around(int64_t at, int64_t size)
{
    return (at % size + size) % size;
}

static void check_cut(const struct life_grid *grid, enum life_edges edges)
{
    const struct life_box box = {(int64_t)test_random_below(300) - 150, (int64_t)test_random_below(30) - 15,
                                 1 + (int64_t)test_random_below(200), 1 + (int64_t)test_random_below(20)};
    struct life_grid part;
    struct life_why why;
    bool same = true;
    CHECK(life_cut(grid, &box, edges, &part, &why));
    for (int64_t y = 0; y < part.height; y++) {
        for (int64_t x = 0; x < part.words * 64; x++) {
            int64_t u = box.x + x, v = box.y + y;
            if (edges == LIFE_TORUS) u = around(u, grid->width), v = around(v, grid->height);
            const bool inside = u >= 0 && v >= 0 && u < grid->width && v < grid->height && x < part.width;
            same = same && life_get(&part, x, y) == (inside && life_get(grid, u, v));
        }
    }
    CHECK(same);
    life_grid_free(&part);
}

static void check_put(const struct life_grid *grid)
{
    const int64_t x = (int64_t)test_random_below(100), y = (int64_t)test_random_below(5);
    struct life_grid larger = random_grid(x + grid->width + (int64_t)test_random_below(70), y + grid->height + 2, 0.2);
    struct life_grid want = random_grid(larger.width, larger.height, 0);
    for (int64_t v = 0; v < want.height; v++) {
        for (int64_t u = 0; u < want.width; u++) {
            const bool inside = u >= x && v >= y && u < x + grid->width && v < y + grid->height;
            life_set(&want, u, v, life_get(&larger, u, v) || (inside && life_get(grid, u - x, v - y)));
        }
    }
    life_put(&larger, x, y, grid);
    CHECK(life_same(&larger, &want));
    life_grid_free(&larger);
    life_grid_free(&want);
}

/* area.h's words, cell by cell. */
static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

static bool soup_cell(uint64_t density, uint64_t seed, int64_t x, int64_t y)
{
    const uint64_t golden = 0x9e3779b97f4a7c15ull;
    const uint64_t state = mix(mix(seed + golden) ^ (uint64_t)y) ^ (uint64_t)(x / 64);
    bool alive = density >> 32, counts = false;
    uint64_t k = 0;
    for (int digit = 0; digit < 32; digit++) {
        const bool one = density >> digit & 1;
        counts = counts || one;
        if (!counts) continue;
        const bool bit = mix(mix(state) + ++k * golden) >> (x % 64) & 1;
        alive = one ? bit || alive : bit && alive;
    }
    return alive;
}

static void check_soup(double density, uint64_t digits, uint64_t seed)
{
    struct life_grid grid = random_grid(200, 50, 0.5);
    int64_t wrong = 0;
    life_soup(&grid, density, seed);
    for (int64_t y = 0; y < grid.height; y++)
        for (int64_t x = 0; x < grid.words * 64; x++)
            wrong += life_get(&grid, x, y) != (x < grid.width && soup_cell(digits, seed, x, y));
    CHECK_EQUAL_I64(wrong, 0);
    life_grid_free(&grid);
    grid = random_grid(1000, 1000, 0);
    life_soup(&grid, density, seed);
    const double sigma = 1000 * sqrt(density * (1 - density)), alive = (double)life_population(&grid);
    CHECK(alive >= 1e6 * density - 5 * sigma && alive <= 1e6 * density + 5 * sigma);
    life_grid_free(&grid);
}

struct period_case {
    const char *file;
    int64_t width, height;
    enum life_edges edges;
    int64_t limit, period, x, y;
};

static void check_period(const struct period_case *c)
{
    const struct life_problem problem = {c->width, c->height, LIFE_CONWAY, c->edges};
    struct life_pattern pattern;
    struct life_period period;
    struct life_why why = {""};
    struct life_grid grid;
    void *world = NULL;
    CHECK(life_pattern_read(c->file, strlen(c->file), LIFE_PATTERN_CELLS, &pattern, &why));
    CHECK(life_grid_new(&grid, c->width, c->height, &why) && life_pattern_place(&pattern, &grid, &why));
    CHECK(life_naive.open(NULL, &problem, &world, &why) && life_naive.write(world, &grid, &why));
    CHECK(life_find_period(&life_naive, world, &problem, c->limit, &period, &why));
    CHECK_EQUAL_I64(period.generations, c->period);
    CHECK(period.x == c->x && period.y == c->y);
    life_naive.close(world);
    life_grid_free(&grid);
    life_pattern_free(&pattern);
}

int main(void)
{
    CASE("measures, cuts and puts")
    {
        for (int i = 0; i < 300; i++) {
            static const double densities[] = {0, 0.001, 0.01, 0.3, 1};
            struct life_grid grid = random_grid(1 + (int64_t)test_random_below(i < 100 ? 200 : 70),
                                                1 + (int64_t)test_random_below(12), densities[i % 5]);
            check_measures(&grid);
            check_cut(&grid, LIFE_DEAD);
            check_cut(&grid, LIFE_TORUS);
            check_put(&grid);
            life_grid_free(&grid);
        }
    }
    CASE("soups")
    {
        check_soup(0.25, 1u << 30, 1);
        check_soup(0.3, 1288490189, 7);
        check_soup(0.5, 1u << 31, UINT64_MAX);
        check_soup(0, 0, 1);
        check_soup(1, (uint64_t)1 << 32, 1);
    }
    CASE("periods")
    {
        static const char glider[] = "bo$2bo$3o!", pulsar[] =
                                                       "2b3o3b3o2$o4bobo4bo$o4bobo4bo$o4bobo4bo$2b3o3b3o2$2b3o3b3o$"
                                                       "o4bobo4bo$o4bobo4bo$o4bobo4bo2$2b3o3b3o!";
        static const struct period_case cases[] = {
            {glider, 12, 9, LIFE_TORUS, 10, 4, 1, 1},
            {glider, 12, 9, LIFE_TORUS, 3, 0, 0, 0},
            {"#CXRLE Pos=-6,-5\nbo$2bo$3o!", 12, 10, LIFE_TORUS, 10, 4, 1, 1},
            {pulsar, 20, 20, LIFE_DEAD, 10, 3, 0, 0},
            {pulsar, 33, 20, LIFE_TORUS, 10, 3, 0, 0},
            {"3o!", 9, 9, LIFE_TORUS, 9, 2, 0, 0},
            {"2o$2o!", 9, 9, LIFE_DEAD, 9, 1, 0, 0},
            {"o!", 9, 9, LIFE_TORUS, 9, 0, 0, 0},
            {"!", 9, 9, LIFE_TORUS, 9, 1, 0, 0},
            {"bo2bo$o$o3bo$4o!", 15, 15, LIFE_TORUS, 9, 4, -2, 0}, /* a lightweight spaceship */
        };
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) check_period(&cases[i]);
    }
    return test_finish("life_area");
}
