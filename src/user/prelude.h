/* SPDX-License-Identifier: MIT
 *
 * prelude.h - what the text of a user's operator sees: types, min, max, STATE. Compiled at run time, before that text.
 */
#ifndef TALLY_USER_PRELUDE_H
#define TALLY_USER_PRELUDE_H

#if defined(__cplusplus) /* CUDA C, after device_types.cuh, which has the integers and what is in <math.h> by then */
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

/* min and max: each operand is evaluated once. With a NaN on either side: the second. abs is of any real type. */
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
template <class Value> STEP auto user_abs(Value value) -> decltype(value + value)
{
    return value < 0 ? -value : value + 0;
}
#define min(first, second) user_min(first, second)
#define max(first, second) user_max(first, second)
#define abs(value) user_abs(value)

/* CUDA C has these for floats, too, and would choose by the argument; C's are of doubles. */
#define acos(x) acos((f64)(x))
#define acosh(x) acosh((f64)(x))
#define asin(x) asin((f64)(x))
#define asinh(x) asinh((f64)(x))
#define atan(x) atan((f64)(x))
#define atanh(x) atanh((f64)(x))
#define cbrt(x) cbrt((f64)(x))
#define ceil(x) ceil((f64)(x))
#define cos(x) cos((f64)(x))
#define cosh(x) cosh((f64)(x))
#define erf(x) erf((f64)(x))
#define erfc(x) erfc((f64)(x))
#define exp(x) exp((f64)(x))
#define exp2(x) exp2((f64)(x))
#define expm1(x) expm1((f64)(x))
#define fabs(x) fabs((f64)(x))
#define floor(x) floor((f64)(x))
#define ilogb(x) ilogb((f64)(x))
#define lgamma(x) lgamma((f64)(x))
#define llrint(x) llrint((f64)(x))
#define llround(x) llround((f64)(x))
#define log(x) log((f64)(x))
#define log10(x) log10((f64)(x))
#define log1p(x) log1p((f64)(x))
#define log2(x) log2((f64)(x))
#define logb(x) logb((f64)(x))
#define lrint(x) lrint((f64)(x))
#define lround(x) lround((f64)(x))
#define nearbyint(x) nearbyint((f64)(x))
#define rint(x) rint((f64)(x))
#define round(x) round((f64)(x))
#define sin(x) sin((f64)(x))
#define sinh(x) sinh((f64)(x))
#define sqrt(x) sqrt((f64)(x))
#define tan(x) tan((f64)(x))
#define tanh(x) tanh((f64)(x))
#define tgamma(x) tgamma((f64)(x))
#define trunc(x) trunc((f64)(x))
#define atan2(x, y) atan2((f64)(x), (f64)(y))
#define copysign(x, y) copysign((f64)(x), (f64)(y))
#define fdim(x, y) fdim((f64)(x), (f64)(y))
#define fmax(x, y) fmax((f64)(x), (f64)(y))
#define fmin(x, y) fmin((f64)(x), (f64)(y))
#define fmod(x, y) fmod((f64)(x), (f64)(y))
#define hypot(x, y) hypot((f64)(x), (f64)(y))
#define nextafter(x, y) nextafter((f64)(x), (f64)(y))
#define pow(x, y) pow((f64)(x), (f64)(y))
#define remainder(x, y) remainder((f64)(x), (f64)(y))
#define fma(x, y, z) fma((f64)(x), (f64)(y), (f64)(z))
#define ldexp(x, n) ldexp((f64)(x), n)
#define scalbn(x, n) scalbn((f64)(x), n)
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
#define abs(value)                      \
    __extension__({                     \
        __auto_type abs_a = (value);    \
        abs_a < 0 ? -abs_a : abs_a + 0; \
    })
#endif

#endif
