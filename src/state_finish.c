/* SPDX-License-Identifier: MIT
 *
 * state_finish.c - from the state of a cell to its result. */
#include "convert.h"
#include "elementary.h"
#include "exact_real.h"
#include "power.h"
#include "state.h"
#include "user/tree.h"

#include <math.h>
#include <string.h>

static int input_is_signed(const struct calculation *calculation)
{
    return type_row(calculation->type)->kind == KIND_SIGNED;
}

/* ---- folds ---- */

static void finish_moments(const struct calculation *calculation, const struct fold_value *value, int64_t n, void *out)
{
    double rest = (double)n - calculation->correction;
    double variance = rest > 0 ? value->part[2].real / rest : (double)NAN;
    convert_real(calculation->op->finish == FINISH_DEVIATION ? sqrt(variance) : variance, calculation->result, 0, out);
}

/* Whether powers are floats, and not doubles. */
static int has_float_powers(const struct calculation *calculation)
{
    return fold_steps(calculation->op->lift, calculation->combine, calculation->type)->lane_size == sizeof(float);
}

/* What the sum of a single power is. */
static double power_beside(const struct calculation *calculation, double x)
{
    return has_float_powers(calculation) ? power_factor_float((float)x) : power_factor_double(x);
}

static double log_of_powers(const struct calculation *calculation, const struct fold_value *value)
{
    double largest = value->part[0].real, sum = value->part[1].real;
    if (largest - largest != 0) return largest;
    return has_float_powers(calculation) ? powers_log_float((float)largest, (float)sum)
                                         : powers_log_double(largest, sum);
}

static void finish_real(const struct calculation *calculation, const struct fold_value *value, int64_t n, void *out)
{
    if (calculation->combine == COMBINE_ADD_POWERS) {
        convert_real(log_of_powers(calculation, value), calculation->result, 0, out);
        return;
    }
    int parts = type_row(calculation->result)->kind == KIND_COMPLEX ? 2 : 1;
    for (int p = 0; p < parts; p++) {
        double v = value->part[p].real;
        if (calculation->op->finish == FINISH_MEAN) v = n > 0 ? v / (double)n : (double)NAN;
        if (calculation->op->finish == FINISH_ROOT) v = sqrt(v);
        if (calculation->combine == COMBINE_MINIMUM || calculation->combine == COMBINE_MAXIMUM) v += 0.0;
        convert_real(v, calculation->result, p, out);
    }
}

static int finish_checked_product(const struct calculation *calculation, const struct fold_value *value, void *out)
{
    uint64_t magnitude = (uint64_t)value->part[0].integer;
    int negative = value->part[1].integer != 0;
    if (value->part[3].integer) {
        convert_integer(0, 0, calculation->result, out);
        return 1;
    }
    uint64_t bits = negative ? 0 - magnitude : magnitude;
    int fits = !value->part[2].integer && (!negative || magnitude <= 1ull << 63) &&
               convert_fits(bits, negative, calculation->result);
    if (fits) convert_integer(bits, negative, calculation->result, out);
    return fits;
}

/* A sum that is to be reduced modulo a number: one word, of a length that it holds (plan_narrow), or several. */
static int is_lazy_sum(const struct calculation *calculation)
{
    return calculation->modulus.p && (calculation->combine == COMBINE_ADD || calculation->combine == COMBINE_ADD_WIDE);
}

static void finish_lazy_sum(const struct calculation *calculation, const struct fold_value *value, void *out)
{
    uint64_t word[FOLD_PARTS] = {0};
    int parts = fold_steps(calculation->op->lift, calculation->combine, calculation->type)->parts;
    for (int p = 0; p < parts; p++) word[p] = (uint64_t)value->part[p].integer;
    convert_integer(modulo_words(calculation->modulus, word, parts), 0, calculation->result, out);
}

