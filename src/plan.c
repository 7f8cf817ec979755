/* SPDX-License-Identifier: MIT
 *
 * plan.c - which method computes an operator on a type, and what its result looks like; plan_loops.c plans the walk. */
#include "plan.h"
#include "user/operator.h"

#include <math.h>
#include <string.h>

#define REDUCE_FLAGS (TALLY_KEEPDIMS | TALLY_SKIP_NAN | TALLY_PLAIN | TALLY_CHECK_OVERFLOW)
#define SCAN_FLAGS (TALLY_EXCLUSIVE | TALLY_REVERSE | TALLY_SKIP_NAN | TALLY_PLAIN | TALLY_CHECK_OVERFLOW)

/* The size of tally_options before options.modulus was one of them. */
#define SMALLEST_OPTIONS offsetof(tally_options, modulus)

tally_status plan_options(tally_verb verb, const tally_options *options, tally_options *filled)
{
    tally_options defaults = TALLY_OPTIONS_INIT;
    *filled = defaults;
    if (!options) return TALLY_OK;
    if (options->size != sizeof(tally_options) && options->size != SMALLEST_OPTIONS)
        FAIL(TALLY_INVALID_ARGUMENT, "options.size is %u: expected %zu; start from TALLY_OPTIONS_INIT",
             (unsigned)options->size, sizeof(tally_options));
    memcpy(filled, options, options->size);
    filled->size = sizeof *filled;
    uint32_t allowed = verb == TALLY_REDUCE ? REDUCE_FLAGS : SCAN_FLAGS;
    if (options->flags & ~allowed)
        FAIL(TALLY_INVALID_ARGUMENT, "options.flags has 0x%x, which tally_%s does not take: expected only 0x%x",
             (unsigned)(options->flags & ~allowed), verb == TALLY_REDUCE ? "reduce" : "scan", (unsigned)allowed);
    if (options->axis_count < 0 || options->axis_count > TALLY_MAX_RANK)
        FAIL(TALLY_INVALID_ARGUMENT, "options.axis_count is %d: expected 0 to %d", (int)options->axis_count,
             TALLY_MAX_RANK);
    if (options->axis_count > 0 && !options->axes)
        FAIL(TALLY_INVALID_ARGUMENT, "options.axes is NULL with axis_count %d: expected that many axes",
             (int)options->axis_count);
    if (options->type != TALLY_DEFAULT_TYPE && !type_row(options->type))
        FAIL(TALLY_INVALID_ARGUMENT, "options.type is %d: expected TALLY_DEFAULT_TYPE or TALLY_BOOL to TALLY_C128",
             (int)options->type);
    if (!isfinite(options->correction))
        FAIL(TALLY_INVALID_ARGUMENT, "options.correction is %g: expected a finite number", options->correction);
    if (options->position < 0)
        FAIL(TALLY_INVALID_ARGUMENT, "options.position is %lld: expected 0 or more", (long long)options->position);
    if (filled->modulus == 1) FAIL(TALLY_INVALID_ARGUMENT, "options.modulus is 1: expected 2 or more, or 0 for none");
    return TALLY_OK;
}

/* ---- result types ---- */

static tally_type default_result(const struct op_row *op, tally_type type)
{
    const struct type_row *row = type_row(type);
    switch (op->result) {
    case RESULT_TOTAL: return row->total;
    case RESULT_MEAN: return row->kind & KIND_FLOAT ? type : TALLY_F64;
    case RESULT_REAL: return row->real_part;
    case RESULT_BOOL: return TALLY_BOOL;
    case RESULT_INDEX: return TALLY_I64;
    case RESULT_SAME: break;
    }
    return type;
}

/* The kinds of result that an operator may be asked for on a kind of input, beyond its default. */
static int result_kinds(const struct op_row *op, int kind)
{
    int same = kind == KIND_COMPLEX ? KIND_COMPLEX : KIND_REAL;
    switch (op->result) {
    case RESULT_TOTAL: return kind & KIND_FLOAT ? same : KIND_INTEGER | KIND_REAL;
    case RESULT_MEAN: return same;
    case RESULT_REAL: return KIND_REAL;
    default: return 0;
    }
}

