/* SPDX-License-Identifier: MIT
 *
 * fold_table.c - the scalar steps of every fold program, from the one text that kernels are made of, too. */
#include "fold_table.h"
#include "fold_steps.h"

#include <math.h>

#define FOLD_TEMPLATE "fold_scalar.h"
#define EACH_TYPE_TEMPLATE "fold_type.h"
#include "each_type.h"
#undef FOLD_TEMPLATE
#undef EACH_TYPE_TEMPLATE

static const struct fold_steps *const programs[LIFT_COUNT][COMBINE_FOLD_COUNT][TYPE_COUNT] = {
#define FOLD_TEMPLATE "fold_row.h"
#define FOLD_ROW &PROGRAM_NAME(steps)
#define EACH_TYPE_TEMPLATE "fold.h"
#include "each_type.h"
};

const struct fold_steps *fold_steps(enum lift lift, enum combine combine, tally_type type)
{
    return programs[lift][combine][type];
}

static const struct fold_steps *steps_of(const struct calculation *calculation)
{
    return fold_steps(calculation->op->lift, calculation->combine, calculation->type);
}

void fold_lift(const struct calculation *calculation, struct fold_value *value, const void *x, const void *y)
{
    const struct fold_steps *steps = steps_of(calculation);
    if (steps->lift_modulo) steps->lift_modulo(value, x, y, calculation->modulus);
    else steps->lift(value, x, y);
}

void fold_combine(const struct calculation *calculation, struct fold_value *a, const struct fold_value *b)
{
    const struct fold_steps *steps = steps_of(calculation);
    if (steps->combine_modulo) steps->combine_modulo(a, b, calculation->modulus);
    else steps->combine(a, b);
}
