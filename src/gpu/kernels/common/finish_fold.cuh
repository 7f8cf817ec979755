/* SPDX-License-Identifier: MIT
 *
 * finish_fold.cuh - from a fold's total to the result. FOLD(name) is a step of the program at hand. */
#ifndef TALLY_FINISH_FOLD_CUH
#define TALLY_FINISH_FOLD_CUH

#include "finish.cuh"

#define FOLD(name) STEP(name, OP_LIFT, OP_COMBINE)
#define IS_EXTREME (COMBINE_NUMBER == COMBINE_MINIMUM || COMBINE_NUMBER == COMBINE_MAXIMUM)

/* Sums that are to be reduced modulo a number, as in state_finish.c. */
#define IS_LAZY_SUM (COMBINE_NUMBER == COMBINE_ADD || COMBINE_NUMBER == COMBINE_ADD_WIDE)

#if defined(PICK_VALUE_ADD_POWERS)
#if defined(ONLY_TYPE_f16) || defined(ONLY_TYPE_bf16) || defined(ONLY_TYPE_f32)
#define POWERS_ARE_FLOATS 1
#define POWERS_OF_INTEGERS 0
#define OF_POWERS(name) name##_float
typedef float power_real;
#define POWER_INTEGER POWER_INTEGER_FLOAT
#define POWER_PER_UNIT POWER_PER_UNIT_FLOAT
#define FUSED FUSED_FLOAT
#define POWERS_APART 40        /* beside the larger one, the other sum of a leaf changes nothing, */
#define POWERS_OFF 9.53674e-7f /* where exponents are off by less than this part of numbers, */
#define POWERS_MOST 2e38f      /* and not at their bounds */
#else
#define POWERS_ARE_FLOATS 0
#if defined(ONLY_TYPE_f64)
#define POWERS_OF_INTEGERS 0
#else
#define POWERS_OF_INTEGERS 1
#endif
#define OF_POWERS(name) name##_double
typedef double power_real;
#define POWER_INTEGER POWER_INTEGER_DOUBLE
#define POWER_PER_UNIT POWER_PER_UNIT_DOUBLE
#define FUSED FUSED_DOUBLE
#define POWERS_APART 64
#define POWERS_OFF 3.6e-15
#define POWERS_MOST 6e307
#endif
#define scaled OF_POWERS(power_scaled)

#if defined(ONLY_TYPE_f16)
#define LARGER_PAIR max_f16x2
#define SMALLER_PAIR min_f16x2
#elif defined(ONLY_TYPE_bf16)
#define LARGER_PAIR max_bf16x2
#define SMALLER_PAIR min_bf16x2
#endif

#include "finish_powers.cuh"
#endif

#if defined(PICK_VALUE_MULTIPLY_CHECKED)
DEVICE uint32_t finish_checked_product(struct FOLD(wide) total, char *out)
{
    uint64_t magnitude = (uint64_t)total.part[0];
    int negative = total.part[1] != 0;
    if (total.part[3]) {
        if (out) finish_integer(0, 0, out);
        return 0;
    }
    uint64_t bits = negative ? 0 - magnitude : magnitude;
    int fits = !total.part[2] && (!negative || magnitude <= 1ull << 63) && finish_fits(bits, negative);
    if (!fits) return FAILED_OVERFLOW;
    if (out) finish_integer(bits, negative, out);
    return 0;
}
#endif

/* Parts of a real fold, or moments, over n elements. */
DEVICE void finish_real_fold(const struct reduce_parameters *p, struct FOLD(wide) total, int64_t n, int extreme,
                             char *out)
{
#if defined(PICK_MOMENTS_ADD)
    double rest = (double)n - p->correction;
    double variance = rest > 0 ? (double)total.part[2] / rest : (double)NAN;
    finish_real(FINISH_NUMBER == FINISH_DEVIATION ? sqrt(variance) : variance, 0, out);
#elif defined(PICK_VALUE_ADD_POWERS)
    finish_powers(total, out);
#else
    int parts = RESULT_KIND == KIND_COMPLEX ? 2 : 1;
    for (int i = 0; i < parts; i++) {
        if (extreme && ELEMENT_BYTES <= 4 && RESULT_KIND == KIND_REAL && ELEMENT_KIND == KIND_REAL) {
            finish_float((float)total.part[0] + 0.0f, 0, out);
            return;
        }
        double v = (double)total.part[i < FOLD(parts) ? i : 0];
        if (FINISH_NUMBER == FINISH_MEAN) v = n > 0 ? v / (double)n : (double)NAN;
        if (FINISH_NUMBER == FINISH_ROOT) v = sqrt(v);
        if (extreme) v += 0.0;
        if (FINISH_NUMBER == FINISH_TOTAL && sizeof total.part[0] == sizeof(float)) finish_float((float)v, i, out);
        else finish_real(v, i, out);
    }
#endif
}

