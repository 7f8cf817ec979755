/* SPDX-License-Identifier: MIT
 *
 * bench_numbers.c - the part of the grid for floats as they are measured, earned and learned: how far their exponents
 * lie apart, and how many are zeros, decides what exact sums cost. Of 2^28 bytes each. */
#include "bench.h"

#define LENGTH_OF(list) ((int)(sizeof(list) / sizeof(list)[0]))

/* The whole array, its rows and columns, and the outer axes of three. */
static bool all_shapes(bench_report *report, tally_verb verb, tally_op op, tally_type type, bench_spread spread)
{
    const int64_t elements = ((int64_t)1 << report->matrix_power) / (int64_t)tally_type_size(type);
    const int64_t side = report->matrix_power < 20 ? 16 : 1000, rest = elements / side;
    const bench_case all[] = {
        {.rank = 1, .shape = {elements}},
        bench_matrix(verb, op, type, rest, side, 1),
        bench_matrix(verb, op, type, side, rest, 1),
        bench_matrix(verb, op, type, rest, side, 0),
        bench_matrix(verb, op, type, side, rest, 0),
        {.rank = 3, .shape = {side, 64, elements / side / 64}, .axes = {0, 2}, .axis_count = 2},
        {.rank = 3, .shape = {rest / 10, side, 10}, .axes = {1}, .axis_count = 1},
    };
    for (int i = 0; i < LENGTH_OF(all); i++) {
        bench_case wanted = all[i];
        wanted.verb = verb;
        wanted.op = op;
        wanted.type = type;
        wanted.spread = spread;
        if (verb == TALLY_SCAN && wanted.axis_count > 1) continue;
        if (!bench_try(report, &wanted)) return false;
    }
    return true;
}

bool bench_part_numbers(bench_report *report)
{
    static const tally_type types[] = {TALLY_F32, TALLY_F64, TALLY_F16, TALLY_BF16};
    static const bench_spread spreads[] = {BENCH_8_BINADES, BENCH_NORMAL, BENCH_PRICES, BENCH_SPARSE};
    for (int t = 0; t < LENGTH_OF(types); t++) {
        for (int s = 0; s < LENGTH_OF(spreads); s++) {
            if (!all_shapes(report, TALLY_REDUCE, TALLY_SUM, types[t], spreads[s]) ||
                !all_shapes(report, TALLY_SCAN, TALLY_SUM, types[t], spreads[s]))
                return false;
        }
        if (!all_shapes(report, TALLY_REDUCE, TALLY_VAR, types[t], BENCH_NORMAL) ||
            !all_shapes(report, TALLY_REDUCE, TALLY_NORM2, types[t], BENCH_NORMAL) ||
            !all_shapes(report, TALLY_REDUCE, TALLY_LOGSUMEXP, types[t], BENCH_NORMAL))
            return false;
    }
    return true;
}
