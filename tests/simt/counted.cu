/* SPDX-License-Identifier: MIT
 *
 * counted.cu - kernels of which everyone can say how often they diverge, conflict and touch memory. */
#include "device.cuh"

struct counted_parameters {
    unsigned *memory;
    unsigned n;
};

KERNEL(neighbours, counted_parameters, p)
{
    p.memory[threadIdx.x] = threadIdx.x;
}

KERNEL(far_apart, counted_parameters, p)
{
    p.memory[threadIdx.x * 8] = threadIdx.x;
}

KERNEL(banks, counted_parameters, p)
{
    __shared__ unsigned cells[32 * 32];
    cells[threadIdx.x * p.n] = 1;
    __syncthreads();
    if (p.n == 99) p.memory[0] = cells[threadIdx.x];
}

KERNEL(diverge, counted_parameters, p)
{
    for (unsigned i = 0; i < p.n; i++) {
        if ((threadIdx.x ^ i) & 1) p.memory[threadIdx.x] = i;
    }
}

/* More than one trace holds. */
KERNEL(lengthy, counted_parameters, p)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < p.n; i++) sum += p.memory[threadIdx.x + 32 * (i % 4)];
    p.memory[threadIdx.x] = sum;
}
