/* SPDX-License-Identifier: MIT
 *
 * device_blocks.c - running results of operators that are not associative in floating point, along an axis of several
 * blocks of docs/semantics.md: the bits of the CPU, whatever the length, also in place, with an initial value, with
 * NaNs left out, where elements or results begin inside of vectors, and where they lie backward. TALLY_TEST_DEVICE the
 * device (simt) TALLY_TEST_FULL     all combinations, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "data.h"
#include "device.h"

#include <string.h>

enum { BLOCK = 4096, MOST = 1100 * BLOCK + 17, MANY = 4100 * BLOCK + 17, ROOM = MANY * 2 + 64 };

static _Alignas(64) unsigned char host_x[ROOM], want[ROOM], got[ROOM];
static unsigned char *far_x, *far_out;
static char section[200];

static const tally_type types[] = {TALLY_F32, TALLY_F64, TALLY_F16, TALLY_BF16, TALLY_C64};

/* An operator, and whether it is one by TALLY_PLAIN alone. */
static const struct {
    tally_op op;
    uint32_t flags;
    int complex;
} cases[] = {{TALLY_SUM, TALLY_PLAIN, 1}, {TALLY_LOGSUMEXP, 0, 0}, {TALLY_PROD, 0, 1}};

static void fill(tally_type type, tally_op op, int64_t n)
{
    data_fill(type, DATA_ORDINARY, host_x, n);
    for (int64_t i = 0; op == TALLY_PROD && i < n; i++) { /* stays between 0 and infinity */
        double x = test_random_below(2) ? 1.0078125 : -0.9921875;
        float single = (float)x;
        if (type == TALLY_F64) memcpy(host_x + 8 * i, &x, 8);
        if (type == TALLY_F32) memcpy(host_x + 4 * i, &single, 4);
    }
}

/* The result has the size of an element. */
static void compare_as(tally_op op, tally_type type, tally_type result, uint32_t flags, int64_t n, int in_place,
                       const void *initial)
{
    size_t bytes = (size_t)n * tally_type_size(type);
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array x = tally_vector(host_x, type, n), out = tally_vector(want, result, n);
    options.flags = flags;
    options.type = result;
    options.initial = initial;
    snprintf(section, sizeof section, "running %s of %lld %s, flags %u", tally_op_name(op), (long long)n,
             tally_type_name(type), flags);
    test.section = section;
    CHECK(tally_scan(judge, op, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, far_x, host_x, bytes) == TALLY_OK);
    x.data = far_x;
    out.data = in_place ? far_x : far_out;
    CHECK(tally_scan(device, op, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, got, out.data, bytes) == TALLY_OK);
    CHECK(memcmp(got, want, bytes) == 0);
}

static void compare(tally_op op, tally_type type, uint32_t flags, int64_t n, int in_place, const void *initial)
{
    compare_as(op, type, type, flags, n, in_place, initial);
}

static void lengths(int full)
{
    static const int64_t some[] = {BLOCK + 1, 2 * BLOCK, 37 * BLOCK + 5000, 3 * BLOCK + 15, BLOCK + 513};
    static const _Alignas(16) unsigned char initial[16] = {1};
    int turn = 0;
    for (int t = 0; t < 5; t++) {
        for (int c = 0; c < 3; c++) {
            if (types[t] == TALLY_C64 && !cases[c].complex) continue;
            for (int l = 0; l < 5; l++, turn++) {
                uint32_t flags = cases[c].flags | (turn % 2 ? TALLY_EXCLUSIVE : 0) | (turn % 5 ? 0 : TALLY_SKIP_NAN);
                if (!full && turn % 3 && l != 2) continue;
                if (!device_parted(cases[c].op, types[t])) continue;
                fill(types[t], cases[c].op, some[l]);
                compare(cases[c].op, types[t], flags, some[l], turn % 7 == 1, turn % 4 ? NULL : initial);
            }
        }
    }
}

