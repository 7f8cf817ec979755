/* SPDX-License-Identifier: MIT
 *
 * reference.c - the reference engine's reductions: one element after the other, on one thread. Everything else is
 * tested against it, so it shares no kernel with the other engines: only the scalar steps of fold_table.h, the
 * accumulator of exact.h and the finish of a state. reference_exact.c and reference_scan.c have the rest. */
#include "reference.h"
#include "complex_norm.h"
#include "user/operator.h"

#include <fenv.h>
#include <string.h>

/* ---- adding one element to a state ---- */

static void add_fold(const struct calculation *calculation, struct state *state, const void *x, const void *y,
                     int present)
{
    const struct fold_steps *steps = fold_steps(calculation->op->lift, calculation->combine, calculation->type);
    struct fold_value value;
    if (present) fold_lift(calculation, &value, x, y ? y : x);
    if (calculation->ordered) tree_add(steps, state, present ? &value : NULL);
    else if (present) fold_combine(calculation, &state->as.fold, &value);
}

static void add_pair(const struct calculation *calculation, struct state *state, const void *x)
{
    for (int i = 0; i < 2; i++) {
        enum combine combine = i == 0 ? COMBINE_MINIMUM : COMBINE_MAXIMUM;
        const struct fold_steps *steps = fold_steps(calculation->op->lift, combine, calculation->type);
        struct fold_value value;
        steps->lift(&value, x, x);
        steps->combine(&state->as.pair[i], &value);
    }
}

/* Whether element x beats the earlier y: a first NaN beats all, then only what is strictly smaller (larger) does. */
static int arg_beats(const struct calculation *calculation, const void *x, const void *y)
{
    tally_type type = calculation->type;
    int largest = calculation->combine == COMBINE_ARGMAX;
    if (type_row(type)->kind & KIND_REAL) {
        double a = convert_to_real(type, x, 0), b = convert_to_real(type, y, 0);
        if (a != a || b != b) return b == b;
        return largest ? a > b : a < b;
    }
    uint64_t a = convert_to_integer(type, x), b = convert_to_integer(type, y);
    if (type_row(type)->kind == KIND_SIGNED) return largest ? (int64_t)a > (int64_t)b : (int64_t)a < (int64_t)b;
    return largest ? a > b : a < b;
}

static void add_indexed(const struct calculation *calculation, struct state *state, const void *x)
{
    struct arg_value *best = &state->as.arg;
    int take = best->index < 0;
    if (calculation->method == METHOD_END) take |= calculation->combine == COMBINE_LAST;
    else take = take || arg_beats(calculation, x, best->value);
    if (!take) return;
    best->index = state->start + state->count;
    memcpy(best->value, x, (size_t)type_row(calculation->type)->size);
}

static void add_element(const struct calculation *calculation, struct state *state, const void *x, const void *y,
                        int present)
{
    switch (calculation->method) {
    case METHOD_FOLD: add_fold(calculation, state, x, y, present); break;
    case METHOD_EXACT:
        if (present) reference_add_exact(calculation, state->as.exact, x, y);
        break;
    case METHOD_MINMAX:
        if (present) add_pair(calculation, state, x);
        break;
    case METHOD_ARG:
    case METHOD_END:
        if (present) add_indexed(calculation, state, x);
        break;
    case METHOD_USER: break; /* reference_user.c */
    }
    state->count++;
    state->absent += !present;
}

int reference_is_nan(tally_type type, const void *x)
{
    double re = convert_to_real(type, x, 0), im = convert_to_real(type, x, 1);
    return re != re || im != im;
}

int reference_present(const struct calculation *calculation, const void *x, const void *y, const unsigned char *where)
{
    if (where && !*where) return 0;
    if (!(calculation->flags & TALLY_SKIP_NAN) || !(type_row(calculation->type)->kind & KIND_FLOAT)) return 1;
    return !reference_is_nan(calculation->type, x) && !(y && reference_is_nan(calculation->type, y));
}

/* ---- walking ---- */

void reference_offsets(const struct loop *loops, int32_t count, int64_t index, int64_t offset[OPERAND_COUNT])
{
    for (int32_t d = count - 1; d >= 0; d--) {
        for (int o = 0; o < OPERAND_COUNT; o++) offset[o] += index % loops[d].extent * loops[d].stride[o];
        index /= loops[d].extent;
    }
}

static void add_cell(const struct reduction *reduction, const struct calculation *calculation, int64_t cell,
                     struct state *state)
{
    int64_t size = type_row(calculation->type)->size;
    int second = (calculation->op->flags & OP_SECOND) != 0;
    if (calculation->user) {
        reference_user_reduce(reduction, calculation, cell, state);
        return;
    }
    for (int64_t i = 0; i < reduction->length; i++) {
        int64_t at[OPERAND_COUNT] = {0};
        reference_offsets(reduction->kept, reduction->kept_count, cell, at);
        reference_offsets(reduction->reduced, reduction->reduced_count, i, at);
        const char *x = (const char *)reduction->x + at[OPERAND_X] * size;
        const char *y = second ? (const char *)reduction->y + at[OPERAND_Y] * size : NULL;
        const unsigned char *where = reduction->where ? reduction->where + at[OPERAND_WHERE] : NULL;
        add_element(calculation, state, x, y, reference_present(calculation, x, y, where));
    }
}

