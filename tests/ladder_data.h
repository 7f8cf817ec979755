/* SPDX-License-Identifier: MIT
 *
 * ladder_data.h - inputs for the ladders' tests whose results are exact in any order, and in which each element counts:
 * sums of small integers of both signs and one large one, products of powers of two and of odd integers, one smallest
 * or largest element somewhere. Behind the input lie elements that would spoil any result. */
#ifndef TALLY_TEST_LADDER_DATA_H
#define TALLY_TEST_LADDER_DATA_H

#include "ladder.h"
#include "test.h"

#define FIELD_PRIME 0x7f000001u

/* An element of any type but LADDER_TRACE: a real number, or an integer. */
struct ladder_value {
    double real;
    uint64_t whole;
};

static inline bool ladder_is_real(enum ladder_type type)
{
    return type == LADDER_F32 || type == LADDER_F64;
}

static inline void ladder_store(enum ladder_type type, struct ladder_value value, void *memory, int64_t at)
{
    switch ((int)type) {
    case LADDER_F32: ((float *)memory)[at] = (float)value.real; break;
    case LADDER_F64: ((double *)memory)[at] = value.real; break;
    case LADDER_I64: ((uint64_t *)memory)[at] = value.whole; break;
    default: ((uint32_t *)memory)[at] = (uint32_t)value.whole;
    }
}

static inline uint64_t ladder_combine_whole(enum ladder_type type, enum ladder_op op, uint64_t a, uint64_t b)
{
    uint64_t c = 0;
    switch ((int)op) {
    case LADDER_MIN: return (int64_t)b < (int64_t)a ? b : a;
    case LADDER_MAX: return (int64_t)b > (int64_t)a ? b : a;
    case LADDER_SUM: c = a + b; break;
    default: c = a * b;
    }
    if (type == LADDER_FIELD) return c % FIELD_PRIME;
    return type == LADDER_I32 ? (uint64_t)(int32_t)(uint32_t)c : c;
}

static inline double ladder_combine_real(enum ladder_op op, double a, double b)
{
    switch ((int)op) {
    case LADDER_MIN: return b < a ? b : a;
    case LADDER_MAX: return b > a ? b : a;
    case LADDER_SUM: return a + b;
    default: return a * b;
    }
}

static inline struct ladder_value ladder_combine(const struct ladder_problem *problem, struct ladder_value a,
                                                 struct ladder_value b)
{
    return (struct ladder_value){ladder_combine_real(problem->op, a.real, b.real),
                                 ladder_combine_whole(problem->type, problem->op, a.whole, b.whole)};
}

/* Element number `at` of n. At most 32 elements of a product are 2, and as many 0.5. */
static inline struct ladder_value ladder_element(const struct ladder_problem *problem, int64_t at, int64_t n)
{
    const int64_t sign = at % 2 ? -1 : 1, size = 1 + (int64_t)test_random_below(9);
    struct ladder_value value = {(double)(sign * size), test_random()};
    if (problem->type == LADDER_I32) value.whole = (uint64_t)(int32_t)(uint32_t)value.whole;
    if (problem->type == LADDER_FIELD) value.whole = 1 + value.whole % (FIELD_PRIME - 1);
    if (problem->op == LADDER_SUM && at == n / 2) value.real = 1 << 20;
    if (problem->op == LADDER_PRODUCT) {
        static const double factors[] = {2, -2, 0.5, -0.5};
        value.real = at % (1 + n / 32) ? (double)sign : factors[test_random_below(4)];
        if (problem->type != LADDER_FIELD) value.whole |= 1;
    }
    return value;
}

/* For min and max: beyond all others. */
static inline struct ladder_value ladder_extreme(const struct ladder_problem *problem)
{
    const bool least = problem->op == LADDER_MIN, wide = problem->type == LADDER_I64;
    const int64_t highest = wide ? INT64_MAX : INT32_MAX, lowest = wide ? INT64_MIN : INT32_MIN;
    return (struct ladder_value){least ? -100 : 100, (uint64_t)(least ? lowest + 1 : highest - 1)};
}

/* What lies behind the input: more extreme than that, and otherwise no power of two and no small number. */
static inline struct ladder_value ladder_poison(const struct ladder_problem *problem)
{
    struct ladder_value value = {77777, 77777};
    if (problem->op == LADDER_MIN || problem->op == LADDER_MAX) {
        value = ladder_extreme(problem);
        value.real *= 2;
        value.whole = problem->op == LADDER_MIN ? value.whole - 1 : value.whole + 1;
    }
    return value;
}

/* Fills n elements and, behind them, poison up to `room`; returns the result of all n. */
static inline struct ladder_value ladder_fill(const struct ladder_problem *problem, int64_t n, int64_t room,
                                              void *memory)
{
    struct ladder_value total = {0, 0};
    const int64_t extreme = test_random_below(2) ? n - 1 : (int64_t)test_random_below((uint64_t)n);
    for (int64_t i = 0; i < n; i++) {
        struct ladder_value value = ladder_element(problem, i, n);
        if (i == extreme && (problem->op == LADDER_MIN || problem->op == LADDER_MAX)) value = ladder_extreme(problem);
        ladder_store(problem->type, value, memory, i);
        total = i == 0 ? value : ladder_combine(problem, total, value);
    }
    for (int64_t i = n; i < room; i++) ladder_store(problem->type, ladder_poison(problem), memory, i);
    return total;
}

#endif
