/* SPDX-License-Identifier: MIT
 *
 * ladder_sweep.c - times and sweeps of the ladders of vectors: that every rung gets them, in an order of magnitude that
 * clocks have. What they are is not tested. On device "simt", or TALLY_TEST_DEVICE. */
#include "sweep.h"
#include "test.h"

static void check_ladder(struct ladder_climb *climb, const struct ladder *ladder, enum ladder_op op)
{
    static struct ladder_sweep sweep;
    climb->ladder = ladder;
    climb->problem = (struct ladder_problem){.type = LADDER_F64, .op = op, .rows = 1, .columns = 900};
    test.section = ladder->name;
    if (!CHECK(ladder_run_all(climb, NULL) == TALLY_OK)) fprintf(stderr, "    %s\n", tally_last_error());
    CHECK_EQUAL_I64(climb->result_count, ladder->rung_count);
    if (!CHECK(ladder_sweep_lengths(climb, 5000, &sweep) == TALLY_OK)) fprintf(stderr, "    %s\n", tally_last_error());
    CHECK(sweep.length_count == 2 && sweep.lengths[0] == 1024 && sweep.lengths[1] == 4096);
    for (int i = 0; i < climb->result_count; i++) {
        const struct ladder_rung *rung = climb->results[i].rung;
        CHECK(!climb->results[i].wrong && !climb->results[i].left_out);
        for (int at = 0; at < sweep.length_count; at++) {
            struct ladder_problem problem = climb->problem;
            problem.columns = sweep.lengths[at];
            const int refused = ladder_refusal(rung, &problem) != NULL;
            CHECK((sweep.warm[i][at] > 0) == !refused && (sweep.cold[i][at] > 0) == !refused);
            CHECK(sweep.warm[i][at] < 1e8 && sweep.cold[i][at] < 1e8);
        }
    }
    CHECK(ladder_run_all(climb, ladder->rungs[1].name) == TALLY_OK && climb->result_count == 1);
    CHECK(ladder_find_rung(ladder, "none") == NULL);
}

/* The identity, however many results there are. */
static void check_empty(struct ladder_climb *climb)
{
    static const struct ladder *const ladders[] = {&ladder_reduce, &ladder_scan, &ladder_rows, &ladder_columns};
    test.section = "no elements";
    for (int i = 0; i < 4; i++) {
        climb->ladder = ladders[i];
        climb->problem = (struct ladder_problem){.type = LADDER_F32, .op = LADDER_MIN, .rows = 7, .columns = 7};
        if (i == 3) climb->problem.rows = 0;
        else climb->problem.columns = 0;
        CHECK(ladder_run_all(climb, NULL) == TALLY_OK);
        for (int r = 0; r < climb->result_count; r++) {
            const struct ladder_result *result = &climb->results[r];
            CHECK(!result->wrong && !result->left_out && !result->has_times && !result->has_counts);
        }
    }
}

/* Minima of the field: no rung of any ladder has one, and none fails for it. */
static void check_without_order(struct ladder_climb *climb)
{
    static const struct ladder *const ladders[] = {&ladder_reduce, &ladder_scan, &ladder_rows, &ladder_columns,
                                                   &ladder_fan_in};
    test.section = "no order";
    for (int i = 0; i < 5; i++) {
        climb->ladder = ladders[i];
        climb->problem = (struct ladder_problem){.type = LADDER_FIELD, .op = LADDER_MIN, .rows = 1, .columns = 9};
        CHECK(ladder_run_all(climb, NULL) == TALLY_OK && climb->result_count == ladders[i]->rung_count);
        for (int r = 0; r < climb->result_count; r++)
            CHECK(climb->results[r].left_out && strstr(climb->results[r].why, "no order") != NULL);
    }
}

int main(void)
{
    static struct ladder_climb climb;
    const char *name = getenv("TALLY_TEST_DEVICE");
    if (ladder_open(name ? name : "simt", &climb) != TALLY_OK) return test_left_out("ladder_sweep", tally_last_error());
    check_ladder(&climb, &ladder_reduce, LADDER_SUM);
    check_ladder(&climb, &ladder_scan, LADDER_MAX);
    check_ladder(&climb, &ladder_fan_in, LADDER_PRODUCT);
    check_empty(&climb);
    check_without_order(&climb);
    /* A GPU's path: times in place of counts. */
    climb.simulated = false;
    climb.ladder = &ladder_columns;
    climb.problem = (struct ladder_problem){.type = LADDER_FIELD, .op = LADDER_SUM, .rows = 50, .columns = 40};
    CHECK(ladder_run_all(&climb, NULL) == TALLY_OK);
    for (int i = 0; i < climb.result_count; i++) {
        const struct ladder_result *r = &climb.results[i];
        if (r->left_out) continue;
        CHECK(r->has_times && r->low > 0 && r->low <= r->median && r->median <= r->high && r->call > 0 && r->gbps > 0);
    }
    CHECK(ladder_close(&climb) == TALLY_OK);
    return test_finish("ladder_sweep");
}
