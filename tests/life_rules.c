/* SPDX-License-Identifier: MIT
 *
 * life_rules.c - rules from text: what is understood, what it is written as, and what is refused, with words. */
#include "rule.h"
#include "test.h"

static const char *canonical(const char *text)
{
    static char canon[LIFE_RULE_ROOM];
    static struct life_why why;
    struct life_rule_text rule;
    if (!life_rule_parse(text, strlen(text), &rule, &why)) return why.text;
    return life_rule_format(&rule, canon);
}

static void check_refused(const char *text, int character, const char *problem)
{
    char want[400];
    snprintf(want, sizeof want, "rule '%s': character %d: %s", text, character, problem);
    CHECK_EQUAL_TEXT(canonical(text), want);
}

/* Every rule comes back from its text, in each way of writing it. */
static void check_all_ways(void)
{
    for (int i = 0; i < 2000; i++) {
        const struct life_rule_text rule = {
            .rule = {(uint16_t)test_random_below(512), (uint16_t)test_random_below(512)}};
        char text[LIFE_RULE_ROOM], other[LIFE_RULE_ROOM] = "";
        life_rule_format(&rule, text);
        CHECK_EQUAL_TEXT(canonical(text), text);
        const char *slash = strchr(text, '/');
        snprintf(other, sizeof other, "%s/%.*s", slash + 2, (int)(slash - text - 1), text + 1);
        CHECK_EQUAL_TEXT(canonical(other), text);
        snprintf(other, sizeof other, "%s%.*s", slash + 1, (int)(slash - text), text);
        for (char *c = other; *c != '\0'; c++) *c = *c == 'S' ? 's' : *c == 'B' ? 'b' : *c;
        CHECK_EQUAL_TEXT(canonical(other), text);
    }
}

int main(void)
{
    CASE("ways of writing")
    {
        CHECK_EQUAL_TEXT(canonical("B3/S23"), "B3/S23");
        CHECK_EQUAL_TEXT(canonical("b3s23"), "B3/S23");
        CHECK_EQUAL_TEXT(canonical("S23/B3"), "B3/S23");
        CHECK_EQUAL_TEXT(canonical("23/3"), "B3/S23");
        CHECK_EQUAL_TEXT(canonical("3/23"), "B23/S3");
        CHECK_EQUAL_TEXT(canonical("/2"), "B2/S");
        CHECK_EQUAL_TEXT(canonical("B2"), "B2/S");
        CHECK_EQUAL_TEXT(canonical("B2/S"), "B2/S");
        CHECK_EQUAL_TEXT(canonical("B876543210/S012345678"), "B012345678/S012345678");
        check_all_ways();
    }
    CASE("names")
    {
        CHECK_EQUAL_TEXT(canonical("Life"), "B3/S23");
        CHECK_EQUAL_TEXT(canonical("Conway's Life"), "B3/S23");
        CHECK_EQUAL_TEXT(canonical("HighLife"), "B36/S23");
        CHECK_EQUAL_TEXT(canonical("seeds"), "B2/S");
        CHECK_EQUAL_TEXT(canonical("Day & Night"), "B3678/S34678");
        CHECK_EQUAL_TEXT(canonical("Day and Night:P10"), "B3678/S34678:P10,10");
        CHECK_EQUAL_TEXT(canonical("2x2"), "B36/S125");
        CHECK_EQUAL_TEXT(canonical("Replicator"), "B1357/S1357");
        CHECK_EQUAL_TEXT(canonical("Maze"), "B3/S12345");
        CHECK_EQUAL_TEXT(canonical("Diamoeba"), "B35678/S5678");
        CHECK_EQUAL_TEXT(canonical("Morley"), "B368/S245");
        CHECK_EQUAL_TEXT(canonical("Anneal"), "B4678/S35678");
        CHECK_EQUAL_TEXT(canonical("Live Free or Die"), "B2/S0");
        CHECK_EQUAL_TEXT(canonical("Life without Death"), "B3/S012345678");
    }
    CASE("worlds")
    {
        CHECK_EQUAL_TEXT(canonical("B3/S23:T30,20"), "B3/S23:T30,20");
        CHECK_EQUAL_TEXT(canonical("23/3:p7"), "B3/S23:P7,7");
        CHECK_EQUAL_TEXT(canonical("b3s23:t1048576,1048576"), "B3/S23:T1048576,1048576");
    }
    CASE("refused")
    {
        const char *letters = "only rules that count neighbours are supported, not those that look where they are";
        check_refused("", 1, "expected a rule such as B3/S23");
        CHECK_EQUAL_TEXT(canonical("Lief"), "unknown rule 'Lief'; expected B3/S23 or a name (docs/life.md lists them)");
        CHECK_EQUAL_TEXT(canonical("BriansBrain:T9"),
                         "unknown rule 'BriansBrain:T9'; expected B3/S23 or a name (docs/life.md lists them)");
        CHECK_EQUAL_TEXT(canonical("Mazectric"),
                         "unknown rule 'Mazectric'; expected B3/S23 or a name (docs/life.md lists them)");
        check_refused("B3/S9", 5, "a cell has eight neighbours, so 0 to 8 are expected");
        check_refused("23", 3, "expected / and the digits of births: B3/S23 can be written as 23/3");
        check_refused("B3/S23/", 7, "a third part makes a Generations rule; only rules of two states are supported");
        check_refused("345/2/4", 6, "a third part makes a Generations rule; only rules of two states are supported");
        check_refused("B2/S/C3", 5, "a third part makes a Generations rule; only rules of two states are supported");
        check_refused("B3/S23V", 7, "only the neighbourhood of eight is supported, not von Neumann's");
        check_refused("B2/S34H", 7, "only the neighbourhood of eight is supported, not the hexagonal one");
        check_refused("B3-k/S23", 3, letters);
        check_refused("B3/S2c3", 6, letters);
        check_refused("B3B4", 3, "a part that was there already");
        check_refused("MAPFgFo", 1, "MAP rules are not supported, only those that count neighbours");
        check_refused("B3/S23x", 7, "expected B and S with the digits 0 to 8, as in B3/S23");
        check_refused("B3/S23:K30,20", 8, "Klein bottles are not supported; T is a torus, P a plane");
        check_refused("B3/S23:C30", 8, "cross-surfaces are not supported; T is a torus, P a plane");
        check_refused("B3/S23:S30", 8, "spheres are not supported; T is a torus, P a plane");
        check_refused("B3/S23:", 8, "expected T (a torus) or P (a plane) and its size");
        check_refused("B3/S23:T", 9, "expected a size, as in :T30,20");
        check_refused("B3/S23:T30+5,20", 11, "worlds whose edges are joined with a shift or a twist are not supported");
        check_refused("B3/S23:T30,20*", 14, "worlds whose edges are joined with a shift or a twist are not supported");
        check_refused("B3/S23:T0,20", 9,
                      "worlds that are endless in one direction are not supported; expected a size of 1 or more");
        check_refused("B3/S23:T30,20,1", 14, "expected the end");
        check_refused("B3/S23:P1048577,1048576", 24, "a world of more than 2^40 cells");
        check_refused("B3/S23:P99999999999999999999", 21, "a world of more than 2^40 cells");
    }
    return test_finish("life_rules");
}
