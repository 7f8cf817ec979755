/* SPDX-License-Identifier: MIT
 *
 * life_formats.c - patterns from files in each format, and written again. */
#include "life_patterns.h"

#define GLIDER ".O./..O/OOO"

static struct life_pattern read_pattern(const char *file)
{
    struct life_pattern pattern;
    struct life_why why = {""};
    CHECK(life_pattern_read(file, strlen(file), LIFE_PATTERN_CELLS, &pattern, &why));
    CHECK_EQUAL_TEXT(why.text, "");
    return pattern;
}

/* A file that says where the pattern lies. */
static void check_place(const char *file, const char *rows, int64_t x, int64_t y)
{
    struct life_pattern pattern = read_pattern(file);
    CHECK_EQUAL_TEXT(rows_of(&pattern.cells), rows);
    CHECK(pattern.placed);
    CHECK_EQUAL_I64(pattern.x, x);
    CHECK_EQUAL_I64(pattern.y, y);
    life_pattern_free(&pattern);
}

/* A file, as it is written in a format. */
static void check_written(const char *file, enum life_format format, const char *want)
{
    struct life_pattern pattern = read_pattern(file);
    struct bytes bytes = {NULL, 0, 0};
    struct life_why why = {""};
    const struct life_out out = {put_bytes, &bytes};
    CHECK(life_pattern_write(&pattern, format, &out, &why));
    CHECK_EQUAL_TEXT(bytes.data, want);
    free(bytes.data);
    life_pattern_free(&pattern);
}

static const enum life_format formats[] = {LIFE_RLE, LIFE_CELLS, LIFE_106, LIFE_MACROCELL};

static struct life_pattern random_pattern(int64_t width, int64_t height, double density)
{
    struct life_pattern pattern = {.placed = false};
    struct life_why why = {""};
    CHECK(life_grid_new(&pattern.cells, width, height, &why));
    life_soup(&pattern.cells, density, test_random());
    life_set(&pattern.cells, 0, 0, true); /* so that this is its bounding box */
    life_set(&pattern.cells, width - 1, height - 1, true);
    return pattern;
}

/* Structures have gaps, whose bytes say nothing. */
static bool same_rule(const struct life_rule_text *a, const struct life_rule_text *b)
{
    return a->rule.born == b->rule.born && a->rule.survives == b->rule.survives && a->bounded == b->bounded &&
           a->edges == b->edges && a->width == b->width && a->height == b->height;
}

static void check_round_trip(const struct life_pattern *pattern, enum life_format format)
{
    struct bytes bytes = {NULL, 0, 0};
    struct life_why why = {""};
    const struct life_out out = {put_bytes, &bytes};
    struct life_pattern again;
    CHECK(life_pattern_write(pattern, format, &out, &why));
    if (!CHECK(life_pattern_read(bytes.data, bytes.size, LIFE_PATTERN_CELLS, &again, &why)))
        fprintf(stderr, "format %d: %s\n", (int)format, why.text);
    CHECK(life_same(&pattern->cells, &again.cells));
    if (format != LIFE_CELLS && pattern->placed) CHECK(again.placed && again.x == pattern->x && again.y == pattern->y);
    if (format == LIFE_RLE || format == LIFE_MACROCELL) {
        CHECK_EQUAL_I64(again.generation, pattern->generation);
        CHECK(again.has_rule == pattern->has_rule && same_rule(&again.rule, &pattern->rule));
    }
    if (format == LIFE_RLE) {
        size_t column = 0, longest = 0;
        for (size_t i = 0; i < bytes.size; i++) {
            column = bytes.data[i] == '\n' ? 0 : column + 1;
            if (column > longest) longest = column;
        }
        CHECK(longest <= 70);
    }
    life_pattern_free(&again);
    free(bytes.data);
}

static void check_random_round_trips(void)
{
    static const double densities[] = {0, 0.02, 0.5, 0.97, 1};
    for (int i = 0; i < 150; i++) {
        const int64_t width = 1 + (int64_t)test_random_below(200), height = 1 + (int64_t)test_random_below(70);
        struct life_pattern pattern = random_pattern(width, height, densities[i % 5]);
        if (i % 2) {
            pattern.placed = true;
            pattern.x = (int64_t)test_random_below(1000) - 500;
            pattern.y = (int64_t)test_random_below(1000) - 500;
            pattern.generation = i % 4 == 1 ? INT64_MAX / 2 - i : (int64_t)test_random_below(1000);
            pattern.has_rule = true;
            pattern.rule = (struct life_rule_text){{0x48, 0x0c}, true, LIFE_DEAD, 3000, 4000};
        }
        for (size_t f = 0; f < 4; f++) check_round_trip(&pattern, formats[f]);
        life_pattern_free(&pattern);
    }
}

