/* SPDX-License-Identifier: MIT
 *
 * tables.c - look-ups in the rows of dtype.h and op.h, by number and by name. */
#include "tables.h"
#include "status.h"

#include <string.h>

#if defined(__FAST_MATH__)
#error "tally's sums are exact: build without -ffast-math"
#endif
_Static_assert(sizeof(float) == 4 && sizeof(double) == 8 && sizeof(long long) == 8,
               "IEEE 754 types and 64-bit integers");

#define PARTS(kind) ((kind) == KIND_COMPLEX ? 2 : 1)

static const struct type_row types[TYPE_COUNT] = {
#define ROW(name, NAME, kind, storage, part, total, arithmetic, npy, dlpack) \
    [TALLY_##NAME] = {#name, npy, kind, (int32_t)sizeof(storage) * PARTS(kind), TALLY_##part, TALLY_##total, dlpack},
    FOR_EACH_TYPE(ROW)
#undef ROW
};

static const struct op_row ops[] = {
#define ROW(name, NAME, kinds, lift, combine, finish, result, empty, flags)           \
    {#name,           TALLY_##NAME,    kinds,         LIFT_##lift, COMBINE_##combine, \
     FINISH_##finish, RESULT_##result, EMPTY_##empty, flags},
    FOR_EACH_OP(ROW)
#undef ROW
};

const struct type_row *type_row(tally_type type)
{
    if (type <= 0 || type >= TYPE_COUNT) return NULL;
    return &types[type];
}

const struct op_row *op_row(tally_op op)
{
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        if (ops[i].op == op) return &ops[i];
    }
    return NULL;
}

/* Bits of the integers that a type holds without a gap; 0 for bool's single bit is counted as 1. */
static int integer_bits(const struct type_row *row, tally_type type)
{
    switch (row->kind) {
    case KIND_BOOLEAN: return 1;
    case KIND_UNSIGNED: return row->size * 8;
    case KIND_SIGNED: return row->size * 8 - 1;
    default: break;
    }
    switch (row->real_part) {
    case TALLY_F16: return 11;
    case TALLY_BF16: return 8;
    case TALLY_F32: return 24;
    default: return type == TALLY_F64 || type == TALLY_C128 ? 53 : 24;
    }
}

int type_holds(tally_type to, tally_type from)
{
    const struct type_row *t = type_row(to), *f = type_row(from);
    if (to == from) return 1;
    if (t->kind == KIND_BOOLEAN) return 0;
    if (f->kind & KIND_FLOAT) {
        if (!(t->kind & KIND_FLOAT) || (f->kind == KIND_COMPLEX && t->kind != KIND_COMPLEX)) return 0;
        return f->real_part == t->real_part || t->real_part == TALLY_F64 ||
               (t->real_part == TALLY_F32 && f->real_part != TALLY_F64);
    }
    if (f->kind == KIND_SIGNED && t->kind == KIND_UNSIGNED) return 0;
    return integer_bits(t, to) >= integer_bits(f, from);
}

tally_status tally_type_parse(const char *name, tally_type *type)
{
    if (!name || !type) FAIL(TALLY_INVALID_ARGUMENT, "%s is NULL", name ? "type" : "name");
    for (tally_type i = 1; i < TYPE_COUNT; i++) {
        if (strcmp(types[i].name, name) == 0) {
            *type = i;
            return TALLY_OK;
        }
    }
    FAIL(TALLY_INVALID_ARGUMENT,
         "type '%.40s' is unknown: use bool, i8 to i64, u8 to u64, f16, bf16, f32, f64, c64 or c128", name);
}

const char *tally_type_name(tally_type type)
{
    const struct type_row *row = type_row(type);
    return row ? row->name : NULL;
}

size_t tally_type_size(tally_type type)
{
    const struct type_row *row = type_row(type);
    return row ? (size_t)row->size : 0;
}

tally_status tally_op_parse(const char *name, tally_op *op)
{
    if (!name || !op) FAIL(TALLY_INVALID_ARGUMENT, "%s is NULL", name ? "op" : "name");
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        if (strcmp(ops[i].name, name) == 0) {
            *op = ops[i].op;
            return TALLY_OK;
        }
    }
#define NAME_AND_SPACE(name, ...) " " #name
    FAIL(TALLY_INVALID_ARGUMENT, "operator '%.40s' is unknown: use one of" FOR_EACH_OP(NAME_AND_SPACE), name);
}

const char *tally_op_name(tally_op op)
{
    const struct op_row *row = op_row(op);
    return row ? row->name : NULL;
}
