/* SPDX-License-Identifier: MIT
 *
 * life_rungs.c - the ladder of Life: every rung is right on worlds of all shapes, and mistakes are caught. On simt, or
 * TALLY_TEST_DEVICE. */
#include "device.h"
#include "rungs.h"

static void check_world(struct life_climb *climb, int64_t width, int64_t height, int64_t generations, bool all)
{
    struct life_why why = {""};
    climb->width = width, climb->height = height, climb->generations = generations, climb->seed = 7;
    if (!CHECK(life_climb_all(climb, NULL, &why))) fprintf(stderr, "    %s\n", why.text);
    CHECK_EQUAL_I64(climb->result_count, LIFE_RUNGS);
    for (int i = 0; i < climb->result_count; i++) {
        const struct life_rung_result *result = &climb->results[i];
        if (!CHECK(!result->wrong)) fprintf(stderr, "    %s: %s\n", result->rung->name, result->why);
        CHECK(!all || !result->left_out);
        CHECK(climb->simulated || result->left_out || generations == 0 || result->rate > 0);
    }
}

int main(void)
{
    struct life_climb climb = {.context = NULL};
    struct life_why why = {""};
    if (tally_open(device_name(), &climb.context) != TALLY_OK) return test_left_out("life_rungs", tally_last_error());
    climb.simulated = device_simulated();
    CASE("worlds of all shapes")
    {
        check_world(&climb, 64, 48, 7, true);
        CHECK(!climb.simulated || (climb.results[0].launches == 7 && climb.results[1].launches == 1));
        check_world(&climb, 67, 33, 4, true);
        check_world(&climb, 1, 1, 1, true);
        check_world(&climb, 2, 5, 3, true);
        check_world(&climb, 130, 1, 2, true);
        check_world(&climb, 100, 50, 0, true);
    }
    CASE("more cells than a block takes")
    {
        check_world(&climb, 300, 260, 1, false);
        CHECK(climb.results[1].left_out && climb.results[2].left_out && !climb.results[0].left_out);
        if (!climb.simulated) check_world(&climb, 8000, 9000, 50, false);
    }
    CASE("one rung, and none")
    {
        climb.width = climb.height = 20, climb.generations = 2;
        CHECK(life_climb_all(&climb, "grid", &why) && climb.result_count == 1 && !climb.results[0].wrong);
        CHECK(life_find_rung("none") == NULL && life_find_rung("cells") == &life_rungs[0]);
    }
    CASE("mistakes")
    {
        for (int i = 0; i < LIFE_MISTAKES; i++) {
            char seen[400] = "";
            bool caught = false;
            if (!CHECK(life_try_mistake(climb.context, &life_mistakes[i], &caught, seen, &why)))
                fprintf(stderr, "    %s\n", why.text);
            if (!CHECK(caught)) fprintf(stderr, "    %s\n", life_mistakes[i].name);
        }
    }
    CHECK(tally_close(climb.context) == TALLY_OK);
    return test_finish("life_rungs");
}