/* A world, written with its size and read again, is the same world. */
static void check_world(int64_t width, int64_t height, enum life_edges edges, enum life_format format)
{
    const struct life_problem problem = {width, height, {0x48, 0x0c}, edges};
    struct bytes bytes = {NULL, 0, 0};
    struct life_why why = {""};
    const struct life_out out = {put_bytes, &bytes};
    struct life_pattern pattern, again;
    struct life_grid world, copy;
    CHECK(life_grid_new(&world, width, height, &why) && life_grid_new(&copy, width, height, &why));
    life_soup(&world, 0.02, test_random());
    CHECK(life_pattern_of(&world, &problem, 12, &pattern, &why));
    CHECK(life_pattern_write(&pattern, format, &out, &why));
    CHECK(life_pattern_read(bytes.data, bytes.size, LIFE_PATTERN_CELLS, &again, &why));
    CHECK(again.rule.bounded && again.rule.width == width && again.rule.height == height && again.rule.edges == edges);
    CHECK(life_pattern_place(&again, &copy, &why));
    CHECK(life_same(&world, &copy));
    free(bytes.data);
    life_pattern_free(&pattern);
    life_pattern_free(&again);
    life_grid_free(&world);
    life_grid_free(&copy);
}

static void check_place_in(const char *file, int64_t width, int64_t height, const char *want)
{
    struct life_pattern pattern = read_pattern(file);
    struct life_why why = {""};
    struct life_grid world;
    CHECK(life_grid_new(&world, width, height, &why));
    CHECK_EQUAL_TEXT(life_pattern_place(&pattern, &world, &why) ? rows_of(&world) : why.text, want);
    life_pattern_free(&pattern);
    life_grid_free(&world);
}

static void check_headers(void)
{
    struct life_pattern pattern =
        read_pattern("#N Glider\n#O Richard\n#C one\n#c  two\n#D what\n#CXRLE Pos=-5,7 Gen=100\n"
                     "x = 3, y = 3, rule = HighLife:T30,20\nbo$2bo$3o!\ntrailing text");
    char rule[LIFE_RULE_ROOM];
    CHECK_EQUAL_TEXT(pattern.comments, "NGlider\nORichard\nCone\nCtwo\n");
    CHECK(pattern.placed && pattern.x == -5 && pattern.y == 7);
    CHECK_EQUAL_I64(pattern.generation, 100);
    CHECK_EQUAL_TEXT(life_rule_format(&pattern.rule, rule), "B36/S23:T30,20");
    life_pattern_free(&pattern);
    pattern = read_pattern("#r 23/3\nx=3,y=3\no!");
    CHECK(pattern.has_rule && !pattern.placed);
    CHECK_EQUAL_TEXT(life_rule_format(&pattern.rule, rule), "B3/S23");
    life_pattern_free(&pattern);
}

static void check_rule(const char *file, const char *want)
{
    struct life_pattern pattern = read_pattern(file);
    char rule[LIFE_RULE_ROOM];
    CHECK_EQUAL_TEXT(pattern.has_rule ? life_rule_format(&pattern.rule, rule) : "none", want);
    life_pattern_free(&pattern);
}

