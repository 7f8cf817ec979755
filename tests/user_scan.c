/* SPDX-License-Identifier: MIT
 *
 * user_scan.c - scans by users' operators have the bits of the documented block scheme, which user_model.h has a second
 * time: on every engine, inclusive and exclusive, from both ends, under masks, with initial states, in place, through
 * any strides, and continued in chunks of any length. */
#define _GNU_SOURCE
#include "user_model.h"

#define LONGEST 300000
#define RESULTS 20000000
static _Alignas(64) unsigned char room[3][(size_t)LONGEST * 16], apart[3][(size_t)LONGEST * 48], mask[LONGEST];
static _Alignas(64) unsigned char present[LONGEST], want[RESULTS], got[RESULTS];

enum { MASKED = 1, SKIPPING = 2, STARTED = 4, EXCLUSIVE = 8, REVERSE = 16, HOWS = 32 };

/* The order of elements of `size` bytes turned round. */
static void turn(unsigned char *elements, int64_t n, size_t size)
{
    unsigned char swap[4096];
    for (int64_t a = 0, b = n - 1; a < b; a++, b--) {
        memcpy(swap, elements + (size_t)a * size, size);
        memcpy(elements + (size_t)a * size, elements + (size_t)b * size, size);
        memcpy(elements + (size_t)b * size, swap, size);
    }
}

/* The elements in the order of the scan are in room; a view of them as the options want it. */
static tally_array view_of(int32_t input, tally_type type, int64_t n, int reverse, int64_t stride)
{
    size_t size = tally_type_size(type);
    tally_array view = tally_vector(apart[input], type, n);
    int64_t step = stride < 0 ? -stride : stride;
    view.strides[0] = stride;
    if (stride < 0 && n) view.data = apart[input] + (size_t)((n - 1) * step) * size;
    for (int64_t k = 0; k < n; k++) {
        int64_t at = reverse ? n - 1 - k : k;
        memcpy((char *)view.data + at * stride * (int64_t)size, room[input] + (size_t)k * size, size);
    }
    return view;
}

struct request {
    const struct user_case *c;
    tally_op op;
    tally_context *context;
    tally_array x, y, z, where;
    tally_options options;
    int64_t n;
    size_t bytes; /* of a result */
};

static tally_status run(struct request *r, int in_place, int64_t stride)
{
    tally_array out;
    if (in_place) {
        size_t size = tally_type_size(r->x.type);
        memcpy(got, r->x.strides[0] < 0 ? apart[0] : r->x.data, (size_t)r->n * size * 3);
        out = r->x;
        out.data = got + ((char *)r->x.data - (char *)apart[0]);
        out.type = r->c->result;
        tally_array x = out;
        x.type = r->c->inputs[0];
        return tally_scan(r->context, r->op, &x, &out, &r->options);
    }
    tally_status status = tally_result_like(TALLY_SCAN, r->op, &r->x, &r->options, &out);
    if (status != TALLY_OK) return status;
    out.data = got;
    for (int32_t d = 0; d < out.rank; d++) out.strides[d] *= stride;
    return tally_scan(r->context, r->op, &r->x, &out, &r->options);
}

/* Results from where `run` left them, contiguous and in the order of the elements. */
static const unsigned char *results_of(const struct request *r, int in_place, int64_t stride)
{
    size_t size = tally_type_size(r->c->result), values = (size_t)r->c->result_count;
    if (in_place) stride = r->x.strides[0];
    if (stride == 1) return got;
    int64_t step = stride < 0 ? -stride : stride;
    if (stride < 0) {
        static unsigned char copy[RESULTS];
        for (int64_t k = 0; k < r->n; k++)
            memcpy(copy + (size_t)k * size, got + (size_t)((r->n - 1 - k) * step) * size, size);
        return copy;
    }
    for (size_t k = 0; k < (size_t)r->n * values; k++) memmove(got + k * size, got + k * (size_t)step * size, size);
    return got;
}

