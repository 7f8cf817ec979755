/* SPDX-License-Identifier: MIT
 *
 * user_memory.c - an allocator that fails at its first, second, ... call under users' operators: a call succeeds
 * without it or says TALLY_OUT_OF_MEMORY and leaves its output alone, and nothing is lost. */
#include "counting.h"
#include "failing.h"
#include "user_operators.h"

#define N 600000
static _Alignas(64) uint8_t x[N];
static _Alignas(64) uint64_t want[N], got[N];

static tally_status act(tally_context *context, tally_op op, int what, size_t *bytes)
{
    tally_array v = tally_vector(x, TALLY_U8, N), out = tally_shaped(got, TALLY_U64, 0, NULL);
    int64_t shape[2] = {600, 1000}, cells = 1000;
    int32_t axis = what == 3 ? 1 : 0;
    tally_options options = TALLY_OPTIONS_INIT;
    tally_partial *partial = NULL;
    tally_status status;
    *bytes = 8;
    options.axes = &axis, options.axis_count = 1;
    switch (what) {
    case 0: return tally_reduce(context, op, &v, &out, NULL);
    case 1:
        *bytes = sizeof got;
        out = tally_vector(got, TALLY_U64, N);
        return tally_scan(context, op, &v, &out, NULL);
    case 2:
    case 3:
        v = tally_shaped(x, TALLY_U8, 2, shape);
        cells = shape[1 - axis];
        out = tally_vector(got, TALLY_U64, cells);
        *bytes = (size_t)cells * 8;
        return tally_reduce(context, op, &v, &out, &options);
    default:
        status = tally_partial_new(context, op, TALLY_U8, 0, NULL, NULL, &partial);
        if (status == TALLY_OK) status = tally_partial_add(partial, &v, NULL, NULL);
        if (status == TALLY_OK) status = tally_partial_finish(partial, &out);
        tally_partial_free(partial);
        return status;
    }
}

int main(void)
{
    static const char *const devices[] = {"cpu:1", "cpu:3", "reference"};
    const struct user_case *c = user_case_named("hash");
    for (int k = 0; k < N; k++) x[k] = (uint8_t)test_random();
    for (int d = 0; d < 3; d++) {
        struct counting counting;
        tally_op forms[2];
        CASE(devices[d])
        {
            tally_context *context = counting_open(devices[d], &counting);
            user_make(context, c, forms);
            for (int what = 0; what < 5; what++) {
                size_t bytes;
                CHECK(act(context, forms[0], what, &bytes) == TALLY_OK);
                memcpy(want, got, bytes);
                int done = 0;
                for (long long at = 0; at < 60 && !done; at++) {
                    memset(got, 0xa5, bytes);
                    atomic_store(&counting.calls, 0);
                    atomic_store(&counting.fail_at, at);
                    tally_status status = act(context, forms[at % 2], what, &bytes);
                    done = status == TALLY_OK && atomic_load(&counting.calls) <= at;
                    if (!CHECK(status == TALLY_OK ? memcmp(got, want, bytes) == 0
                                                  : status == TALLY_OUT_OF_MEMORY && untouched(got, bytes)))
                        fprintf(stderr, "%d, call %lld: %s\n", what, at, tally_status_name(status));
                }
                CHECK(done);
                atomic_store(&counting.fail_at, -1);
            }
            user_free(forms);
            counting_close(context, &counting);
        }
    }
    return test_finish("user_memory");
}
