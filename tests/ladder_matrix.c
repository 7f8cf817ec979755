/* SPDX-License-Identifier: MIT
 *
 * ladder_matrix.c - the ladders of row and column results on device "simt": results of every rung, counts by the closed
 * forms, and the known mistakes. */
#include "ladder_try.h"

static const struct shape {
    int64_t rows, columns;
} shapes[] = {{1, 1},  {1, 1000}, {1000, 1}, {33, 65}, {257, 31},  {7, 4096}, {2, 3},
              {32, 8}, {200, 33}, {5, 255},  {3, 256}, {6, 20000}, {64, 512}, {193, 2}};

static const struct combination {
    enum ladder_type type;
    enum ladder_op op;
    bool counted;
} combinations[] = {
    {LADDER_F32, LADDER_SUM, true},    {LADDER_F64, LADDER_SUM, true},      {LADDER_I32, LADDER_MAX, false},
    {LADDER_I64, LADDER_MIN, false},   {LADDER_F32, LADDER_PRODUCT, false}, {LADDER_FIELD, LADDER_SUM, false},
    {LADDER_TRACE, LADDER_SUM, false},
};

static void check_rung(const struct ladder *ladder, const struct ladder_rung *rung, const struct combination *c)
{
    struct ladder_problem problem = {.type = c->type, .op = c->op, .rows = 1, .columns = 1};
    if (ladder_refusal(rung, &problem)) return;
    struct ladder_kernels kernels = open_rung(rung, &problem, c->counted);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        problem.rows = shapes[i].rows;
        problem.columns = shapes[i].columns;
        check_problem(ladder, &kernels, &problem, c->counted);
    }
    CHECK(ladder_close_rung(&kernels) == TALLY_OK);
}

/* Columns in all combinations, rows in the first, the last and others in turn. */
static void check_ladder(const struct ladder *ladder)
{
    const int last = sizeof combinations / sizeof combinations[0] - 1;
    for (int i = 0; i < ladder->rung_count; i++) {
        for (int c = 0; c <= last; c++) {
            const bool chosen = c == 0 || c == last || (c + i) % 3 == 0;
            if (chosen || ladder->shape == LADDER_PER_COLUMN) check_rung(ladder, &ladder->rungs[i], &combinations[c]);
        }
    }
}

/* So many rows that several blocks update a column. */
static void tall_columns(void)
{
    const struct ladder_problem problem = {.type = LADDER_TRACE, .op = LADDER_SUM, .rows = 40000, .columns = 2};
    struct ladder_kernels kernels = open_rung(ladder_find_rung(&ladder_columns, "atomic-columns"), &problem, false);
    check_problem(&ladder_columns, &kernels, &problem, false);
    CHECK(ladder_close_rung(&kernels) == TALLY_OK);
}

/* Trees over every small number of warps; the table has one of them. */
static void numbers_of_warps(void)
{
    static const int threads[] = {32, 96, 160};
    const struct ladder_problem problem = {.type = LADDER_FIELD, .op = LADDER_PRODUCT, .rows = 700, .columns = 40};
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        struct ladder_rung rung = *ladder_find_rung(&ladder_columns, "atomic-columns");
        struct ladder_counts measured;
        rung.threads = threads[i];
        struct ladder_kernels kernels = open_rung(&rung, &problem, false);
        CHECK(run_is_right(&ladder_columns, &kernels, &problem, &measured));
        CHECK(ladder_close_rung(&kernels) == TALLY_OK);
    }
}

int main(void)
{
    if (!open_simt()) return test_finish("ladder_matrix");
    check_ladder(&ladder_rows);
    check_ladder(&ladder_columns);
    numbers_of_warps();
    tall_columns();
    check_mistakes(&ladder_rows);
    check_mistakes(&ladder_columns);
    CHECK(tally_close(try_context) == TALLY_OK);
    return test_finish("ladder_matrix");
}
