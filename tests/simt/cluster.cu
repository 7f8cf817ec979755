/* SPDX-License-Identifier: MIT
 *
 * cluster.cu - blocks of a cluster: right ones write to each other's shared memory once all have begun. */
#define CLUSTER_BLOCKS 5
#include "device.cuh"

struct cluster_parameters {
    unsigned *out;
    unsigned wrong;
};

/* Each thread leaves its number with the thread of the next block, and reads what it was left. */
KERNEL(hands_on, cluster_parameters, p)
{
    DYNAMIC_SHARED(unsigned, mine);
    const unsigned i = threadIdx.x, next = (blockIdx.x + 1) % gridDim.x;
    mine[i] = 0;
    simt_cluster_arrive();
    simt_cluster_await();
    *(unsigned *)simt_cluster_shared(mine + i, next) = 1000 * blockIdx.x + i + 1;
    simt_progress();
    while (*(volatile unsigned *)(mine + i) == 0) simt_yield();
    p.out[blockIdx.x * blockDim.x + i] = mine[i];
}

/* A thread that returns is waited for no more. */
KERNEL(returns_early, cluster_parameters, p)
{
    DYNAMIC_SHARED(unsigned, mine);
    mine[threadIdx.x] = 7;
    if (threadIdx.x % 3 == 1 || blockIdx.x == 2) return;
    simt_cluster_arrive();
    if (threadIdx.x % 3 == 2) return;
    simt_cluster_await();
    p.out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

KERNEL(reaches_too_soon, cluster_parameters, p)
{
    DYNAMIC_SHARED(unsigned, mine);
    if (blockIdx.x == 1) *(unsigned *)simt_cluster_shared(mine, 3) = 1;
    simt_cluster_arrive();
    p.out[0] = 1;
}

KERNEL(reaches_too_late, cluster_parameters, p)
{
    DYNAMIC_SHARED(unsigned, mine);
    simt_cluster_arrive();
    simt_cluster_await();
    if (blockIdx.x != 1) return;
    for (int i = 0; i < 100000; i++) simt_yield();
    *(unsigned *)simt_cluster_shared(mine, 3) = 1;
    p.out[0] = 1;
}

KERNEL(arrives_twice, cluster_parameters, p)
{
    simt_cluster_arrive();
    if (p.wrong) simt_cluster_arrive();
}

KERNEL(never_arrives, cluster_parameters, p)
{
    if (p.wrong) simt_cluster_await();
}
