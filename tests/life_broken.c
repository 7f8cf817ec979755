/* SPDX-License-Identifier: MIT
 *
 * life_broken.c - pattern files that are broken: each is refused with its place, what was met and what was expected. */
#include "life_patterns.h"

static void check_refused(const char *file, const char *text)
{
    CHECK_EQUAL_TEXT(read_rows(file), text);
}

static void check_limit(const char *file, int64_t most_cells, const char *text)
{
    struct life_why why = {""};
    struct life_pattern pattern;
    CHECK(!life_pattern_read(file, strlen(file), most_cells, &pattern, &why));
    CHECK_EQUAL_TEXT(why.text, text);
    CHECK(pattern.cells.bits == NULL && pattern.comments == NULL);
}

/* Any beginning of a file, and any file with a byte changed, is read or refused, and nothing worse. */
static void check_damage(const char *file)
{
    char copy[256];
    const size_t size = strlen(file);
    struct life_pattern pattern;
    long accepted = 0;
    for (size_t i = 0; i <= size; i++) {
        struct life_why why = {""};
        const bool sound = life_pattern_read(file, i, 1 << 20, &pattern, &why);
        CHECK(sound == (why.text[0] == '\0'));
        accepted += sound;
        life_pattern_free(&pattern);
    }
    for (int i = 0; i < 2000; i++) {
        struct life_why why = {""};
        memcpy(copy, file, size);
        copy[test_random_below(size)] = (char)test_random();
        const bool sound = life_pattern_read(copy, size, 1 << 20, &pattern, &why);
        CHECK(sound == (why.text[0] == '\0'));
        accepted += sound;
        life_pattern_free(&pattern);
    }
    CHECK(accepted > 0);
}

