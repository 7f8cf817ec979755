/* SPDX-License-Identifier: MIT
 *
 * simt.h - CUDA C as far as tally's kernels use it, for a host compiler: the words, threads and blocks, barriers and
 * warp operations. Each GPU thread is a fibre; an operation that needs other threads calls the library, which lets
 * them run. simt_atomic.h and simt_math.h have the rest. C++, included only by device.cuh. */
#ifndef TALLY_SIMT_H
#define TALLY_SIMT_H

#include "simt_calls.h"
#include <stddef.h>
#include <string.h>

/* A compiler takes longer over <math.h> than over many a kernel: tally's own have what they call. */
#if defined(SIMT_OWN_FUNCTIONS)
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
extern "C" {
double fabs(double), floor(double), fma(double, double, double), fmax(double, double), fmin(double, double);
double log(double), log2(double), rint(double), sqrt(double);
float fabsf(float), fmaf(float, float, float), fmaxf(float, float), fminf(float, float), log2f(float);
float nextafterf(float, float), rintf(float), sqrtf(float);
}
#else
#include <math.h>
#endif

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#ifndef CLUSTER_BLOCKS
#define CLUSTER_BLOCKS 1
#endif
#define __align__(n) __attribute__((aligned(n)))
#define __constant__ static const
#ifndef __restrict__
#define __restrict__ __restrict
#endif

/* The module's zero-initialised memory is the block's static shared memory: a kernel has no other variables that
 * outlive a call, and sanitizers know the bounds of each. */
#define __shared__ static

#ifdef TALLY_SIMT_COUNT
#define SIMT_COUNTING 1
#else
#define SIMT_COUNTING 0
#endif

#define SIMT_EXPORT extern "C" __attribute__((visibility("protected")))

extern "C" char __bss_start[] __attribute__((visibility("hidden")));
extern "C" char _end[] __attribute__((visibility("hidden")));

/* In .data, since .bss is filled anew for every block. */
SIMT_EXPORT __attribute__((section(".data"))) struct simt_module simt_module;
struct simt_module simt_module = {SIMT_COUNTING, 0, 0, __bss_start, _end};

#define threadIdx (simt_module.self->thread)
#define blockIdx (simt_module.self->block)
#define blockDim (simt_module.self->block_size)
#define gridDim (simt_module.self->grid_size)
#define warpSize SIMT_WARP

/* KERNEL(name, parameters_type, parameters) { body } */
#define KERNEL(name, type, parameters)                                                                   \
    static void simt_body_##name(const type &parameters);                                                \
    static void simt_run_##name(const void *simt_given)                                                  \
    {                                                                                                    \
        simt_body_##name(*static_cast<const type *>(simt_given));                                        \
    }                                                                                                    \
    SIMT_EXPORT const struct simt_kernel simt_kernel_##name;                                             \
    const struct simt_kernel simt_kernel_##name = {simt_run_##name, sizeof(type), CLUSTER_BLOCKS, 0, 0}; \
    static void simt_body_##name(const type &parameters)

/* Calls a function with the values that `given` points to, of its own types. */
template <class... Rest> struct simt_caller {
    template <class Function, class... Taken>
    static void call(Function function, const void *const *, const Taken &...taken)
    {
        function(taken...);
    }
};
template <class First, class... Rest> struct simt_caller<First, Rest...> {
    template <class Function, class... Taken>
    static void call(Function function, const void *const *given, const Taken &...taken)
    {
        simt_caller<Rest...>::call(function, given + 1, taken..., *static_cast<const First *>(*given));
    }
};
template <class Function> struct simt_signature;
template <class... Parameters> struct simt_signature<void (*)(Parameters...)> {
    enum { count = sizeof...(Parameters) };
    static constexpr uint32_t bytes[sizeof...(Parameters) + 1] = {sizeof(Parameters)..., 0};
    static void call(void (*function)(Parameters...), const void *given)
    {
        simt_caller<Parameters...>::call(function, static_cast<const void *const *>(given));
    }
};