static void check(const struct user_case *c, const tally_op forms[2], int64_t n, int how)
{
    static _Alignas(64) unsigned char initial[TALLY_OP_MOST_STATE];
    static const int64_t strides[] = {1, 1, 1, 2, -1, 3, -2};
    struct model_input in = {{room[0], room[1], room[2]}, NULL, n, 0};
    struct request r = {.c = c, .n = n, .options = TALLY_OPTIONS_INIT};
    int reverse = (how & REVERSE) != 0, needs = (how & (MASKED | SKIPPING | EXCLUSIVE)) != 0;
    if (needs && !c->c_identity) how |= STARTED;
    r.bytes = tally_type_size(c->result) * (size_t)c->result_count;
    for (int32_t i = 0; i < c->input_count; i++) model_fill(c, i, room[i], n, (how & SKIPPING) != 0);
    r.x = view_of(0, c->inputs[0], n, reverse, strides[test_random_below(7)]);
    if (c->input_count > 1) r.y = view_of(1, c->inputs[1], n, reverse, strides[test_random_below(7)]);
    if (c->input_count > 2) r.z = view_of(2, c->inputs[2], n, reverse, strides[test_random_below(7)]);
    memset(present, 1, (size_t)n);
    if (how & MASKED) model_mask(present, n);
    memcpy(mask, present, (size_t)n);
    if (reverse) turn(mask, n, 1);
    r.where = tally_vector(mask, TALLY_BOOL, n);
    if (how & STARTED) model_initial(c, initial);
    if (how & SKIPPING) model_skip_nans(c, &in, present);
    if (how & (SKIPPING | MASKED)) in.present = present;
    r.options.second = c->input_count > 1 ? &r.y : NULL, r.options.third = c->input_count > 2 ? &r.z : NULL;
    r.options.where = how & MASKED ? &r.where : NULL;
    r.options.initial = how & STARTED ? initial : NULL;
    r.options.flags =
        (how & SKIPPING ? TALLY_SKIP_NAN : 0) | (how & EXCLUSIVE ? TALLY_EXCLUSIVE : 0) | (reverse ? TALLY_REVERSE : 0);
    CHECK(model_scan(c, &in, r.options.initial, (how & EXCLUSIVE) != 0, want));
    if (reverse) turn(want, n, r.bytes);
    int may = c->result_count == 1 && tally_type_size(c->result) == tally_type_size(c->inputs[0]);
    for (int form = 0; form < 2; form++) {
        for (int d = 0; d < MODEL_DEVICES; d++) {
            int in_place = may && test_random_below(2);
            int64_t stride = 1 + (int64_t)test_random_below(2);
            r.op = forms[form], r.context = model_context[d];
            tally_status status = run(&r, in_place, stride);
            if (!CHECK(status == TALLY_OK &&
                       memcmp(results_of(&r, in_place, stride), want, (size_t)n * r.bytes) == 0) &&
                test.failed < TEST_SHOWN)
                fprintf(stderr, "%s as %s on %s, n = %" PRId64 ", how %d, in place %d: %s\n", c->name,
                        form ? "functions" : "text", model_devices[d], n, how, in_place,
                        status ? tally_last_error() : "other bits");
        }
    }
}

