/* SPDX-License-Identifier: MIT
 *
 * op.h - every operator, one row each, composed of three steps: lift (element to state), combine (two states to one)
 * and finish (state to result). Read by the C compiler and by NVRTC. fold.h and exact.h hold the steps themselves. */
#ifndef TALLY_OP_H
#define TALLY_OP_H

#include "dtype.h"

/* Lifts: what an element contributes. */
enum lift {
    LIFT_VALUE,     /* x */
    LIFT_MAGNITUDE, /* |x| */
    LIFT_SQUARE,    /* |x|^2 */
    LIFT_PRODUCT,   /* x * y */
    LIFT_NONZERO,   /* 1 when x is not zero (NaN is not), else 0 */
    LIFT_MOMENTS,   /* x and |x|^2 */
    LIFT_COUNT
};

/* Combines: how two contributions become one. */
enum combine {
    COMBINE_ADD,
    COMBINE_MULTIPLY,
    COMBINE_MINIMUM,
    COMBINE_MAXIMUM,
    COMBINE_AND,
    COMBINE_OR,
    COMBINE_XOR,
    COMBINE_ADD_POWERS,    /* sums of e^x */
    COMBINE_MULTIPLY_REAL, /* multiplied as f64: chosen for prod of integers with a float result, of floats with an f64
                              result */
    COMBINE_MULTIPLY_CHECKED, /* integers multiplied with an overflow flag: chosen by TALLY_CHECK_OVERFLOW */
    COMBINE_ADD_WIDE,         /* integers added in words enough for any sum: chosen by options.modulus, as are */
    COMBINE_ADD_MODULO,       /* running sums of residues, and */
    COMBINE_MULTIPLY_MODULO,  /* products of them */
    COMBINE_FOLD_COUNT,
    COMBINE_ARGMIN = COMBINE_FOLD_COUNT, /* the smaller value, with its index */
    COMBINE_ARGMAX,
    COMBINE_MINMAX, /* minimum and maximum side by side */
    COMBINE_FIRST,
    COMBINE_LAST,
    COMBINE_USER /* a user's operator: user/operator.h */
};

/* Finishes: from the last state to the result. */
enum finish {
    FINISH_TOTAL,
    FINISH_MEAN,      /* total / n */
    FINISH_ROOT,      /* square root of the total */
    FINISH_VARIANCE,  /* from the moments */
    FINISH_DEVIATION, /* square root of the variance */
    FINISH_INDEX
};

/* Result types. */
enum result {
    RESULT_TOTAL, /* the type's total: i64 for signed and bool, u64 for unsigned, itself for floats */
    RESULT_SAME,  /* the input's type */
    RESULT_MEAN,  /* f64 for integers and bool, itself for floats */
    RESULT_REAL,  /* f64 for integers and bool, the real part's type for floats */
    RESULT_BOOL,
    RESULT_INDEX /* i64 */
};

/* Cells without an element. */
enum empty {
    EMPTY_IDENTITY,
    EMPTY_NAN,
    EMPTY_ERROR /* unless an initial value is given */
};

#define OP_SCAN 1     /* has a running form */
#define OP_INITIAL 2  /* takes options.initial */
#define OP_SECOND 4   /* takes options.second */
#define OP_FALLBACK 8 /* options.initial is the result of a cell without elements, not an operand */
#define OP_THIRD 16   /* takes options.third */

/* X(name, NAME, kinds, lift, combine, finish, result, empty, flags). A new operator made of these steps is one row. */
#define FOR_EACH_OP(X)                                                                                        \
    X(sum, SUM, KIND_ANY, VALUE, ADD, TOTAL, TOTAL, IDENTITY, OP_SCAN | OP_INITIAL)                           \
    X(prod, PROD, KIND_ANY, VALUE, MULTIPLY, TOTAL, TOTAL, IDENTITY, OP_SCAN | OP_INITIAL)                    \
    X(min, MIN, KIND_ORDERED, VALUE, MINIMUM, TOTAL, SAME, ERROR, OP_SCAN | OP_INITIAL)                       \
    X(max, MAX, KIND_ORDERED, VALUE, MAXIMUM, TOTAL, SAME, ERROR, OP_SCAN | OP_INITIAL)                       \
    X(argmin, ARGMIN, KIND_ORDERED, VALUE, ARGMIN, INDEX, INDEX, ERROR, OP_INITIAL | OP_FALLBACK)             \
    X(argmax, ARGMAX, KIND_ORDERED, VALUE, ARGMAX, INDEX, INDEX, ERROR, OP_INITIAL | OP_FALLBACK)             \
    X(minmax, MINMAX, KIND_ORDERED, VALUE, MINMAX, TOTAL, SAME, ERROR, OP_INITIAL | OP_FALLBACK)              \
    X(any, ANY, KIND_ANY, NONZERO, OR, TOTAL, BOOL, IDENTITY, OP_SCAN | OP_INITIAL)                           \
    X(all, ALL, KIND_ANY, NONZERO, AND, TOTAL, BOOL, IDENTITY, OP_SCAN | OP_INITIAL)                          \
    X(count_nonzero, COUNT_NONZERO, KIND_ANY, NONZERO, ADD, TOTAL, INDEX, IDENTITY, OP_INITIAL)               \
    X(bit_and, BIT_AND, KIND_INTEGER | KIND_BOOLEAN, VALUE, AND, TOTAL, SAME, IDENTITY, OP_SCAN | OP_INITIAL) \
    X(bit_or, BIT_OR, KIND_INTEGER | KIND_BOOLEAN, VALUE, OR, TOTAL, SAME, IDENTITY, OP_SCAN | OP_INITIAL)    \
    X(bit_xor, BIT_XOR, KIND_INTEGER | KIND_BOOLEAN, VALUE, XOR, TOTAL, SAME, IDENTITY, OP_SCAN | OP_INITIAL) \
    X(mean, MEAN, KIND_ANY, VALUE, ADD, MEAN, MEAN, NAN, 0)                                                   \
    X(var, VAR, KIND_ANY, MOMENTS, ADD, VARIANCE, REAL, NAN, 0)                                               \
    X(std, STD, KIND_ANY, MOMENTS, ADD, DEVIATION, REAL, NAN, 0)                                              \
    X(norm1, NORM1, KIND_ANY, MAGNITUDE, ADD, TOTAL, REAL, IDENTITY, 0)                                       \
    X(norm2, NORM2, KIND_ANY, SQUARE, ADD, ROOT, REAL, IDENTITY, 0)                                           \
    X(norminf, NORMINF, KIND_ANY, MAGNITUDE, MAXIMUM, TOTAL, REAL, IDENTITY, 0)                               \
    X(dot, DOT, KIND_ANY, PRODUCT, ADD, TOTAL, TOTAL, IDENTITY, OP_INITIAL | OP_SECOND)                       \
    X(logsumexp, LOGSUMEXP, KIND_ORDERED, VALUE, ADD_POWERS, TOTAL, REAL, IDENTITY, OP_SCAN | OP_INITIAL)     \
    X(first, FIRST, KIND_ANY, VALUE, FIRST, TOTAL, SAME, ERROR, OP_INITIAL | OP_FALLBACK)                     \
    X(last, LAST, KIND_ANY, VALUE, LAST, TOTAL, SAME, ERROR, OP_INITIAL | OP_FALLBACK)

/* The fixed-shape tree of operators that are not associative in floating point (docs/semantics.md): element i of a
 * reduction goes to lane i % TREE_LANES of leaf i / TREE_LEAF. */
#define TREE_LANES 128
#define TREE_LEAF 4096

#endif
