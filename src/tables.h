/* SPDX-License-Identifier: MIT
 *
 * tables.h - the rows of dtype.h and op.h as arrays that the host can look things up in. */
#ifndef TALLY_TABLES_H
#define TALLY_TABLES_H

#include "op.h"
#include <tally.h>

#define TYPE_COUNT 16 /* rows, and the unused number 0 */

enum {
#define ROW(name, NAME, ...) TYPE_INDEX_##name = TALLY_##NAME,
    FOR_EACH_TYPE(ROW)
#undef ROW
};

struct type_row {
    const char *name;
    const char *npy;
    int32_t kind;
    int32_t size; /* bytes of an element, both parts of a complex one */
    tally_type real_part;
    tally_type total;
    int32_t dlpack_code;
};

struct op_row {
    const char *name;
    tally_op op;
    int32_t kinds;
    enum lift lift;
    enum combine combine;
    enum finish finish;
    enum result result;
    enum empty empty;
    int32_t flags;
};

/* NULL when there is no such type or operator. */
const struct type_row *type_row(tally_type type);
const struct op_row *op_row(tally_op op);

/* True when every value of `from` is a value of `to`. */
int type_holds(tally_type to, tally_type from);

#endif
