/* SPDX-License-Identifier: MIT
 *
 * user_reduce.c - reductions by users' operators have the bits of the documented tree, which user_model.h has a second
 * time: on every engine, from text and from C functions, of lengths around every border, under masks, without NaNs,
 * with initial states. */
#define _GNU_SOURCE
#include "failing.h"
#include "user_model.h"

#define LONGEST 1100000
static _Alignas(64) unsigned char room[3][(size_t)LONGEST * 16], mask[LONGEST], present[LONGEST];

enum { PLAIN = 0, MASKED = 1, SKIPPING = 2, STARTED = 4 };

static void check(const struct user_case *c, const tally_op forms[2], int64_t n, int how)
{
    static _Alignas(64) unsigned char want[4096], got[4096], initial[TALLY_OP_MOST_STATE];
    struct model_input in = {{room[0], room[1], room[2]}, NULL, n, 0};
    size_t bytes = tally_type_size(c->result) * (size_t)c->result_count;
    for (int32_t i = 0; i < c->input_count; i++) model_fill(c, i, room[i], n, (how & SKIPPING) != 0);
    tally_array x = tally_vector(room[0], c->inputs[0], n), y = tally_vector(room[1], c->inputs[1], n);
    tally_array z = tally_vector(room[2], c->inputs[2], n), where = tally_vector(mask, TALLY_BOOL, n), out;
    tally_options options = TALLY_OPTIONS_INIT;
    if (c->input_count > 1) options.second = &y;
    if (c->input_count > 2) options.third = &z;
    if (how & MASKED) {
        model_mask(mask, n);
        options.where = &where;
    } else {
        memset(mask, 1, (size_t)n);
    }
    if (how & STARTED) {
        model_initial(c, initial);
        options.initial = initial;
    }
    memcpy(present, mask, (size_t)n);
    if (how & SKIPPING) {
        options.flags |= TALLY_SKIP_NAN;
        model_skip_nans(c, &in, present);
    }
    if (how & (SKIPPING | MASKED)) in.present = present;
    int has = model_reduce(c, &in, options.initial, want);
    for (int form = 0; form < 2; form++) {
        for (int d = 0; d < MODEL_DEVICES; d++) {
            tally_status status = tally_result_like(TALLY_REDUCE, forms[form], &x, &options, &out);
            memset(got, 0xa5, sizeof got);
            out.data = got;
            if (status == TALLY_OK) status = tally_reduce(model_context[d], forms[form], &x, &out, &options);
            int good = has ? status == TALLY_OK && memcmp(got, want, bytes) == 0
                           : status == TALLY_EMPTY && untouched(got, bytes);
            if (!CHECK(good) && test.failed < TEST_SHOWN)
                fprintf(stderr, "%s as %s on %s, n = %" PRId64 ", how %d: %s %s\n", c->name,
                        form ? "functions" : "text", model_devices[d], n, how, tally_status_name(status),
                        status ? tally_last_error() : "");
        }
    }
}

static void check_case(const struct user_case *c)
{
    static const int64_t lengths[] = {0,         1,
                                      2,         15,
                                      16,        17,
                                      31,        32,
                                      33,        63,
                                      64,        65,
                                      127,       128,
                                      129,       511,
                                      512,       513,
                                      4095,      4096,
                                      4097,      5000,
                                      8192,      12295,
                                      20480,     64 * 4096 - 1,
                                      64 * 4096, 65 * 4096 + 1};
    tally_op forms[2];
    int64_t most = c->state_bytes >= 100 ? 13000 : 65 * 4096 + 1;
    user_make(model_context[0], c, forms);
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0] && forms[0]; k++) {
        int64_t n = lengths[k];
        if (n > most) continue;
        if (n > 20480) {
            check(c, forms, n, (int)test_random_below(8));
            continue;
        }
        for (int how = 0; how < 8; how++) check(c, forms, n, how);
    }
    for (int k = 0; k < 30 && forms[0]; k++)
        check(c, forms, (int64_t)test_random_below(most < 30000 ? 5000 : 30000), (int)test_random_below(8));
    user_free(forms);
}

/* Long enough for several tasks of a thread; masks have holes that leave nodes without elements. */
static void check_long(const char *name)
{
    const struct user_case *c = user_case_named(name);
    tally_op forms[2];
    user_make(model_context[0], c, forms);
    check(c, forms, 1050000, PLAIN);
    check(c, forms, 1048576 + 4096, MASKED | STARTED);
    check(c, forms, 2 * 64 * 4096, MASKED | SKIPPING);
    user_free(forms);
}

/* Elements at both ends alone: whole tasks and the nodes above them are empty. */
static void check_hole(const char *name)
{
    const struct user_case *c = user_case_named(name);
    int64_t n = 1048576 + 17;
    struct model_input in = {{room[0], room[1], room[2]}, mask, n, 0};
    tally_array x = tally_vector(room[0], c->inputs[0], n), where = tally_vector(mask, TALLY_BOOL, n), out;
    tally_options options = TALLY_OPTIONS_INIT;
    unsigned char want[64], got[64];
    tally_op forms[2];
    user_make(model_context[0], c, forms);
    model_fill(c, 0, room[0], n, 0);
    options.where = &where;
    for (int first = 0; first < 2; first++) {
        memset(mask, 0, (size_t)n);
        if (first) mask[5] = 1;
        mask[300000] = mask[n - 3] = 1;
        memset(want, 0, sizeof want);
        CHECK(model_reduce(c, &in, NULL, want));
        for (int d = 0; d < MODEL_DEVICES; d++) {
            CHECK(tally_result_like(TALLY_REDUCE, forms[0], &x, &options, &out) == TALLY_OK);
            memset(got, 0, sizeof got);
            out.data = got;
            CHECK(tally_reduce(model_context[d], forms[0], &x, &out, &options) == TALLY_OK);
            CHECK(memcmp(got, want, sizeof got) == 0);
        }
    }
    user_free(forms);
}

int main(void)
{
    model_open();
    for (int k = 0; k < USER_CASES; k++) {
        CASE(user_cases[k].name) check_case(&user_cases[k]);
    }
    CASE("long")
    {
        check_long("matrix");
        check_long("rms");
        check_long("rms_in_order");
        check_long("seen");
    }
    CASE("holes")
    {
        check_hole("matrix");
        check_hole("hash");
        check_hole("rms_in_order");
    }
    model_close();
    return test_finish("user_reduce");
}