/* Whether the fold's parts are .real: ordinary arithmetic, or an order on floats. */
static int fold_is_real(const struct calculation *calculation)
{
    if (calculation->op->lift == LIFT_NONZERO) return 0;
    return (type_row(calculation->type)->kind & KIND_FLOAT) || calculation->combine == COMBINE_MULTIPLY_REAL ||
           calculation->combine == COMBINE_ADD_POWERS;
}

int fold_finish(const struct calculation *calculation, const struct fold_value *value, int64_t n, void *out)
{
    if (calculation->combine == COMBINE_MULTIPLY_CHECKED) return finish_checked_product(calculation, value, out);
    if (is_lazy_sum(calculation)) {
        finish_lazy_sum(calculation, value, out);
    } else if (calculation->op->lift == LIFT_MOMENTS) {
        finish_moments(calculation, value, n, out);
    } else if (fold_is_real(calculation)) {
        finish_real(calculation, value, n, out);
    } else {
        int is_signed = calculation->op->lift == LIFT_VALUE && input_is_signed(calculation);
        convert_integer((uint64_t)value->part[0].integer, is_signed, calculation->result, out);
    }
    return 1;
}

/* Any representative of a residue: as it is beside a sum of several words. */
static void word_of_result(const struct calculation *calculation, uint64_t bits, struct fold_value *value)
{
    int negative = type_row(calculation->result)->kind == KIND_SIGNED && (int64_t)bits < 0;
    struct modulus m = calculation->modulus;
    if (is_lazy_sum(calculation)) {
        value->part[0].integer = (int64_t)bits;
        value->part[1].integer = value->part[2].integer = -negative;
    } else {
        value->part[0].integer = (int64_t)modulo_signed(m, modulo_word(m, negative ? 0 - bits : bits), negative);
    }
}

void fold_of_result(const struct calculation *calculation, const void *result, struct fold_value *value)
{
    memset(value, 0, sizeof *value);
    if (calculation->combine == COMBINE_MULTIPLY_CHECKED) {
        uint64_t bits = convert_to_integer(calculation->result, result);
        int negative = type_row(calculation->result)->kind == KIND_SIGNED && (int64_t)bits < 0;
        value->part[0].integer = bits == 0 ? 1 : (int64_t)(negative ? 0 - bits : bits);
        value->part[1].integer = negative;
        value->part[3].integer = bits == 0;
    } else if (calculation->modulus.p) {
        word_of_result(calculation, convert_to_integer(calculation->result, result), value);
    } else if (fold_is_real(calculation)) {
        value->part[0].real = convert_to_real(calculation->result, result, 0);
        value->part[1].real = calculation->combine == COMBINE_ADD_POWERS
                                  ? power_beside(calculation, value->part[0].real)
                                  : convert_to_real(calculation->result, result, 1);
    } else {
        value->part[0].integer = (int64_t)convert_to_integer(calculation->result, result);
    }
}

/* The root of the nodes' tree: at each level, neighbours under one parent are combined and single nodes rise. */
static void tree_root(const struct fold_steps *steps, const struct tree *tree, struct fold_value *value)
{
    struct tree_node node[TREE_NODES];
    int32_t count = tree->nodes;
    steps->identity(value);
    if (count == 0) return;
    memcpy(node, tree->node, sizeof node[0] * (size_t)count);
    for (int64_t level = 0; count > 1; level++) {
        int32_t kept = 0;
        for (int32_t i = 0; i < count; i++) {
            struct tree_node next = node[i];
            if (next.level == level) {
                int pair = i + 1 < count && node[i + 1].level == level && node[i + 1].index == (next.index | 1) &&
                           next.index % 2 == 0;
                if (pair) steps->combine(&next.value, &node[++i].value);
                next.index /= 2;
                next.level++;
            }
            node[kept++] = next;
        }
        count = kept;
    }
    *value = node[0].value;
}

