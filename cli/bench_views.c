/* SPDX-License-Identifier: MIT
 *
 * bench_views.c - the part of the grid for what is not a C array of everyday numbers: views whose elements lie apart,
 * backwards, turned or otherwise than results; masks and NaN; complex numbers; axes of one element; folds whose order
 * shows. Of 2^28 bytes of input each, so that no cliff hides behind the shapes of the other parts. */
#include "bench.h"

#define LENGTH_OF(list) ((int)(sizeof(list) / sizeof(list)[0]))

/* 2^28 bytes (or as many as the other parts' matrices have) of one of the shapes. */
typedef enum shape { VECTOR, ROWS, COLUMNS, LONG_COLUMNS, FLAT, THIN } shape;

static bench_case shaped(const bench_report *report, tally_verb verb, tally_op op, tally_type type, shape shape)
{
    int64_t elements = ((int64_t)1 << report->matrix_power) / (int64_t)tally_type_size(type);
    const int64_t side = report->matrix_power < 20 ? 16 : 1000, rest = elements / side;
    switch (shape) {
    case ROWS: return bench_matrix(verb, op, type, rest, side, 1);
    case COLUMNS: return bench_matrix(verb, op, type, side, rest, 0);
    case LONG_COLUMNS: return bench_matrix(verb, op, type, rest, side, 0);
    case FLAT: return bench_matrix(verb, op, type, 1, elements, 0);
    case THIN: return bench_matrix(verb, op, type, elements, 1, 1);
    default: break;
    }
    return (bench_case){.verb = verb, .op = op, .type = type, .rank = 1, .shape = {elements}};
}

static bool all_of(bench_report *report, tally_verb verb, tally_op op, tally_type type, bench_view view, uint32_t flags,
                   const shape *shapes, int count)
{
    for (int i = 0; i < count; i++) {
        bench_case wanted = shaped(report, verb, op, type, shapes[i]);
        wanted.view = view;
        wanted.flags = flags;
        if (!bench_try(report, &wanted)) return false;
    }
    return true;
}

static bool views(bench_report *report)
{
    static const bench_view all[] = {BENCH_SHIFTED, BENCH_EVERY_OTHER, BENCH_BACKWARDS, BENCH_TURNED, BENCH_MASKED};
    static const shape matrices[] = {VECTOR, ROWS, COLUMNS};
    static const struct {
        tally_op op;
        tally_type type;
    } few[] = {{TALLY_SUM, TALLY_F32}, {TALLY_MAX, TALLY_F16}, {TALLY_SUM, TALLY_I8}, {TALLY_SUM, TALLY_F64}};
    for (int v = 0; v < LENGTH_OF(all); v++) {
        for (int i = 0; i < LENGTH_OF(few); i++) {
            const shape *shapes = all[v] == BENCH_TURNED ? matrices + 1 : matrices;
            const int count = all[v] == BENCH_TURNED ? 2 : 3;
            const bool has_plan = all[v] != BENCH_MASKED || few[i].op != TALLY_MAX; /* cells may have no value */
            if ((has_plan && !all_of(report, TALLY_REDUCE, few[i].op, few[i].type, all[v], 0, shapes, count)) ||
                !all_of(report, TALLY_SCAN, few[i].op, few[i].type, all[v], 0, shapes, count))
                return false;
        }
    }
    return true;
}

bool bench_part_views(bench_report *report)
{
    static const shape matrices[] = {VECTOR, ROWS, COLUMNS}, columns[] = {ROWS, COLUMNS, LONG_COLUMNS},
                       ones[] = {FLAT, THIN};
    static const struct {
        tally_verb verb;
        tally_op op;
        tally_type type;
        uint32_t flags;
        const shape *shapes;
        int count;
    } others[] = {
        {TALLY_REDUCE, TALLY_SUM, TALLY_C64, 0, matrices, 3},
        {TALLY_REDUCE, TALLY_MEAN, TALLY_C64, 0, columns, 2},
        {TALLY_REDUCE, TALLY_NORM2, TALLY_C64, 0, columns, 2},
        {TALLY_SCAN, TALLY_SUM, TALLY_C64, 0, matrices, 3},
        {TALLY_SCAN, TALLY_SUM, TALLY_C128, 0, matrices, 1},
        {TALLY_REDUCE, TALLY_SUM, TALLY_F32, TALLY_SKIP_NAN, matrices, 3},
        {TALLY_SCAN, TALLY_SUM, TALLY_F32, TALLY_SKIP_NAN, matrices, 3},
        {TALLY_SCAN, TALLY_ANY, TALLY_F32, 0, matrices, 3},
        {TALLY_SCAN, TALLY_ANY, TALLY_BOOL, 0, matrices, 3},
        {TALLY_SCAN, TALLY_PROD, TALLY_F32, 0, columns, 3},
        {TALLY_SCAN, TALLY_PROD, TALLY_F16, 0, columns, 3},
        {TALLY_SCAN, TALLY_LOGSUMEXP, TALLY_F32, 0, columns, 3},
        {TALLY_REDUCE, TALLY_PROD, TALLY_F32, 0, columns, 3},
        {TALLY_REDUCE, TALLY_LOGSUMEXP, TALLY_F32, 0, columns, 3},
        {TALLY_REDUCE, TALLY_SUM, TALLY_F32, TALLY_PLAIN, columns, 3},
        {TALLY_SCAN, TALLY_SUM, TALLY_F32, TALLY_PLAIN, columns, 3},
        {TALLY_REDUCE, TALLY_SUM, TALLY_F32, 0, ones, 2},
        {TALLY_REDUCE, TALLY_MAX, TALLY_I8, 0, ones, 2},
        {TALLY_SCAN, TALLY_SUM, TALLY_F32, 0, ones, 2},
        {TALLY_SCAN, TALLY_PROD, TALLY_F64, 0, ones, 2},
        {TALLY_REDUCE, TALLY_MINMAX, TALLY_F32, 0, matrices, 3},
        {TALLY_REDUCE, TALLY_NORM1, TALLY_I8, 0, matrices, 3},
    };
    if (!views(report)) return false;
    for (int i = 0; i < LENGTH_OF(others); i++) {
        if (!all_of(report, others[i].verb, others[i].op, others[i].type, BENCH_AS_IT_IS, others[i].flags,
                    others[i].shapes, others[i].count))
            return false;
    }
    return true;
}