/* SIMT_ENTRY(name) makes a kernel of any __global__ function, after it. */
#define SIMT_ENTRY(name)                                                                                          \
    static void simt_run_##name(const void *simt_given)                                                           \
    {                                                                                                             \
        simt_signature<decltype(&name)>::call(&name, simt_given);                                                 \
    }                                                                                                             \
    SIMT_EXPORT const struct simt_kernel simt_kernel_##name;                                                      \
    const struct simt_kernel simt_kernel_##name = {simt_run_##name, 0, 1, simt_signature<decltype(&name)>::count, \
                                                   simt_signature<decltype(&name)>::bytes};

/* In place of `extern __shared__ type name[]`, in functions and outside of them. */
template <class Type> struct simt_dynamic_shared {
    operator Type *() const
    {
        return static_cast<Type *>(simt_module.self->shared);
    }
    template <class Other> explicit operator Other *() const
    {
        return reinterpret_cast<Other *>(simt_module.self->shared);
    }
};

/* DYNAMIC_SHARED(type, name); declares `type *name`, the block's dynamic shared memory. */
#define DYNAMIC_SHARED(type, name) type *const name = static_cast<type *>(simt_module.self->shared)

/* Lets other fibres run, of this block and of others. Every load that a kernel may wait on in a loop needs one. */
static inline void simt_yield()
{
    simt_module.calls->yield(simt_module.self);
}

/* CLUSTER_BLOCKS blocks are one cluster. `own` points into the block's dynamic shared memory. */
static inline void simt_cluster_arrive()
{
    simt_module.calls->cluster_arrive(simt_module.self);
}

static inline void simt_cluster_await()
{
    simt_module.calls->cluster_await(simt_module.self);
}

static inline char *simt_cluster_shared(const void *own, uint32_t block)
{
    const ptrdiff_t at = static_cast<const char *>(own) - static_cast<const char *>(simt_module.self->shared);
    return simt_module.calls->cluster_shared(simt_module.self, block) + at;
}

/* Says that others can now see something new. A launch in which nothing is seen for long is ended as stuck. */
static inline void simt_progress()
{
    ++*simt_module.self->progress;
}

/* The last two parameters of all that follows name the place of the call, for messages. */
#define SIMT_HERE int line = __builtin_LINE(), const char *file = __builtin_FILE()

static inline int simt_barrier(enum simt_operation operation, int predicate, int line, const char *file)
{
    return simt_module.calls->barrier(simt_module.self, SIMT_PLACE(operation, line), predicate, file);
}

static inline void __syncthreads(SIMT_HERE)
{
    simt_barrier(SIMT_BARRIER, 0, line, file);
}

static inline int __syncthreads_or(int predicate, SIMT_HERE)
{
    return simt_barrier(SIMT_BARRIER_OR, predicate, line, file);
}

static inline int __syncthreads_and(int predicate, SIMT_HERE)
{
    return simt_barrier(SIMT_BARRIER_AND, predicate, line, file);
}

static inline int __syncthreads_count(int predicate, SIMT_HERE)
{
    return simt_barrier(SIMT_BARRIER_COUNT, predicate, line, file);
}

static inline uint64_t simt_warp(enum simt_operation operation, unsigned mask, uint64_t value, unsigned argument,
                                 int line, const char *file)
{
    return simt_module.calls->warp(simt_module.self, SIMT_PLACE(operation, line), mask, value, argument, file);
}

static inline void __syncwarp(unsigned mask = 0xffffffffu, SIMT_HERE)
{
    simt_warp(SIMT_SYNC, mask, 0, 0, line, file);
}

static inline unsigned __ballot_sync(unsigned mask, int predicate, SIMT_HERE)
{
    return (unsigned)simt_warp(SIMT_BALLOT, mask, predicate != 0, 0, line, file);
}

static inline int __any_sync(unsigned mask, int predicate, SIMT_HERE)
{
    return simt_warp(SIMT_BALLOT, mask, predicate != 0, 0, line, file) != 0;
}

static inline int __all_sync(unsigned mask, int predicate, SIMT_HERE)
{
    return simt_warp(SIMT_BALLOT, mask, predicate != 0, 0, line, file) == mask;
}

