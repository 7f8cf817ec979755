/* SPDX-License-Identifier: MIT
 *
 * signal.cuh - signals in shared memory that warps of a block raise and await. A signal goes through phases: each ends
 * when it was raised so many times. What was written before it was raised is visible to those that awaited it.
 * Hardware has them from compute capability 8.0 on, without the fences that counters would need. */
#ifndef TALLY_SIGNAL_CUH
#define TALLY_SIGNAL_CUH

#include "bulk.cuh"

#if !defined(TALLY_SIMT) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define HAS_SIGNALS 1
#else
#define HAS_SIGNALS 0
#endif

struct __align__(8) signal
{
    uint32_t count, raised; /* or what the hardware has */
};

/* By one thread, before a barrier of the block. */
DEVICE void signal_open(struct signal *signal, uint32_t count)
{
#if HAS_SIGNALS
    uint32_t at = (uint32_t)__cvta_generic_to_shared(signal);
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(count) : "memory");
#else
    signal->count = count;
    signal->raised = 0;
#endif
}

/* By one thread. */
DEVICE void signal_raise(struct signal *signal)
{
#if HAS_SIGNALS
    uint32_t at = (uint32_t)__cvta_generic_to_shared(signal);
    asm volatile("{\n\t.reg .b64 phase;\n\tmbarrier.arrive.shared::cta.b64 phase, [%0];\n\t}" ::"r"(at) : "memory");
#else
    __threadfence_block();
    atomicAdd(&signal->raised, 1u);
#if defined(TALLY_SIMT)
    simt_progress();
#endif
#endif
}

/* By threads that opened signals, or wrote to where copies will come, before others know. */
DEVICE_UNUSED void signal_written(void)
{
#if HAS_SIGNALS && __CUDA_ARCH__ >= 900
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

/* By one thread: a copy to shared memory, of multiples of 16 bytes, which raises it when it has come. */
DEVICE_UNUSED void signal_raise_by_copy(struct signal *signal, void *to, const void *from, uint32_t bytes)
{
#if HAS_SIGNALS && HAS_BULK
    bulk_load(to, from, bytes, (struct bulk_barrier *)signal);
#else
    check_aligned((uintptr_t)to | (uintptr_t)from | bytes, 16);
    memcpy(to, from, bytes);
    signal_raise(signal);
#endif
}

DEVICE int signal_is_past(const struct signal *signal, uint32_t parity)
{
#if HAS_SIGNALS
    uint32_t past, at = (uint32_t)__cvta_generic_to_shared(signal);
#if __CUDA_ARCH__ >= 900
#define SIGNAL_TEST "mbarrier.try_wait.parity.shared::cta.b64" /* sleeps for a while */
#else
#define SIGNAL_TEST "mbarrier.test_wait.parity.shared::cta.b64"
#endif
    asm volatile("{\n\t.reg .pred p;\n\t" SIGNAL_TEST " p, [%1], %2;\n\tselp.u32 %0, 1, 0, p;\n\t}"
                 : "=r"(past)
                 : "r"(at), "r"(parity)
                 : "memory");
    return (int)past;
#elif defined(TALLY_SIMT)
    simt_yield();
    return (__atomic_load_n(&signal->raised, __ATOMIC_ACQUIRE) / signal->count & 1) != parity;
#else
    int past = (*(const volatile uint32_t *)&signal->raised / signal->count & 1) != parity;
    __threadfence_block();
    return past;
#endif
}

/* Until the phase ends whose number has this parity; the first one has number 0. It is the one at hand or the one
 * before. */
DEVICE void signal_await(const struct signal *signal, uint32_t parity)
{
    while (!signal_is_past(signal, parity)) continue;
}

#endif
