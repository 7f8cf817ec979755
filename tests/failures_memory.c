/* SPDX-License-Identifier: MIT
 *
 * failures_memory.c - an allocator that fails at its first, second, ... call: every verb then succeeds without it or
 * says TALLY_OUT_OF_MEMORY and leaves its output alone, and nothing is lost. */
#include "counting.h"
#include "data.h"
#include "failing.h"

#define LONGEST 300000
#define OUT_BYTES (LONGEST * 16)

static const char *const devices[] = {"cpu:1", "cpu:3", "reference"};
static _Alignas(64) unsigned char room_x[LONGEST * 16], room_y[LONGEST * 16], room_mask[LONGEST];
static _Alignas(64) unsigned char out_room[OUT_BYTES], want[OUT_BYTES];

struct plan {
    tally_verb verb;
    tally_op op;
    tally_type type;
    int64_t rows, columns;
    int32_t axis;
    uint32_t flags;
    int masked;
};

static const struct plan plans[] = {
    {TALLY_REDUCE, TALLY_SUM, TALLY_F64, 1, 300000, 1, 0, 0},
    {TALLY_REDUCE, TALLY_SUM, TALLY_F32, 300, 1000, 0, 0, 1},
    {TALLY_REDUCE, TALLY_SUM, TALLY_F32, 1000, 300, 1, TALLY_SKIP_NAN, 0},
    {TALLY_REDUCE, TALLY_VAR, TALLY_C128, 3, 70000, 1, 0, 0},
    {TALLY_REDUCE, TALLY_PROD, TALLY_F32, 9000, 30, 0, 0, 0},
    {TALLY_REDUCE, TALLY_PROD, TALLY_F64, 2, 150000, 1, 0, 0},
    {TALLY_REDUCE, TALLY_DOT, TALLY_F64, 150000, 2, 0, 0, 1},
    {TALLY_REDUCE, TALLY_MIN, TALLY_I16, 500, 600, 0, 0, 1},
    {TALLY_REDUCE, TALLY_ARGMAX, TALLY_F32, 1, 300000, 1, 0, 0},
    {TALLY_REDUCE, TALLY_SUM, TALLY_I32, 500, 600, 1, TALLY_CHECK_OVERFLOW, 0},
    {TALLY_REDUCE, TALLY_MINMAX, TALLY_BF16, 500, 600, 1, 0, 0},
    {TALLY_REDUCE, TALLY_LOGSUMEXP, TALLY_F32, 1, 300000, 1, 0, 0},
    {TALLY_SCAN, TALLY_SUM, TALLY_F64, 1, 300000, 1, 0, 0},
    {TALLY_SCAN, TALLY_SUM, TALLY_F32, 500, 600, 0, TALLY_REVERSE, 0},
    {TALLY_SCAN, TALLY_PROD, TALLY_F32, 500, 600, 1, TALLY_EXCLUSIVE, 0},
    {TALLY_SCAN, TALLY_PROD, TALLY_F64, 1, 300000, 1, 0, 1},
    {TALLY_SCAN, TALLY_SUM, TALLY_I64, 1, 300000, 1, TALLY_CHECK_OVERFLOW, 0},
    {TALLY_SCAN, TALLY_MAX, TALLY_U8, 300000, 1, 0, 0, 0},
};

static tally_status run_plan(tally_context *context, const struct plan *plan, void *out, size_t *bytes)
{
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array x = tally_matrix(room_x, plan->type, plan->rows, plan->columns), like;
    tally_array y = tally_matrix(room_y, plan->type, plan->rows, plan->columns);
    tally_array mask = tally_matrix(room_mask, TALLY_BOOL, plan->rows, plan->columns);
    options.axes = &plan->axis, options.axis_count = 1;
    options.flags = plan->flags;
    if (plan->masked) options.where = &mask;
    if (plan->op == TALLY_DOT) options.second = &y;
    tally_status status = tally_result_like(plan->verb, plan->op, &x, &options, &like);
    if (status != TALLY_OK) return status;
    *bytes = tally_type_size(like.type);
    for (int32_t d = 0; d < like.rank; d++) *bytes *= (size_t)like.shape[d];
    like.data = out;
    if (plan->verb == TALLY_SCAN) return tally_scan(context, plan->op, &x, &like, &options);
    return tally_reduce(context, plan->op, &x, &like, &options);
}

/* Fails the k-th allocation of a fresh context; returns whether it was reached. */
static int fail_plan(const char *device, const struct plan *plan, long long k, int warm)
{
    struct counting counting;
    size_t bytes = 0;
    tally_context *context = counting_open(device, &counting);
    if (warm) run_plan(context, plan, out_room, &bytes);
    atomic_store(&counting.fail_at, atomic_load(&counting.calls) + k);
    long long before = atomic_load(&counting.calls);
    memset(out_room, 0xa5, sizeof out_room);
    tally_status status = run_plan(context, plan, out_room, &bytes);
    int reached = atomic_load(&counting.calls) > before + k;
    CHECK(status == TALLY_OK || status == TALLY_OUT_OF_MEMORY);
    if (status == TALLY_OUT_OF_MEMORY) {
        CHECK(reached && untouched(out_room, sizeof out_room));
        CHECK(strstr(tally_last_error(), "memory") != NULL);
    } else {
        CHECK(memcmp(out_room, want, bytes) == 0);
    }
    atomic_store(&counting.fail_at, -1);
    CHECK_EQUAL_I64(run_plan(context, plan, out_room, &bytes), TALLY_OK); /* the context goes on */
    CHECK(memcmp(out_room, want, bytes) == 0);
    counting_close(context, &counting);
    return reached;
}

