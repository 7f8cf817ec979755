/* SPDX-License-Identifier: MIT
 *
 * prelude.h - what the text of a user's operator sees: types, min, max, STATE. Compiled at run time, before that text.
 */
#ifndef TALLY_USER_PRELUDE_H
#define TALLY_USER_PRELUDE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
typedef float f16, bf16; /* as values; in memory they have 16 bits */
typedef struct {
    float re, im;
} c64;
typedef struct {
    double re, im;
} c128;

#define STATE(...) ((state){__VA_ARGS__})

/* Each operand is evaluated once. With a NaN on either side: the second. */
#define min(first, second)             \
    __extension__({                    \
        __auto_type min_a = (first);   \
        __auto_type min_b = (second);  \
        min_a < min_b ? min_a : min_b; \
    })
#define max(first, second)             \
    __extension__({                    \
        __auto_type max_a = (first);   \
        __auto_type max_b = (second);  \
        max_a > max_b ? max_a : max_b; \
    })

#endif
