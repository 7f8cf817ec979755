/* SPDX-License-Identifier: MIT
 *
 * wrong.cu - kernels with the mistakes that the simulator finds. */
#include "device.cuh"

struct wrong_parameters {
    unsigned *memory;
    unsigned n;
};

KERNEL(barrier_in_branch, wrong_parameters, p)
{
    if (threadIdx.x < 32) __syncthreads();
    p.memory[threadIdx.x] = 1;
}

KERNEL(two_barriers, wrong_parameters, p)
{
    if (threadIdx.x < 32) {
        p.memory[0] = 1;
        __syncthreads();
    } else {
        p.memory[1] = 1;
        __syncthreads();
    }
}

KERNEL(barrier_after_return, wrong_parameters, p)
{
    if (threadIdx.x >= p.n) return;
    for (int i = 0; i < 3; i++) simt_yield();
    __syncthreads();
}

KERNEL(lane_missing, wrong_parameters, p)
{
    if (threadIdx.x != 5) p.memory[threadIdx.x] = __shfl_sync(0xffffffffu, threadIdx.x, 0);
}

KERNEL(halves_differ, wrong_parameters, p)
{
    if (threadIdx.x < 16) {
        __syncwarp();
    } else {
        p.memory[threadIdx.x] = __ballot_sync(0xffffffffu, 1);
    }
}

KERNEL(masks_differ, wrong_parameters, p)
{
    p.memory[threadIdx.x] = __ballot_sync(threadIdx.x < 16 ? 0xffffffffu : 0xfffffffeu, 1);
}

KERNEL(not_in_mask, wrong_parameters, p)
{
    p.memory[threadIdx.x] = __ballot_sync(0xfu, 1);
}

/* Waits for a block that comes after it: there may be no room for that one. */
KERNEL(waits_for_later, wrong_parameters, p)
{
    if (threadIdx.x == 0) {
        if (blockIdx.x == gridDim.x - 1) store_release(p.memory, 1);
        while (load_acquire(p.memory) == 0) {
        }
    }
    __syncthreads();
}

KERNEL(spins, wrong_parameters, p)
{
    while (!__any_sync(0xffffffffu, load_acquire(p.memory) == 77)) {
    }
}

KERNEL(beyond_shared, wrong_parameters, p)
{
    __shared__ unsigned part[8];
    part[threadIdx.x + p.n] = threadIdx.x;
    __syncthreads();
    p.memory[threadIdx.x] = part[threadIdx.x];
}

KERNEL(beyond_dynamic, wrong_parameters, p)
{
    DYNAMIC_SHARED(unsigned, part);
    part[threadIdx.x + p.n] = threadIdx.x;
    __syncthreads();
    p.memory[threadIdx.x] = part[threadIdx.x];
}

KERNEL(beyond_memory, wrong_parameters, p)
{
    p.memory[threadIdx.x + p.n] = 1;
}

KERNEL(deep, wrong_parameters, p)
{
    p.memory[threadIdx.x] = 1;
    __syncthreads();
}