static tally_status choose_result(const struct op_row *op, tally_type type, tally_type wanted, tally_type *result)
{
    *result = default_result(op, type);
    if (wanted == TALLY_DEFAULT_TYPE || wanted == *result) return TALLY_OK;
    int kind = type_row(wanted)->kind;
    int allowed = op->result == RESULT_SAME ? type_holds(wanted, type) && (kind != KIND_COMPLEX || op->kinds & kind)
                                            : result_kinds(op, type_row(type)->kind) & kind;
    if (!allowed)
        FAIL(TALLY_UNSUPPORTED, "options.type is %s: %s of %s cannot give it; its default is %s",
             tally_type_name(wanted), op->name, tally_type_name(type), tally_type_name(*result));
    *result = wanted;
    return TALLY_OK;
}

/* Whether a type of integers or bool has room for 0 to p - 1. */
static int holds_residues(tally_type type, uint64_t p)
{
    const struct type_row *row = type_row(type);
    int bits = row->kind == KIND_BOOLEAN ? 1 : 8 * row->size - (row->kind == KIND_SIGNED);
    return bits == 64 || (p - 1) >> bits == 0;
}

static tally_status choose_residue(const struct op_row *op, tally_type type, const tally_options *options,
                                   tally_type *result)
{
    uint64_t p = options->modulus;
    if (holds_residues(type, p)) *result = type;
    else *result = holds_residues(TALLY_U32, p) ? TALLY_U32 : TALLY_U64;
    if (options->type == TALLY_DEFAULT_TYPE || options->type == *result) return TALLY_OK;
    if (!(type_row(options->type)->kind & KIND_INTEGER) || !holds_residues(options->type, p))
        FAIL(TALLY_UNSUPPORTED, "options.type is %s: %s modulo %llu needs integers up to %llu; its default is %s",
             tally_type_name(options->type), op->name, (unsigned long long)p, (unsigned long long)p - 1,
             tally_type_name(*result));
    *result = options->type;
    return TALLY_OK;
}

/* ---- methods ---- */

/* Reductions add words and divide once; running results are residues all along. */
static void choose_modular(tally_verb verb, struct calculation *calculation)
{
    calculation->method = METHOD_FOLD;
    calculation->flags &= ~(uint32_t)TALLY_CHECK_OVERFLOW; /* nothing overflows */
    if (calculation->op->combine == COMBINE_MULTIPLY) calculation->combine = COMBINE_MULTIPLY_MODULO;
    else calculation->combine = verb == TALLY_SCAN ? COMBINE_ADD_MODULO : COMBINE_ADD_WIDE;
}

void plan_narrow(struct reduction *reduction)
{
    struct calculation *calculation = &reduction->calculation;
    int bits = 8 * type_row(calculation->type)->size * (calculation->op->lift == LIFT_PRODUCT ? 2 : 1);
    if (calculation->combine != COMBINE_ADD_WIDE || calculation->initial || bits > 62) return;
    if (reduction->length <= (int64_t)1 << (63 - bits)) calculation->combine = COMBINE_ADD;
}

static void choose_sum(struct calculation *calculation)
{
    int kind = type_row(calculation->type)->kind;
    int plain = (calculation->flags & TALLY_PLAIN) != 0, checked = (calculation->flags & TALLY_CHECK_OVERFLOW) != 0;
    calculation->method = METHOD_EXACT;
    if (calculation->op->lift == LIFT_NONZERO) {
        calculation->method = METHOD_FOLD;
    } else if (kind & KIND_FLOAT) {
        if (plain) calculation->method = METHOD_FOLD;
        calculation->ordered = plain;
    } else if (!checked && calculation->op->finish == FINISH_TOTAL &&
               !(type_row(calculation->result)->kind & KIND_FLOAT)) {
        calculation->method = METHOD_FOLD;
    }
}