static void ordered_total(const struct calculation *calculation, const struct state *state, struct fold_value *value)
{
    const struct fold_steps *steps = fold_steps(calculation->op->lift, calculation->combine, calculation->type);
    struct tree tree;
    tree.nodes = state->as.tree.nodes;
    memcpy(tree.node, state->as.tree.node, sizeof tree.node[0] * (size_t)tree.nodes);
    if (state->as.tree.open) {
        lanes_close(steps, state->as.tree.lanes, value);
        tree_push(steps, &tree, (state->start + state->count - 1) / TREE_LEAF, 0, value);
    }
    tree_root(steps, &tree, value);
}

static tally_status overflow(const struct calculation *calculation)
{
    FAIL(TALLY_OVERFLOW, "%s does not fit its result type %s: give a wider options.type, or drop TALLY_CHECK_OVERFLOW",
         calculation->op->name, tally_type_name(calculation->result));
}

/* An extreme with an initial value of another type than the elements': both are compared as results. */
static void finish_extreme(const struct calculation *calculation, const struct fold_value *total, int64_t n, void *out)
{
    const struct fold_steps *steps = fold_steps(LIFT_VALUE, calculation->combine, calculation->result);
    struct calculation wide = *calculation;
    struct fold_value value, other;
    _Alignas(16) unsigned char element[16];
    fold_finish(calculation, total, n, element);
    steps->lift(&value, calculation->initial, calculation->initial);
    steps->lift(&other, element, element);
    steps->combine(&value, &other);
    wide.type = wide.result;
    fold_finish(&wide, &value, n, out);
}

static tally_status finish_fold(const struct calculation *calculation, const struct state *state, int64_t n, void *out)
{
    struct fold_value value;
    if (calculation->ordered) ordered_total(calculation, state, &value);
    else value = state->as.fold;
    int extreme = calculation->combine == COMBINE_MINIMUM || calculation->combine == COMBINE_MAXIMUM;
    if (calculation->initial && extreme && calculation->result != calculation->type) {
        finish_extreme(calculation, &value, n, out);
        return TALLY_OK;
    }
    if (calculation->initial) {
        struct fold_value total = value;
        fold_of_result(calculation, calculation->initial, &value);
        if (n > 0) fold_combine(calculation, &value, &total);
    }
    return fold_finish(calculation, &value, n, out) ? TALLY_OK : overflow(calculation);
}

/* ---- exact accumulators ---- */

void exact_add_result(const struct calculation *calculation, struct exact *sums, const void *result)
{
    const struct type_row *row = type_row(calculation->result);
    if (row->kind & KIND_FLOAT) {
        for (int p = 0; p < (row->kind == KIND_COMPLEX ? 2 : 1); p++)
            exact_add_double_bits(&sums[p], double_bits(convert_to_real(calculation->result, result, p)));
    } else {
        uint64_t bits = convert_to_integer(calculation->result, result);
        int is_signed = row->kind == KIND_SIGNED;
        exact_add_integer(&sums[0], is_signed ? (int64_t)bits >> 32 : (int64_t)(bits >> 32), 32);
        exact_add_integer(&sums[0], (int64_t)(bits & 0xffffffff), 0);
    }
}

int exact_finish_total(const struct calculation *calculation, struct exact *sums, void *out)
{
    const struct type_row *row = type_row(calculation->result);
    if (row->kind & KIND_FLOAT) {
        for (int p = 0; p < (row->kind == KIND_COMPLEX ? 2 : 1); p++)
            convert_bits(exact_round(exact_value(&sums[p]), convert_format(calculation->result)), calculation->result,
                         p, out);
        return 1;
    }
    int fits_signed, fits_unsigned;
    uint64_t bits = exact_integer(&sums[0], &fits_signed, &fits_unsigned);
    if (calculation->flags & TALLY_CHECK_OVERFLOW) {
        if (!fits_signed && !fits_unsigned) return 0;
        if (!convert_fits(bits, fits_signed, calculation->result)) return 0;
    }
    convert_integer(bits, 1, calculation->result, out);
    return 1;
}

