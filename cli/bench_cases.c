/* SPDX-License-Identifier: MIT
 *
 * bench_cases.c - the cases of the grid of tally bench: every operator, type, size, shape and layout whose speed is
 * promised, and a few of each kind for what is not speed. */
#include "bench.h"

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
bool bench_try(bench_report *report, const bench_case *wanted)
{
    bench_call call;
    const tally_type type = report->options->bench_type;
    const int64_t size = report->options->size;
    if (size > 0 && size != bench_elements(wanted)) return true;
    if (report->only != 0 && report->only != wanted->op) return true;
    if (type != TALLY_DEFAULT_TYPE && type != wanted->type) return true;
    if (bench_shape(wanted, &call) != TALLY_OK) return true;
    if ((int64_t)bench_pool_bytes(wanted) > MOST_READ + PADDING ||
        (int64_t)(call.input_bytes + call.output_bytes) > MOST_MOVED)
        return true;
    if (report->part_end > 0 && bench_now() > report->part_end) {
        report->late++;
        return true;
    }
    return report->run(report, wanted);
}

static bool try_all(bench_report *report, const bench_case *list, int count)
{
    for (int i = 0; i < count; i++) {
        if (!bench_try(report, &list[i])) return false;
    }
    return true;
}

bench_case bench_vector(tally_verb verb, tally_op op, tally_type type, int power)
{
    return (bench_case){.verb = verb, .op = op, .type = type, .rank = 1, .shape = {(int64_t)1 << power}};
}

static bench_case with_flags(bench_case wanted, uint32_t flags)
{
    wanted.flags |= flags;
    return wanted;
}

bench_case bench_matrix(tally_verb verb, tally_op op, tally_type type, int64_t rows, int64_t columns, int32_t axis)
{
    return (bench_case){
        .verb = verb, .op = op, .type = type, .rank = 2, .shape = {rows, columns}, .axes = {axis}, .axis_count = 1};
}

static bench_case with_spread(bench_case wanted, bench_spread spread)
{
    wanted.spread = spread;
    return wanted;
}

static bench_case with_axes(bench_case wanted, const int32_t *axes, int32_t count)
{
    memcpy(wanted.axes, axes, (size_t)count * sizeof *axes);
    wanted.axis_count = count;
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
        if (!bench_try(report, &wanted)) return false;
    }
    return true;
}

/* As large as matrices are, and four times that. */
static bool large_sizes(bench_report *report, bench_case wanted)
{
    for (int more = 0; more <= 2; more += 2) {
        wanted.shape[0] = (int64_t)1 << (report->matrix_power + more);
        if (report->matrix_power + more <= report->largest_power && !bench_try(report, &wanted)) return false;
    }
    return true;
}

static bool reduce_type(bench_report *report, tally_type type)
{
    static const tally_op ops[] = {TALLY_SUM,  TALLY_MAX, TALLY_MIN,   TALLY_ARGMAX, TALLY_ANY,
                                   TALLY_MEAN, TALLY_VAR, TALLY_NORM2, TALLY_DOT,    TALLY_LOGSUMEXP};
    const bench_case sum = bench_vector(TALLY_REDUCE, TALLY_SUM, type, 0);
    for (int i = 0; i < LENGTH_OF(ops); i++) {
        const bool all = ops[i] == TALLY_SUM || ops[i] == TALLY_MAX || (ops[i] == TALLY_ARGMAX && type == TALLY_F32);
        const bench_case wanted = bench_vector(TALLY_REDUCE, ops[i], type, 0);
        if (!(all ? all_sizes(report, wanted) : large_sizes(report, wanted))) return false;
        const bench_case most = bench_vector(TALLY_REDUCE, ops[i], type, 32);
        if (all && report->largest_power >= 30 && !report->state.quick && tally_type_size(type) == 1 &&
            !bench_try(report, &most)) {
            return false;
        }
    }
    return !is_float(type) || all_sizes(report, with_flags(sum, TALLY_PLAIN));
}

