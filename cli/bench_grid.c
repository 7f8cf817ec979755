/* SPDX-License-Identifier: MIT
 *
 * bench_grid.c - the grid of tally bench: every operator, type, size, shape and layout whose speed is promised. */
#include "bench.h"
#include "io/error.h"

#include <string.h>

#define LENGTH_OF(list) ((int)(sizeof(list) / sizeof(list)[0]))
#define MOST_READ ((int64_t)4 << 30)  /* bytes of the inputs of a call */
#define PADDING ((int64_t)1 << 24)    /* and what gaps between rows add */
#define MOST_MOVED ((int64_t)9 << 30) /* and of the results of a scan with it */

static const tally_type types[] = {TALLY_I8,  TALLY_I16,  TALLY_I32, TALLY_I64,
                                   TALLY_F16, TALLY_BF16, TALLY_F32, TALLY_F64};
static const tally_type quick_types[] = {TALLY_I8, TALLY_F16, TALLY_F32, TALLY_F64};
static const tally_type float_types[] = {TALLY_F16, TALLY_BF16, TALLY_F32, TALLY_F64};
static const tally_type matrix_types[] = {TALLY_F32, TALLY_F16, TALLY_I8, TALLY_F64};

static bool is_float(tally_type type)
{
    return type == TALLY_F16 || type == TALLY_BF16 || type == TALLY_F32 || type == TALLY_F64;
}

/* Runs a case that was asked for, exists, and has room. */
static bool try_case(bench_report *report, const bench_case *wanted)
{
    bench_call call;
    const tally_type type = report->options->bench_type;
    const int64_t size = report->options->size;
    int64_t elements = 1;
    for (int32_t d = 0; d < wanted->rank; d++) elements *= wanted->shape[d];
    if (size > 0 && size != elements) return true;
    if (report->only != 0 && report->only != wanted->op) return true;
    if (type != TALLY_DEFAULT_TYPE && type != wanted->type) return true;
    if (bench_shape(wanted, &call) != TALLY_OK) return true;
    if ((int64_t)bench_pool_bytes(wanted) > MOST_READ + PADDING ||
        (int64_t)(call.input_bytes + call.output_bytes) > MOST_MOVED)
        return true;
    return bench_one(report, wanted);
}

static bench_case vector(tally_verb verb, tally_op op, tally_type type, int power)
{
    return (bench_case){.verb = verb, .op = op, .type = type, .rank = 1, .shape = {(int64_t)1 << power}, .axis = -1};
}

static bench_case with_flags(bench_case wanted, uint32_t flags)
{
    wanted.flags |= flags;
    return wanted;
}

/* ---- Vectors ---- */

static const int powers[] = {0, 10, 13, 16, 20, 22, 24, 26, 28, 30};
static const int quick_powers[] = {0, 10, 16};

static bool all_sizes(bench_report *report, bench_case wanted)
{
    const int *list = report->state.quick ? quick_powers : powers;
    const int count = report->state.quick ? LENGTH_OF(quick_powers) : LENGTH_OF(powers);
    for (int i = 0; i < count && list[i] <= report->largest_power; i++) {
        wanted.shape[0] = (int64_t)1 << list[i];
        if (!try_case(report, &wanted)) return false;
    }
    return true;
}

/* As large as matrices are, and four times that. */
static bool large_sizes(bench_report *report, bench_case wanted)
{
    for (int more = 0; more <= 2; more += 2) {
        wanted.shape[0] = (int64_t)1 << (report->matrix_power + more);
        if (report->matrix_power + more <= report->largest_power && !try_case(report, &wanted)) return false;
    }
    return true;
}

