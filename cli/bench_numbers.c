/* SPDX-License-Identifier: MIT
 *
 * bench_numbers.c - the part of the grid for floats as they are measured, earned and learned: how far their exponents
 * lie apart, and how many are zeros, decides what exact sums cost. Of 2^28 bytes each. */
#include "bench.h"

#define LENGTH_OF(list) ((int)(sizeof(list) / sizeof(list)[0]))

static const bench_spread plain_spreads[] = {BENCH_8_BINADES, BENCH_NORMAL, BENCH_PRICES, BENCH_SPARSE};

/* The whole array, its rows and columns, and the outer axes of three. */
static bool all_shapes(bench_report *report, tally_verb verb, tally_op op, tally_type type, bench_spread spread,
                       uint32_t flags)
{
    const int64_t elements = ((int64_t)1 << report->matrix_power) / (int64_t)tally_type_size(type);
    const bool is_small = report->matrix_power < 20;
    const int64_t side = is_small ? 16 : 1000, rest = elements / side, middle = is_small ? 4 : 64;
    const bench_case all[] = {
        {.rank = 1, .shape = {elements}},
        bench_matrix(verb, op, type, rest, side, 1),
        bench_matrix(verb, op, type, side, rest, 1),
        bench_matrix(verb, op, type, rest, side, 0),
        bench_matrix(verb, op, type, side, rest, 0),
        {.rank = 3, .shape = {side, middle, rest / middle}, .axes = {0, 2}, .axis_count = 2},
        {.rank = 3, .shape = {rest / 10, side, 10}, .axes = {1}, .axis_count = 1},
    };
    for (int i = 0; i < LENGTH_OF(all); i++) {
        bench_case wanted = all[i];
        wanted.verb = verb;
        wanted.op = op;
        wanted.type = type;
        wanted.spread = spread;
        wanted.flags = flags;
        if (verb == TALLY_SCAN && wanted.axis_count > 1) continue;
        if (spread == BENCH_8_BINADES && wanted.rank == 1) continue; /* other parts have it */
        if (!bench_try(report, &wanted)) return false;
    }
    return true;
}

bool bench_part_numbers(bench_report *report)
{
    static const tally_type types[] = {TALLY_F32, TALLY_F64, TALLY_F16, TALLY_BF16};
    static const tally_op ops[] = {TALLY_VAR, TALLY_NORM2, TALLY_LOGSUMEXP};
    static const struct {
        tally_verb verb;
        tally_op op;
        uint32_t flags;
    } holes[] = {{TALLY_REDUCE, TALLY_SUM, 0},
                 {TALLY_REDUCE, TALLY_SUM, TALLY_SKIP_NAN},
                 {TALLY_REDUCE, TALLY_VAR, TALLY_SKIP_NAN},
                 {TALLY_SCAN, TALLY_SUM, 0},
                 {TALLY_SCAN, TALLY_SUM, TALLY_SKIP_NAN}};
    for (int t = 0; t < LENGTH_OF(types); t++) {
        for (int s = 0; s < LENGTH_OF(plain_spreads); s++) {
            if (!all_shapes(report, TALLY_REDUCE, TALLY_SUM, types[t], plain_spreads[s], 0) ||
                !all_shapes(report, TALLY_SCAN, TALLY_SUM, types[t], plain_spreads[s], 0))
                return false;
        }
        for (int o = 0; o < LENGTH_OF(ops); o++)
            if (!all_shapes(report, TALLY_REDUCE, ops[o], types[t], BENCH_NORMAL, 0)) return false;
        for (int h = 0; h < LENGTH_OF(holes) && types[t] != TALLY_BF16; h++) {
            if (!all_shapes(report, holes[h].verb, holes[h].op, types[t], BENCH_HOLES, holes[h].flags)) return false;
        }
    }
    return true;
}
