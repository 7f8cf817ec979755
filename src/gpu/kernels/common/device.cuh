/* SPDX-License-Identifier: MIT
 *
 * device.cuh - what kernels need of the compiler: fixed-width types, the form of a kernel, memory accesses that say how
 * they are meant. NVRTC compiles it without any header of a toolkit; under TALLY_SIMT the host's C++ compiler does. */
#ifndef TALLY_DEVICE_CUH
#define TALLY_DEVICE_CUH

/* Blocks of a cluster (cluster.cuh), which run at once. */
#if !defined(CLUSTER_BLOCKS)
#define CLUSTER_BLOCKS 1
#endif

#define SIMT_OWN_FUNCTIONS 1 /* of simt.h */
#include "device_types.cuh"

#if defined(TALLY_SIMT)
static inline int __dp4a(int a, int b, int c)
{
    for (int i = 0; i < 4; i++) c += (int)(signed char)(a >> 8 * i) * (int)(signed char)(b >> 8 * i);
    return c;
}

static inline unsigned __dp4a(unsigned a, unsigned b, unsigned c)
{
    for (int i = 0; i < 4; i++) c += (a >> 8 * i & 255) * (b >> 8 * i & 255);
    return c;
}
#else

/* A kernel takes one structure by value. BLOCKS_AT_ONCE of it should fit a multiprocessor: it bounds the registers. */
#if !defined(BLOCKS_AT_ONCE)
#define BLOCKS_AT_ONCE 1
#endif
#if CLUSTER_BLOCKS > 1
#define IN_CLUSTERS __cluster_dims__(CLUSTER_BLOCKS, 1, 1)
#else
#define IN_CLUSTERS
#endif
#define KERNEL(name, type, parameters)                                                \
    extern "C" __global__ void IN_CLUSTERS __launch_bounds__(THREADS, BLOCKS_AT_ONCE) \
        name(const __grid_constant__ type parameters)
#define DYNAMIC_SHARED(type, name) extern __shared__ type name[]

#endif

/* The same from a line of 128 bytes on, where bulk copies are to be fast. */
#if defined(TALLY_SIMT)
#define DYNAMIC_SHARED_LINES DYNAMIC_SHARED
#else
#define DYNAMIC_SHARED_LINES(type, name) extern __shared__ __align__(128) type name[]
#endif

#define DEVICE static __device__ __forceinline__
#define DEVICE_UNUSED static __device__ __forceinline__ __attribute__((unused)) /* one of a set: not all are called */
#define DEVICE_CALL static __device__ __noinline__ /* rarely run: kept out of the way of registers */

/* The vocabulary that the C compiler reads, too. */
#define ELEMENTARY_FUNCTION DEVICE
#define MODULO_FUNCTION DEVICE
#define EXACT_FUNCTION static __device__ inline
#define FUSED_FLOAT __fmaf_rn
#define FUSED_DOUBLE __fma_rn

#define FULL_WARP 0xffffffffu

/* 16 bytes, the widest access of a thread. */
struct __align__(16) vector16
{
    uint32_t word[4];
};

/* A GPU would fault where the simulator's copies do not: `addresses` are one, or several joined by |. */
DEVICE_UNUSED void check_aligned(uintptr_t addresses, uint32_t bytes)
{
#if defined(TALLY_SIMT)
    if (addresses % bytes) __builtin_trap();
#else
    (void)addresses, (void)bytes;
#endif
}

/* Inputs do not change during a kernel. The compiler must know that this is a load: it moved instructions of ours out
 * of the branch that found the address aligned. */
DEVICE struct vector16 load_vector(const void *address)
{
    struct vector16 v;
    check_aligned((uintptr_t)address, 16);
#if defined(TALLY_SIMT)
    memcpy(&v, address, sizeof v);
#else
    const uint4 word = __ldg((const uint4 *)address);
    v.word[0] = word.x, v.word[1] = word.y, v.word[2] = word.z, v.word[3] = word.w;
#endif
    return v;
}

/* The larger and smaller of two pairs of 16-bit numbers; of floats, NaN where either is. */
#if defined(TALLY_SIMT)
#define HAS_PAIRS_OF_16 1
#define HAS_PAIRS_OF_FLOATS 1
#else
#define HAS_PAIRS_OF_16 (__CUDA_ARCH__ >= 900) /* one instruction from Hopper on */
#define HAS_PAIRS_OF_FLOATS (__CUDA_ARCH__ >= 800)
#define PAIRS_BY(name, instruction)                                 \
    DEVICE_UNUSED uint32_t name(uint32_t a, uint32_t b)             \
    {                                                               \
        uint32_t c;                                                 \
        asm(instruction " %0, %1, %2;" : "=r"(c) : "r"(a), "r"(b)); \
        return c;                                                   \
    }
#endif
#if defined(TALLY_SIMT) || !HAS_PAIRS_OF_16
#define PAIRS_OF_16(name, instruction, type, better)                   \
    DEVICE_UNUSED uint32_t name(uint32_t a, uint32_t b)                \
    {                                                                  \
        uint32_t high = (type)(a >> 16) better(type)(b >> 16) ? a : b; \
        uint32_t low = (type)a better(type) b ? a : b;                 \
        return (high & 0xffff0000u) | (low & 0xffffu);                 \
    }
