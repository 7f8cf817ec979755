/* SPDX-License-Identifier: MIT
 *
 * environment.c - the caller's floating-point environment (another rounding direction, subnormals flushed to zero)
 * changes no bit of any result, and is the caller's again afterwards. */
#include "data.h"

#include <fenv.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#define FLUSH 0x8040u
#define GET_CONTROL() _mm_getcsr()
#define SET_CONTROL(bits) _mm_setcsr(bits)
#else
#define FLUSH 0u
#define GET_CONTROL() 0u
#define SET_CONTROL(bits) (void)(bits)
#endif

#define N 40960

static tally_context *engines[3];
static _Alignas(64) unsigned char x[N * 16], scanned[2][N * 16];

struct outcome {
    _Alignas(16) unsigned char reduced[16], merged[16], finished_as[16];
    tally_status status[4];
};

/* A reduction, the same through two packed and merged partials, another answer of them, and a scan. */
static void run(tally_context *context, tally_op op, tally_type type, uint32_t flags, struct outcome *outcome,
                void *out)
{
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array v = tally_vector(x, type, N), half = tally_vector(x, type, N / 2), rest = half, like;
    tally_partial *a = NULL, *b = NULL, *c = NULL;
    unsigned char bytes[40000];
    size_t size = sizeof bytes;
    memset(outcome, 0, sizeof *outcome);
    options.flags = flags;
    options.second = op == TALLY_DOT ? &v : NULL;
    outcome->status[0] = tally_result_like(TALLY_REDUCE, op, &v, &options, &like);
    if (outcome->status[0] != TALLY_OK || op == TALLY_MINMAX) return;
    like.data = outcome->reduced;
    outcome->status[0] = tally_reduce(context, op, &v, &like, &options);
    options.second = NULL;
    rest.data = x + N / 2 * tally_type_size(type);
    tally_partial_new(context, op, type, 0, NULL, &options, &a);
    options.position = N / 2;
    tally_partial_new(context, op, type, 0, NULL, &options, &b);
    outcome->status[1] = tally_partial_add(a, &half, op == TALLY_DOT ? &half : NULL, NULL);
    outcome->status[1] |= tally_partial_add(b, &rest, op == TALLY_DOT ? &rest : NULL, NULL);
    outcome->status[1] |= tally_partial_pack(b, bytes, &size) | tally_partial_unpack(context, bytes, size, &c);
    outcome->status[1] |= tally_partial_merge(a, c);
    like.data = outcome->merged;
    outcome->status[1] |= tally_partial_finish(a, &like);
    like.data = outcome->finished_as;
    outcome->status[2] = tally_partial_finish_as(a, op == TALLY_VAR ? TALLY_STD : op, &like);
    tally_partial_free(a), tally_partial_free(b), tally_partial_free(c);
    options.position = 0;
    memset(out, 0, N * 16);
    if (tally_result_like(TALLY_SCAN, op, &v, &options, &like) != TALLY_OK) return;
    like.data = out;
    outcome->status[3] = tally_scan(context, op, &v, &like, &options);
}

static void compare(tally_op op, tally_type type, uint32_t flags)
{
    static const int directions[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    struct outcome want, got;
    run(engines[2], op, type, flags, &want, scanned[0]);
    for (int k = 0; k < 8; k++) {
        tally_context *context = engines[k % 3];
        unsigned before = GET_CONTROL();
        SET_CONTROL(before | (k % 2 ? FLUSH : 0));
        fesetround(directions[(k + 1) / 2 % 4]);
        feclearexcept(FE_ALL_EXCEPT);
        unsigned set = GET_CONTROL();
        run(context, op, type, flags, &got, scanned[1]);
        unsigned after = GET_CONTROL();
        int direction = fegetround();
        fesetround(FE_TONEAREST);
        SET_CONTROL(before);
        CHECK_EQUAL_U64(after & ~0x3fu, set & ~0x3fu);
        CHECK_EQUAL_I64(direction, directions[(k + 1) / 2 % 4]);
        CHECK(memcmp(&got, &want, sizeof got) == 0);
        CHECK(memcmp(scanned[1], scanned[0], sizeof scanned[0]) == 0);
    }
}

int main(void)
{
    static const char *const devices[] = {"cpu:1", "cpu:3", "reference"};
    for (int e = 0; e < 3; e++) CHECK(tally_open(devices[e], &engines[e]) == TALLY_OK);
    for (tally_type type = TALLY_BOOL; type <= TALLY_C128; type++) {
        if (type > TALLY_I16 && type < TALLY_F16 && type != TALLY_I64) continue;
        for (int kind = 0; kind < 2; kind++) {
            data_fill(type, kind ? DATA_WIDE : DATA_ORDINARY, x, N);
            for (tally_op op = TALLY_SUM; op <= TALLY_LAST; op++) {
                for (uint32_t flags = 0; flags <= (type >= TALLY_F16 ? TALLY_PLAIN : 0); flags += TALLY_PLAIN) {
                    static char text[64];
                    snprintf(text, sizeof text, "%s of %s, flags %u", tally_op_name(op), tally_type_name(type),
                             (unsigned)flags);
                    test.section = text;
                    compare(op, type, flags);
                }
            }
        }
    }
    for (int e = 0; e < 3; e++) tally_close(engines[e]);
    return test_finish("environment");
}
