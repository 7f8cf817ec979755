/* SPDX-License-Identifier: MIT
 *
 * plans.c - a plan gives the bits of the call it prepares, each time it runs and whatever lies in the arrays by then;
 * and refuses what it cannot promise; in a user's memory, too. On cpu and simt, or TALLY_TEST_DEVICE. */
#define _POSIX_C_SOURCE 200809L
#include "views.h"

#define LONGEST 20000
#define ROOM (LONGEST * 32 + 64)

static tally_context *reference, *device;
static _Alignas(64) unsigned char x[ROOM], y[ROOM], mask[ROOM], want[ROOM], got[ROOM];
static unsigned char *near_or_far[4];
static char section[200];

static tally_status plan(tally_verb verb, tally_op op, const tally_array *input, const tally_array *output,
                         const tally_options *options, tally_plan **made)
{
    return verb == TALLY_REDUCE ? tally_plan_reduce(device, op, input, output, options, made)
                                : tally_plan_scan(device, op, input, output, options, made);
}

/* Whether this version cannot do it at all: then the plan fails as the call does. */
static int is_left_out(tally_verb verb, tally_op op, const tally_array *input, const tally_array *output,
                       const tally_options *options)
{
    tally_status direct = verb == TALLY_REDUCE ? tally_reduce(device, op, input, output, options)
                                               : tally_scan(device, op, input, output, options);
    return direct == TALLY_UNSUPPORTED;
}

static void fill(tally_type type)
{
    enum data_kind kind = (enum data_kind)test_random_below(DATA_KINDS);
    data_fill(type, kind, x, LONGEST);
    data_fill(type, kind, y, LONGEST);
    CHECK(tally_copy(device, near_or_far[0], x, ROOM) == TALLY_OK);
    CHECK(tally_copy(device, near_or_far[1], y, ROOM) == TALLY_OK);
}

static void run_and_compare(const tally_plan *made, tally_verb verb, tally_op op, const tally_array *input,
                            const tally_options *options, unsigned char *initial, tally_array like)
{
    size_t bytes = bytes_of(&like);
    memset(want, 0xab, bytes + 16);
    memset(got, 0xab, bytes + 16);
    CHECK(tally_copy(device, near_or_far[3], got, bytes + 16) == TALLY_OK);
    like.data = want;
    CHECK((verb == TALLY_REDUCE ? tally_reduce(reference, op, input, &like, options)
                                : tally_scan(reference, op, input, &like, options)) == TALLY_OK);
    if (initial) memset(initial, 0xee, 16); /* the plan has its own copy */
    CHECK(tally_plan_run(made) == TALLY_OK);
    CHECK(tally_copy(device, got, near_or_far[3], bytes + 16) == TALLY_OK);
    CHECK(memcmp(got, want, bytes + 16) == 0);
}

static void random_plan(void)
{
    static const uint32_t flags[] = {0, 0, TALLY_SKIP_NAN, TALLY_PLAIN};
    tally_verb verb = test_random_below(3) ? TALLY_REDUCE : TALLY_SCAN;
    tally_op op = 1 + test_random_below(23);
    tally_type type = 1 + (tally_type)test_random_below(15);
    int64_t shape[8];
    int32_t axes[8], rank = random_shape(shape, 3000);
    _Alignas(16) unsigned char initial[16];
    tally_options options = TALLY_OPTIONS_INIT, far_options;
    tally_array a = random_view(type, rank, shape, x, LONGEST), b = random_view(type, rank, shape, y, LONGEST);
    tally_array m = random_view(TALLY_BOOL, rank, shape, mask, LONGEST), like;
    tally_array far_a = moved(a, x, near_or_far[0]), far_b = moved(b, y, near_or_far[1]),
                far_m = moved(m, mask, near_or_far[2]);
    tally_plan *made = NULL;
    options.flags = flags[test_random_below(4)];
    options.axes = axes;
    options.axis_count = random_axes(rank, axes);
    if (verb == TALLY_SCAN) axes[0] = (int32_t)test_random_below((uint64_t)rank), options.axis_count = 1;
    if (op == TALLY_DOT) options.second = &b;
    if (test_random_below(3) == 0) options.where = &m;
    if (test_random_below(3) == 0) options.initial = initial;
    if (tally_result_like(verb, op, &a, &options, &like) != TALLY_OK) return;
    data_element(like.type, DATA_ORDINARY, initial);
    snprintf(section, sizeof section, "%s %s of %s, flags 0x%x%s%s", verb == TALLY_REDUCE ? "reduce" : "scan",
             tally_op_name(op), tally_type_name(type), (unsigned)options.flags, options.where ? ", mask" : "",
             options.initial ? ", initial" : "");
    test.section = section;
    far_options = options;
    if (options.second) far_options.second = &far_b;
    if (options.where) far_options.where = &far_m;
    like.data = near_or_far[3];
    tally_status status = plan(verb, op, &far_a, &like, &far_options, &made);
    if (status == TALLY_UNSUPPORTED) {
        CHECK(strstr(tally_last_error(), "a plan cannot report") || is_left_out(verb, op, &far_a, &like, &far_options));
        return;
    }
    if (!CHECK_EQUAL_I64(status, TALLY_OK)) {
        fprintf(stderr, "    %s\n", tally_last_error());
        return;
    }
    unsigned char kept[16];
    memcpy(kept, initial, sizeof kept);
    for (int round = 0; round < 3; round++) {
        fill(type);
        memcpy(initial, kept, sizeof kept);
        run_and_compare(made, verb, op, &a, &options, options.initial ? initial : NULL, like);
    }
    CHECK(tally_plan_free(made) == TALLY_OK);
}

