/* SPDX-License-Identifier: MIT
 *
 * simt_math.h - CUDA's integer, bit and rounding functions, vector types and cached loads, each as an expression that
 * the host compiler knows. */
#ifndef TALLY_SIMT_MATH_H
#define TALLY_SIMT_MATH_H

#define SIMT_VECTOR_2(name, type, alignment)          \
    struct __attribute__((aligned(alignment))) name { \
        type x, y;                                    \
    };                                                \
    static inline name make_##name(type x, type y)    \
    {                                                 \
        name v = {x, y};                              \
        return v;                                     \
    }
#define SIMT_VECTOR_4(name, type, alignment)                       \
    struct __attribute__((aligned(alignment))) name {              \
        type x, y, z, w;                                           \
    };                                                             \
    static inline name make_##name(type x, type y, type z, type w) \
    {                                                              \
        name v = {x, y, z, w};                                     \
        return v;                                                  \
    }
SIMT_VECTOR_2(char2, signed char, 2)
SIMT_VECTOR_2(uchar2, unsigned char, 2)
SIMT_VECTOR_2(short2, short, 4)
SIMT_VECTOR_2(ushort2, unsigned short, 4)
SIMT_VECTOR_2(int2, int, 8)
SIMT_VECTOR_2(uint2, unsigned, 8)
SIMT_VECTOR_2(float2, float, 8)
SIMT_VECTOR_2(longlong2, long long, 16)
SIMT_VECTOR_2(ulonglong2, unsigned long long, 16)
SIMT_VECTOR_2(double2, double, 16)
SIMT_VECTOR_4(char4, signed char, 4)
SIMT_VECTOR_4(uchar4, unsigned char, 4)
SIMT_VECTOR_4(short4, short, 8)
SIMT_VECTOR_4(ushort4, unsigned short, 8)
SIMT_VECTOR_4(int4, int, 16)
SIMT_VECTOR_4(uint4, unsigned, 16)
SIMT_VECTOR_4(float4, float, 16)

/* A function that is one expression. */
#define SIMT_FUNCTION(head, value) \
    static inline head             \
    {                              \
        return value;              \
    }

/* Cache hints change nothing here. */
#define SIMT_CACHE_ROW(type)                                    \
    SIMT_FUNCTION(type __ldg(const type *p), *p)                \
    SIMT_FUNCTION(type __ldcs(const type *p), *p)               \
    SIMT_FUNCTION(type __ldcg(const type *p), *p)               \
    SIMT_FUNCTION(type __ldlu(const type *p), *p)               \
    SIMT_FUNCTION(void __stcs(type *p, type v), (void)(*p = v)) \
    SIMT_FUNCTION(void __stcg(type *p, type v), (void)(*p = v))
#define SIMT_CACHE_ROWS(a, b, c, d) SIMT_CACHE_ROW(a) SIMT_CACHE_ROW(b) SIMT_CACHE_ROW(c) SIMT_CACHE_ROW(d)
SIMT_CACHE_ROWS(char, signed char, unsigned char, short)
SIMT_CACHE_ROWS(unsigned short, int, unsigned, long)
SIMT_CACHE_ROWS(unsigned long, long long, unsigned long long, float)
SIMT_CACHE_ROWS(double, int2, uint2, int4)
SIMT_CACHE_ROWS(uint4, float2, float4, double2)
SIMT_CACHE_ROWS(longlong2, ulonglong2, uchar4, ushort4)

SIMT_FUNCTION(int __clz(int x), x ? __builtin_clz((unsigned)x) : 32)
SIMT_FUNCTION(int __clzll(long long x), x ? __builtin_clzll((unsigned long long)x) : 64)
SIMT_FUNCTION(int __ffs(int x), __builtin_ffs(x))
SIMT_FUNCTION(int __ffsll(long long x), __builtin_ffsll(x))
SIMT_FUNCTION(int __popc(unsigned x), __builtin_popcount(x))
SIMT_FUNCTION(int __popcll(unsigned long long x), __builtin_popcountll(x))

static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector)
{
    const uint64_t both = (uint64_t)y << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) result |= (unsigned)(both >> (selector >> 4 * i & 7) * 8 & 255) << 8 * i;
    return result;
}

static inline unsigned __brev(unsigned x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}

static inline unsigned long long __brevll(unsigned long long x)
{
    return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}

SIMT_FUNCTION(int __mulhi(int x, int y), (int)((long long)x *y >> 32))
SIMT_FUNCTION(unsigned __umulhi(unsigned x, unsigned y), (unsigned)((unsigned long long)x *y >> 32))
SIMT_FUNCTION(long long __mul64hi(long long x, long long y), (long long)((__int128)x *y >> 64))
static inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y)
{
    return (unsigned long long)((unsigned __int128)x * y >> 64);
}

/* 64 bits, high above low, shifted; the shift counts modulo 32. */
static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((uint64_t)high << 32 | low) << (shift & 31) >> 32);
}

static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((uint64_t)high << 32 | low) >> (shift & 31));
}

#define SIMT_BITS_ROW(name, to, from) \
    static inline to name(from x)     \
    {                                 \
        to y;                         \
        memcpy(&y, &x, sizeof y);     \
        return y;                     \
    }