#else
#define PAIRS_OF_16(name, instruction, type, better) PAIRS_BY(name, instruction)
#endif
#if defined(TALLY_SIMT) || !HAS_PAIRS_OF_FLOATS
/* Of floats whose infinity has these bits; as integers they compare by size. */
DEVICE_UNUSED uint32_t pick_float16(uint32_t a, uint32_t b, uint32_t infinity, int larger)
{
    uint32_t x = a & 0x7fff, y = b & 0x7fff;
    if (x > infinity || y > infinity) return 0x7fff;
    int32_t first = a & 0x8000 ? -(int32_t)x : (int32_t)x, second = b & 0x8000 ? -(int32_t)y : (int32_t)y;
    return (larger ? first > second : first < second) ? a : b;
}
#define PAIRS_OF_FLOATS(name, instruction, infinity, larger)                        \
    DEVICE_UNUSED uint32_t name(uint32_t a, uint32_t b)                             \
    {                                                                               \
        uint32_t high = pick_float16(a >> 16, b >> 16, infinity, larger);           \
        return high << 16 | pick_float16(a & 0xffff, b & 0xffff, infinity, larger); \
    }
#else
#define PAIRS_OF_FLOATS(name, instruction, infinity, larger) PAIRS_BY(name, instruction)
#endif
PAIRS_OF_16(max_s16x2, "max.s16x2", int16_t, >)
PAIRS_OF_16(min_s16x2, "min.s16x2", int16_t, <)
PAIRS_OF_16(max_u16x2, "max.u16x2", uint16_t, >)
PAIRS_OF_16(min_u16x2, "min.u16x2", uint16_t, <)
PAIRS_OF_FLOATS(max_f16x2, "max.NaN.f16x2", 0x7c00, 1)
PAIRS_OF_FLOATS(min_f16x2, "min.NaN.f16x2", 0x7c00, 0)
PAIRS_OF_FLOATS(max_bf16x2, "max.NaN.bf16x2", 0x7f80, 1)
PAIRS_OF_FLOATS(min_bf16x2, "min.NaN.bf16x2", 0x7f80, 0)

/* A pair of floats whose zeros become +0: they are added to it. */
#if defined(TALLY_SIMT) || !HAS_PAIRS_OF_16
#define PLUS_ZERO(name, instruction)                                                                  \
    DEVICE_UNUSED uint32_t name(uint32_t pair)                                                        \
    {                                                                                                 \
        return (pair & 0x7fff0000u ? pair & 0xffff0000u : 0) | (pair & 0x7fffu ? pair & 0xffffu : 0); \
    }
#else
#define PLUS_ZERO(name, instruction)                           \
    DEVICE_UNUSED uint32_t name(uint32_t pair)                 \
    {                                                          \
        asm(instruction " %0, %0, %1;" : "+r"(pair) : "r"(0)); \
        return pair;                                           \
    }
#endif
PLUS_ZERO(plus_zero_f16x2, "add.rn.f16x2")
PLUS_ZERO(plus_zero_bf16x2, "add.rn.bf16x2")

/* Stores what lies at `from` as one word of a type; `to` is aligned. */
#define STORE_AS(type, to, from)          \
    do {                                  \
        type word;                        \
        memcpy(&word, from, sizeof word); \
        *(type *)(to) = word;             \
    } while (0)

/* Has global memory on its way to the L2 cache. */
DEVICE_UNUSED void prefetch(const void *address)
{
#if defined(TALLY_SIMT)
    (void)address;
#else
    asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
#endif
}

/* Of the processor that the block is on: a hint, as where it goes on may change. */
DEVICE_UNUSED uint32_t processor_number()
{
#if defined(TALLY_SIMT)
    return blockIdx.x / 2;
#else
    uint32_t number;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
#endif
}

/* Counters and results that blocks hand to each other. A release makes everything written before it visible to who
 * acquires the value. */
DEVICE uint32_t load_acquire(const uint32_t *address)
{
    uint32_t v;
#if defined(TALLY_SIMT)
    simt_yield();
    v = __atomic_load_n(address, __ATOMIC_ACQUIRE);
#elif __CUDA_ARCH__ >= 700
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(v) : "l"(address) : "memory");
#endif
    return v;
}

DEVICE void store_release(uint32_t *address, uint32_t v)
{
#if defined(TALLY_SIMT)
    __atomic_store_n(address, v, __ATOMIC_RELEASE);
    simt_progress();
#elif __CUDA_ARCH__ >= 700
    asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(address), "r"(v) : "memory");
#endif
}

/* One more at a counter, which the last of `count` sets to zero again; returns how many were there before. What the
 * block wrote before its last barrier is visible to those that come later. */
DEVICE uint32_t arrive(uint32_t *counter, uint32_t count)
{
    uint32_t before;
#if defined(TALLY_SIMT)
    __threadfence();
    before = atomicInc(counter, count - 1);
    __threadfence();
#elif __CUDA_ARCH__ >= 700
    asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
                 : "=r"(before)
                 : "l"(counter), "r"(count - 1)
                 : "memory");
#endif
    return before;
}

/* True in every thread of the block that is the last of `count` blocks to come here. Everything that the blocks wrote
 * before is then visible to it. The counter is left as it was found: zero. */
DEVICE int last_to_arrive(uint32_t *counter, uint32_t count)
{
    __shared__ int last;
    __syncthreads();
    if (threadIdx.x == 0) last = arrive(counter, count) == count - 1;
    __syncthreads();
    return last;
}

#endif