static tally_status reference_accumulate(struct tally_context *context, const struct reduction *reduction,
                                         const struct calculation *calculations, struct state *const *states,
                                         int32_t count)
{
    fenv_t environment;
    (void)context;
    feholdexcept(&environment);
    fesetenv(FE_DFL_ENV);
    for (int32_t i = 0; i < count; i++) {
        for (int64_t cell = 0; cell < reduction->cells; cell++) {
            int64_t at[OPERAND_COUNT] = {0};
            reference_offsets(reduction->kept, reduction->kept_count, cell, at);
            struct state *state = state_at(&calculations[i], states[i], reduction->first_state + at[OPERAND_OUT]);
            add_cell(reduction, &calculations[i], cell, state);
        }
    }
    fesetenv(&environment);
    return TALLY_OK;
}

/* Results of all cells, so that a late failure leaves the output alone. */
#define VALUE_BYTES 16

static int64_t cell_bytes(const struct calculation *calculation)
{
    return (int64_t)calculation->values * VALUE_BYTES;
}

static tally_status reduce_aside(const struct reduction *reduction, struct state *state, char *results)
{
    const struct calculation *calculation = &reduction->calculation;
    for (int64_t cell = 0; cell < reduction->cells; cell++) {
        state_open(calculation, state, 0);
        add_cell(reduction, calculation, cell, state);
        TRY(state_finish(calculation, state, results + cell * cell_bytes(calculation), VALUE_BYTES));
    }
    return TALLY_OK;
}

static void write_results(const struct reduction *reduction, const char *results)
{
    const struct calculation *calculation = &reduction->calculation;
    int64_t size = type_row(calculation->result)->size;
    for (int64_t cell = 0; cell < reduction->cells; cell++) {
        int64_t at[OPERAND_COUNT] = {0};
        reference_offsets(reduction->kept, reduction->kept_count, cell, at);
        char *out = (char *)reduction->out + at[OPERAND_OUT] * size;
        const char *result = results + cell * cell_bytes(calculation);
        for (int32_t v = 0; v < calculation->values; v++)
            memcpy(out + v * reduction->step * size, result + v * VALUE_BYTES, (size_t)size);
    }
}

static tally_status reference_reduce(struct tally_context *context, const struct reduction *reduction)
{
    size_t state = state_size(&reduction->calculation);
    size_t bytes = state + (size_t)(reduction->cells * cell_bytes(&reduction->calculation));
    fenv_t environment;
    char *memory = context_allocate(context, bytes), *results = memory + state;
    if (!memory) return TALLY_OUT_OF_MEMORY;
    feholdexcept(&environment);
    fesetenv(FE_DFL_ENV);
    tally_status status = reduce_aside(reduction, (struct state *)(void *)memory, results);
    fesetenv(&environment);
    if (status == TALLY_OK) write_results(reduction, results);
    context_release(context, memory, bytes);
    return status;
}

static tally_status reference_open(struct tally_context *context, const char *options)
{
    if (options) FAIL(TALLY_INVALID_ARGUMENT, "device is \"reference:%s\": expected \"reference\"", options);
    context->device = NULL;
    return TALLY_OK;
}

static void reference_close(struct tally_context *context)
{
    (void)context;
}

static void reference_describe(struct tally_context *context, tally_device *device)
{
    (void)context;
    device->threads = 1;
    strcpy(device->name, reference_engine.name);
    strcpy(device->description, reference_engine.description);
    strcpy(device->instruction_set, "base");
}

static tally_status reference_user_operator(struct tally_context *context, const struct user_op *op)
{
    (void)context;
    return user_op_compile(op);
}

static void reference_parallel_for(struct tally_context *context, int64_t count,
                                   void (*task)(void *argument, int64_t index, int32_t worker), void *argument)
{
    fenv_t environment;
    (void)context;
    feholdexcept(&environment);
    fesetenv(FE_DFL_ENV);
    for (int64_t i = 0; i < count; i++) task(argument, i, 0);
    fesetenv(&environment);
}

const struct engine reference_engine = {
    .name = "reference",
    .description = "the obvious loop, on one thread",
    .open = reference_open,
    .close = reference_close,
    .describe = reference_describe,
    .reduce = reference_reduce,
    .scan = reference_scan,
    .accumulate = reference_accumulate,
    .user_operator = reference_user_operator,
    .map = reference_map,
    .parallel_for = reference_parallel_for,
};