/* The same through a carry, in chunks of random lengths; room, mask and want are of an earlier check. */
static void check_chunks(const struct user_case *c, tally_op op, tally_context *context, int64_t n, int how)
{
    static _Alignas(64) unsigned char initial[TALLY_OP_MOST_STATE];
    struct model_input in = {{room[0], room[1], room[2]}, NULL, n, 0};
    size_t bytes = tally_type_size(c->result) * (size_t)c->result_count;
    tally_options options = TALLY_OPTIONS_INIT;
    tally_scan_carry *carry = NULL;
    if (how & (MASKED | SKIPPING | EXCLUSIVE) && !c->c_identity) how |= STARTED;
    for (int32_t i = 0; i < c->input_count; i++) model_fill(c, i, room[i], n, (how & SKIPPING) != 0);
    memset(present, 1, (size_t)n);
    if (how & MASKED) model_mask(present, n);
    memcpy(mask, present, (size_t)n);
    if (how & STARTED) model_initial(c, initial);
    if (how & SKIPPING) model_skip_nans(c, &in, present);
    if (how & (SKIPPING | MASKED)) in.present = present;
    options.initial = how & STARTED ? initial : NULL;
    options.flags = (how & SKIPPING ? TALLY_SKIP_NAN : 0) | (how & EXCLUSIVE ? TALLY_EXCLUSIVE : 0);
    CHECK(model_scan(c, &in, options.initial, (how & EXCLUSIVE) != 0, want));
    memset(got, 0, (size_t)n * bytes);
    CHECK(tally_scan_carry_new(context, op, c->inputs[0], 1, &options, &carry) == TALLY_OK);
    for (int64_t at = 0; at < n && carry;) {
        int64_t most = test_random_below(2) ? 40 : test_random_below(2) ? 600 : 70000;
        int64_t m = (int64_t)test_random_below((uint64_t)most) + (test_random_below(8) != 0);
        if (m > n - at) m = n - at;
        tally_array x = tally_vector(room[0] + (size_t)at * tally_type_size(c->inputs[0]), c->inputs[0], m);
        tally_array y = tally_vector(room[1] + (size_t)at * tally_type_size(c->inputs[1]), c->inputs[1], m);
        tally_array z = tally_vector(room[2] + (size_t)at * tally_type_size(c->inputs[2]), c->inputs[2], m);
        tally_array where = tally_vector(mask + at, TALLY_BOOL, m), out;
        options.second = c->input_count > 1 ? &y : NULL, options.third = c->input_count > 2 ? &z : NULL;
        options.where = how & MASKED ? &where : NULL;
        CHECK(tally_result_like(TALLY_SCAN, op, &x, &options, &out) == TALLY_OK);
        out.data = got + (size_t)at * bytes;
        if (!CHECK(tally_scan_continue(carry, &x, &out, &options) == TALLY_OK)) break;
        at += m;
    }
    if (!CHECK(memcmp(got, want, (size_t)n * bytes) == 0))
        fprintf(stderr, "%s in chunks, n = %" PRId64 ", how %d\n", c->name, n, how);
    tally_scan_carry_free(carry);
}

static void check_case(const struct user_case *c)
{
    static const int64_t lengths[] = {0,   1,   2,   15,   16,   17,   31,   33,   127,  129,
                                      511, 512, 513, 1000, 4095, 4096, 4097, 4608, 4609, 9001};
    tally_op forms[2];
    int heavy = c->state_bytes >= 64;
    user_make(model_context[0], c, forms);
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0] && forms[0]; k++) {
        for (int how = (int)test_random_below(heavy ? 4 : 2); how < HOWS; how += heavy ? 7 : 2)
            check(c, forms, lengths[k], how);
    }
    for (int k = 0; k < 2 && forms[0]; k++) check(c, forms, heavy ? 9000 : 64 * 4096 + k, (int)test_random_below(HOWS));
    for (int k = 0; k < 8 && forms[0]; k++) {
        int64_t n = (int64_t)test_random_below(heavy ? 6000 : k < 2 ? 280000 : 12000);
        for (int d = 0; d < MODEL_DEVICES; d++)
            check_chunks(c, forms[k % 2], model_context[d], n, (int)test_random_below(REVERSE));
    }
    user_free(forms);
}

int main(void)
{
    model_open();
    for (int k = 0; k < USER_CASES; k++) {
        CASE(user_cases[k].name) check_case(&user_cases[k]);
    }
    model_close();
    return test_finish("user_scan");
}
