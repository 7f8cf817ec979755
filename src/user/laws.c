/* SPDX-License-Identifier: MIT
 *
 * laws.c - TALLY_OP_CHECK: tries on random elements what an operator promises. Floats that come out up to a few
 * rounding errors apart count as equal: combine need only be associative up to rounding. */
#include "operator.h"

#include "../convert.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRIALS 200
#define ELEMENTS 3

struct trial {
    const struct user_op *op;
    const struct user_kernels *kernels;
    uint64_t seed;
    double element[ELEMENTS][USER_INPUTS_MOST][2]; /* real and imaginary parts, for the message */
    _Alignas(64) unsigned char state[ELEMENTS][TALLY_OP_MOST_STATE];
};

/* Marsaglia's xorshift (2003): the same elements in every process. */
static uint64_t random_bits(struct trial *trial)
{
    trial->seed ^= trial->seed << 13;
    trial->seed ^= trial->seed >> 7;
    trial->seed ^= trial->seed << 17;
    return trial->seed;
}

/* Small whole numbers, or halves, which most operators combine without rounding. */
static double random_number(struct trial *trial, int kind)
{
    double value = (double)(int64_t)(random_bits(trial) % 41) - 20;
    return kind & KIND_FLOAT ? value / 2 : kind == KIND_SIGNED ? value : fabs(value);
}

static void fill_element(struct trial *trial, int e, const void *inputs[USER_INPUTS_MOST],
                         unsigned char room[USER_INPUTS_MOST][16])
{
    for (int32_t c = 0; c < trial->op->input_count; c++) {
        tally_type type = trial->op->inputs[c];
        int kind = type_row(type)->kind;
        double *part = trial->element[e][c];
        part[0] = random_number(trial, kind);
        part[1] = kind == KIND_COMPLEX ? random_number(trial, kind) : 0;
        memset(room[c], 0, 16);
        if (kind & KIND_FLOAT) convert_real(part[0], type, 0, room[c]);
        else convert_integer((uint64_t)(int64_t)part[0], 1, type, room[c]);
        if (kind == KIND_COMPLEX) convert_real(part[1], type, 1, room[c]);
        inputs[c] = room[c];
    }
}

static void lift_elements(struct trial *trial)
{
    for (int e = 0; e < ELEMENTS; e++) {
        const void *inputs[USER_INPUTS_MOST] = {NULL};
        _Alignas(16) unsigned char room[USER_INPUTS_MOST][16];
        fill_element(trial, e, inputs, room);
        trial->kernels->lift(trial->op, trial->state[e], inputs, e);
    }
}

static int close_to(double a, double b)
{
    /* Elements are up to 20, so what cancels leaves rounding errors of f32 below 1e-5. */
    return a == b || (a != a && b != b) || fabs(a - b) <= fmax(1e-3 * fmax(fabs(a), fabs(b)), 1e-5);
}

/* Whether the results of two states are the same, as far as rounding allows. */
static int same_result(const struct trial *trial, const void *a, const void *b, long long n)
{
    static const size_t most = (size_t)TALLY_OP_MOST_RESULTS * 16;
    const struct user_op *op = trial->op;
    int size = type_row(op->result)->size, same = 1;
    unsigned char *results = calloc(2, most);
    if (!results) return 1;
    trial->kernels->finish(op, a, n, results);
    trial->kernels->finish(op, b, n, results + most);
    for (int32_t v = 0; v < op->values && same; v++) {
        const void *x = results + v * size, *y = results + most + v * size;
        if (type_row(op->result)->kind & KIND_FLOAT)
            same = close_to(convert_to_real(op->result, x, 0), convert_to_real(op->result, y, 0)) &&
                   close_to(convert_to_real(op->result, x, 1), convert_to_real(op->result, y, 1));
        else same = memcmp(x, y, (size_t)size) == 0;
    }
    free(results);
    return same;
}

static tally_status broken(const struct trial *trial, const char *law, int elements)
{
    char text[256] = "";
    for (int e = 0; e < elements; e++) {
        size_t used = strlen(text);
        for (int32_t c = 0; c < trial->op->input_count; c++) {
            const double *part = trial->element[e][c];
            int is_complex = type_row(trial->op->inputs[c])->kind == KIND_COMPLEX;
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%g", c ? ", " : e ? ", (" : "(", part[0]);
            if (is_complex) used += (size_t)snprintf(text + used, sizeof text - used, "%+gi", part[1]);
        }
        snprintf(text + used, sizeof text - used, ")");
    }
    FAIL(TALLY_INVALID_ARGUMENT, "operator %s: %s does not hold for the elements %s", trial->op->name, law, text);
}

/* to = a . b */
static void combined(const struct trial *trial, unsigned char to[TALLY_OP_MOST_STATE], const void *a, const void *b)
{
    memcpy(to, a, trial->kernels->state_bytes);
    trial->kernels->combine(trial->op, to, b);
}

static tally_status try_laws(struct trial *trial)
{
    _Alignas(64) unsigned char left[TALLY_OP_MOST_STATE], right[TALLY_OP_MOST_STATE], pair[TALLY_OP_MOST_STATE];
    const unsigned char *a = trial->state[0], *b = trial->state[1], *c = trial->state[2];
    combined(trial, pair, a, b);
    combined(trial, left, pair, c);
    combined(trial, pair, b, c);
    combined(trial, right, a, pair);
    if (!same_result(trial, left, right, 3))
        return broken(trial, "combine(combine(a, b), c) == combine(a, combine(b, c))", 3);
    combined(trial, left, a, b);
    combined(trial, right, b, a);
    if (trial->op->flags & TALLY_OP_COMMUTATIVE && !same_result(trial, left, right, 2))
        return broken(trial, "TALLY_OP_COMMUTATIVE", 2);
    combined(trial, left, a, a);
    if (trial->op->flags & TALLY_OP_IDEMPOTENT && !same_result(trial, left, a, 1))
        return broken(trial, "TALLY_OP_IDEMPOTENT", 1);
    if (!trial->kernels->identity) return TALLY_OK;
    trial->kernels->identity(trial->op, pair);
    combined(trial, left, pair, a);
    combined(trial, right, a, pair);
    if (!same_result(trial, left, a, 1) || !same_result(trial, right, a, 1))
        return broken(trial, "combine(identity, a) == a == combine(a, identity)", 1);
    return TALLY_OK;
}

tally_status user_op_check_laws(const struct user_op *op)
{
    struct trial *trial = aligned_alloc(64, (sizeof *trial + 63) / 64 * 64);
    tally_status status = TALLY_OK;
    if (!trial) FAIL(TALLY_OUT_OF_MEMORY, "no memory left to check operator %s", op->name);
    memset(trial, 0, sizeof *trial);
    trial->op = op;
    trial->kernels = user_kernels(op);
    trial->seed = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < TRIALS && status == TALLY_OK; i++) {
        lift_elements(trial);
        status = try_laws(trial);
    }
    free(trial);
    return status;
}