static void choose_product(struct calculation *calculation)
{
    if (type_row(calculation->type)->kind & KIND_FLOAT) {
        calculation->ordered = 1;
        if (calculation->result == TALLY_F64) calculation->combine = COMBINE_MULTIPLY_REAL;
    } else if (type_row(calculation->result)->kind & KIND_FLOAT) {
        calculation->combine = COMBINE_MULTIPLY_REAL;
        calculation->ordered = 1;
    } else if (calculation->flags & TALLY_CHECK_OVERFLOW) {
        calculation->combine = COMBINE_MULTIPLY_CHECKED;
    }
}

static void choose_method(struct calculation *calculation)
{
    calculation->method = METHOD_FOLD;
    calculation->ordered = 0;
    switch (calculation->combine) {
    case COMBINE_ADD: choose_sum(calculation); break;
    case COMBINE_MULTIPLY: choose_product(calculation); break;
    case COMBINE_ADD_POWERS: calculation->ordered = 1; break;
    case COMBINE_ARGMIN:
    case COMBINE_ARGMAX: calculation->method = METHOD_ARG; break;
    case COMBINE_MINMAX: calculation->method = METHOD_MINMAX; break;
    case COMBINE_FIRST:
    case COMBINE_LAST: calculation->method = METHOD_END; break;
    default: break;
    }
}

static tally_status check_operator(tally_verb verb, const struct op_row *op, tally_type type,
                                   const tally_options *options)
{
    if (!(op->kinds & type_row(type)->kind))
        FAIL(TALLY_UNSUPPORTED, "%s of %s has no meaning: %s", op->name, tally_type_name(type),
             op->kinds & KIND_REAL ? "complex numbers have no order" : "expected integers or bool");
    if (verb == TALLY_SCAN && !(op->flags & OP_SCAN))
        FAIL(TALLY_UNSUPPORTED,
             "%s has no running form: expected sum, prod, min, max, any, all, bit_and, bit_or, "
             "bit_xor or logsumexp",
             op->name);
    if (options->initial && !(op->flags & OP_INITIAL))
        FAIL(TALLY_UNSUPPORTED, "options.initial is given, but %s does not take one", op->name);
    if (options->second && !(op->flags & OP_SECOND))
        FAIL(TALLY_UNSUPPORTED, "options.second is given, but %s takes one array", op->name);
    if (options->third && !(op->flags & OP_THIRD))
        FAIL(TALLY_UNSUPPORTED, "options.third is given, but %s takes %s", op->name,
             op->flags & OP_SECOND ? "two arrays" : "one array");
    if (options->correction != 0 && op->lift != LIFT_MOMENTS)
        FAIL(TALLY_UNSUPPORTED, "options.correction is %g, but only var and std take one", options->correction);
    if (options->modulus && op->op != TALLY_SUM && op->op != TALLY_PROD && op->op != TALLY_DOT)
        FAIL(TALLY_UNSUPPORTED, "options.modulus is %llu, but only sum, prod and dot take one: not %s",
             (unsigned long long)options->modulus, op->name);
    if (options->modulus && type_row(type)->kind & KIND_FLOAT)
        FAIL(TALLY_UNSUPPORTED, "options.modulus is %llu, but elements are %s: expected integers or bool",
             (unsigned long long)options->modulus, tally_type_name(type));
    return TALLY_OK;
}

/* Flags that mean something for the operator: types without NaN have none to skip. */
static uint32_t user_flags(const struct user_op *user, uint32_t flags)
{
    int floats = 0;
    for (int32_t c = 0; c < user->input_count; c++) floats |= type_row(user->inputs[c])->kind & KIND_FLOAT;
    if (!floats) flags &= ~(uint32_t)TALLY_SKIP_NAN;
    return flags & ~(uint32_t)(TALLY_PLAIN | TALLY_CHECK_OVERFLOW);
}

