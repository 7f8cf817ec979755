/* SPDX-License-Identifier: MIT
 *
 * ladder_reduce.c - the ladder of reductions and the study of fan-ins on device "simt": results of every rung, what
 * they cost by the closed forms, and the known mistakes. */
#include "ladder_try.h"

static const int64_t sizes[] = {1,   2,   3,   5,   31,  32,   33,   63,   64,   65,
                                255, 256, 257, 512, 513, 1000, 1024, 4096, 5000, 16384};

/* All sizes and a last one. */
static void check_rung(const struct ladder *ladder, const struct ladder_rung *rung, struct ladder_problem problem,
                       bool counted, int64_t last)
{
    problem.rows = problem.columns = 1;
    if (ladder_refusal(rung, &problem)) return;
    struct ladder_kernels kernels = open_rung(rung, &problem, counted);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        problem.columns = sizes[i];
        check_problem(ladder, &kernels, &problem, counted);
    }
    problem.columns = last;
    check_problem(ladder, &kernels, &problem, counted);
    CHECK(ladder_close_rung(&kernels) == TALLY_OK);
}

/* Each rung with sums of f32, with another type and operator in turn, and with traces. */
static void check_ladder(const struct ladder *ladder)
{
    static const enum ladder_type types[] = {LADDER_F64, LADDER_I32, LADDER_I64};
    for (int i = 0; i < ladder->rung_count; i++) {
        const struct ladder_rung *rung = &ladder->rungs[i];
        const struct ladder_problem other = {.type = types[i % 3], .op = (enum ladder_op)((i + 1) % LADDER_OPS)};
        check_rung(ladder, rung, (struct ladder_problem){.type = LADDER_F32, .op = LADDER_SUM}, true, 65537);
        check_rung(ladder, rung, other, true, 65536);
        check_rung(ladder, rung, (struct ladder_problem){.type = LADDER_TRACE, .op = LADDER_SUM}, false, 4097);
    }
    check_mistakes(ladder);
}

/* The rung that does most by type and operator: it updates memory atomically. */
static void check_every_type(const struct ladder_rung *rung)
{
    for (int type = 0; type < LADDER_TRACE; type++) {
        for (int op = 0; op < LADDER_OPS; op++) {
            const struct ladder_problem problem = {.type = (enum ladder_type)type, .op = (enum ladder_op)op};
            check_rung(&ladder_reduce, rung, problem, true, 6000);
        }
    }
}

/* More elements than the grid of the rung has threads: a second round. */
static void check_rounds(const struct ladder_rung *rung)
{
    const struct ladder_problem problem = {.type = LADDER_F32, .op = LADDER_SUM, .rows = 1, .columns = 524288 + 33};
    struct ladder_kernels kernels = open_rung(rung, &problem, true);
    check_problem(&ladder_reduce, &kernels, &problem, true);
    CHECK(ladder_close_rung(&kernels) == TALLY_OK);
}

static void check_fan_ins(const struct ladder_rung *rung)
{
    static const int fan_ins[] = {2, 4, 8, 16};
    for (size_t i = 0; i < sizeof fan_ins / sizeof fan_ins[0]; i++) {
        const struct ladder_problem problem = {.type = LADDER_F32, .op = LADDER_SUM, .fan_in = fan_ins[i]};
        check_rung(&ladder_reduce, rung, problem, true, 20001);
    }
}

/* What can be said without a formula. */
static void known_counts(void)
{
    const struct ladder_problem one_block = {.type = LADDER_F32, .op = LADDER_SUM, .rows = 1, .columns = 256};
    const struct ladder_problem power = {.type = LADDER_F32, .op = LADDER_SUM, .rows = 1, .columns = 65536};
    struct ladder_counts counts;
    test.section = "known counts";
    static const char *const trees[] = {"modulo", "bitmask", "strided", "sequential"};
    for (size_t i = 0; i < sizeof trees / sizeof trees[0]; i++) {
        ladder_find_rung(&ladder_reduce, trees[i])->predict(&one_block, &counts);
        CHECK_EQUAL_U64(counts.work, 255);
        CHECK_EQUAL_U64(counts.span, 8);
        CHECK_EQUAL_U64(counts.barriers, 8);
    }
    for (int i = 0; i < ladder_fan_in.rung_count; i++) {
        ladder_fan_in.rungs[i].predict(&power, &counts);
        CHECK_EQUAL_U64(counts.work, 65535);
    }
    ladder_find_rung(&ladder_fan_in, "fan-in-16")->predict(&power, &counts);
    CHECK_EQUAL_U64(counts.launches, 4);
    ladder_find_rung(&ladder_fan_in, "special-4")->predict(&power, &counts);
    CHECK_EQUAL_U64(counts.launches, 8);
    CHECK_EQUAL_U64(counts.span, 16);
}

static void refusals(void)
{
    const struct ladder_problem field = {.type = LADDER_FIELD, .op = LADDER_MIN, .rows = 1, .columns = 1};
    const struct ladder_problem three = {.type = LADDER_F32, .rows = 1, .columns = 1, .fan_in = 3};
    const struct ladder_problem trace = {.type = LADDER_TRACE, .rows = 1, .columns = 1};
    test.section = "refusals";
    for (int i = 0; i < ladder_reduce.rung_count; i++) CHECK(ladder_refusal(&ladder_reduce.rungs[i], &field) != NULL);
    CHECK(ladder_find_rung(&ladder_reduce, "fan-in")->refuses(&three) != NULL);
    CHECK(ladder_find_rung(&ladder_reduce, "library")->refuses(&trace) != NULL);
}

int main(void)
{
    if (!open_simt()) return test_finish("ladder_reduce");
    check_ladder(&ladder_reduce);
    check_ladder(&ladder_fan_in);
    check_every_type(ladder_find_rung(&ladder_reduce, "atomic-finish"));
    check_rounds(ladder_find_rung(&ladder_reduce, "atomic-finish"));
    check_fan_ins(ladder_find_rung(&ladder_reduce, "fan-in"));
    known_counts();
    refusals();
    CHECK(tally_close(try_context) == TALLY_OK);
    return test_finish("ladder_reduce");
}