static bool reduce_type(bench_report *report, tally_type type)
{
    static const tally_op ops[] = {TALLY_SUM,  TALLY_MAX, TALLY_MIN,   TALLY_ARGMAX, TALLY_ANY,
                                   TALLY_MEAN, TALLY_VAR, TALLY_NORM2, TALLY_DOT,    TALLY_LOGSUMEXP};
    const bench_case sum = vector(TALLY_REDUCE, TALLY_SUM, type, 0);
    for (int i = 0; i < LENGTH_OF(ops); i++) {
        const bool all = ops[i] == TALLY_SUM || ops[i] == TALLY_MAX || (ops[i] == TALLY_ARGMAX && type == TALLY_F32);
        const bench_case wanted = vector(TALLY_REDUCE, ops[i], type, 0);
        if (!(all ? all_sizes(report, wanted) : large_sizes(report, wanted))) return false;
        const bench_case most = vector(TALLY_REDUCE, ops[i], type, 32);
        if (all && report->largest_power >= 30 && !report->state.quick && tally_type_size(type) == 1 &&
            !try_case(report, &most)) {
            return false;
        }
    }
    return !is_float(type) || all_sizes(report, with_flags(sum, TALLY_PLAIN));
}

static bool scan_type(bench_report *report, tally_type type)
{
    const int power = report->matrix_power;
    const bench_case sum = vector(TALLY_SCAN, TALLY_SUM, type, power);
    if (!all_sizes(report, sum) || !all_sizes(report, vector(TALLY_SCAN, TALLY_MAX, type, 0))) return false;
    const uint32_t plain = is_float(type) ? TALLY_PLAIN : 0;
    if (plain && !all_sizes(report, with_flags(sum, plain))) return false;
    bench_case others[] = {with_flags(sum, TALLY_EXCLUSIVE), with_flags(sum, TALLY_REVERSE), sum,
                           vector(TALLY_SCAN, TALLY_LOGSUMEXP, type, power)};
    others[2].result = type == TALLY_F16 || type == TALLY_BF16 ? TALLY_F32 : type; /* widened, or not */
    for (int i = 0; i < LENGTH_OF(others); i++) {
        const bool same = i == 2 && (type == TALLY_I64 || type == TALLY_F32 || type == TALLY_F64);
        if (!same && !(i == 3 && !is_float(type)) && !try_case(report, &others[i])) return false;
    }
    return true;
}

static bool all_types(bench_report *report, bool (*each)(bench_report *, tally_type))
{
    const tally_type *list = report->state.quick ? quick_types : types;
    const int count = report->state.quick ? LENGTH_OF(quick_types) : LENGTH_OF(types);
    for (int i = 0; i < count; i++) {
        if (!each(report, list[i])) return false;
    }
    return true;
}

static bool part_reduce(bench_report *report)
{
    return all_types(report, reduce_type);
}

static bool part_scan(bench_report *report)
{
    return all_types(report, scan_type);
}

/* Operators that the other parts have only at large sizes. */
static bool part_small(bench_report *report)
{
    static const tally_op ops[] = {TALLY_MIN, TALLY_ARGMAX, TALLY_ANY, TALLY_MEAN,
                                   TALLY_VAR, TALLY_NORM2,  TALLY_DOT, TALLY_LOGSUMEXP};
    static const tally_type few[] = {TALLY_I8, TALLY_I32, TALLY_F32, TALLY_F64};
    static const int small[] = {0, 10, 12, 13, 16, 20};
    for (int t = 0; t < LENGTH_OF(few); t++) {
        for (int i = 0; i < LENGTH_OF(ops); i++) {
            for (int p = 0; p < LENGTH_OF(small) && small[p] <= (report->state.quick ? 10 : 20); p++) {
                const bench_case wanted = vector(TALLY_REDUCE, ops[i], few[t], small[p]);
                const bool elsewhere = ops[i] == TALLY_ARGMAX && few[t] == TALLY_F32 && small[p] != 12;
                if (!elsewhere && !try_case(report, &wanted)) return false;
            }
        }
    }
    return true;
}