/* More blocks than the chain has places for, and whole batches of them. */
static void long_chains(void)
{
    fill(TALLY_F32, TALLY_SUM, MOST);
    compare(TALLY_SUM, TALLY_F32, TALLY_PLAIN, MOST, 0, NULL);
    fill(TALLY_F16, TALLY_LOGSUMEXP, 300 * BLOCK);
    compare(TALLY_LOGSUMEXP, TALLY_F16, 0, 300 * BLOCK, 1, NULL);
    fill(TALLY_F16, TALLY_SUM, MANY); /* so many that a thread chains them by larger parts */
    compare(TALLY_SUM, TALLY_F16, TALLY_PLAIN, MANY, 0, NULL);
}

static double exponent(int kind, int64_t i)
{
    double random = (double)test_random_below(1 << 20) / (1 << 20);
    switch (kind) {
    case 0: return (double)i * 1e-3;                                     /* each is the largest one */
    case 1: return -5 - (double)i * 1e-3;                                /* the first one is */
    case 2: return random < 0.02 ? -INFINITY : 200 * random;             /* powers that underflow */
    case 3: return i < BLOCK + 700 ? -INFINITY : random - 12;            /* nothing, and then results near 0 */
    case 4: return i == BLOCK + 9 ? INFINITY : 0.25 * floor(random * 4); /* many that are equal */
    case 5: return i == BLOCK + 9 ? NAN : 2000 * (random - 0.5);
    case 6: return 164 * (random - 0.5);                                           /* nearly all that fit a window */
    case 7: return 1e3 * (double)(i / BLOCK * 7 % 4) + random;                     /* blocks that do not show */
    case 8: return i < 9 ? 6e4 : (double)(i / 700) * (i / 700 % 2 ? 90.0 : -90.0); /* groups that are far apart */
    case 9: return floor(random * 40) * 0.6931471805599453 - 60;                   /* whole halvings */
    case 10: return (double)(i / BLOCK) * 2e-4 + log(random + 1e-9) - 11;          /* results that cross 0 */
    case 11: return random < 1e-4 ? 6 : 2 * random;                                /* few that are the largest */
    case 12: return i == 0 ? 0 : i < 600 ? -30 : -0.1 * random - 0.1;              /* sums that grow beside it */
    case 13: return i < BLOCK ? random : i < BLOCK + 300 ? -INFINITY : 200;        /* a left far below a group's end */
    default: return i < 8103 ? -9 : i < 9000 ? -16 : -40;                          /* results that stay near 0 */
    }
}

/* Exponents of which logsumexp may leave something out; also in so many blocks that their sums take the place of
 * elements that will never be the largest. */
static void exponents(int full)
{
    enum { KINDS = 15, FOR_F32 = 12, N = 3 * BLOCK + 1037, LONG = 90 * BLOCK + 1037 };
    for (int kind = 0, turn = 0; kind < KINDS; kind++) {
        for (int t = 0; t < 4; t++, turn++) {
            uint32_t flags = (turn % 3 ? 0 : TALLY_EXCLUSIVE) | (turn % 5 ? 0 : TALLY_SKIP_NAN);
            int64_t n = kind < 6 ? N : LONG;
            if (!full && (kind < FOR_F32 ? (t + kind) % 2 : t > 0)) continue;
            for (int64_t i = 0; i < n; i++) data_put_real(types[t], host_x, i, exponent(kind, i));
            compare(TALLY_LOGSUMEXP, types[t], flags, n, 0, NULL);
        }
    }
}

/* Integers, whose powers are doubles, and other results that take as many bytes. */
static void other_types(void)
{
    static const tally_type from[] = {TALLY_I64, TALLY_U64, TALLY_I32, TALLY_I16, TALLY_F16, TALLY_BF16};
    static const tally_type to[] = {TALLY_F64, TALLY_F64, TALLY_F32, TALLY_F16, TALLY_BF16, TALLY_F16};
    for (int t = 0; t < 6; t++) {
        data_fill(from[t], DATA_ORDINARY, host_x, 2 * BLOCK + 700);
        compare_as(TALLY_LOGSUMEXP, from[t], to[t], t % 2 ? TALLY_EXCLUSIVE : 0, 2 * BLOCK + 700, 0, NULL);
    }
}

/* ---- arrangements ---- */

enum { BEYOND = 8 * 16 }; /* bytes around results that must stay as they are */