int main(void)
{
    CASE("RLE")
    {
        check_refused(
            "x = 3, y = 3, rule = B3/S23\nbo$2bz3o!\n",
            "line 2, column 6: met 'z', expected a count, b (dead), o (alive), $ (end of row) or ! (end of pattern)");
        check_refused("x = 3, y = 3\nbo$2bC3o!\n",
                      "line 2, column 6: met 'C', a cell of a third state; expected b (dead), o (alive), $ or !");
        check_refused("x = 3, y = 3\nbo$2bo$3\n",
                      "line 3, column 1: met the end of the file, expected a count, b (dead), "
                      "o (alive), $ (end of row) or ! (end of pattern)");
        check_refused("x = 3; y = 3\no!", "line 1, column 6: met ';', expected \", y = HEIGHT\"");
        check_refused("x = 3, z = 3\no!", "line 1, column 8: met 'z', expected \"y = HEIGHT\"");
        check_refused("x : 3, y = 3\no!", "line 1, column 3: met ':', expected '='");
        check_refused("x = , y = 3\no!", "line 1, column 5: met ',', expected a number");
        check_refused("x = 3, y = 3, color = 1\no!", "line 1, column 15: met 'c', expected \"rule = RULE\"");
        check_refused(
            "x = 3, y = 3, rule = B3/S2x\no!",
            "line 1, column 22: rule 'B3/S2x': character 6: expected B and S with the digits 0 to 8, as in B3/S23");
        check_refused("#CXRLE Pos=1;2\nx = 3, y = 3\no!", "line 1, column 13: met ';', expected ',' and a number");
        check_refused("#CXRLE Gen=-1\nx = 3, y = 3\no!", "line 1, column 14: a generation below 0");
        check_refused("99999999999999999999b!",
                      "line 1, column 1: met 99999999999999999999, expected at most 1099511627776");
        check_refused("x = 99999999999999999999, y = 3\n!", "");
        check_refused("#CXRLE Gen=4611686018427387904\no!",
                      "line 1, column 12: met 4611686018427387904, expected at most 4611686018427387903");
        check_refused("1000000000000b1000000000000bo!", "line 1, column 28: a cell farther than 2^40 from the others");
        check_refused("bo\x01!",
                      "line 1, column 3: met the byte 0x01, expected a count, b (dead), o (alive), $ (end of row) "
                      "or ! (end of pattern)");
    }
    CASE("rows and coordinates")
    {
        check_refused("!Name: x\n.O.\n.oO\n", "line 3, column 2: met 'o', expected '.' (dead) or 'O' (alive)");
        check_refused(".O\t.\n", "line 1, column 4: met '.', expected the end of the line");
        check_refused("", "the file is empty");
        check_refused("\xef\xbb\xbf", "the file is empty");
        check_refused("#Life 1.05\n#P 1\n*\n", "line 2, column 5: met the end of the line, expected a number");
        check_refused(
            "#Life 1.05\n#R 2/3/4\n*\n",
            "line 2, column 4: rule '2/3/4': character 4: a third part makes a Generations rule; only rules of two "
            "states are supported");
        check_refused("#Life 1.06\n1 2\n1 x\n", "line 3, column 3: met 'x', expected a number");
        check_refused("#Life 1.06\n1 2 3\n", "line 2, column 5: met '3', expected the end of the line");
    }
    CASE("macrocells")
    {
        check_refused("[M2]\n.*x$\n", "line 2, column 3: met 'x', expected '.', '*' or '$'");
        check_refused("[M2]\n.........*\n", "line 2, column 9: a square of more than 8 x 8 cells");
        check_refused("[M2]\n$$$$$$$$$\n", "line 2, column 9: a square of more than 8 x 8 cells");
        check_refused("[M2]\n1 0 1 0 1\n",
                      "line 2, column 1: a square of level 1, which files of more than two states have; "
                      "expected 4 or more");
        check_refused("[M2]\n61 0 0 0 0\n", "line 2, column 1: a square of level 61, expected at most 60");
        check_refused("[M2]\n*$\n4 0 0 0 2\n", "line 3, column 9: square 2 has not been there yet");
        check_refused("[M2]\n*$\n5 0 1 0 0\n", "line 3, column 5: square 1 has level 3, expected 4");
        check_refused("[M2]\n*$\n4 0 1 0\n", "line 3, column 8: met the end of the line, expected a number");
        check_refused("[M2]\n*$\n4 0 1 0 0 0\n", "line 3, column 11: met '0', expected the end of the line");
        check_refused("[M2]\n#G x\n", "line 2, column 4: met 'x', expected a number");
        check_refused("[M2]\nhello\n", "line 2, column 1: met 'h', expected a square or a line with '#'");
    }
    CASE("sizes")
    {
        check_limit("o99999$99999bo!", LIFE_PATTERN_CELLS,
                    "a pattern of 100000 x 100000 cells: expected at most 4294967296 in all");
        check_limit("10o$o!", 19, "a pattern of 10 x 2 cells: expected at most 19 in all");
        check_limit("#Life 1.06\n0 0\n1000000 1000000\n", 1000,
                    "a pattern of 1000001 x 1000001 cells: expected at most 1000 in all");
        check_limit("[M2]\n*$\n4 1 1 1 1\n5 2 2 2 2\n6 3 3 3 3\n7 4 4 4 4\n8 5 5 5 5\n9 6 6 6 6\n", 1 << 17,
                    "a pattern of 505 x 505 cells: expected at most 131072 in all");
    }
    CASE("damage")
    {
        check_damage("#N x\n#CXRLE Pos=-3,4 Gen=7\nx = 3, y = 3, rule = B3/S23:T30,20\nbo$2bo$3o!\n");
        check_damage("!Name: x\n.O.\n..O\nOOO\n");
        check_damage("#Life 1.05\n#N\n#P -1 3\n.*.\n**\n#P 4 5\n*\n");
        check_damage("#Life 1.06\n0 1\n-5 7\n");
        check_damage("[M2]\n#R B3/S23\n#G 12\n.*$..*$***$\n4 0 0 0 1\n5 2 0 2 2\n");
    }
    return test_finish("life_broken");
}
