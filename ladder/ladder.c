/* SPDX-License-Identifier: MIT
 *
 * ladder.c - types and operators of the ladders, by name. */
#include "ladder.h"

static const struct {
    const char *name;
    size_t bytes;
} types[LADDER_TYPES] = {
    [LADDER_F32] = {"f32", 4}, [LADDER_F64] = {"f64", 8},     [LADDER_I32] = {"i32", 4},
    [LADDER_I64] = {"i64", 8}, [LADDER_FIELD] = {"field", 4}, [LADDER_TRACE] = {"trace", 16},
};

static const char *const ops[LADDER_OPS] = {
    [LADDER_SUM] = "sum",
    [LADDER_MIN] = "min",
    [LADDER_MAX] = "max",
    [LADDER_PRODUCT] = "product",
};

size_t ladder_element_bytes(enum ladder_type type)
{
    return types[type].bytes;
}

const char *ladder_type_name(enum ladder_type type)
{
    return types[type].name;
}

const char *ladder_op_name(enum ladder_op op)
{
    return ops[op];
}

const char *ladder_refusal(const struct ladder_rung *rung, const struct ladder_problem *problem)
{
    if (problem->type == LADDER_FIELD && problem->op != LADDER_SUM && problem->op != LADDER_PRODUCT)
        return "the field has no order: it has a sum and a product alone";
    return rung->refuses ? rung->refuses(problem) : NULL;
}
