/* SPDX-License-Identifier: MIT
 *
 * user_views.c - users' operators on arrays of up to four axes that lie in memory in every way: each cell and each line
 * has the bits of user_model.h; and on all element types, where built-in operators say what comes out; and plans. */
#define _GNU_SOURCE
#include "user_model.h"
#include "views.h"

#define ROOM (1 << 22)
static _Alignas(64) unsigned char memory[3][ROOM], dense[3][ROOM], mask_room[ROOM], mask[ROOM], want[ROOM], got[ROOM];
static _Alignas(64) unsigned char picked[3][ROOM], picked_mask[ROOM];

static int64_t elements(const tally_array *array)
{
    int64_t n = 1;
    for (int32_t d = 0; d < array->rank; d++) n *= array->shape[d];
    return n;
}

/* Offset of element number k, in C order, of the axes that `chosen` names, in a dense array. */
static int64_t offset_of(const tally_array *array, uint32_t chosen, int64_t k)
{
    int64_t offset = 0;
    tally_array flat = tally_shaped(NULL, TALLY_U8, array->rank, array->shape);
    for (int32_t d = array->rank - 1; d >= 0; d--) {
        if (!(chosen >> d & 1) || array->shape[d] == 0) continue;
        offset += k % array->shape[d] * flat.strides[d];
        k /= array->shape[d];
    }
    return offset;
}

/* Elements of one cell from the dense copies to `picked`, which the model reads. */
static void pick(const struct user_case *c, const tally_array *x, uint32_t along, int64_t cell, struct model_input *in)
{
    uint32_t all = (1u << x->rank) - 1;
    int64_t start = offset_of(x, all & ~along, cell);
    for (int64_t k = 0; k < in->n; k++) {
        int64_t at = start + offset_of(x, along, k);
        for (int32_t i = 0; i < c->input_count; i++) {
            size_t size = tally_type_size(c->inputs[i]);
            memcpy(picked[i] + (size_t)k * size, dense[i] + (size_t)at * size, size);
        }
        picked_mask[k] = mask[at];
    }
    for (int32_t i = 0; i < 3; i++) in->of[i] = picked[i];
    in->present = picked_mask;
}

static void check(const struct user_case *c, const tally_op forms[2], int scan)
{
    int64_t shape[8], n = 1, cells = 1;
    int32_t rank = random_shape(shape, 6000), axes[8], count;
    tally_array view[3], where, out, like;
    tally_options options = TALLY_OPTIONS_INIT;
    size_t size = tally_type_size(c->result), each = size * (size_t)c->result_count;
    uint32_t along = 0;
    int masked = (c->c_identity || !scan) && test_random_below(2);
    for (int32_t i = 0; i < c->input_count; i++) {
        model_fill(c, i, memory[i], ROOM / 16 < 60000 ? ROOM / 16 : 60000, 0);
        view[i] = random_view(c->inputs[i], rank, shape, memory[i], 12000);
        gathered(&view[i], dense[i]);
    }
    model_mask(mask_room, 60000);
    where = random_view(TALLY_BOOL, rank, shape, mask_room, 12000);
    gathered(&where, mask);
    if (!masked) memset(mask, 1, (size_t)elements(&view[0]) + 1);
    count = scan ? 1 : random_axes(rank, axes);
    if (scan) axes[0] = (int32_t)test_random_below((uint64_t)rank);
    for (int32_t i = 0; i < count; i++) along |= 1u << (axes[i] < 0 ? axes[i] + rank : axes[i]);
    for (int32_t d = 0; d < rank; d++) *(along >> d & 1 ? &n : &cells) *= shape[d];
    options.axes = axes, options.axis_count = count;
    options.second = c->input_count > 1 ? &view[1] : NULL, options.third = c->input_count > 2 ? &view[2] : NULL;
    options.where = masked ? &where : NULL;
    if (!scan && test_random_below(3) == 0) options.flags = TALLY_KEEPDIMS;
    if ((size_t)(scan ? n * cells : cells) * each * 2 > ROOM) return;
    tally_status expected = TALLY_OK;
    for (int64_t cell = 0; cell < cells; cell++) {
        struct model_input in = {.n = n};
        pick(c, &view[0], along, cell, &in);
        if (!scan) {
            if (!model_reduce(c, &in, NULL, want + (size_t)cell * each)) expected = TALLY_EMPTY;
            continue;
        }
        static unsigned char line[ROOM];
        CHECK(model_scan(c, &in, NULL, 0, line));
        int64_t start = offset_of(&view[0], ((1u << rank) - 1) & ~along, cell);
        for (int64_t k = 0; k < n; k++)
            memcpy(want + (size_t)(start + offset_of(&view[0], along, k)) * each, line + (size_t)k * each, each);
    }
    for (int run = 0; run < 4; run++) {
        tally_context *context = model_context[run < 3 ? run : 1];
        tally_op op = forms[run == 3];
        memset(got, 0xa5, ROOM);
        tally_status status = tally_result_like(scan ? TALLY_SCAN : TALLY_REDUCE, op, &view[0], &options, &like);
        out = like;
        out.data = got;
        /* Columns first, or every second element. */
        int64_t step = 1 + (int64_t)test_random_below(2);
        for (int32_t d = 0; d < out.rank && test_random_below(2); d++, step *= out.shape[d - 1] ? out.shape[d - 1] : 1)
            out.strides[d] = step;
        if (elements(&like) && out.rank && out.strides[0] != like.strides[0]) {
            step = 1 + (int64_t)test_random_below(2);
            for (int32_t d = 0; d < out.rank; d++, step *= out.shape[d - 1]) out.strides[d] = step;
        }
        if (status == TALLY_OK && run == 3) {
            tally_plan *plan = NULL;
            status = scan ? tally_plan_scan(context, op, &view[0], &out, &options, &plan)
                          : tally_plan_reduce(context, op, &view[0], &out, &options, &plan);
            if (status == TALLY_UNSUPPORTED) continue; /* a mask without an identity */
            if (status == TALLY_OK) status = tally_plan_run(plan);
            if (status == TALLY_OK) status = tally_plan_run(plan);
            CHECK(tally_plan_free(plan) == TALLY_OK);
        } else if (status == TALLY_OK) {
            status = scan ? tally_scan(context, op, &view[0], &out, &options)
                          : tally_reduce(context, op, &view[0], &out, &options);
        }
        int good = status == expected;
        static unsigned char flat[ROOM];
        if (good && status == TALLY_OK) gathered(&out, flat);
        if (good && status == TALLY_OK) good = memcmp(flat, want, (size_t)elements(&like) * size) == 0;
        if (!CHECK(good) && test.failed < TEST_SHOWN)
            fprintf(stderr, "%s, rank %d, along %x, scan %d, masked %d, run %d: %s %s\n", c->name, (int)rank, along,
                    scan, masked, run, tally_status_name(status), status ? tally_last_error() : "");
    }
}

