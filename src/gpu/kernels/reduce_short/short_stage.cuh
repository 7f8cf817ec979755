/* SPDX-License-Identifier: MIT
 *
 * short_stage.cuh - a piece of a matrix, copied to shared memory as it lies by all threads of a block. No include
 * guard.
 */
#include "vector_part.cuh"

#include "stage_vector.cuh"

/* Bytes [from, from + bytes) of the matrix to shared memory; returns where the first one lies. */
DEVICE const char *stage(const struct reduce_parameters *p, int64_t from, int32_t bytes, struct vector16 *room)
{
    const char *first = (const char *)p->x + from, *x = first - ((uintptr_t)first & 15);
    int32_t before = (int32_t)((uintptr_t)first & 15), count = (before + bytes + 15) / 16;
    int is_inside = x >= p->low && x + count * 16 <= p->high;
    const char *at = x + threadIdx.x * 16;
    struct vector16 *to = room + threadIdx.x;
#pragma unroll 4
    for (int32_t i = (int32_t)threadIdx.x; is_inside && i < count; i += THREADS, at += THREADS * 16, to += THREADS)
        copy_async((char *)to, at, 16);
#pragma unroll 1
    for (int32_t i = (int32_t)threadIdx.x; !is_inside && i < count; i += THREADS) stage_vector(p, &room[i], x + i * 16);
    copy_group();
    COPY_AWAIT_BUT(0);
    __syncthreads();
    return (const char *)room + before;
}