/* The finish of one accumulator, or of all of them for the variance. */
static struct exact_real exact_finished(const struct calculation *calculation, struct exact *sums, int part, int64_t n)
{
    int count = state_exact_count(calculation);
    switch (calculation->op->finish) {
    case FINISH_MEAN: {
        if (n > 0) return exact_mean(&sums[part], (uint64_t)n);
        struct exact_real nan = {.special = EXACT_NAN};
        return nan;
    }
    case FINISH_ROOT: return exact_root(&sums[part]);
    case FINISH_VARIANCE:
    case FINISH_DEVIATION:
        return exact_variance(&sums[count - 1], &sums[0], count == 3 ? &sums[1] : NULL, (uint64_t)n,
                              calculation->correction, calculation->op->finish == FINISH_DEVIATION);
    default: return exact_value(&sums[part]);
    }
}

static tally_status finish_exact(const struct calculation *calculation, struct state *state, int64_t n, void *out)
{
    if (calculation->op->finish == FINISH_TOTAL) {
        struct exact with_initial[2];
        struct exact *sums = state->as.exact;
        if (calculation->initial) {
            with_initial[0] = sums[0];
            if (state_exact_count(calculation) > 1) with_initial[1] = sums[1];
            sums = with_initial;
            exact_add_result(calculation, sums, calculation->initial);
        }
        return exact_finish_total(calculation, sums, out) ? TALLY_OK : overflow(calculation);
    }
    int parts = type_row(calculation->result)->kind == KIND_COMPLEX ? 2 : 1;
    for (int p = 0; p < parts; p++) {
        struct exact_real value = exact_finished(calculation, state->as.exact, p, n);
        convert_bits(exact_round(value, convert_format(calculation->result)), calculation->result, p, out);
    }
    return TALLY_OK;
}

/* ---- cells without elements, and the choice ---- */

static void finish_pair(const struct calculation *calculation, const struct state *state, void *out, ptrdiff_t step)
{
    struct calculation side = *calculation;
    side.combine = COMBINE_MINIMUM;
    fold_finish(&side, &state->as.pair[0], 1, out);
    side.combine = COMBINE_MAXIMUM;
    fold_finish(&side, &state->as.pair[1], 1, (char *)out + step);
}

/* Cells whose elements were all absent, of operators without an identity. */
static tally_status finish_empty(const struct calculation *calculation, const struct state *state, void *out,
                                 ptrdiff_t step)
{
    int all_nan = state->count > 0 && (calculation->flags & TALLY_SKIP_NAN) &&
                  (type_row(calculation->type)->kind & KIND_FLOAT) &&
                  (calculation->method == METHOD_FOLD || calculation->method == METHOD_MINMAX);
    if (!calculation->initial && !all_nan)
        FAIL(TALLY_EMPTY, "%s of no elements has no value: give options.initial, or leave the empty cells out",
             calculation->op->name);
    for (int i = 0; i < calculation->values; i++, out = (char *)out + step) {
        if (calculation->initial) convert_element(calculation->result, calculation->initial, calculation->result, out);
        else convert_real((double)NAN, calculation->result, 0, out);
    }
    return TALLY_OK;
}

tally_status state_finish(const struct calculation *calculation, struct state *state, void *out, ptrdiff_t step)
{
    int64_t n = state->count - state->absent;
    if (calculation->method == METHOD_USER) return user_state_finish(calculation, state, out, step);
    if (n == 0 && calculation->op->empty == EMPTY_ERROR) return finish_empty(calculation, state, out, step);
    switch (calculation->method) {
    case METHOD_EXACT: return finish_exact(calculation, state, n, out);
    case METHOD_FOLD: return finish_fold(calculation, state, n, out);
    case METHOD_MINMAX: finish_pair(calculation, state, out, step); break;
    case METHOD_ARG: convert_integer((uint64_t)state->as.arg.index, 1, calculation->result, out); break;
    case METHOD_END: convert_element(calculation->type, state->as.arg.value, calculation->result, out); break;
    case METHOD_USER: break;
    }
    return TALLY_OK;
}
