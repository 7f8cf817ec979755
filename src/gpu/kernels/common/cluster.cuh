/* SPDX-License-Identifier: MIT
 *
 * cluster.cuh - the CLUSTER_BLOCKS blocks of a grid of one cluster, which run at once and write to each other's shared
 * memory (from compute capability 9.0 on). A block's mailbox knows when all that it expects has come: looking at the
 * places themselves until it is there takes twice as long. */
#ifndef TALLY_CLUSTER_CUH
#define TALLY_CLUSTER_CUH

#include "packed.cuh"

#if CLUSTER_BLOCKS > 1
#if !defined(TALLY_SIMT)
DEVICE uint32_t cluster_address(const void *memory)
{
    return (uint32_t)__cvta_generic_to_shared(memory);
}

/* Where another block has in its shared memory what this one has there. */
DEVICE uint32_t cluster_map(const void *own, uint32_t block)
{
    uint32_t there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(cluster_address(own)), "r"(block));
    return there;
}
#endif

/* In the dynamic shared memory of each block, at the same place. */
struct mailbox {
    uint64_t barrier, unused;
};

/* By one thread, before it comes to cluster_arrive(): so many values are going to be posted. */
DEVICE void mailbox_open(struct mailbox *box, uint32_t values)
{
    uint32_t bytes = values * (uint32_t)sizeof(struct packed);
#if defined(TALLY_SIMT)
    box->barrier = bytes;
#else
    uint32_t barrier = cluster_address(&box->barrier);
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
#endif
}

/* Every thread calls it, once. */
DEVICE void cluster_arrive(void)
{
#if defined(TALLY_SIMT)
    simt_cluster_arrive();
#else
    __syncwarp();
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
#endif
}

/* Who posts something waits for all threads to have come, or to have returned. */
DEVICE void cluster_await(void)
{
#if defined(TALLY_SIMT)
    simt_cluster_await();
#else
    __syncwarp();
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

/* To the place of another block that `to` is of this one, and to its mailbox. CUDA 12.0 cannot do both in one. */
DEVICE_UNUSED void cluster_post(struct packed *to, struct mailbox *box, uint32_t block, uint64_t value, uint64_t seal)
{
#if defined(TALLY_SIMT)
    packed_store((struct packed *)simt_cluster_shared(to, block), value, seal);
    ((struct mailbox *)simt_cluster_shared(box, block))->barrier -= sizeof *to;
#elif __CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ == 0
    uint32_t there = cluster_map(to, block), barrier = cluster_map(&box->barrier, block);
    asm volatile("st.relaxed.cluster.shared::cluster.v2.u64 [%0], {%1, %2};" ::"r"(there), "l"(value), "l"(seal)
                 : "memory");
    asm volatile("fence.acq_rel.cluster;" ::: "memory");
    asm volatile("mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%0], %1;" ::"r"(barrier),
                 "n"(sizeof(struct packed))
                 : "memory");
#else
    uint32_t there = cluster_map(to, block), barrier = cluster_map(&box->barrier, block);
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [%0], {%1, %2}, [%3];" ::"r"(there),
                 "l"(value), "l"(seal), "r"(barrier)
                 : "memory");
#endif
}

/* Every thread that reads what was posted. */
DEVICE_UNUSED void mailbox_await(const struct mailbox *box)
{
#if defined(TALLY_SIMT)
    const volatile uint64_t *left = &box->barrier;
    while (*left) simt_yield();
#else
    uint32_t done;
    do {
        asm volatile("{\n\t.reg .pred p;\n\t"
                     "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(done)
                     : "r"(cluster_address(&box->barrier))
                     : "memory");
    } while (!done);
#endif
}
#endif

#endif
