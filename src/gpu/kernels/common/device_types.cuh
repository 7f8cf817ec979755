/* SPDX-License-Identifier: MIT
 *
 * device_types.cuh - integers and constants that C has in its headers, which NVRTC lacks, and what narrow.h needs. All
 * that may stand before a user's text: it has no other names. */
#ifndef TALLY_DEVICE_TYPES_CUH
#define TALLY_DEVICE_TYPES_CUH

#if defined(TALLY_SIMT)
#include "simt.h"
#else
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef unsigned long long uintptr_t;

#define __extension__ /* GNU C's mark of what is not ISO C */

#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295u
#define INT64_MIN (-9223372036854775807ll - 1)
#define INT64_MAX 9223372036854775807ll
#define UINT64_MAX 18446744073709551615ull
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)

/* Exact, and one instruction; narrow.h has what other compilers read. */
static __device__ __forceinline__ float f16_to_f32_native(unsigned short h)
{
    float x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h));
    return x;
}
#define F16_TO_F32_NATIVE f16_to_f32_native

/* As f32_to_f16 in narrow.h, but for the bits of a NaN. */
static __device__ __forceinline__ unsigned short f32_to_f16_native(float x)
{
    unsigned short h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
    return h;
}

#if __CUDA_ARCH__ >= 800
/* As f32_to_bf16 in narrow.h, but for the bits of a NaN. */
static __device__ __forceinline__ unsigned short f32_to_bf16_native(float x)
{
    unsigned short h;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h) : "f"(x));
    return h;
}
#define F32_TO_BF16_NATIVE f32_to_bf16_native
#endif

static __device__ __forceinline__ unsigned short f64_to_f16_native(double x)
{
    unsigned short h;
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(h) : "d"(x));
    return x == x ? h : 0x7e00u;
}
#define F64_TO_F16_NATIVE f64_to_f16_native

#if __CUDA_ARCH__ >= 900
static __device__ __forceinline__ unsigned short f64_to_bf16_native(double x)
{
    unsigned short h;
    asm("cvt.rn.bf16.f64 %0, %1;" : "=h"(h) : "d"(x));
    return x == x ? h : 0x7fc0u;
}
#define F64_TO_BF16_NATIVE f64_to_bf16_native
#endif
#endif

#define NARROW_FUNCTION static __device__ __forceinline__

#endif
