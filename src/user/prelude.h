/* SPDX-License-Identifier: MIT
 *
 * prelude.h - what the text of a user's operator sees: types, min, max, STATE. Compiled at run time, before that text.
 */
#ifndef TALLY_USER_PRELUDE_H
#define TALLY_USER_PRELUDE_H

#if defined(__cplusplus) /* CUDA C, after device.cuh, which has the integers and what is in <math.h> by then */
#define STEP static __device__ __forceinline__
#define _Static_assert static_assert
#else
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#define STEP static inline __attribute__((always_inline))
#endif

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

/* min and max: each operand is evaluated once. With a NaN on either side: the second. */
#if defined(__cplusplus)
#define STATE(...) (state{__VA_ARGS__})
template <class First, class Second> STEP auto user_min(First first, Second second) -> decltype(first + second)
{
    return first < second ? first : second;
}
template <class First, class Second> STEP auto user_max(First first, Second second) -> decltype(first + second)
{
    return first > second ? first : second;
}
#define min(first, second) user_min(first, second)
#define max(first, second) user_max(first, second)
#else
#define STATE(...) ((state){__VA_ARGS__})
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

#endif
