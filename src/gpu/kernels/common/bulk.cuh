/* SPDX-License-Identifier: MIT
 *
 * bulk.cuh - copies between global and shared memory that a thread starts and the hardware finishes (from compute
 * capability 9.0 on). Addresses and lengths are multiples of 16 bytes. */
#ifndef TALLY_BULK_CUH
#define TALLY_BULK_CUH

#include "device.cuh"

#if defined(TALLY_SIMT) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900)
#define HAS_BULK 1
#else
#define HAS_BULK 0
#endif

/* In shared memory. Each copy to a stage ends a phase of the stage's barrier; the first phase has parity 0. */
struct bulk_barrier {
    uint64_t state;
};

#if HAS_BULK && !defined(TALLY_SIMT)
DEVICE uint32_t shared_address(const void *memory)
{
    return (uint32_t)__cvta_generic_to_shared(memory);
}

/* One thread opens the barriers, before a barrier of the block. */
DEVICE void bulk_open(struct bulk_barrier *barriers, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&barriers[i])) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

DEVICE void bulk_load(void *to, const void *from, uint32_t bytes, struct bulk_barrier *barrier)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}

/* Every thread that reads what was loaded. */
DEVICE void bulk_await(struct bulk_barrier *barrier, uint32_t parity)
{
    uint32_t done;
    do {
        asm volatile("{\n\t.reg .pred p;\n\t"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(done)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
    } while (!done);
}

/* Every thread that wrote what will be stored, before the barrier that precedes the store. */
DEVICE void bulk_written(void)
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

DEVICE void bulk_store(void *to, const void *from, uint32_t bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)),
                 "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* The thread that stored: what it stored from may be written over. */
DEVICE void bulk_stores_have_read(void)
{
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

/* The thread that stored, at the end. */
DEVICE void bulk_finish(void)
{
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
#else
DEVICE void bulk_open(struct bulk_barrier *barriers, int32_t count)
{
    for (int32_t i = 0; i < count; i++) barriers[i].state = 0;
}

DEVICE void bulk_load(void *to, const void *from, uint32_t bytes, struct bulk_barrier *barrier)
{
    (void)barrier;
    check_aligned((uintptr_t)to | (uintptr_t)from | bytes, 16);
    memcpy(to, from, bytes);
}

DEVICE void bulk_await(struct bulk_barrier *barrier, uint32_t parity)
{
    (void)barrier, (void)parity;
}

DEVICE void bulk_written(void) {}

DEVICE void bulk_store(void *to, const void *from, uint32_t bytes)
{
    check_aligned((uintptr_t)to | (uintptr_t)from | bytes, 16);
    memcpy(to, from, bytes);
}

DEVICE void bulk_stores_have_read(void) {}

DEVICE void bulk_finish(void) {}
#endif

#endif