SIMT_BITS_ROW(__longlong_as_double, double, long long)
SIMT_BITS_ROW(__double_as_longlong, long long, double)
SIMT_BITS_ROW(__int_as_float, float, int)
SIMT_BITS_ROW(__float_as_int, int, float)
SIMT_BITS_ROW(__uint_as_float, float, unsigned)
SIMT_BITS_ROW(__float_as_uint, unsigned, float)

static inline double __hiloint2double(int high, int low)
{
    return __longlong_as_double((long long)((uint64_t)(unsigned)high << 32 | (unsigned)low));
}
SIMT_FUNCTION(int __double2hiint(double x), (int)(__double_as_longlong(x) >> 32))
SIMT_FUNCTION(int __double2loint(double x), (int)(unsigned)__double_as_longlong(x))

/* Round to nearest and never contracted, which the flag -ffp-contract=off makes of plain operators. */
SIMT_FUNCTION(double __dadd_rn(double x, double y), x + y)
SIMT_FUNCTION(double __dsub_rn(double x, double y), x - y)
SIMT_FUNCTION(double __dmul_rn(double x, double y), x *y)
SIMT_FUNCTION(double __ddiv_rn(double x, double y), x / y)
SIMT_FUNCTION(double __dsqrt_rn(double x), sqrt(x))
SIMT_FUNCTION(double __fma_rn(double x, double y, double z), fma(x, y, z))
SIMT_FUNCTION(float __fadd_rn(float x, float y), x + y)
SIMT_FUNCTION(float __fsub_rn(float x, float y), x - y)
SIMT_FUNCTION(float __fmul_rn(float x, float y), x *y)
SIMT_FUNCTION(float __fdiv_rn(float x, float y), x / y)
SIMT_FUNCTION(float __fsqrt_rn(float x), sqrtf(x))
SIMT_FUNCTION(float __fmaf_rn(float x, float y, float z), fmaf(x, y, z))

/* Out of range saturates on a GPU and is undefined in C. NaN becomes the least number for 64 bits, zero for 32. */
static inline long long __double2ll_rz(double x)
{
    if (x != x) return (long long)(1ull << 63);
    if (x >= 9223372036854775808.0) return 0x7fffffffffffffffll;
    return x <= -9223372036854775808.0 ? (long long)(1ull << 63) : (long long)x;
}
static inline int __double2int_rz(double x)
{
    if (x != x) return 0;
    if (x >= 2147483648.0) return 0x7fffffff;
    return x <= -2147483648.0 ? (int)(1u << 31) : (int)x;
}
static inline unsigned __double2uint_rz(double x)
{
    return x != x || x <= 0 ? 0 : x >= 4294967296.0 ? 0xffffffffu : (unsigned)x;
}
static inline unsigned long long __double2ull_rz(double x)
{
    if (x != x) return 1ull << 63;
    return x <= 0 ? 0 : x >= 18446744073709551616.0 ? ~0ull : (unsigned long long)x;
}
SIMT_FUNCTION(long long __float2ll_rz(float x), __double2ll_rz(x))
SIMT_FUNCTION(unsigned long long __float2ull_rz(float x), __double2ull_rz(x))
SIMT_FUNCTION(int __float2int_rz(float x), __double2int_rz(x))
SIMT_FUNCTION(unsigned __float2uint_rz(float x), __double2uint_rz(x))
SIMT_FUNCTION(long long __double2ll_rn(double x), __double2ll_rz(rint(x)))
SIMT_FUNCTION(int __double2int_rn(double x), __double2int_rz(rint(x)))
SIMT_FUNCTION(int __float2int_rn(float x), __double2int_rz(rintf(x)))
SIMT_FUNCTION(double __ll2double_rn(long long x), (double)x)
SIMT_FUNCTION(double __ull2double_rn(unsigned long long x), (double)x)
SIMT_FUNCTION(float __ll2float_rn(long long x), (float)x)
SIMT_FUNCTION(float __ull2float_rn(unsigned long long x), (float)x)
SIMT_FUNCTION(float __double2float_rn(double x), (float)x)
SIMT_FUNCTION(float __int2float_rn(int x), (float)x)
SIMT_FUNCTION(float __uint2float_rn(unsigned x), (float)x)
SIMT_FUNCTION(double __int2double_rn(int x), (double)x)

/* CUDA's min and max; macros would evaluate twice. */
#define SIMT_LEAST_ROW(type)               \
    static inline type min(type x, type y) \
    {                                      \
        return y < x ? y : x;              \
    }                                      \
    static inline type max(type x, type y) \
    {                                      \
        return x < y ? y : x;              \
    }
SIMT_LEAST_ROW(int)
SIMT_LEAST_ROW(unsigned)
SIMT_LEAST_ROW(long)
SIMT_LEAST_ROW(unsigned long)
SIMT_LEAST_ROW(long long)
SIMT_LEAST_ROW(unsigned long long)
SIMT_FUNCTION(float min(float x, float y), fminf(x, y))
SIMT_FUNCTION(float max(float x, float y), fmaxf(x, y))
SIMT_FUNCTION(double min(double x, double y), fmin(x, y))
SIMT_FUNCTION(double max(double x, double y), fmax(x, y))

#endif