int main(void)
{
    CASE("RLE")
    {
        CHECK_EQUAL_TEXT(read_rows("x = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n"), GLIDER);
        CHECK_EQUAL_TEXT(read_rows("x = 3, y = 3\r\nb o $\r\n2 b\no$ 3o !"), GLIDER);
        CHECK_EQUAL_TEXT(read_rows("bo$2bo$3o!"), GLIDER);
        CHECK_EQUAL_TEXT(read_rows("x = 3, y = 3\n.A$2.A$3A!"), GLIDER);
        CHECK_EQUAL_TEXT(read_rows("x = 9, y = 9\n2$4bo3b$\n#C within\n5bo$3b3o2$!"), GLIDER);
        CHECK_EQUAL_TEXT(read_rows("x = 0, y = 0\n!"), "");
        CHECK_EQUAL_TEXT(read_rows("\xef\xbb\xbfx = 1, y = 1\no!"), "O");
        CHECK_EQUAL_TEXT(read_rows("x = 3, y = 3\nbo$2bo$3o\n"), GLIDER); /* as Golly takes them */
        CHECK_EQUAL_TEXT(read_rows("x = 3, y = 3\n0bo$2bo0$3o!"), GLIDER);
        check_rule("x = 1, y = 1, Rule = B36/S23\no!", "B36/S23");
        check_rule("X = 1, Y = 1 rule = B36/S23\no!", "B36/S23");
        check_rule("x = 1, y = 1, rule = B36/S23:T30,20,\no!", "B36/S23:T30,20");
        check_rule("x = 1, y = 1, rule = B36/S23 , more = 1\no!", "B36/S23");
        check_rule("x = 1, y = 1,\no!", "none");
        check_headers();
        check_place("#P -5 7\nx = 9, y = 9\n$3bo!", "O", -2, 8);
        check_place("#R 10 -7\no!", "O", 10, -7);
    }
    CASE("plaintext")
    {
        CHECK_EQUAL_TEXT(read_rows("!Name: Glider\n!\n.O.\n..O\nOOO\n"), GLIDER);
        CHECK_EQUAL_TEXT(read_rows(".*\r\n..*  \r\n***"), GLIDER);
        CHECK_EQUAL_TEXT(read_rows("\n\n...O\n\n..O"), ".O/../O.");
        CHECK_EQUAL_TEXT(read_rows(" O\nOO O\t\n"), ".O../OO.O");
        CHECK_EQUAL_TEXT(read_rows("....\n"), "");
    }
    CASE("Life 1.05 and 1.06")
    {
        CHECK_EQUAL_TEXT(read_rows("#Life 1.05\n#D Glider\n#N\n#P -1 -1\n.*.\n..*\n***\n"), GLIDER);
        check_place("#Life 1.05\n#R 23/36\n#P 10 -1\n*\n#P 7 0\n.*\n", "..O/O..", 8, -1);
        check_place("#D no first line\n#P 3 4\n*.*\n#P 1 5\n*\n", "..O.O/O....", 1, 4);
        check_place("#Life 1.06\n0 -1\n1 0\n-1 1\r\n 0 1\n1\t1", GLIDER, -1, -1);
        CHECK_EQUAL_TEXT(read_rows("#Life 1.06\n"), "");
    }
    CASE("macrocells")
    {
        check_place("[M2] (golly 2.0)\n#R B3/S23\n#G 17\n.*$..*$***$\n4 0 0 0 1\n", GLIDER, 0, 1);
        check_place("[M2]\n$$$$$$$*$\n4 0 1 0 0\n", "O", 0, 0); /* where Golly has its cell 0,0 */
        check_place("[M2]\n.**.****$\n4 0 1 0 0\n", "OO.OOOO", 1, -7);
        struct life_pattern pattern = read_pattern("[M2]\n$$$$$$$.......*$\n*$\n4 1 0 0 2\n5 3 0 0 3\n");
        CHECK(pattern.x == -9 && pattern.y == -8 && pattern.cells.width == 18 && pattern.cells.height == 18);
        CHECK(life_population(&pattern.cells) == 4 && life_get(&pattern.cells, 1, 1) &&
              life_get(&pattern.cells, 16, 16));
        life_pattern_free(&pattern);
        CHECK_EQUAL_TEXT(read_rows("[M2]\n4 0 0 0 0\n"), "");
    }
    CASE("writing")
    {
        const char *glider = "#N Glider\n#C small\n#CXRLE Pos=-1,-1 Gen=4\nx = 3, y = 3, rule = 23/3\nbo$2bo$3o!\n";
        check_written(glider, LIFE_RLE,
                      "#N Glider\n#C small\n#CXRLE Pos=-1,-1 Gen=4\nx = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n");
        check_written(glider, LIFE_CELLS, "!Name: Glider\n!small\n.O.\n..O\nOOO\n");
        check_written(glider, LIFE_106, "#Life 1.06\n0 -1\n1 0\n-1 1\n0 1\n1 1\n");
        check_written(glider, LIFE_MACROCELL,
                      "[M2] (tally)\n#N Glider\n#C small\n#R B3/S23\n#G 4\n$$$$$$*$.*$\n.......*$\n**$\n4 0 1 2 3\n");
        check_written("bo$2bo$3o!", LIFE_106, "#Life 1.06\n0 -1\n1 0\n-1 1\n0 1\n1 1\n");
        check_written("o2$o!", LIFE_RLE, "x = 1, y = 3\no2$o!\n");
        check_written("x = 5, y = 5\n!", LIFE_RLE, "x = 0, y = 0\n!\n");
        check_written("x = 0, y = 0\n!", LIFE_CELLS, ".\n");
        check_written("x = 0, y = 0\n!", LIFE_MACROCELL, "[M2] (tally)\n4 0 0 0 0\n");
        check_random_round_trips();
    }
    CASE("worlds")
    {
        for (int i = 0; i < 40; i++)
            check_world(1 + (int64_t)test_random_below(150), 1 + (int64_t)test_random_below(150),
                        i % 2 ? LIFE_TORUS : LIFE_DEAD, i % 4 < 2 ? LIFE_RLE : LIFE_MACROCELL);
        check_place_in("2o!", 2, 1, "OO");
        check_place_in("2o!", 5, 2, "...../.OO..");
        check_place_in("#P 0 0\no!", 4, 3, "..../..O./....");
        check_place_in("#P -2 -1\n4o$4o$4o!", 4, 3, "OOOO/OOOO/OOOO");
        check_place_in("x = 5, y = 5\n!", 1, 1, ".");
        check_place_in("3o!", 2, 9, "the pattern is 3 x 1 cells, the world 2 x 9: it does not fit");
        check_place_in(
            "#P 2 0\no!", 4, 3,
            "the pattern's 1 x 1 cells begin at 2,0 from the centre of the world: they do not fit into 4 x 3");
        check_place_in(
            "#P 0 -2\no!", 4, 3,
            "the pattern's 1 x 1 cells begin at 0,-2 from the centre of the world: they do not fit into 4 x 3");
    }
    return test_finish("life_formats");
}
