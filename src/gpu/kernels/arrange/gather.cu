/* SPDX-License-Identifier: MIT
 *
 * gather.cu - elements of a strided view to where they lie side by side, for the host to fetch, and back again. PARTS
 * parts of PART bytes make an element. */
#include "device.cuh"

#include "gather_parameters.h"

#if PART == 1
typedef uint8_t part;
#elif PART == 2
typedef uint16_t part;
#elif PART == 4
typedef uint32_t part;
#else
typedef uint64_t part;
#endif

DEVICE int64_t place_of(const struct kernel_loop *loops, int32_t count, int64_t i)
{
    int64_t at = 0;
    for (int32_t d = count - 1; d >= 0; d--) {
        at += i % loops[d].extent * loops[d].x;
        i /= loops[d].extent;
    }
    return at;
}

DEVICE part *view_part(const struct gather_parameters *p, int64_t n)
{
    int64_t cell = n / p->each, i = n - cell * p->each;
    if (i >= p->head) i += p->skip;
    int64_t at = place_of(p->kept, p->kept_count, cell) + place_of(p->reduced, p->reduced_count, i);
    return (part *)p->view + at * PARTS;
}

KERNEL(gather, struct gather_parameters, p)
{
    for (int64_t n = (int64_t)blockIdx.x * THREADS + threadIdx.x; n < p.cells * p.each;
         n += (int64_t)gridDim.x * THREADS) {
        const part *from = view_part(&p, n);
        for (int k = 0; k < PARTS; k++) ((part *)p.dense)[n * PARTS + k] = from[k];
    }
}

KERNEL(scatter, struct gather_parameters, p)
{
    for (int64_t n = (int64_t)blockIdx.x * THREADS + threadIdx.x; n < p.cells * p.each;
         n += (int64_t)gridDim.x * THREADS) {
        part *to = view_part(&p, n);
        for (int k = 0; k < PARTS; k++) to[k] = ((const part *)p.dense)[n * PARTS + k];
    }
}
