/* SPDX-License-Identifier: MIT
 *
 * life_area.c - parts of pictures against loops over cells, soups against their definition, and periods. */
#include "area.h"
#include "pattern.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

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

/* Whether cell x + right, y + down of now is cell x,y of start, everywhere on a torus. */
static bool is_moved(const struct life_grid *start, const struct life_grid *now, int64_t right, int64_t down)
{
    for (int64_t y = 0; y < start->height; y++)
        for (int64_t x = 0; x < start->width; x++)
            if (life_get(start, x, y) !=
                life_get(now, around(x + right, start->width), around(y + down, start->height)))
                return false;
    return true;
}

/* The fewest steps, to the right and downwards, by which now is start moved; -1 when it is not. */
static int64_t fewest_steps(const struct life_grid *start, const struct life_grid *now)
{
    int64_t fewest = -1;
    for (int64_t y = 0; y < start->height; y++) {
        for (int64_t x = 0; x < start->width; x++) {
            const int64_t steps =
                (2 * x > start->width ? start->width - x : x) + (2 * y > start->height ? start->height - y : y);
            if ((fewest < 0 || steps < fewest) && is_moved(start, now, x, y)) fewest = steps;
        }
    }
    return fewest;
}

/* A picture that repeats within a torus, so that several moves look alike and no gap is the longest. */
static struct life_grid tiled_grid(void)
{
    const int64_t width = 1 + (int64_t)test_random_below(9), height = 1 + (int64_t)test_random_below(9);
    const int64_t times = 1 + (int64_t)test_random_below(4), shift = (int64_t)test_random_below(4);
    struct life_grid tile = random_grid(width, height, 0.3), grid = random_grid(width * 4, height * times, 0);
    for (int64_t y = 0; y < grid.height; y++)
        for (int64_t x = 0; x < grid.width; x++)
            life_set(&grid, x, y, life_get(&tile, (x + y / height * shift) % width, y % height));
    life_grid_free(&tile);
    return grid;
}

/* The period against all moves of all generations, one by one. */
static void check_period_by_search(struct life_rule rule)
{
    struct life_grid start = tiled_grid(), now = random_grid(start.width, start.height, 0);
    const struct life_problem problem = {start.width, start.height, rule, LIFE_TORUS};
    struct life_period period;
    struct life_why why = {""};
    int64_t want = 0, steps = -1;
    void *world = NULL;
    CHECK(life_naive.open(NULL, &problem, &world, &why) && life_naive.write(world, &start, &why));
    for (int64_t g = 1; g <= 8 && want == 0; g++) {
        CHECK(life_naive.step(world, 1, &why) && life_naive.read(world, &now, &why));
        steps = fewest_steps(&start, &now);
        if (steps >= 0) want = g;
    }
    CHECK(life_naive.write(world, &start, &why));
    CHECK(life_find_period(&life_naive, world, &problem, 8, &period, &why));
    CHECK_EQUAL_I64(period.generations, want);
    if (want > 0) CHECK_EQUAL_I64(llabs(period.x) + llabs(period.y), steps);
    if (want > 0) CHECK(is_moved(&start, &now, period.x, period.y));
    life_naive.close(world);
    life_grid_free(&start);
    life_grid_free(&now);
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
            {"#Life 1.06\n-19 -20\n-18 -19\n-20 -18\n-19 -18\n-18 -18\n1 0\n2 1\n0 2\n1 2\n2 2\n", 40, 40, LIFE_TORUS,
             400, 4, 1, 1},                                        /* two gliders half a torus apart */
            {"bo2bo$o$o3bo$4o!", 15, 15, LIFE_TORUS, 9, 4, -2, 0}, /* a lightweight spaceship */
        };
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) check_period(&cases[i]);
        for (int i = 0; i < 200; i++) {
            check_period_by_search(LIFE_CONWAY);
            check_period_by_search((struct life_rule){0x0aa, 0x0aa});
        }
    }
    return test_finish("life_area");
}
