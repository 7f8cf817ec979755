/* SPDX-License-Identifier: MIT
 *
 * scans.h - what the tests of contiguous scans share: the bits of the CPU, for every operator that goes by chunks, and
 * exact sums of numbers that make them hard: ties, cancellation, far apart sizes, zeros, subnormal numbers, and what
 * comes after an infinity. Arrays of n elements, or, where that is 0, long ones. */
#ifndef TALLY_TEST_SCANS_H
#define TALLY_TEST_SCANS_H

#include "device.h"
#include "hard_sums.h"
#include "views.h"

#include <string.h>

#define MOST 400000 /* elements, and bytes of arrays of any type */
#define LONG_BYTES (10 << 20)
#define ROOM (LONG_BYTES * 8 + 64)

static _Alignas(64) unsigned char host_x[ROOM], want[ROOM], got[ROOM];
static unsigned char *far_x, *far_out;
static char section[200];
static double initial_value = 0.1; /* of results that are doubles */

/* A vector, one that ends in the middle of a vector of 16 bytes, rows; the second shares the first one's kernel. */
enum { SHAPES = 3 };

static inline tally_array shaped(int shape, tally_type type, int64_t n, void *memory)
{
    if (shape == 2) return tally_matrix(memory, type, 2, n / 32 * 16);
    return tally_vector(memory, type, shape == 0 ? n : n - 5);
}

static inline void compare(tally_op op, tally_type type, tally_type result, uint32_t flags, int64_t n)
{
    int32_t last = 1;
    _Alignas(16) unsigned char initial[16];
    if (!device_parted(op, type)) return;
    CHECK(tally_copy(device, far_x, host_x, (size_t)n * tally_type_size(type)) == TALLY_OK);
    for (int pass = 0; pass < SHAPES + 2; pass++) { /* then one array or the other an element off */
        int shape = pass < SHAPES ? pass : 1;
        size_t shift = pass == SHAPES ? tally_type_size(type) : 0, out_shift;
        tally_options options = TALLY_OPTIONS_INIT;
        tally_array x = shaped(shape, type, n, host_x + shift), out;
        options.flags = flags;
        options.type = result;
        if (result == TALLY_F64) options.initial = memcpy(initial, &initial_value, 8);
        if (shape == 2) options.axes = &last, options.axis_count = 1;
        CHECK(tally_result_like(TALLY_SCAN, op, &x, &options, &out) == TALLY_OK);
        out_shift = pass > SHAPES ? tally_type_size(out.type) : 0;
        memset(got, 0xab, bytes_of(&out));
        CHECK(tally_copy(device, far_out + out_shift, got, bytes_of(&out)) == TALLY_OK);
        out.data = want;
        CHECK(tally_scan(judge, op, &x, &out, &options) == TALLY_OK);
        x.data = far_x + shift;
        out.data = far_out + out_shift;
        CHECK(tally_scan(device, op, &x, &out, &options) == TALLY_OK);
        CHECK(tally_copy(device, got, out.data, bytes_of(&out)) == TALLY_OK);
        CHECK(memcmp(got, want, bytes_of(&out)) == 0);
    }
}

/* In place, from an address that is no vector's: forward or backward, one end may be one. */
static inline void compare_in_place(tally_type type, uint32_t flags, int64_t n)
{
    size_t size = tally_type_size(type), bytes = (size_t)n * size;
    tally_options options = TALLY_OPTIONS_INIT;
    _Alignas(16) unsigned char initial[16] = {0};
    options.flags = flags;
    options.initial = initial;
    for (int64_t offset = 0; offset < 2; offset++) {
        tally_array x = tally_vector(host_x + (size_t)offset * size, type, n - offset), out = x;
        CHECK(tally_copy(device, far_x, host_x, bytes) == TALLY_OK);
        out.data = want;
        CHECK(tally_scan(judge, TALLY_SUM, &x, &out, &options) == TALLY_OK);
        x.data = far_x + (size_t)offset * size;
        CHECK(tally_scan(device, TALLY_SUM, &x, &x, &options) == TALLY_OK);
        CHECK(tally_copy(device, got, x.data, bytes - (size_t)offset * size) == TALLY_OK);
        CHECK(memcmp(got, want, bytes - (size_t)offset * size) == 0);
    }
}

/* Or as many as make arrays long. */
static inline int64_t or_long(int64_t n, tally_type type)
{
    return n ? n : LONG_BYTES / (int64_t)tally_type_size(type);
}

static inline void exact_sums(int full, int64_t count)
{
    static const tally_type types[] = {TALLY_F32, TALLY_F64, TALLY_F16, TALLY_BF16};
    static const uint32_t flags[] = {0, TALLY_EXCLUSIVE | TALLY_REVERSE, TALLY_EXCLUSIVE, TALLY_REVERSE,
                                     TALLY_SKIP_NAN};
    for (int t = 0; t < 4; t++) {
        int64_t n = or_long(count, types[t]);
        for (int f = 0; f < (full ? 5 : 2); f++) {
            for (int kind = 0; kind < HARD_KINDS; kind++) {
                if (!full && t > 1 && (kind + f) % 3) continue;
                snprintf(section, sizeof section, "running sum of %s, flags %u, numbers %d", tally_type_name(types[t]),
                         flags[f], kind);
                test.section = section;
                hard_fill(types[t], kind, host_x, n);
                compare(TALLY_SUM, types[t], TALLY_DEFAULT_TYPE, flags[f], n);
                if (full || (t % 2 == 0 && f == 0)) compare(TALLY_SUM, types[t], TALLY_F64, flags[f], n);
            }
            hard_fill(types[t], 0, host_x, n);
            compare_in_place(types[t], flags[f], n - 1);
        }
    }
}