/* An operand whose element 0 lies so many elements behind the beginning of memory, or backward before the end of it. */
static tally_array placed(unsigned char *memory, tally_type type, int64_t n, int64_t at, int backward)
{
    size_t size = tally_type_size(type);
    tally_array a = tally_vector(memory + BEYOND + ((size_t)at + (size_t)(backward ? n - 1 : 0)) * size, type, n);
    if (backward) a.strides[0] = -1;
    return a;
}

/* All bytes around results are compared, too. */
static void arranged(int c, tally_type type, uint32_t flags, int64_t n, const int64_t *at, const int *backward,
                     int in_place)
{
    tally_options options = TALLY_OPTIONS_INIT;
    size_t bytes = (size_t)(n + 8) * tally_type_size(type) + 2 * BEYOND;
    int out_at = in_place ? 0 : 1;
    options.flags = cases[c].flags | flags;
    snprintf(section, sizeof section, "running %s of %lld %s, flags %u, from %d %d to %d %d",
             tally_op_name(cases[c].op), (long long)n, tally_type_name(type), options.flags, (int)at[0], backward[0],
             (int)at[out_at], backward[out_at]);
    test.section = section;
    memset(want, 0x5a, bytes);
    if (in_place) memcpy(want, host_x, bytes);
    CHECK(tally_copy(device, far_x, host_x, bytes) == TALLY_OK);
    CHECK(tally_copy(device, far_out, want, bytes) == TALLY_OK);
    tally_array x = placed(in_place ? want : host_x, type, n, at[0], backward[0]);
    tally_array out = placed(want, type, n, at[out_at], backward[out_at]);
    CHECK(tally_scan(judge, cases[c].op, &x, &out, &options) == TALLY_OK);
    x = placed(in_place ? far_out : far_x, type, n, at[0], backward[0]);
    out = placed(far_out, type, n, at[out_at], backward[out_at]);
    CHECK(tally_scan(device, cases[c].op, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, got, far_out, bytes) == TALLY_OK);
    CHECK(memcmp(got, want, bytes) == 0);
}

/* Every distance from a vector, forward and backward, whole blocks and what is left of one. */
static void arrangements(int full)
{
    static const int64_t some[] = {2 * BLOCK, BLOCK + 1, 3 * BLOCK + 519, 2 * BLOCK + 3001, 12 * BLOCK - 1};
    int turn = 0;
    for (int t = 0; t < 5; t++) {
        int64_t most = 16 / (int64_t)tally_type_size(types[t]);
        for (int c = 0; c < 3; c++) {
            if (types[t] == TALLY_C64 && !cases[c].complex) continue;
            fill(types[t], cases[c].op, some[4] + 200);
            for (int b = 0; b < 4; b++, turn++) {
                for (int64_t i = 0; i < most; i++) {
                    if (!full && (turn % 3 == 1 || i % 3 != 1)) continue; /* compiling takes its time */
                    if (!device_parted(cases[c].op, types[t])) continue;
                    int64_t at[] = {i, (i * 3 + turn) % most};
                    int backward[] = {b & 1, b >> 1}, in_place = (turn + i) % 4 == 3;
                    uint32_t flags = (i % 3 ? 0 : TALLY_EXCLUSIVE) | ((turn + i) % 5 ? 0 : TALLY_REVERSE);
                    arranged(c, types[t], flags, some[(turn + i) % 5], at, backward, in_place);
                }
            }
        }
    }
}

/* Infinities, and NaNs, in some blocks. */
static void specials(void)
{
    for (int t = 0; t < 4; t++) {
        for (int c = 0; c < 3; c++) {
            data_fill(types[t], DATA_SPECIAL, host_x, 9 * BLOCK);
            compare(cases[c].op, types[t], cases[c].flags, 9 * BLOCK, 0, NULL);
        }
    }
}

int main(void)
{
    int simulated = device_simulated(), full = device_full();
    if (simulated) setenv("TALLY_SIMT_SHARED", DEVICE_H100_SHARED, 0);
    if (!device_open("cpu")) return test_left_out("device_blocks", tally_last_error());
    far_x = device_room(ROOM), far_out = device_room(ROOM);
    lengths(full);
    long_chains();
    exponents(full);
    other_types();
    specials();
    arrangements(full);
    device_close();
    return test_finish("device_blocks");
}