static void refusals(int gpu)
{
    tally_options options = TALLY_OPTIONS_INIT;
    tally_plan *made = NULL, *counts = NULL;
    int64_t shape[] = {10};
    tally_array a = tally_shaped(near_or_far[0], TALLY_I32, 1, shape),
                m = tally_shaped(near_or_far[2], TALLY_BOOL, 1, shape);
    tally_array out = tally_shaped(near_or_far[3], TALLY_I64, 0, NULL), near = tally_shaped(x, TALLY_I32, 1, shape);
    test.section = "refusals";
    CHECK_EQUAL_I64(tally_plan_reduce(device, TALLY_SUM, &a, &out, NULL, NULL), TALLY_INVALID_ARGUMENT);
    CHECK_EQUAL_I64(tally_plan_reduce(NULL, TALLY_SUM, &a, &out, NULL, &made), TALLY_INVALID_ARGUMENT);
    CHECK_EQUAL_I64(tally_plan_run(NULL), TALLY_INVALID_ARGUMENT);
    CHECK_EQUAL_I64(tally_plan_free(NULL), TALLY_OK);
    options.flags = TALLY_CHECK_OVERFLOW;
    CHECK_EQUAL_I64(tally_plan_reduce(device, TALLY_SUM, &a, &out, &options, &made), TALLY_UNSUPPORTED);
    CHECK(strstr(tally_last_error(), "TALLY_CHECK_OVERFLOW") != NULL);
    CHECK_EQUAL_I64(tally_plan_reduce(device, TALLY_COUNT_NONZERO, &a, &out, &options, &counts), TALLY_OK);
    CHECK_EQUAL_I64(tally_plan_free(counts), TALLY_OK);
    options.flags = 0;
    options.where = &m;
    out.type = TALLY_I32;
    CHECK_EQUAL_I64(tally_plan_reduce(device, TALLY_MAX, &a, &out, &options, &made), TALLY_UNSUPPORTED);
    CHECK(strstr(tally_last_error(), "options.initial") != NULL);
    options.where = NULL;
    if (gpu) {
        CHECK_EQUAL_I64(tally_plan_reduce(device, TALLY_MAX, &near, &out, &options, &made), TALLY_INVALID_ARGUMENT);
        CHECK(strstr(tally_last_error(), "input") && strstr(tally_last_error(), "host memory"));
        out.data = got;
        CHECK_EQUAL_I64(tally_plan_reduce(device, TALLY_MAX, &a, &out, &options, &made), TALLY_INVALID_ARGUMENT);
        CHECK(strstr(tally_last_error(), "output") != NULL);
    }
    CHECK(made == NULL);
}

/* Plans own what they need: they run between each other and between direct calls. */
static void side_by_side(void)
{
    enum { PLANS = 4, N = 9000 };
    static const tally_op ops[PLANS] = {TALLY_SUM, TALLY_MEAN, TALLY_NORM2, TALLY_LOGSUMEXP};
    tally_plan *made[PLANS];
    tally_array a = tally_vector(near_or_far[0], TALLY_F32, N), near = tally_vector(x, TALLY_F32, N), out;
    float result[PLANS], expected;
    test.section = "side by side";
    fill(TALLY_F32);
    for (int i = 0; i < PLANS; i++) {
        CHECK(tally_result_like(TALLY_REDUCE, ops[i], &a, NULL, &out) == TALLY_OK);
        out.data = near_or_far[3] + 64 * i;
        if (!CHECK(tally_plan_reduce(device, ops[i], &a, &out, NULL, &made[i]) == TALLY_OK)) return;
    }
    out.data = near_or_far[3] + 64 * PLANS;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < PLANS; i++) CHECK(tally_plan_run(made[(i + round) % PLANS]) == TALLY_OK);
        CHECK(tally_reduce(device, TALLY_NORM2, &a, &out, NULL) == TALLY_OK);
    }
    for (int i = 0; i < PLANS; i++) {
        CHECK(tally_copy(device, &result[i], near_or_far[3] + 64 * i, sizeof result[i]) == TALLY_OK);
        out.data = &expected;
        CHECK(tally_reduce(reference, ops[i], &near, &out, NULL) == TALLY_OK);
        CHECK(memcmp(&result[i], &expected, sizeof expected) == 0);
        CHECK(tally_plan_free(made[i]) == TALLY_OK);
    }
}

static void allocate_arrays(void)
{
    for (int i = 0; i < 4; i++) {
        void *memory = NULL;
        CHECK(tally_alloc(device, ROOM, &memory) == TALLY_OK);
        near_or_far[i] = memory;
    }
    CHECK(tally_copy(device, near_or_far[2], mask, ROOM) == TALLY_OK);
}

