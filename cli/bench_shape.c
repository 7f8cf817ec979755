/* SPDX-License-Identifier: MIT
 *
 * bench_shape.c - what tally bench times with --shape: arrays of one shape, along the axes that are given. */
#include "bench.h"
#include "io/error.h"

#include <string.h>

bool bench_spread_parse(const char *text, bench_spread *spread)
{
    static const char *const names[BENCH_SPREADS] = {"8", "40", "all", "normal", "prices", "sparse", "holes"};
    for (int i = 0; i < BENCH_SPREADS; i++) {
        *spread = (bench_spread)i;
        if (text == NULL || strcmp(text, names[i]) == 0) return true;
    }
    return io_fail("--spread '%.80s' is none of 8, 40, all, normal, prices, sparse and holes", text);
}

static bool is_verb(const bench_report *report, tally_verb verb)
{
    const char *wanted = report->options->bench_verb;
    return wanted == NULL || strcmp(wanted, verb == TALLY_SCAN ? "scan" : "reduce") == 0;
}

/* Axes are counted from 0, in ascending order, as the tables of the grid have them. */
static bool check_axes(const cli_options *options)
{
    const int32_t rank = options->request.raw_rank;
    for (int32_t i = 0; i < options->axis_count; i++) {
        const int32_t axis = options->axes[i];
        if (axis < 0 || axis >= rank) {
            return io_fail("--axis: %d is no axis of an array of rank %d: expected 0 to %d", axis, rank, rank - 1);
        }
        if (i > 0 && axis <= options->axes[i - 1]) return io_fail("--axis: %d does not ascend", axis);
    }
    return true;
}

bool bench_shape_check(bench_report *report)
{
    const cli_options *options = report->options;
    bench_spread spread;
    if (options->request.raw_rank == 0) {
        return (options->axis_count == 0 && options->bench_verb == NULL && !options->plain &&
                options->spread == NULL) ||
               io_fail("--axis, --verb, --plain and --spread are for arrays of one shape; say --shape N,M, too");
    }
    if (options->grid != NULL || options->size > 0) return io_fail("--shape excludes --grid and --size");
    if (options->request.raw_rank > BENCH_RANK) return io_fail("--shape lists more than %d axes", BENCH_RANK);
    for (int32_t d = 0; d < options->request.raw_rank; d++) {
        if (options->request.raw_shape[d] < 1) return io_fail("--shape: tally bench needs elements to time");
    }
    if (!is_verb(report, TALLY_REDUCE) && !is_verb(report, TALLY_SCAN)) {
        return io_fail("--verb '%.80s' is neither reduce nor scan", options->bench_verb);
    }
    return check_axes(options) && bench_spread_parse(options->spread, &spread);
}

/* Times it if it was asked for and exists. */
static bool try_shape(bench_report *report, tally_verb verb, tally_op op, int *tried)
{
    const cli_options *options = report->options;
    bench_case wanted = {.verb = verb,
                         .op = op,
                         .type = options->bench_type == TALLY_DEFAULT_TYPE ? TALLY_F32 : options->bench_type,
                         .rank = options->request.raw_rank,
                         .axis_count = options->axis_count,
                         .flags = options->plain ? TALLY_PLAIN : 0};
    for (int32_t d = 0; d < wanted.rank; d++) wanted.shape[d] = options->request.raw_shape[d];
    for (int32_t i = 0; i < wanted.axis_count; i++) wanted.axes[i] = options->axes[i];
    bench_spread_parse(options->spread, &wanted.spread);
    if (!is_verb(report, verb) || !bench_has_operator(&wanted)) return true;
    ++*tried;
    return bench_one(report, &wanted);
}

bool bench_shape_run(bench_report *report)
{
    const tally_op ops[] = {report->only != 0 ? report->only : TALLY_SUM, TALLY_MAX};
    int tried = 0;
    for (int i = 0; i < (report->only != 0 ? 1 : 2); i++) {
        if (!try_shape(report, TALLY_REDUCE, ops[i], &tried) || !try_shape(report, TALLY_SCAN, ops[i], &tried))
            return false;
    }
    return tried > 0 || io_fail("--shape: there is no such operator of that type, along those axes");
}
