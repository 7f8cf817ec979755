/* SPDX-License-Identifier: MIT
 *
 * shares.cu - a kernel with more shared variables than compilers for GPUs take. */
#include "device.cuh"

struct wrong_parameters {
    unsigned *memory;
    unsigned n;
};

KERNEL(shares, wrong_parameters, p)
{
    __shared__ unsigned room[12289];
    room[threadIdx.x] = p.n;
    p.memory[threadIdx.x] = room[threadIdx.x];
}