static void close_all(void)
{
    for (int i = 0; i < 4; i++) CHECK(tally_free(device, near_or_far[i], ROOM) == TALLY_OK);
    CHECK(tally_close(device) == TALLY_OK);
}

/* ---- a user's allocator ---- */

/* Memory of another context, full of what no result may depend on; not of a GPU's, whose stream would be another. */
static struct lender {
    tally_context *context;
    int64_t lent, allocations, fails_at; /* the allocation that fails; 0: none */
} lender;

static void *lend(void *user, size_t bytes)
{
    struct lender *from = user;
    void *memory = NULL;
    if (++from->allocations == from->fails_at) return NULL;
    if (tally_alloc(from->context, bytes, &memory) != TALLY_OK) return NULL;
    for (size_t i = 0; i < bytes; i += ROOM)
        CHECK(tally_copy(from->context, (char *)memory + i, want, bytes - i < ROOM ? bytes - i : ROOM) == TALLY_OK);
    from->lent++;
    return memory;
}

static void take_back(void *user, void *memory, size_t bytes)
{
    struct lender *from = user;
    from->lent--;
    CHECK(tally_free(from->context, memory, bytes) == TALLY_OK);
}

/* A plan that is made at its second try, if the first allocation fails. */
static void plan_on_loan(tally_verb verb, tally_op op, tally_type type)
{
    enum { N = LONGEST - 7 };
    tally_array near = tally_vector(x, type, N), a = tally_vector(near_or_far[0], type, N), like;
    tally_plan *made = NULL;
    snprintf(section, sizeof section, "%s %s of %s in a user's memory", verb == TALLY_REDUCE ? "reduce" : "scan",
             tally_op_name(op), tally_type_name(type));
    test.section = section;
    CHECK(tally_result_like(verb, op, &near, NULL, &like) == TALLY_OK);
    like.data = near_or_far[3];
    memset(want, 0xff, ROOM);
    lender.fails_at = lender.allocations + 1;
    tally_status status = plan(verb, op, &a, &like, NULL, &made);
    CHECK_EQUAL_I64(status, lender.allocations < lender.fails_at ? TALLY_OK : TALLY_OUT_OF_MEMORY);
    lender.fails_at = 0;
    if (status != TALLY_OK) CHECK(made == NULL && plan(verb, op, &a, &like, NULL, &made) == TALLY_OK);
    for (int round = 0; round < 2 && made; round++) {
        fill(type);
        run_and_compare(made, verb, op, &near, NULL, NULL, like);
    }
    CHECK(tally_plan_free(made) == TALLY_OK);
}

static void plans_on_loan(const char *name)
{
    const tally_allocator allocator = {
        .size = sizeof allocator, .user = &lender, .allocate = lend, .release = take_back};
    lender = (struct lender){0};
    CHECK(tally_open(name, &lender.context) == TALLY_OK && tally_set_allocator(device, &allocator) == TALLY_OK);
    allocate_arrays();
    plan_on_loan(TALLY_REDUCE, TALLY_SUM, TALLY_F64);
    plan_on_loan(TALLY_REDUCE, TALLY_VAR, TALLY_F32);
    plan_on_loan(TALLY_REDUCE, TALLY_ARGMAX, TALLY_F16);
    plan_on_loan(TALLY_REDUCE, TALLY_PROD, TALLY_F32);
    plan_on_loan(TALLY_REDUCE, TALLY_LOGSUMEXP, TALLY_I32);
    plan_on_loan(TALLY_SCAN, TALLY_SUM, TALLY_F32);
    plan_on_loan(TALLY_SCAN, TALLY_PROD, TALLY_F64);
    plan_on_loan(TALLY_SCAN, TALLY_MAX, TALLY_U8);
    close_all();
    CHECK(lender.allocations > 4 - (strncmp(name, "cpu", 3) == 0) && lender.lent == 0);
    CHECK(tally_close(lender.context) == TALLY_OK);
}

static void on(const char *name, int programs)
{
    if (tally_open(name, &device) != TALLY_OK) {
        printf("LEFT OUT: no device %s: %s\n", name, tally_last_error());
        return;
    }
    allocate_arrays();
    refusals(strncmp(name, "cpu", 3) != 0);
    side_by_side();
    for (int i = 0; i < programs; i++) random_plan();
    close_all();
    if (strncmp(name, "cpu", 3) != 0 && strncmp(name, "simt", 4) != 0) return;
    CHECK(tally_open(name, &device) == TALLY_OK);
    plans_on_loan(name);
}

int main(void)
{
    const char *name = getenv("TALLY_TEST_DEVICE");
    CHECK(tally_open("reference", &reference) == TALLY_OK);
    for (int64_t i = 0; i < ROOM; i++) mask[i] = test_random_below(5) != 0;
    if (name) {
        on(name, 200);
    } else {
        on("cpu", 300);
        on("simt", 24);
    }
    CHECK(tally_close(reference) == TALLY_OK);
    return test_finish("plans");
}
