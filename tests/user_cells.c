/* SPDX-License-Identifier: MIT
 *
 * user_cells.c - users' operators along an axis of matrices and boxes whose cells lie side by side, or are short:
 * widths and lengths on both sides of every border of a tile, a lane and a leaf have the bits of user_model.h. */
#define _GNU_SOURCE
#include "user_model.h"

#define ELEMENTS (1 << 17)
static _Alignas(64) unsigned char memory[3][ELEMENTS * 16], picked[3][ELEMENTS * 16], want[ELEMENTS * 16];
static _Alignas(64) unsigned char got[ELEMENTS * 16];

/* A box of outer x length x inner, reduced along its middle axis; rows apart where `gap` is more. */
struct cube {
    int64_t outer, length, inner, gap;
};

static int64_t place_of(const struct cube *box, int64_t o, int64_t r, int64_t c)
{
    return ((o * box->length) + r) * (box->inner + box->gap) + c;
}

static void model_cells(const struct user_case *c, const struct cube *box, const void *initial)
{
    const size_t each = tally_type_size(c->result) * (size_t)c->result_count;
    for (int64_t cell = 0; cell < box->outer * box->inner; cell++) {
        struct model_input in = {{picked[0], picked[1], picked[2]}, NULL, box->length, 0};
        for (int64_t r = 0; r < box->length; r++) {
            for (int32_t i = 0; i < c->input_count; i++) {
                const size_t size = tally_type_size(c->inputs[i]);
                const int64_t at = place_of(box, cell / box->inner, r, cell % box->inner);
                memcpy(picked[i] + (size_t)r * size, memory[i] + (size_t)at * size, size);
            }
        }
        CHECK(model_reduce(c, &in, initial, want + (size_t)cell * each));
    }
}

static tally_array view_of(const struct cube *box, tally_type type, void *data)
{
    const int64_t shape[] = {box->outer, box->length, box->inner};
    tally_array view = tally_shaped(data, type, 3, shape);
    view.strides[1] = box->inner + box->gap;
    view.strides[0] = box->length * view.strides[1];
    return view;
}

static void check(const struct user_case *c, const tally_op forms[2], const struct cube *box)
{
    static const int32_t axis = 1;
    const size_t each = tally_type_size(c->result) * (size_t)c->result_count;
    const int64_t cells = box->outer * box->inner;
    _Alignas(64) unsigned char initial[TALLY_OP_MOST_STATE];
    tally_array view[3], out;
    tally_options options = TALLY_OPTIONS_INIT;
    if (place_of(box, box->outer, 0, 0) > ELEMENTS || (size_t)cells * each > sizeof want) return;
    for (int32_t i = 0; i < c->input_count; i++) view[i] = view_of(box, c->inputs[i], memory[i]);
    options.axes = &axis, options.axis_count = 1;
    options.second = c->input_count > 1 ? &view[1] : NULL, options.third = c->input_count > 2 ? &view[2] : NULL;
    if (box->inner % 2) {
        model_initial(c, initial);
        options.initial = initial;
    }
    model_cells(c, box, options.initial);
    for (int run = 0; run < 4; run++) {
        CHECK(tally_result_like(TALLY_REDUCE, forms[run / 2], &view[0], &options, &out) == TALLY_OK);
        memset(got, 0xa5, (size_t)cells * each);
        out.data = got;
        const tally_status status = tally_reduce(model_context[run % 2], forms[run / 2], &view[0], &out, &options);
        if (!CHECK(status == TALLY_OK && memcmp(got, want, (size_t)cells * each) == 0))
            fprintf(stderr, "%s: %lld x %lld x %lld, gap %lld, run %d: %s\n", c->name, (long long)box->outer,
                    (long long)box->length, (long long)box->inner, (long long)box->gap, run, tally_last_error());
    }
}

static void borders(const struct user_case *c, const tally_op forms[2])
{
    static const int64_t inners[] = {1, 2, 7, 8, 9, 63, 64, 65, 130};
    static const int64_t lengths[] = {1, 2, 31, 32, 33, 64, 65, 127, 128, 129, 500, 4095, 4096, 4097, 12289};
    const int64_t most = c->state_bytes > 32 ? 20000 : ELEMENTS;
    for (int32_t i = 0; i < c->input_count; i++) model_fill(c, i, memory[i], ELEMENTS, 0);
    for (size_t k = 0; k < sizeof inners / sizeof inners[0]; k++) {
        for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
            const struct cube box = {1 + (int64_t)test_random_below(3), lengths[l], inners[k], (int64_t)(k + l) % 3};
            if (place_of(&box, box.outer, 0, 0) <= most) check(c, forms, &box);
        }
    }
    /* Rows, one cell after the other, that lie side by side in their first elements alone. */
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
        const struct cube box = {1 + (int64_t)test_random_below(70), lengths[l], 1, 0};
        if (place_of(&box, box.outer, 0, 0) <= most) check(c, forms, &box);
    }
}

/* Inputs that lie differently: one along rows, the other down columns. */
static void apart(void)
{
    const int64_t shape[] = {200, 70};
    const int32_t axis = 0;
    tally_op_source source = TALLY_OP_SOURCE_INIT;
    tally_op op = 0;
    source.name = "apart", source.input_count = 2, source.inputs[0] = source.inputs[1] = TALLY_I64;
    source.state = "i64", source.lift = "x * 1000 + y", source.combine = "a * 3 + b";
    CHECK(tally_op_compile(model_context[0], &source, &op) == TALLY_OK);
    static int64_t x[200 * 70], y[200 * 70], results[3][70];
    for (int k = 0; k < 200 * 70; k++) x[k] = (int64_t)test_random_below(900), y[k] = (int64_t)test_random_below(900);
    tally_array first = tally_shaped(x, TALLY_I64, 2, shape), second = tally_shaped(y, TALLY_I64, 2, shape);
    second.strides[0] = 1, second.strides[1] = 200;
    tally_options options = TALLY_OPTIONS_INIT;
    options.axes = &axis, options.axis_count = 1, options.second = &second;
    for (int d = 0; d < MODEL_DEVICES; d++) {
        tally_array out = tally_vector(results[d], TALLY_I64, 70);
        CHECK(tally_reduce(model_context[d], op, &first, &out, &options) == TALLY_OK);
        CHECK(memcmp(results[d], results[0], sizeof results[0]) == 0);
    }
    tally_op_free(op);
}

int main(void)
{
    static const char *const names[] = {"matrix", "affine", "hash", "argmax", "weighted", "twelve", "bytes", NULL};
    model_open();
    user_each(model_context[0], names, borders);
    CASE("apart") apart();
    model_close();
    return test_finish("user_cells");
}
