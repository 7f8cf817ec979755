/* SPDX-License-Identifier: MIT
 *
 * prelude.h - what the text of a user's operator sees: types, min, max, STATE. Compiled at run time, before that text.
 */
#ifndef TALLY_USER_PRELUDE_H
#define TALLY_USER_PRELUDE_H

#if defined(__cplusplus) /* CUDA C, after device.cuh, which has the integers and what is in <math.h> by then */
#define STEP static __device__ __forceinline__
#define _Static_assert static_assert
#ifndef M_PI
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif
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