static void any_views(const struct user_case *c, const tally_op forms[2])
{
    for (int i = 0; i < 40; i++) check(c, forms, i % 2);
}

/* Rows, columns and an axis in the middle, long enough for threads. */
static void shapes(void)
{
    static const int64_t forms_of[][3] = {{3, 5000, 4}, {40, 30, 50}, {1, 20000, 3}, {9000, 2, 3}, {2, 3, 9000}};
    const struct user_case *c = user_case_named("hash");
    tally_op forms[2];
    user_make(model_context[0], c, forms);
    model_fill(c, 0, memory[0], 60000, 0);
    for (size_t k = 0; k < sizeof forms_of / sizeof forms_of[0]; k++) {
        for (int32_t axis = 0; axis < 3; axis++) {
            tally_array x = tally_shaped(memory[0], TALLY_U8, 3, forms_of[k]), out;
            tally_options options = TALLY_OPTIONS_INIT;
            options.axes = &axis, options.axis_count = 1;
            for (int scan = 0; scan < 2; scan++) {
                for (int d = MODEL_DEVICES - 1; d >= 0; d--) {
                    CHECK(tally_result_like(scan ? TALLY_SCAN : TALLY_REDUCE, forms[0], &x, &options, &out) ==
                          TALLY_OK);
                    out.data = d == MODEL_DEVICES - 1 ? want : got;
                    CHECK((scan ? tally_scan(model_context[d], forms[d % 2], &x, &out, &options)
                                : tally_reduce(model_context[d], forms[d % 2], &x, &out, &options)) == TALLY_OK);
                    CHECK(memcmp(out.data, want, (size_t)elements(&out) * 8) == 0);
                }
            }
        }
    }
    user_free(forms);
}

/* ---- types ---- */

/* The last and the first element, and the largest one, of every type, against the operators that tally has. */
static void types(void)
{
    static const struct {
        const char *combine;
        tally_op op;
        int real;
    } rows[] = {{"b", TALLY_LAST, 0}, {"a", TALLY_FIRST, 0}, {"max(a, b)", TALLY_MAX, 1}, {"min(a, b)", TALLY_MIN, 1}};
    for (tally_type type = TALLY_BOOL; type <= TALLY_C128; type++) {
        int64_t n = 5000;
        data_fill(type, type == TALLY_BOOL ? DATA_TIES : DATA_ORDINARY, memory[0], n);
        if (type == TALLY_BOOL) memory[0][n - 1] = 200; /* is true as well */
        tally_array x = tally_vector(memory[0], type, n);
        for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
            if (rows[k].real && type >= TALLY_C64) continue;
            tally_op_source source = TALLY_OP_SOURCE_INIT;
            tally_op op = 0;
            source.name = "typed", source.inputs[0] = type;
            source.state = tally_type_name(type), source.combine = rows[k].combine;
            if (!CHECK(tally_op_compile(model_context[0], &source, &op) == TALLY_OK))
                fprintf(stderr, "%s: %s\n", source.state, tally_last_error());
            for (int d = 0; d < MODEL_DEVICES && op; d++) {
                tally_array out = tally_shaped(want, type, 0, NULL), like;
                CHECK(tally_reduce(model_context[d], rows[k].op, &x, &out, NULL) == TALLY_OK);
                CHECK(tally_result_like(TALLY_REDUCE, op, &x, NULL, &like) == TALLY_OK && like.type == type);
                out.data = got;
                CHECK(tally_reduce(model_context[d], op, &x, &out, NULL) == TALLY_OK);
                CHECK(memcmp(got, want, tally_type_size(type)) == 0);
                out = tally_vector(got, type, n);
                CHECK(tally_scan(model_context[d], op, &x, &out, NULL) == TALLY_OK);
                if (rows[k].real)
                    CHECK(memcmp(got + (size_t)(n - 1) * tally_type_size(type), want, tally_type_size(type)) == 0);
                else if (rows[k].op == TALLY_LAST && type != TALLY_BOOL)
                    CHECK(memcmp(got, memory[0], (size_t)n * tally_type_size(type)) == 0);
            }
            tally_op_free(op);
        }
    }
}

int main(void)
{
    static const char *const names[] = {"matrix",   "affine", "hash",  "histogram", "argmax",
                                        "weighted", "twelve", "bytes", NULL};
    model_open();
    user_each(model_context[0], names, any_views);
    CASE("shapes") shapes();
    CASE("types") types();
    model_close();
    return test_finish("user_views");
}