static bool scan_type(bench_report *report, tally_type type)
{
    const int power = report->matrix_power;
    const bench_case sum = bench_vector(TALLY_SCAN, TALLY_SUM, type, power);
    if (!all_sizes(report, sum) || !all_sizes(report, bench_vector(TALLY_SCAN, TALLY_MAX, type, 0))) return false;
    const uint32_t plain = is_float(type) ? TALLY_PLAIN : 0;
    if (plain && !all_sizes(report, with_flags(sum, plain))) return false;
    const bench_case exclusive = with_flags(sum, TALLY_EXCLUSIVE), reverse = with_flags(sum, TALLY_REVERSE),
                     logsumexp = bench_vector(TALLY_SCAN, TALLY_LOGSUMEXP, type, power);
    bench_case other = sum; /* results that are widened, or are not */
    other.result = is_float(type) ? TALLY_F32 : type;
    if (!bench_try(report, &exclusive) || !bench_try(report, &reverse)) return false;
    if (is_float(type) && tally_type_size(type) == 2 && !bench_try(report, &other)) return false;
    if (!is_float(type) && type != TALLY_I64 && !all_sizes(report, other)) return false;
    return !is_float(type) || bench_try(report, &logsumexp);
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

bool bench_part_reduce(bench_report *report)
{
    return all_types(report, reduce_type);
}

bool bench_part_scan(bench_report *report)
{
    return all_types(report, scan_type);
}

/* Operators that the other parts have only at large sizes. */
bool bench_part_small(bench_report *report)
{
    static const tally_op ops[] = {TALLY_MIN, TALLY_ARGMAX, TALLY_ANY, TALLY_MEAN,
                                   TALLY_VAR, TALLY_NORM2,  TALLY_DOT, TALLY_LOGSUMEXP};
    static const tally_type few[] = {TALLY_I8, TALLY_I32, TALLY_F32, TALLY_F64};
    static const int small[] = {0, 10, 12, 13, 16, 20};
    for (int t = 0; t < LENGTH_OF(few); t++) {
        for (int i = 0; i < LENGTH_OF(ops); i++) {
            for (int p = 0; p < LENGTH_OF(small) && small[p] <= (report->state.quick ? 10 : 20); p++) {
                const bench_case wanted = bench_vector(TALLY_REDUCE, ops[i], few[t], small[p]);
                const bool elsewhere = ops[i] == TALLY_ARGMAX && few[t] == TALLY_F32 && small[p] != 12;
                if (!elsewhere && !bench_try(report, &wanted)) return false;
            }
        }
    }
    return true;
}

bool bench_part_exact(bench_report *report)
{
    for (int t = 0; t < LENGTH_OF(float_types); t++) {
        for (int spread = BENCH_8_BINADES; spread <= BENCH_ALL_EXPONENTS; spread++) {
            for (int v = 0; v < 4; v++) {
                bench_case wanted =
                    bench_vector(v < 2 ? TALLY_REDUCE : TALLY_SCAN, TALLY_SUM, float_types[t], report->matrix_power);
                wanted.flags = v % 2 == 1 ? TALLY_PLAIN : 0;
                wanted.spread = (bench_spread)spread;
                if (!bench_try(report, &wanted)) return false;
            }
        }
    }
    return true;
}

/* The same odd length from an aligned address and from one element behind it; rows with a gap between them. */
bool bench_part_misaligned(bench_report *report)
{
    static const tally_op ops[] = {TALLY_SUM, TALLY_MAX};
    const int64_t elements = (int64_t)1 << report->matrix_power, columns = report->matrix_power > 20 ? 1000 : 24;
    for (int t = 0; t < LENGTH_OF(matrix_types); t++) {
        for (int v = 0; v < 4; v++) {
            bench_case wanted =
                bench_vector(v < 2 ? TALLY_REDUCE : TALLY_SCAN, ops[v % 2], matrix_types[t], report->matrix_power);
            wanted.shape[0] -= 3;
            for (wanted.offset = 0; wanted.offset < 2; wanted.offset++) {
                if (!bench_try(report, &wanted)) return false;
            }
            wanted.offset = 0;
            wanted.rank = 2;
            wanted.shape[0] = elements / columns;
            wanted.shape[1] = columns;
            wanted.axis_count = 1;
            for (int i = 0; i < 4; i++) {
                wanted.axes[0] = i / 2;
                wanted.gap = i % 2 * 8;
                if (!bench_try(report, &wanted)) return false;
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
        const bench_case wanted = bench_matrix(verb, op, type, elements / columns, columns, axis);
        if (!skipped && wanted.shape[0] > 1 && !bench_try(report, &wanted)) return false;
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

bool bench_part_rows(bench_report *report)
{
    return part_matrices(report, 1);
}

bool bench_part_columns(bench_report *report)
{
    return part_matrices(report, 0);
}

/* ---- Arrays of three and four axes ---- */

/* Lengths are 2^these, of 2^28 elements; odd: one less each. */
typedef struct lengths {
    int32_t rank;
    int power[BENCH_RANK - 1]; /* the last axis has the rest */
    bool odd;
} lengths;

static bench_case box(const bench_report *report, tally_verb verb, tally_op op, tally_type type, const lengths *of)
{
    bench_case wanted = {.verb = verb, .op = op, .type = type, .rank = of->rank};
    int left = report->matrix_power;
    for (int32_t d = 0; d < of->rank; d++) {
        const int power = d < of->rank - 1 ? of->power[d] * report->matrix_power / 28 : left;
        left -= power;
        wanted.shape[d] = ((int64_t)1 << power) - (of->odd && power > 1);
    }
    return wanted;
}

/* Sums and maxima of some types; of f32 also what else goes through kernels of its own. */
static bool reduce_axes(bench_report *report, const lengths *of, const int32_t *axes, int32_t count)
{
    static const tally_op ops[] = {TALLY_SUM, TALLY_MAX, TALLY_ARGMAX, TALLY_VAR};
    for (int t = 0; t < LENGTH_OF(matrix_types); t++) {
        for (int i = 0; i < (t == 0 && of->rank == 3 ? LENGTH_OF(ops) : 2); i++) {
            const bench_case wanted = with_axes(box(report, TALLY_REDUCE, ops[i], matrix_types[t], of), axes, count);
            if (!bench_try(report, &wanted)) return false;
        }
    }
    return true;
}

static bool scan_axis(bench_report *report, const lengths *of, int32_t axis, bool all)
{
    for (int t = 0; t < (all ? LENGTH_OF(matrix_types) : 1); t++) {
        const bench_case wanted = with_axes(box(report, TALLY_SCAN, TALLY_SUM, matrix_types[t], of), &axis, 1);
        if (!bench_try(report, &wanted)) return false;
    }
    return true;
}

/* Axes with others on both sides, and two that are no neighbours: what no matrix has. */
bool bench_part_axes(bench_report *report)
{
    static const lengths all[] = {{3, {10, 10}, false}, {3, {6, 16}, false},     {3, {16, 6}, false},
                                  {3, {12, 4}, false},  {3, {2, 24}, false},     {3, {10, 10}, true},
                                  {3, {18, 3}, true},   {3, {20, 1}, true},      {4, {7, 7, 7}, false},
                                  {4, {7, 7, 7}, true}, {4, {11, 3, 11}, false}, {4, {3, 12, 1}, false}};
    static const int32_t pairs[][2] = {{0, 2}, {1, 3}};
    for (int s = 0; s < LENGTH_OF(all); s++) {
        const int32_t rank = all[s].rank;
        const bool first = s == 0 || rank != all[s - 1].rank;
        for (int32_t axis = 1; axis < rank - 1; axis++) {
            if (!reduce_axes(report, &all[s], &axis, 1) || !scan_axis(report, &all[s], axis, first)) return false;
        }
        for (int i = 0; i < rank - 2; i++) {
            if (!reduce_axes(report, &all[s], pairs[i], 2)) return false;
        }
    }
    return true;
}

/* ---- One of each kind ---- */

/* Kernels that differ: folds, exact sums, positions, variances, scans; whole, along rows and down columns. */
bool bench_jit_case(const bench_report *report, int64_t number, bench_case *wanted)
{
    const int power = report->matrix_power < 24 ? report->matrix_power : 24;
    const int64_t length = report->matrix_power < 20 ? 16 : 512, others = ((int64_t)1 << power) / length;
    const bench_case all[] = {bench_vector(TALLY_REDUCE, TALLY_SUM, TALLY_I32, power),
                              bench_vector(TALLY_REDUCE, TALLY_SUM, TALLY_F32, power),
                              bench_vector(TALLY_SCAN, TALLY_SUM, TALLY_F32, power),
                              bench_matrix(TALLY_REDUCE, TALLY_SUM, TALLY_F32, others, length, 1),
                              bench_matrix(TALLY_REDUCE, TALLY_SUM, TALLY_F32, length, others, 0),
                              bench_vector(TALLY_REDUCE, TALLY_ARGMAX, TALLY_F32, power),
                              bench_vector(TALLY_REDUCE, TALLY_VAR, TALLY_F32, power),
                              bench_vector(TALLY_SCAN, TALLY_MAX, TALLY_I32, power)};
    if (number < 1 || number > LENGTH_OF(all)) return false;
    *wanted = all[number - 1];
    return true;
}

bool bench_part_jit(bench_report *report)
{
    bench_case wanted;
    for (report->number = 1; bench_jit_case(report, report->number, &wanted); report->number++) {
        if (!bench_try(report, &wanted)) return false;
    }
    return true;
}

static bool scratch_of_vectors(bench_report *report)
{
    const int power = report->matrix_power;
    const bench_case reduce = bench_vector(TALLY_REDUCE, TALLY_SUM, TALLY_F32, power);
    const bench_case scan = bench_vector(TALLY_SCAN, TALLY_SUM, TALLY_F32, power);
    const bench_case all[] = {bench_vector(TALLY_REDUCE, TALLY_SUM, TALLY_F32, power / 2),
                              reduce,
                              with_flags(reduce, TALLY_PLAIN),
                              with_spread(reduce, BENCH_ALL_EXPONENTS),
                              bench_vector(TALLY_REDUCE, TALLY_SUM, TALLY_F64, power),
                              bench_vector(TALLY_REDUCE, TALLY_ARGMAX, TALLY_I8, power),
                              bench_vector(TALLY_REDUCE, TALLY_LOGSUMEXP, TALLY_F32, power),
                              scan,
                              with_flags(scan, TALLY_PLAIN),
                              with_spread(scan, BENCH_ALL_EXPONENTS),
                              bench_vector(TALLY_SCAN, TALLY_SUM, TALLY_F64, power),
                              bench_vector(TALLY_SCAN, TALLY_MAX, TALLY_I8, power)};
    return try_all(report, all, LENGTH_OF(all));
}

static bool scratch_of_matrices(bench_report *report)
{
    static const int32_t outer[] = {0, 2};
    const lengths cube = {3, {10, 10}, false};
    const int half = report->matrix_power / 2;
    const int64_t side = (int64_t)1 << half, other = (int64_t)1 << (report->matrix_power - half);
    const int64_t many = (int64_t)1 << (report->matrix_power - 3);
    const bench_case all[] = {
        bench_matrix(TALLY_REDUCE, TALLY_SUM, TALLY_F32, other, side, 1),
        bench_matrix(TALLY_REDUCE, TALLY_SUM, TALLY_F32, other, side, 0),
        bench_matrix(TALLY_REDUCE, TALLY_SUM, TALLY_F32, 8, many, 0),
        bench_matrix(TALLY_REDUCE, TALLY_VAR, TALLY_F32, many, 8, 0),
        with_axes(box(report, TALLY_REDUCE, TALLY_SUM, TALLY_F32, &cube), outer, LENGTH_OF(outer)),
        bench_matrix(TALLY_SCAN, TALLY_SUM, TALLY_F32, other, side, 1),
        bench_matrix(TALLY_SCAN, TALLY_SUM, TALLY_F32, other, side, 0),
        bench_matrix(TALLY_SCAN, TALLY_SUM, TALLY_F32, many, 8, 0)};
    return try_all(report, all, LENGTH_OF(all));
}

/* What keeps much beside its arrays: the states of many splits, of many cells, of sums over all exponents. */
bool bench_part_scratch(bench_report *report)
{
    return scratch_of_vectors(report) && scratch_of_matrices(report);
}