/* Where a cell or a scan's first result may have no element, a user's operator needs something to put there. */
static int may_be_without(tally_verb verb, uint32_t flags, const tally_options *options)
{
    return verb == TALLY_SCAN && (flags & (TALLY_EXCLUSIVE | TALLY_SKIP_NAN) || options->where != NULL);
}

static tally_status user_calculation(tally_verb verb, tally_op op, tally_type type, const tally_options *options,
                                     struct calculation *calculation)
{
    const struct user_op *user = user_op_find(op);
    if (!user || user->is_map)
        FAIL(TALLY_INVALID_ARGUMENT, "op is %llu: expected TALLY_SUM to TALLY_LAST, or what tally_op_compile gave",
             (unsigned long long)op);
    if (type != user->inputs[0])
        FAIL(TALLY_UNSUPPORTED, "input has type %s: operator %s takes %s", tally_type_name(type), user->name,
             tally_type_name(user->inputs[0]));
    TRY(check_operator(verb, &user->row, type, options));
    if (options->type != TALLY_DEFAULT_TYPE && options->type != user->result)
        FAIL(TALLY_UNSUPPORTED, "options.type is %s: operator %s gives %s", tally_type_name(options->type), user->name,
             tally_type_name(user->result));
    uint32_t flags = user_flags(user, options->flags);
    if (may_be_without(verb, flags, options) && !user->has_identity && !options->initial)
        FAIL(
            TALLY_UNSUPPORTED,
            "operator %s has no identity, which a scan that is exclusive or leaves elements out may need: give it one, "
            "or options.initial",
            user->name);
    TRY(user_op_compile(user));
    memset(calculation, 0, sizeof *calculation);
    calculation->op = &user->row;
    calculation->method = METHOD_USER;
    calculation->combine = COMBINE_USER;
    calculation->ordered = 1;
    calculation->type = type;
    calculation->result = user->result;
    calculation->flags = flags;
    calculation->initial = options->initial;
    calculation->values = user->values;
    calculation->user = user;
    return TALLY_OK;
}

tally_status plan_calculation(tally_verb verb, tally_op op, tally_type type, const tally_options *options,
                              struct calculation *calculation)
{
    if (op >= USER_FIRST_HANDLE) return user_calculation(verb, op, type, options, calculation);
    const struct op_row *row = op_row(op);
    if (!row) FAIL(TALLY_INVALID_ARGUMENT, "op is %llu: expected TALLY_SUM to TALLY_LAST", (unsigned long long)op);
    TRY(check_operator(verb, row, type, options));
    memset(calculation, 0, sizeof *calculation);
    if (options->modulus) TRY(choose_residue(row, type, options, &calculation->result));
    else TRY(choose_result(row, type, options->type, &calculation->result));
    if (verb == TALLY_SCAN && options->initial && row->result == RESULT_SAME && calculation->result != type)
        FAIL(TALLY_UNSUPPORTED,
             "options.type is %s beside options.initial: a scan of %s of %s with an initial value gives %s",
             tally_type_name(calculation->result), row->name, tally_type_name(type), tally_type_name(type));
    calculation->op = row;
    calculation->combine = row->combine;
    calculation->type = type;
    calculation->flags = options->flags;
    if (!(type_row(type)->kind & KIND_FLOAT)) calculation->flags &= ~(uint32_t)TALLY_SKIP_NAN;
    if (type_row(type)->kind & KIND_FLOAT || type_row(calculation->result)->kind & KIND_FLOAT)
        calculation->flags &= ~(uint32_t)TALLY_CHECK_OVERFLOW;
    calculation->correction = options->correction;
    calculation->modulus = modulus_of(options->modulus);
    calculation->initial = options->initial;
    calculation->values = row->combine == COMBINE_MINMAX ? 2 : 1;
    if (options->modulus) choose_modular(verb, calculation);
    else choose_method(calculation);
    if (calculation->method != METHOD_EXACT && calculation->combine != COMBINE_MULTIPLY_CHECKED) /* nothing overflows */
        calculation->flags &= ~(uint32_t)TALLY_CHECK_OVERFLOW;
    return TALLY_OK;
}