/* Which lanes are here together is up to the scheduler; a kernel may count on no more than its own bit. */
static inline unsigned __activemask()
{
    return 1u << simt_module.self->lane;
}

#define SIMT_EXCHANGE_ROW(type, name, operation, parameter)                                                       \
    static inline type name(unsigned mask, type value, unsigned parameter, unsigned width = SIMT_WARP, SIMT_HERE) \
    {                                                                                                             \
        uint64_t bits = 0;                                                                                        \
        memcpy(&bits, &value, sizeof value);                                                                      \
        bits = simt_warp(operation, mask, bits, (parameter & 255) | width << 8, line, file);                      \
        memcpy(&value, &bits, sizeof value);                                                                      \
        return value;                                                                                             \
    }
#define SIMT_EXCHANGE_ROWS(type)                                            \
    SIMT_EXCHANGE_ROW(type, __shfl_sync, SIMT_EXCHANGE, lane)               \
    SIMT_EXCHANGE_ROW(type, __shfl_up_sync, SIMT_EXCHANGE_UP, distance)     \
    SIMT_EXCHANGE_ROW(type, __shfl_down_sync, SIMT_EXCHANGE_DOWN, distance) \
    SIMT_EXCHANGE_ROW(type, __shfl_xor_sync, SIMT_EXCHANGE_XOR, bits_flipped)
SIMT_EXCHANGE_ROWS(int)
SIMT_EXCHANGE_ROWS(unsigned)
SIMT_EXCHANGE_ROWS(long)
SIMT_EXCHANGE_ROWS(unsigned long)
SIMT_EXCHANGE_ROWS(long long)
SIMT_EXCHANGE_ROWS(unsigned long long)
SIMT_EXCHANGE_ROWS(float)
SIMT_EXCHANGE_ROWS(double)

#define SIMT_MATCH_ROW(type)                                                      \
    static inline unsigned __match_any_sync(unsigned mask, type value, SIMT_HERE) \
    {                                                                             \
        uint64_t bits = 0;                                                        \
        memcpy(&bits, &value, sizeof value);                                      \
        return (unsigned)simt_warp(SIMT_MATCH_ANY, mask, bits, 0, line, file);    \
    }
SIMT_MATCH_ROW(int)
SIMT_MATCH_ROW(unsigned)
SIMT_MATCH_ROW(long)
SIMT_MATCH_ROW(unsigned long)
SIMT_MATCH_ROW(long long)
SIMT_MATCH_ROW(unsigned long long)
SIMT_MATCH_ROW(float)
SIMT_MATCH_ROW(double)

#define SIMT_REDUCE_ROW(type, name, operation)                                   \
    static inline type name(unsigned mask, type value, SIMT_HERE)                \
    {                                                                            \
        return (type)simt_warp(operation, mask, (unsigned)value, 0, line, file); \
    }
SIMT_REDUCE_ROW(unsigned, __reduce_add_sync, SIMT_REDUCE_ADD)
SIMT_REDUCE_ROW(int, __reduce_add_sync, SIMT_REDUCE_ADD)
SIMT_REDUCE_ROW(unsigned, __reduce_min_sync, SIMT_REDUCE_MIN)
SIMT_REDUCE_ROW(int, __reduce_min_sync, SIMT_REDUCE_MIN_SIGNED)
SIMT_REDUCE_ROW(unsigned, __reduce_max_sync, SIMT_REDUCE_MAX)
SIMT_REDUCE_ROW(int, __reduce_max_sync, SIMT_REDUCE_MAX_SIGNED)
SIMT_REDUCE_ROW(unsigned, __reduce_and_sync, SIMT_REDUCE_AND)
SIMT_REDUCE_ROW(unsigned, __reduce_or_sync, SIMT_REDUCE_OR)
SIMT_REDUCE_ROW(unsigned, __reduce_xor_sync, SIMT_REDUCE_XOR)

#include "simt_atomic.h"
#include "simt_math.h"

#ifdef TALLY_SIMT_COUNT
#include "simt_count.h"
#endif

#endif
