/* SPDX-License-Identifier: MIT
 *
 * ladder_scan.c - the scan ladder on device "simt": results of every rung, counts by the closed forms, and the known
 * mistakes. */
#include "ladder_try.h"

static const int64_t sizes[] = {1, 2, 31, 32, 33, 255, 256, 257, 512, 1000, 1024, 1025, 4097, 20000};

static const struct combination {
    enum ladder_type type;
    enum ladder_op op;
    bool counted;
} combinations[] = {
    {LADDER_F32, LADDER_SUM, true},      {LADDER_F64, LADDER_MIN, true},   {LADDER_I32, LADDER_MAX, false},
    {LADDER_I64, LADDER_PRODUCT, false}, {LADDER_FIELD, LADDER_SUM, true}, {LADDER_TRACE, LADDER_SUM, false},
};

static void check_rung(const struct ladder_rung *rung, const struct combination *c)
{
    struct ladder_problem problem = {.type = c->type, .op = c->op, .rows = 1, .columns = 1};
    if (ladder_refusal(rung, &problem)) return;
    struct ladder_kernels kernels = open_rung(rung, &problem, c->counted);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        problem.columns = sizes[i];
        if (ladder_refusal(rung, &problem)) continue;
        for (int exclusive = 0; exclusive <= 1; exclusive++) {
            problem.exclusive = exclusive;
            check_problem(&ladder_scan, &kernels, &problem, c->counted);
        }
    }
    CHECK(ladder_close_rung(&kernels) == TALLY_OK);
}

/* Three levels of tiles, and looks back at more tiles than a warp has lanes. */
static void check_large(const char *name)
{
    const struct ladder_problem problem = {.type = LADDER_I32, .op = LADDER_MAX, .rows = 1, .columns = 300000};
    struct ladder_kernels kernels = open_rung(ladder_find_rung(&ladder_scan, name), &problem, false);
    check_problem(&ladder_scan, &kernels, &problem, false);
    CHECK(ladder_close_rung(&kernels) == TALLY_OK);
}

/* An operator that is associative and no more: maps x -> a x + b modulo 251, one after the other, a above b. */
static const char affine[] =
    "#include \"element.cuh\"\n"
    "DEVICE element affine(element f, element g)\n"
    "{\n"
    "    const int a = (f >> 8) * (g >> 8) % 251, b = ((f & 255) * (g >> 8) + (g & 255)) % 251;\n"
    "    return a << 8 | b;\n"
    "}\n"
    "DEVICE element unchanged()\n"
    "{\n"
    "    return 1 << 8;\n"
    "}\n"
    "#define combine affine\n"
    "#define identity unchanged\n";

/* The same here. */
static int32_t apply(int32_t before, int32_t map)
{
    const int32_t a = (before >> 8) * (map >> 8) % 251, b = ((before & 255) * (map >> 8) + (map & 255)) % 251;
    return a << 8 | b;
}

/* Operands keep their order: from the left to the right. */
static void check_order(const struct ladder_rung *rung)
{
    const struct ladder_mistake order = {"order", rung->name, "#include \"element.cuh\"\n", affine, ""};
    const size_t bytes = 20000 * sizeof(int32_t);
    struct ladder_problem problem = {.type = LADDER_I32, .rows = 1, .columns = 20000};
    struct ladder_kernels kernels;
    int32_t *input = device_memory(bytes), *output = device_memory(bytes), before = 1 << 8, wrong = 0;
    if (ladder_refusal(rung, &problem)) problem.columns = 1000;
    describe(rung, &problem);
    for (int64_t i = 0; i < problem.columns; i++) {
        input[i] = (int32_t)(1 + test_random_below(250)) << 8 | (int32_t)test_random_below(251);
    }
    CHECK(ladder_open_rung(try_context, rung, &problem, &order, false, &kernels) == TALLY_OK);
    CHECK(ladder_run_once(&kernels, &problem, input, output) == TALLY_OK);
    for (int64_t i = 0; i < problem.columns; i++) {
        before = apply(before, input[i]);
        wrong += output[i] != before;
    }
    CHECK_EQUAL_I64(wrong, 0);
    CHECK(ladder_close_rung(&kernels) == TALLY_OK);
    CHECK(tally_free(try_context, input, bytes) == TALLY_OK);
    CHECK(tally_free(try_context, output, bytes) == TALLY_OK);
}

/* The numbers that the classics name. */
static void known_counts(void)
{
    const struct ladder_problem problem = {.type = LADDER_TRACE, .op = LADDER_SUM, .rows = 1, .columns = 32};
    struct ladder_counts counts;
    test.section = "known counts";
    ladder_find_rung(&ladder_scan, "naive")->predict(&problem, &counts);
    CHECK_EQUAL_U64(counts.work, 129);
    CHECK_EQUAL_U64(counts.span, 5);
    ladder_find_rung(&ladder_scan, "work-efficient")->predict(&problem, &counts);
    CHECK_EQUAL_U64(counts.work, 31 + 31);
}

static void refusals(void)
{
    const struct ladder_problem long_one = {.type = LADDER_F32, .op = LADDER_SUM, .rows = 1, .columns = 1025};
    const struct ladder_problem field = {.type = LADDER_FIELD, .op = LADDER_SUM, .rows = 1, .columns = 1};
    test.section = "refusals";
    CHECK(ladder_find_rung(&ladder_scan, "naive")->refuses(&long_one) != NULL);
    CHECK(ladder_find_rung(&ladder_scan, "library")->refuses(&field) != NULL);
}

int main(void)
{
    if (!open_simt()) return test_finish("ladder_scan");
    for (int i = 0; i < ladder_scan.rung_count; i++) {
        for (size_t c = 0; c < sizeof combinations / sizeof combinations[0]; c++) {
            check_rung(&ladder_scan.rungs[i], &combinations[c]);
        }
        if (ladder_scan.rungs[i].file) check_order(&ladder_scan.rungs[i]);
    }
    check_large("work-efficient-block");
    check_large("look-back");
    known_counts();
    refusals();
    check_mistakes(&ladder_scan);
    CHECK(tally_close(try_context) == TALLY_OK);
    return test_finish("ladder_scan");
}
