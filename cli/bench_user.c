/* SPDX-License-Identifier: MIT
 *
 * bench_user.c - cases of the grid of tally bench that no operator of tally's own stands for: operators from text, and
 * sums and products modulo a prime. */
#include "bench.h"
#include "user_op.h"

#include <string.h>

#define LENGTH_OF(list) ((int)(sizeof(list) / sizeof(list)[0]))

enum { USER_SUM, USER_MAX, USER_ARGMAX, USERS };

/* What sum, max and argmax move, written by a user. */
static tally_op_source source_of(int user)
{
    tally_op_source source = TALLY_OP_SOURCE_INIT;
    source.flags = TALLY_OP_COMMUTATIVE;
    source.inputs[0] = user == USER_ARGMAX ? TALLY_F64 : TALLY_F32;
    source.state = user == USER_ARGMAX ? "f64 value; i64 index;" : "f32";
    switch (user) {
    case USER_SUM:
        source.name = "user_sum";
        source.combine = "a + b";
        break;
    case USER_MAX:
        source.name = "user_max";
        source.combine = "a > b ? a : b";
        break;
    default:
        source.name = "user_argmax";
        source.flags = 0;
        source.result = TALLY_I64;
        source.lift = "STATE(x, i)";
        source.combine = "b.value > a.value ? b : a";
        source.finish = "s.index";
        break;
    }
    return source;
}

static bench_case matrix(bench_case wanted, int rows_power, int columns_power, int32_t axis)
{
    bench_case made =
        bench_matrix(wanted.verb, wanted.op, wanted.type, (int64_t)1 << rows_power, (int64_t)1 << columns_power, axis);
    made.name = wanted.name;
    return made;
}

static bool user_cases(bench_report *report, const tally_op_source *source, tally_op op)
{
    const int power = report->matrix_power, small = power > 20 ? 20 : power / 2;
    bench_case list[6];
    for (int i = 0; i < LENGTH_OF(list); i++) {
        list[i] =
            bench_vector(i < 4 ? TALLY_REDUCE : TALLY_SCAN, op, source->inputs[0], i == 0 || i == 4 ? small : power);
        list[i].name = source->name;
    }
    list[2] = matrix(list[2], power / 2, power - power / 2, 1);
    list[3] = matrix(list[3], power / 2, power - power / 2, 0);
    for (int i = 0; i < LENGTH_OF(list); i++) {
        if (!bench_try(report, &list[i])) return false;
    }
    return true;
}

bool bench_part_user(bench_report *report)
{
    if (report->only != 0) return true; /* an operator of tally's own was asked for */
    for (int user = 0; user < USERS; user++) {
        const tally_op_source source = source_of(user);
        tally_op op = 0;
        if (tally_op_compile(report->state.device, &source, &op) != TALLY_OK) return cli_fail_compile("bench");
        const bool more = user_cases(report, &source, op);
        tally_op_free(op);
        if (!more) return false;
    }
    return true;
}

/* KoalaBear and Goldilocks; the columns are those of examples/field_columns.c. */
bool bench_part_field(bench_report *report)
{
    static const struct {
        tally_type type;
        uint64_t modulus;
    } fields[] = {{TALLY_U32, TALLY_KOALABEAR}, {TALLY_U64, TALLY_GOLDILOCKS}};
    const int power = report->matrix_power;
    for (int f = 0; f < LENGTH_OF(fields); f++) {
        const tally_type type = fields[f].type;
        bench_case list[] = {
            bench_vector(TALLY_REDUCE, TALLY_SUM, type, power),
            bench_vector(TALLY_REDUCE, TALLY_PROD, type, power),
            bench_vector(TALLY_REDUCE, TALLY_DOT, type, power),
            matrix(bench_vector(TALLY_REDUCE, TALLY_SUM, type, 0), power - 8, 8, 0),
            matrix(bench_vector(TALLY_REDUCE, TALLY_SUM, type, 0), power - 8, 8, 1),
            bench_vector(TALLY_SCAN, TALLY_SUM, type, power),
            bench_vector(TALLY_SCAN, TALLY_PROD, type, power),
        };
        for (int i = 0; i < LENGTH_OF(list); i++) {
            list[i].modulus = fields[f].modulus;
            if (!bench_try(report, &list[i])) return false;
        }
    }
    return true;
}