/* An extreme beside an initial value: compared as results. */
DEVICE void finish_extreme(const struct reduce_parameters *p, struct FOLD(wide) total, char *out)
{
    int smallest = COMBINE_NUMBER == COMBINE_MINIMUM;
    if (RESULT_KIND & KIND_FLOAT) {
        double a = initial_real(p, 0), b = (double)total.part[0];
        int take = (smallest ? b < a : b > a) || b != b;
        finish_real((take ? b : a) + 0.0, 0, out);
        return;
    }
    uint64_t a = initial_integer(p), b = (uint64_t)(int64_t)total.part[0];
    int below = RESULT_KIND == KIND_SIGNED ? (int64_t)b < (int64_t)a : b < a;
    int above = RESULT_KIND == KIND_SIGNED ? (int64_t)b > (int64_t)a : b > a;
    finish_integer((smallest ? below : above) ? b : a, RESULT_KIND == KIND_SIGNED, out);
}

/* The initial value as an operand. */
DEVICE struct FOLD(wide) fold_of_initial(const struct reduce_parameters *p)
{
    struct FOLD(wide) value = FOLD(wide_identity)();
#if defined(PICK_VALUE_MULTIPLY_CHECKED)
    uint64_t bits = initial_integer(p);
    int negative = RESULT_KIND == KIND_SIGNED && (int64_t)bits < 0;
    value.part[0] = bits == 0 ? 1 : negative ? 0 - bits : bits;
    value.part[1] = negative;
    value.part[3] = bits == 0;
#elif defined(PICK_VALUE_ADD_POWERS)
    value.part[0] = initial_real(p, 0);
    value.part[1] = OF_POWERS(power_factor)(value.part[0]);
#elif defined(MODULUS)
    uint64_t bits = initial_integer(p);
    int negative = RESULT_KIND == KIND_SIGNED && (int64_t)bits < 0;
    uint64_t residue = modulo_word(FOLD_MODULUS, negative ? 0 - bits : bits);
    value.part[0] = IS_LAZY_SUM ? bits : modulo_signed(FOLD_MODULUS, residue, negative);
    for (int i = 1; i < FOLD(parts); i++) value.part[i] = 0 - (uint64_t)negative;
#else
    if (FOLD(is_real)) {
        for (int i = 0; i < FOLD(parts); i++) value.part[i] = initial_real(p, i);
    } else {
        value.part[0] = initial_integer(p);
    }
#endif
    return value;
}

/* Writes a total of integers. */
DEVICE void finish_integer_fold(struct FOLD(wide) total, char *out)
{
#if defined(MODULUS)
    uint64_t word[FOLD(parts)];
    for (int i = 0; i < FOLD(parts); i++) word[i] = (uint64_t)total.part[i];
    finish_integer(IS_LAZY_SUM ? modulo_words(FOLD_MODULUS, word, FOLD(parts)) : word[0], 0, out);
#else
    const int has_signs = LIFT_NUMBER == LIFT_VALUE || LIFT_NUMBER == LIFT_PRODUCT;
    finish_integer((uint64_t)total.part[0], has_signs && ELEMENT_KIND == KIND_SIGNED, out);
#endif
}

/* Writes a running result. */
DEVICE void finish_value(struct FOLD(wide) total, char *out)
{
    if (FOLD(is_real)) finish_real_fold(0, total, 1, IS_EXTREME, out);
    else finish_integer_fold(total, out);
}

/* Writes the result of n present elements; FAILED_... or 0. */
DEVICE uint32_t finish_fold(const struct reduce_parameters *p, struct FOLD(wide) total, int64_t n, char *out)
{
    if (n == 0 && EMPTY_FAILS) return finish_empty(p, 1, out);
    if (p->has_initial && IS_EXTREME && RESULT_NUMBER != ELEMENT_NUMBER) {
        finish_extreme(p, total, out);
        return 0;
    }
    if (p->has_initial) {
        struct FOLD(wide) value = fold_of_initial(p);
        if (n > 0) FOLD(wide_combine)(&value, total);
        total = value;
    }
#if defined(PICK_VALUE_MULTIPLY_CHECKED)
    return finish_checked_product(total, out);
#else
    if (FOLD(is_real)) finish_real_fold(p, total, n, IS_EXTREME, out);
    else finish_integer_fold(total, out);
    return 0;
#endif
}

#endif
