/* SPDX-License-Identifier: MIT
 *
 * library.h - the ladders' types and operators as the library has them. */
#ifndef TALLY_LADDER_LIBRARY_H
#define TALLY_LADDER_LIBRARY_H

#include "ladder.h"

static inline tally_type library_type(enum ladder_type type)
{
    switch (type) {
    case LADDER_F32: return TALLY_F32;
    case LADDER_F64: return TALLY_F64;
    case LADDER_I32: return TALLY_I32;
    case LADDER_I64: return TALLY_I64;
    default: return TALLY_DEFAULT_TYPE;
    }
}

static inline tally_op library_op(enum ladder_op op)
{
    static const tally_op ops[LADDER_OPS] = {TALLY_SUM, TALLY_MIN, TALLY_MAX, TALLY_PROD};
    return ops[op];
}

static inline const char *library_refuses(const struct ladder_problem *problem)
{
    return library_type(problem->type) == TALLY_DEFAULT_TYPE ? "the library has numbers, not this type" : NULL;
}

#endif