static bool part_exact(bench_report *report)
{
    for (int t = 0; t < LENGTH_OF(float_types); t++) {
        for (int spread = BENCH_8_BINADES; spread <= BENCH_ALL_EXPONENTS; spread++) {
            for (int v = 0; v < 4; v++) {
                bench_case wanted =
                    vector(v < 2 ? TALLY_REDUCE : TALLY_SCAN, TALLY_SUM, float_types[t], report->matrix_power);
                wanted.flags = v % 2 == 1 ? TALLY_PLAIN : 0;
                wanted.spread = (bench_spread)spread;
                if (!try_case(report, &wanted)) return false;
            }
        }
    }
    return true;
}

/* The same odd length from an aligned address and from one element behind it; rows with a gap between them. */
static bool part_misaligned(bench_report *report)
{
    static const tally_op ops[] = {TALLY_SUM, TALLY_MAX};
    const int64_t elements = (int64_t)1 << report->matrix_power, columns = report->matrix_power > 20 ? 1000 : 24;
    for (int t = 0; t < LENGTH_OF(matrix_types); t++) {
        for (int v = 0; v < 4; v++) {
            bench_case wanted =
                vector(v < 2 ? TALLY_REDUCE : TALLY_SCAN, ops[v % 2], matrix_types[t], report->matrix_power);
            wanted.shape[0] -= 3;
            for (wanted.offset = 0; wanted.offset < 2; wanted.offset++) {
                if (!try_case(report, &wanted)) return false;
            }
            wanted.offset = 0;
            wanted.rank = 2;
            wanted.shape[0] = elements / columns;
            wanted.shape[1] = columns;
            for (int i = 0; i < 4; i++) {
                wanted.axis = i / 2;
                wanted.gap = i % 2 * 8;
                if (!try_case(report, &wanted)) return false;
            }
        }
    }
    return true;
}

/* ---- Matrices ---- */

static bool is_power(int64_t value)
{
    return (value & (value - 1)) == 0;
}

/* Matrices of the same number of elements, or a little fewer: along rows (axis 1) or columns (axis 0) of a matrix with
 * that many columns. dense: every length; otherwise some. */
static bool all_matrices(bench_report *report, tally_verb verb, tally_op op, tally_type type, int32_t axis, bool dense)
{
    static const int64_t odd[] = {3, 7, 24, 100, 1000, 1023, 1025, 4097, 65537, 1000003};
    const int64_t elements = (int64_t)1 << report->matrix_power;
    const int step = report->state.quick ? 6 : dense ? 1 : verb == TALLY_SCAN ? 4 : 3;
    for (int i = 0; i < 27 + LENGTH_OF(odd); i++) {
        const int64_t columns = i < 27 ? (int64_t)2 << i : odd[i - 27];
        const bool skipped = is_power(columns) ? i % step != 0 : (!dense || report->state.quick) && columns != 1000;
        const bench_case wanted = {
            .verb = verb, .op = op, .type = type, .rank = 2, .shape = {elements / columns, columns}, .axis = axis};
        if (!skipped && wanted.shape[0] > 1 && !try_case(report, &wanted)) return false;
    }
    return true;
}

static bool part_matrices(bench_report *report, int32_t axis)
{
    for (int t = 0; t < LENGTH_OF(matrix_types); t++) {
        const tally_type type = matrix_types[t];
        if (!all_matrices(report, TALLY_REDUCE, TALLY_SUM, type, axis, true)) return false;
        if (!all_matrices(report, TALLY_SCAN, TALLY_SUM, type, axis, type == TALLY_F32)) return false;
    }
    return all_matrices(report, TALLY_REDUCE, TALLY_MAX, TALLY_F32, axis, true) &&
           all_matrices(report, TALLY_REDUCE, TALLY_ARGMAX, TALLY_F32, axis, false) &&
           all_matrices(report, TALLY_REDUCE, TALLY_VAR, TALLY_F32, axis, false) &&
           all_matrices(report, TALLY_SCAN, TALLY_MAX, TALLY_F32, axis, false);
}

