/* SPDX-License-Identifier: MIT
 *
 * data.c - see data.h. */
#include "data.h"

#include <math.h>

#define PRIME 0x7f000001u

/* An element: of floats the real number, else the integer. */
struct value {
    double real;
    uint64_t whole;
};

static bool is_real(enum ladder_type type)
{
    return type == LADDER_F32 || type == LADDER_F64;
}

/* splitmix64 (Steele, Lea, Flood 2014): element i of a sequence without the ones before. */
static uint64_t random_at(uint64_t seed, uint64_t i)
{
    uint64_t z = (seed + 1) * 0xd1342543de82ef95u + (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void store(enum ladder_type type, struct value value, void *memory, int64_t at)
{
    switch ((int)type) {
    case LADDER_F32: ((float *)memory)[at] = (float)value.real; break;
    case LADDER_F64: ((double *)memory)[at] = value.real; break;
    case LADDER_I64: ((uint64_t *)memory)[at] = value.whole; break;
    default: ((uint32_t *)memory)[at] = (uint32_t)value.whole;
    }
}

static struct value load(enum ladder_type type, const void *memory, int64_t at)
{
    switch ((int)type) {
    case LADDER_F32: return (struct value){(double)((const float *)memory)[at], 0};
    case LADDER_F64: return (struct value){((const double *)memory)[at], 0};
    case LADDER_I64: return (struct value){0, ((const uint64_t *)memory)[at]};
    case LADDER_I32: return (struct value){0, (uint64_t)((const int32_t *)memory)[at]};
    default: return (struct value){0, ((const uint32_t *)memory)[at]};
    }
}

static uint64_t combine_whole(enum ladder_type type, enum ladder_op op, uint64_t a, uint64_t b)
{
    uint64_t c = 0;
    switch ((int)op) {
    case LADDER_MIN: return (int64_t)b < (int64_t)a ? b : a;
    case LADDER_MAX: return (int64_t)b > (int64_t)a ? b : a;
    case LADDER_SUM: c = a + b; break;
    default: c = a * b;
    }
    if (type == LADDER_FIELD) return c % PRIME;
    return type == LADDER_I32 ? (uint64_t)(int32_t)(uint32_t)c : c;
}

static double combine_real(enum ladder_op op, double a, double b)
{
    switch ((int)op) {
    case LADDER_MIN: return b < a ? b : a;
    case LADDER_MAX: return b > a ? b : a;
    case LADDER_SUM: return a + b;
    default: return a * b;
    }
}

static struct value combine(const struct ladder_problem *problem, struct value a, struct value b)
{
    if (is_real(problem->type)) a.real = combine_real(problem->op, a.real, b.real);
    else a.whole = combine_whole(problem->type, problem->op, a.whole, b.whole);
    return a;
}

static struct value identity(const struct ladder_problem *problem)
{
    const bool least = problem->op == LADDER_MIN, wide = problem->type == LADDER_I64;
    switch ((int)problem->op) {
    case LADDER_SUM: return (struct value){0, 0};
    case LADDER_PRODUCT: return (struct value){1, 1};
    default: break;
    }
    const int64_t end = least ? (wide ? INT64_MAX : INT32_MAX) : (wide ? INT64_MIN : INT32_MIN);
    return (struct value){least ? HUGE_VAL : -HUGE_VAL, (uint64_t)end};
}

/* ---- filling ---- */

/* Beyond all others. */
static struct value extreme(const struct ladder_problem *problem)
{
    const bool least = problem->op == LADDER_MIN, wide = problem->type == LADDER_I64;
    const int64_t highest = wide ? INT64_MAX : INT32_MAX, lowest = wide ? INT64_MIN : INT32_MIN;
    return (struct value){least ? -100 : 100, (uint64_t)(least ? lowest + 1 : highest - 1)};
}

/* More extreme than that, and otherwise no power of two and no small number. */
static struct value poison(const struct ladder_problem *problem)
{
    struct value value = {77777, 77777};
    if (problem->op != LADDER_MIN && problem->op != LADDER_MAX) return value;
    value = extreme(problem);
    value.real *= 2;
    value.whole = problem->op == LADDER_MIN ? value.whole - 1 : value.whole + 1;
    return value;
}

/* At most 32 elements of a product are no signs: it stays within a float's range. */
static struct value element(const struct ladder_problem *problem, uint64_t seed, int64_t at, int64_t n)
{
    static const double factors[] = {2, -2, 0.5, -0.5};
    const uint64_t random = random_at(seed, (uint64_t)at);
    const double sign = random >> 63 ? -1 : 1; /* by chance, so that no part of the input has a large sum */
    struct value value = {sign * (double)(1 + random % 9), random};
    if (problem->type == LADDER_I32) value.whole = (uint64_t)(int32_t)(uint32_t)value.whole;
    if (problem->type == LADDER_FIELD) value.whole = 1 + value.whole % (PRIME - 1);
    if (problem->op == LADDER_SUM && at == n / 2) value.real = 1 << 20;
    if (problem->op == LADDER_PRODUCT) {
        value.real = at % (1 + n / 32) ? sign : factors[random >> 8 & 3];
        if (problem->type != LADDER_FIELD) value.whole |= 1;
    }
    return value;
}

void ladder_fill(const struct ladder_problem *problem, uint64_t seed, void *input)
{
    const int64_t n = problem->rows * problem->columns;
    const int64_t special = seed % 2 ? n - 1 : (int64_t)(random_at(seed, ~0ull) % (uint64_t)(n > 0 ? n : 1));
    const bool has_special = problem->op == LADDER_MIN || problem->op == LADDER_MAX;
    for (int64_t i = 0; i < n; i++) {
        const struct value value = has_special && i == special ? extreme(problem) : element(problem, seed, i, n);
        store(problem->type, value, input, i);
    }
    for (int64_t i = n; i < n + LADDER_POISON; i++) store(problem->type, poison(problem), input, i);
}

/* ---- answers ---- */

int64_t ladder_result_count(const struct ladder_problem *problem, enum ladder_shape shape)
{
    switch ((int)shape) {
    case LADDER_ONE: return 1;
    case LADDER_PER_ROW: return problem->rows;
    case LADDER_PER_COLUMN: return problem->columns;
    default: return problem->rows * problem->columns;
    }
}

static void answer_scan(const struct ladder_problem *problem, const void *input, void *output)
{
    struct value total = identity(problem);
    for (int64_t i = 0; i < problem->rows * problem->columns; i++) {
        const struct value next = combine(problem, total, load(problem->type, input, i));
        store(problem->type, problem->exclusive ? total : next, output, i);
        total = next;
    }
}

void ladder_answer(const struct ladder_problem *problem, enum ladder_shape shape, const void *input, void *output)
{
    if (shape == LADDER_ALL) {
        answer_scan(problem, input, output);
        return;
    }
    for (int64_t i = 0; i < ladder_result_count(problem, shape); i++)
        store(problem->type, identity(problem), output, i);
    for (int64_t row = 0; row < problem->rows; row++) {
        for (int64_t column = 0; column < problem->columns; column++) {
            const int64_t to = shape == LADDER_PER_ROW ? row : shape == LADDER_PER_COLUMN ? column : 0;
            const struct value x = load(problem->type, input, row * problem->columns + column);
            store(problem->type, combine(problem, load(problem->type, output, to), x), output, to);
        }
    }
}