/* Sums that begin with a double that the elements' type is far from. */
static inline void far_initials(int64_t n)
{
    static const tally_type types[] = {TALLY_F32, TALLY_BF16};
    static const double initials[] = {1e300, 0x1p-900, 0x1p150 + 0x1p98, (double)INFINITY};
    for (int i = 0; i < 4; i++) {
        tally_type type = types[i % 2];
        initial_value = initials[i];
        snprintf(section, sizeof section, "running sum of %s from %g", tally_type_name(type), initial_value);
        test.section = section;
        hard_fill(type, i % 2 ? 19 : 2, host_x, n);
        compare(TALLY_SUM, type, TALLY_F64, i % 2 ? TALLY_EXCLUSIVE : 0, n);
    }
    initial_value = 0.1;
}

static inline void folds(int full, int64_t count)
{
    static const tally_type types[] = {TALLY_I8,  TALLY_U16, TALLY_I32, TALLY_I64,
                                       TALLY_F16, TALLY_F32, TALLY_F64, TALLY_BOOL};
    static const tally_op ops[] = {TALLY_SUM, TALLY_MAX, TALLY_MIN, TALLY_ANY, TALLY_BIT_XOR, TALLY_PROD};
    int turn = 0;
    for (int t = 0; t < 8; t++) {
        for (int o = 0; o < 6; o++) {
            int is_float = types[t] >= TALLY_F16 && types[t] <= TALLY_F64;
            if (is_float && (ops[o] == TALLY_BIT_XOR || ops[o] == TALLY_SUM)) continue;
            if (!full && turn++ % 4) continue;
            uint32_t flags = (uint32_t)test_random_below(4) * TALLY_EXCLUSIVE;
            int64_t n = or_long(count, types[t]);
            snprintf(section, sizeof section, "running %s of %s, flags %u", tally_op_name(ops[o]),
                     tally_type_name(types[t]), flags);
            test.section = section;
            data_fill(types[t], turn % 2 ? DATA_ORDINARY : DATA_SPECIAL, host_x, n);
            compare(ops[o], types[t], TALLY_DEFAULT_TYPE, flags, n);
        }
    }
}

/* Both arrays begin an element off; their rows, each at another place of its vector. */
static inline void compare_off(tally_op op, tally_type type, uint32_t flags, int64_t rows, int64_t length)
{
    static const int32_t last = 1;
    const size_t size = tally_type_size(type);
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array x = tally_matrix(host_x + size, type, rows, length), out;
    if (!device_parted(op, type)) return;
    options.axes = &last, options.axis_count = 1;
    options.flags = flags;
    snprintf(section, sizeof section, "running %s of %s, flags %u, %lld x %lld, an element off", tally_op_name(op),
             tally_type_name(type), flags, (long long)rows, (long long)length);
    test.section = section;
    CHECK(tally_result_like(TALLY_SCAN, op, &x, &options, &out) == TALLY_OK);
    out.data = want;
    CHECK(tally_scan(judge, op, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, far_x, host_x, (size_t)(rows * length + 1) * size) == TALLY_OK);
    x.data = far_x + size;
    out.data = far_out + tally_type_size(out.type);
    CHECK(tally_scan(device, op, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, got, out.data, bytes_of(&out)) == TALLY_OK);
    CHECK(memcmp(got, want, bytes_of(&out)) == 0);
}

/* First chunks that are short; elements that would change if zeros were among them. */
static inline void heads(int64_t n)
{
    static const tally_type types[] = {TALLY_I8,  TALLY_U16,  TALLY_I32, TALLY_U64,
                                       TALLY_F16, TALLY_BF16, TALLY_F32, TALLY_F64};
    static const tally_op ops[] = {TALLY_SUM, TALLY_MAX, TALLY_MIN, TALLY_PROD, TALLY_BIT_AND, TALLY_BIT_XOR};
    for (int t = 0; t < 8; t++) {
        const size_t size = tally_type_size(types[t]);
        for (int o = 0; o < 6; o++) {
            if (types[t] >= TALLY_F16 && ops[o] >= TALLY_PROD && ops[o] != TALLY_MAX && ops[o] != TALLY_MIN) continue;
            uint32_t flags = (t + o) % 2 ? TALLY_REVERSE : 0;
            data_fill(types[t], DATA_ORDINARY, host_x, n);
            for (int64_t i = 0; i < n; i++) {
                unsigned char *top = &host_x[(size_t)i * size + size - 1];
                *top = (unsigned char)(ops[o] == TALLY_MIN ? *top & 0x7f : *top | 0x80);
                if (ops[o] != TALLY_MAX && ops[o] != TALLY_MIN) host_x[(size_t)i * size] |= i % 5000 ? 0xff : 1;
            }
            compare_off(ops[o], types[t], flags, 1, n - 1);
            compare_off(ops[o], types[t], flags ^ TALLY_REVERSE, 2, (n - 1) / 4 * 2 - 1);
            compare_off(ops[o], types[t], flags, 2, (n - 1) / 4 * 2 - 3);
        }
    }
}

#endif
