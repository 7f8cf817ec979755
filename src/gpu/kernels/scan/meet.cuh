/* SPDX-License-Identifier: MIT
 *
 * meet.cuh - where all threads of a block meet although its warps do different work. */
#ifndef TALLY_MEET_CUH
#define TALLY_MEET_CUH

#include "device.cuh"

/* __syncthreads() is for threads that come to one place of the program together; warps come here from any. */
DEVICE void meet_from_anywhere(void)
{
#if defined(TALLY_SIMT)
    __syncthreads();
#else
    asm volatile("barrier.sync.aligned 1, %0;" ::"n"(THREADS) : "memory");
#endif
}

#endif