static bool part_rows(bench_report *report)
{
    return part_matrices(report, 1);
}

static bool part_columns(bench_report *report)
{
    return part_matrices(report, 0);
}

/* The middle axis of three. */
static bool part_axes(bench_report *report)
{
    static const int shapes[][2] = {{10, 10}, {6, 16}, {16, 6}, {12, 4}, {2, 24}}; /* 2^these, the third has the rest */
    static const tally_op ops[] = {TALLY_SUM, TALLY_MAX, TALLY_ARGMAX, TALLY_VAR};
    for (int t = 0; t < LENGTH_OF(matrix_types); t++) {
        for (int s = 0; s < LENGTH_OF(shapes); s++) {
            const int first = shapes[s][0] * report->matrix_power / 28,
                      second = shapes[s][1] * report->matrix_power / 28;
            for (int i = 0; i <= LENGTH_OF(ops); i++) {
                const bool is_scan = i == LENGTH_OF(ops);
                const bench_case wanted = {.verb = is_scan ? TALLY_SCAN : TALLY_REDUCE,
                                           .op = is_scan ? TALLY_SUM : ops[i],
                                           .type = matrix_types[t],
                                           .rank = 3,
                                           .shape = {(int64_t)1 << first, (int64_t)1 << second,
                                                     (int64_t)1 << (report->matrix_power - first - second)},
                                           .axis = 1};
                if ((t == 0 || i == 0) && !try_case(report, &wanted)) return false;
            }
        }
    }
    return true;
}

/* ---- The parts, in the order in which they run: what is looked at most comes first ---- */

static const struct {
    const char *name;
    bool (*run)(bench_report *);
} parts[] = {
    {"reduce", part_reduce}, {"scan", part_scan},       {"small", part_small}, {"exact", part_exact},
    {"rows", part_rows},     {"columns", part_columns}, {"axes", part_axes},   {"misaligned", part_misaligned},
};

static bool is_in(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; at != NULL; at = strchr(at, ','), at = at != NULL ? at + 1 : NULL) {
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0')) return true;
    }
    return list == NULL;
}

static bool check_part(const char *name)
{
    cli_nearest nearest = {.wanted = name};
    for (int i = 0; i < LENGTH_OF(parts); i++) {
        if (strcmp(parts[i].name, name) == 0) return true;
        cli_nearest_try(&nearest, parts[i].name);
    }
    return cli_fail_unknown("--part: unknown part", &nearest, "tally bench --help lists them");
}

bool bench_grid_check(const char *grid, const char *list)
{
    if (strcmp(grid, "full") != 0 && strcmp(grid, "quick") != 0) {
        return io_fail("--grid '%.80s' is neither full nor quick", grid);
    }
    for (const char *at = list; at != NULL;) {
        char name[32];
        const size_t length = strcspn(at, ",");
        if (length >= sizeof name) return io_fail("--part: '%.80s' is no part of the grid", at);
        memcpy(name, at, length);
        name[length] = '\0';
        if (!check_part(name)) return false;
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    return true;
}

void bench_grid_choose(bench_report *report)
{
    const bench_state *state = &report->state;
    report->largest_power = state->simulated ? 14 : state->gpu ? 30 : 24;
    report->matrix_power = state->simulated ? 12 : state->gpu ? 28 : 22;
    if (!state->quick) return;
    report->largest_power = state->simulated ? 10 : state->gpu ? 24 : 16;
    report->matrix_power = state->simulated ? 10 : state->gpu ? 24 : 16;
}

bool bench_grid_run(bench_report *report)
{
    for (int i = 0; i < LENGTH_OF(parts); i++) {
        if (!is_in(report->options->grid_parts, parts[i].name)) continue;
        const double begin = bench_now();
        report->part = parts[i].name;
        if (!parts[i].run(report)) return false;
        if (!report->state.compile_only) printf("-- %s: %.1f s\n", parts[i].name, 1e-6 * (bench_now() - begin));
    }
    return true;
}