static void fail_verbs(void)
{
    static char text[80];
    tally_context *reference;
    CHECK(tally_open("reference", &reference) == TALLY_OK);
    for (size_t p = 0; p < sizeof plans / sizeof plans[0]; p++) {
        size_t bytes;
        data_fill(plans[p].type, plans[p].op == TALLY_SUM ? DATA_TIES : DATA_ORDINARY, room_x,
                  plans[p].rows * plans[p].columns);
        data_fill(plans[p].type, DATA_WIDE, room_y, plans[p].rows * plans[p].columns);
        CHECK_EQUAL_I64(run_plan(reference, &plans[p], want, &bytes), TALLY_OK);
        for (int d = 0; d < 3; d++) {
            snprintf(text, sizeof text, "plan %zu on %s", p, devices[d]);
            test.section = text;
            for (int warm = 0; warm < 2; warm++) {
                for (long long k = 0; k < 40 && fail_plan(devices[d], &plans[p], k, warm); k++) continue;
            }
        }
    }
    tally_close(reference);
}

/* One life of partials: new, add, pack, unpack, merge, finish; the first failure ends it. */
static tally_status live(tally_context *context, tally_op op, double *result)
{
    tally_partial *first = NULL, *second = NULL;
    unsigned char bytes[20000];
    size_t size = sizeof bytes;
    tally_array v = tally_vector(room_x, TALLY_F64, 270336), out = tally_shaped(result, TALLY_F64, 0, NULL);
    tally_status status = tally_partial_new(context, op, TALLY_F64, 0, NULL, NULL, &first);
    tally_options after = TALLY_OPTIONS_INIT;
    after.position = v.shape[0];
    if (status == TALLY_OK) status = tally_partial_add(first, &v, NULL, NULL);
    if (status == TALLY_OK) status = tally_partial_new(context, op, TALLY_F64, 0, NULL, &after, &second);
    if (status == TALLY_OK) status = tally_partial_add(second, &v, NULL, NULL);
    if (status == TALLY_OK) status = tally_partial_pack(second, bytes, &size);
    tally_partial_free(second);
    second = NULL;
    if (status == TALLY_OK) status = tally_partial_unpack(context, bytes, size, &second);
    CHECK(status == TALLY_OK || second == NULL);
    if (status == TALLY_OK) status = tally_partial_merge(first, second);
    if (status == TALLY_OK) status = tally_partial_finish(first, &out);
    tally_partial_free(first), tally_partial_free(second);
    return status;
}

static void fail_partials(tally_op op)
{
    for (int d = 0; d < 3; d++) {
        struct counting counting;
        double wanted = -1;
        tally_context *context = counting_open(devices[d], &counting);
        CHECK_EQUAL_I64(live(context, op, &wanted), TALLY_OK);
        counting_close(context, &counting);
        for (long long k = 0; k < 60; k++) {
            double got = -1;
            context = counting_open(devices[d], &counting);
            atomic_store(&counting.fail_at, k);
            tally_status status = live(context, op, &got);
            int reached = atomic_load(&counting.calls) > k;
            CHECK(status == TALLY_OK ? memcmp(&got, &wanted, 8) == 0
                                     : status == TALLY_OUT_OF_MEMORY && got == -1 && reached);
            counting_close(context, &counting);
            if (!reached) break;
        }
    }
}

/* A carry keeps its totals when a chunk fails. */
static void fail_carries(void)
{
    for (int d = 0; d < 3; d++) {
        for (long long k = 0; k < 20; k++) {
            struct counting counting;
            tally_scan_carry *carry = NULL;
            tally_context *context = counting_open(devices[d], &counting);
            tally_array v = tally_vector(room_x, TALLY_F64, 100000), out = tally_vector(out_room, TALLY_F64, 100000);
            CHECK_EQUAL_I64(tally_scan_carry_new(context, TALLY_SUM, TALLY_F64, 1, NULL, &carry), TALLY_OK);
            atomic_store(&counting.fail_at, atomic_load(&counting.calls) + k);
            long long before = atomic_load(&counting.calls);
            memset(out_room, 0xa5, 800000);
            tally_status status = tally_scan_continue(carry, &v, &out, NULL);
            int reached = atomic_load(&counting.calls) > before + k;
            CHECK(status == TALLY_OK || (status == TALLY_OUT_OF_MEMORY && untouched(out_room, 800000)));
            atomic_store(&counting.fail_at, -1);
            if (status != TALLY_OK) CHECK_EQUAL_I64(tally_scan_continue(carry, &v, &out, NULL), TALLY_OK);
            CHECK(((double *)(void *)out_room)[99999] == 4999950000.0);
            tally_scan_carry_free(carry);
            counting_close(context, &counting);
            if (!reached) break;
        }
    }
}

int main(void)
{
    for (int64_t i = 0; i < LONGEST; i++) room_mask[i] = test_random_below(3) != 1;
    fail_verbs();
    for (int64_t i = 0; i < LONGEST; i++) ((double *)(void *)room_x)[i] = (double)i;
    static const tally_op ops[] = {TALLY_SUM, TALLY_PROD, TALLY_VAR, TALLY_NORM1, TALLY_LOGSUMEXP};
    for (int i = 0; i < 5; i++) {
        test.section = tally_op_name(ops[i]);
        fail_partials(ops[i]);
    }
    CASE("carries") fail_carries();
    return test_finish("failures_memory");
}
