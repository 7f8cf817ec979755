/* SPDX-License-Identifier: MIT
 *
 * device_sources.h - operators that several tests compile for a device: rows of a table of tally_op_source. */
#ifndef TALLY_TEST_DEVICE_SOURCES_H
#define TALLY_TEST_DEVICE_SOURCES_H

#include <tally.h>

#define SOURCE .size = (uint32_t)sizeof(tally_op_source)

/* Knows the order of its elements. */
#define SOURCE_AFFINE                                                                                              \
    {                                                                                                              \
        SOURCE, .name = "affine", .input_count = 1, .result_count = 2, .inputs = {TALLY_I32}, .result = TALLY_U32, \
                .state = "u32 a, b;", .lift = "STATE((u32)x * 2u + 1u, (u32)x + (u32)i)",                          \
                .combine = "STATE(a.a * b.a, a.b * b.a + b.b)", .identity = "STATE(1, 0)",                         \
                .finish = "out[0] = s.a; out[1] = s.b + (u32)n;"                                                   \
    }

/* Has as many inputs as there can be, and floats, which show the shape of the tree. */
#define SOURCE_THREE                                                                                                \
    {                                                                                                               \
        SOURCE, .name = "three", .flags = TALLY_OP_COMMUTATIVE, .input_count = 3, .result_count = 1,                \
                .inputs = {TALLY_F16, TALLY_C64, TALLY_BOOL}, .result = TALLY_C64, .state = "c64",                  \
                .lift = "c64 v = {x + y.re, z ? y.im : x}; return v;",                                              \
                .combine = "c64 v = {a.re + b.re, a.im + b.im}; return v;", .identity = "c64 v = {0, 0}; return v;" \
    }

#endif
