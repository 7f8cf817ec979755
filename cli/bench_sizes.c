/* SPDX-License-Identifier: MIT
 *
 * bench_sizes.c - what tally bench times without --grid: vectors of a few sizes, and matrices of the largest size. */
#include "bench.h"

static const tally_type few_types[] = {TALLY_I32, TALLY_F32, TALLY_F64};
static const tally_op reductions[] = {TALLY_SUM, TALLY_MAX,           TALLY_ARGMAX, TALLY_MINMAX, TALLY_MEAN,
                                      TALLY_VAR, TALLY_NORM2,         TALLY_DOT,    TALLY_PROD,   TALLY_LOGSUMEXP,
                                      TALLY_ANY, TALLY_COUNT_NONZERO, TALLY_BIT_XOR};
static const tally_op scans[] = {TALLY_SUM, TALLY_MAX, TALLY_PROD, TALLY_LOGSUMEXP};

enum { REDUCTIONS = sizeof reductions / sizeof reductions[0], SCANS = sizeof scans / sizeof scans[0] };

static bool is_of(tally_type type, const tally_type *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i] == type) return true;
    }
    return false;
}

/* Sums and maxima of every type; other operators of three types, unless one was asked for. */
static bool is_wanted(const bench_report *report, tally_op op, tally_type type)
{
    const bool common = (op == TALLY_SUM || op == TALLY_MAX) && !report->options->quick;
    if (report->only != 0 && report->only != op) return false;
    if (report->options->bench_type != TALLY_DEFAULT_TYPE) return report->options->bench_type == type;
    return common || is_of(type, few_types, sizeof few_types / sizeof few_types[0]);
}

static bool bench_vectors(bench_report *report, tally_type type)
{
    for (int v = 0; v < 2; v++) {
        const tally_verb verb = v == 0 ? TALLY_REDUCE : TALLY_SCAN;
        for (int i = 0; i < (v == 0 ? REDUCTIONS : SCANS); i++) {
            const tally_op op = v == 0 ? reductions[i] : scans[i];
            if (!is_wanted(report, op, type)) continue;
            for (int s = 0; s < report->size_count; s++) {
                const bench_case wanted = {
                    .verb = verb, .op = op, .type = type, .rank = 1, .shape = {report->sizes[s]}};
                if (bench_has_operator(&wanted) && !bench_one(report, &wanted)) return false;
            }
        }
    }
    return true;
}

/* Every way of making a matrix of the largest size from powers of two, by rows and by columns. */
static bool bench_matrices(bench_report *report, tally_op op, tally_type type)
{
    const int64_t elements = report->sizes[report->size_count - 1];
    const int step = report->options->quick ? 6 : report->state.simulated ? 4 : 1;
    if (!is_wanted(report, op, type)) return true;
    for (int v = 0; v < 2; v++) {
        const tally_verb verb = v == 0 ? TALLY_REDUCE : TALLY_SCAN;
        for (int32_t axis = 1; axis >= 0; axis--) {
            for (int power = step == 1 ? 1 : step; (int64_t)2 << power <= elements; power += v == 0 ? step : 3 * step) {
                const bench_case wanted = {.verb = verb,
                                           .op = op,
                                           .type = type,
                                           .rank = 2,
                                           .shape = {elements >> power, (int64_t)1 << power},
                                           .axes = {axis},
                                           .axis_count = 1};
                if (bench_elements(&wanted) == elements && !bench_one(report, &wanted)) return false;
            }
        }
    }
    return true;
}

void bench_sizes_choose(bench_report *report)
{
    static const int64_t all[3][2][4] = {
        {{1 << 16, 1 << 20, 1 << 24, 1 << 28}, {1 << 20, 1 << 26}}, /* a GPU */
        {{1 << 16, 1 << 20, 1 << 24}, {1 << 16, 1 << 20}},          /* the host */
        {{1 << 10, 1 << 14}, {1 << 12}},                            /* a GPU made of the host */
    };
    const int64_t *sizes = all[report->state.simulated ? 2 : report->state.gpu ? 0 : 1][report->options->quick];
    for (int i = 0; i < 4 && sizes[i] > 0; i++) report->sizes[report->size_count++] = sizes[i];
    if (report->options->size > 0) {
        report->sizes[0] = report->options->size;
        report->size_count = 1;
    }
}

bool bench_sizes_run(bench_report *report)
{
    const tally_type type = report->options->bench_type;
    for (tally_type i = TALLY_BOOL; i <= TALLY_C128; i++) {
        if (!bench_vectors(report, i)) return false;
    }
    return bench_matrices(report, TALLY_SUM, type ? type : TALLY_F32) &&
           (type || bench_matrices(report, TALLY_MAX, TALLY_F32));
}
