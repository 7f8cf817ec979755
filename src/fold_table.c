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
