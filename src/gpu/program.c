/* SPDX-License-Identifier: MIT
 *
 * program.c - a calculation as the definitions that kernels are compiled with. */
#include "program.h"
#include "fold_table.h"
#include "state.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const lifts[] = {
    [LIFT_VALUE] = "VALUE",     [LIFT_MAGNITUDE] = "MAGNITUDE", [LIFT_SQUARE] = "SQUARE",
    [LIFT_PRODUCT] = "PRODUCT", [LIFT_NONZERO] = "NONZERO",     [LIFT_MOMENTS] = "MOMENTS",
};

static const char *const combines[] = {
    [COMBINE_ADD] = "ADD",
    [COMBINE_MULTIPLY] = "MULTIPLY",
    [COMBINE_MINIMUM] = "MINIMUM",
    [COMBINE_MAXIMUM] = "MAXIMUM",
    [COMBINE_AND] = "AND",
    [COMBINE_OR] = "OR",
    [COMBINE_XOR] = "XOR",
    [COMBINE_ADD_POWERS] = "ADD_POWERS",
    [COMBINE_MULTIPLY_REAL] = "MULTIPLY_REAL",
    [COMBINE_MULTIPLY_CHECKED] = "MULTIPLY_CHECKED",
    [COMBINE_ADD_WIDE] = "ADD_WIDE",
    [COMBINE_ADD_MODULO] = "ADD_MODULO",
    [COMBINE_MULTIPLY_MODULO] = "MULTIPLY_MODULO",
    [COMBINE_ARGMIN] = "ARGMIN",
    [COMBINE_ARGMAX] = "ARGMAX",
    [COMBINE_MINMAX] = "MINMAX",
    [COMBINE_FIRST] = "FIRST",
    [COMBINE_LAST] = "LAST",
};

static const char *const finishes[] = {
    [FINISH_TOTAL] = "TOTAL",       [FINISH_MEAN] = "MEAN",           [FINISH_ROOT] = "ROOT",
    [FINISH_VARIANCE] = "VARIANCE", [FINISH_DEVIATION] = "DEVIATION", [FINISH_INDEX] = "INDEX",
};

void definitions_append_number(struct definitions *definitions, int64_t value)
{
    char text[24], *digit = text + sizeof text - 2;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    memcpy(digit, "\n", 2);
    do *--digit = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (value < 0) *--digit = '-';
    definitions_append(definitions, digit);
}

/* Which programs the kernel compiles, and which method uses them. */
static void add_method(const struct calculation *calculation, struct definitions *definitions)
{
    const char *lift = lifts[calculation->op->lift];
    switch (calculation->method) {
    case METHOD_USER: break; /* refused before */
    case METHOD_EXACT:
        definitions_add(definitions, "METHOD_EXACT", "1");
        definitions_append(definitions, "PICK_");
        definitions_add(definitions, lift, "1");
        break;
    case METHOD_MINMAX:
        definitions_add(definitions, "METHOD_MINMAX", "1");
        definitions_add(definitions, "PICK_VALUE_MINIMUM", "1");
        definitions_add(definitions, "PICK_VALUE_MAXIMUM", "1");
        break;
    case METHOD_ARG:
        definitions_add(definitions, "METHOD_INDEX", "1");
        definitions_add(definitions,
                        calculation->combine == COMBINE_ARGMAX ? "PICK_VALUE_MAXIMUM" : "PICK_VALUE_MINIMUM", "1");
        break;
    case METHOD_END: definitions_add(definitions, "METHOD_INDEX", "1"); break;
    case METHOD_FOLD:
        definitions_add(definitions, "METHOD_FOLD", "1");
        definitions_append(definitions, "PICK_");
        definitions_append(definitions, lift);
        definitions_append(definitions, "_");
        definitions_add(definitions, combines[calculation->combine], "1");
        break;
    }
}

/* Constants, so that kernels divide by what the compiler knows; the kernel cache keeps those of each modulus. */
static void add_modulus(const struct modulus *modulus, struct definitions *definitions)
{
    char text[96];
    if (!modulus->p) return;
    snprintf(text, sizeof text, "%" PRIu64 "ull,%" PRIu64 "ull,%" PRIu64 "ull,%" PRId32, modulus->p, modulus->quotient,
             modulus->inverse, modulus->shift);
    definitions_add(definitions, "MODULUS", text);
}

void program_definitions(const struct calculation *calculation, int with_where, struct definitions *definitions)
{
    const char *type = tally_type_name(calculation->type);
    definitions->length = 0;
    definitions_add(definitions, "ONLY_TYPE", "1");
    definitions_append(definitions, "ONLY_TYPE_");
    definitions_add(definitions, type, "1");
    definitions_add(definitions, "ELEMENT", type);
    definitions_add_number(definitions, "ELEMENT_BYTES", type_row(calculation->type)->size);
    definitions_add(definitions, "RESULT", tally_type_name(calculation->result));
    add_method(calculation, definitions);
    definitions_add(definitions, "OP_LIFT", lifts[calculation->op->lift]);
    definitions_add(definitions, "OP_COMBINE", combines[calculation->combine]);
    definitions_add(definitions, "OP_FINISH", finishes[calculation->op->finish]);
    definitions_add_number(definitions, "EMPTY_FAILS", calculation->op->empty == EMPTY_ERROR);
    definitions_add_number(definitions, "WITH_SECOND", (calculation->op->flags & OP_SECOND) != 0);
    definitions_add_number(definitions, "WITH_WHERE", with_where);
    definitions_add_number(definitions, "SKIP_NAN", (calculation->flags & TALLY_SKIP_NAN) != 0);
    definitions_add_number(definitions, "CHECKED", (calculation->flags & TALLY_CHECK_OVERFLOW) != 0);
    add_modulus(&calculation->modulus, definitions);
}

int program_parts(const struct calculation *calculation)
{
    if (calculation->method == METHOD_EXACT) return state_exact_count(calculation);
    if (calculation->method != METHOD_FOLD) return 2;
    return fold_steps(calculation->op->lift, calculation->combine, calculation->type)->parts;
}
