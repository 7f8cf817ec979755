/* SPDX-License-Identifier: MIT
 *
 * reduce_few.cu - an exact sum of not so many floats, with little code and few steps on the way: for so little work,
 * loading instructions and waiting for each other is what takes time. Threads of a block make doubles of their numbers:
 * of narrow ones one, their sum, where that is exact. Layers (layers.cuh) add these, and their sums go to a long sum,
 * which is in global memory if there are several blocks; the last one makes the result of it. Blocks of a cluster post
 * what they have to the first one (few_cluster.cuh).
 *   ALIGNED   the elements begin at a multiple of a vector's bytes
 *   AHEAD     vectors of a thread under way
 *   NUMBERS   as in layers.cuh; whole vectors */
#if defined(BLOCKS_TOGETHER)
#define CLUSTER_BLOCKS BLOCKS_TOGETHER
#endif
#include "team.cuh"

#include "sums.cuh"

#include "finish_exact.cuh"
#include "long_sum.cuh"
#include "number.cuh"
#include "pair.cuh"

#include "whole_finish.cuh"

enum {
    WARPS = THREADS / 32,
    VECTOR = 16 / ELEMENT_SIZE,
    CHUNK = THREADS * VECTOR /* elements */
};

/* Narrow numbers, but no products of them, are added as doubles first. */
#if IS_NARROW && (defined(PICK_VALUE) || defined(PICK_MAGNITUDE))
#define IS_QUICK 1
#else
#define IS_QUICK 0
#endif

#include "layers.cuh"

/* A block's chunks. */
struct part {
    int64_t first, count, length; /* of the array in elements */
};

/* A thread's elements of a chunk that is not there, not whole or not aligned; anywhere in it, and zeros where there are
 * none. */
DEVICE_CALL struct vector16 load_scattered(const void *x, struct part part, int64_t chunk)
{
    int64_t first = part.first + chunk * CHUNK;
    storage stored[16 / sizeof(storage)];
    struct vector16 v;
#pragma unroll
    for (int i = 0; i < VECTOR; i++) {
        int64_t at = first + i * THREADS + threadIdx.x;
        stored[i] = chunk < part.count && at < part.length ? ((const storage *)x)[at] : 0;
    }
    memcpy(&v, stored, sizeof v);
    return v;
}

/* A thread's vectors of `count` chunks. Nearly always all are whole, and then little code is between their loads. */
DEVICE void load_vectors(struct vector16 *v, int count, const void *x, const struct part *part, int64_t chunk)
{
    int64_t first = part->first + chunk * CHUNK;
    const char *from = (const char *)x + first * ELEMENT_SIZE + threadIdx.x * 16;
    if (ALIGNED && chunk + count <= part->count && first + count * CHUNK <= part->length) {
#pragma unroll
        for (int j = 0; j < count; j++) v[j] = load_vector(from + j * (THREADS * 16));
        return;
    }
#pragma unroll
    for (int j = 0; j < count; j++) {
        int is_whole = ALIGNED && chunk + j < part->count && first + (j + 1) * CHUNK <= part->length;
        v[j] = is_whole ? load_vector(from + j * (THREADS * 16)) : load_scattered(x, *part, chunk + j);
    }
}

#include "long_gather.cuh"

#if CLUSTER_BLOCKS > 1
#include "few_cluster.cuh"
#endif

#include "few_numbers.cuh"

#if IS_QUICK
#include "few_quick.cuh"
#endif

DEVICE void add_part(const struct reduce_parameters *p, const struct part *part, struct layers *l)
{
#if IS_QUICK
    double sum;
    int32_t top = layers_most(l, quick_sum(p->x, part, &sum));
    if (top < NOT_QUICK) {
        layers_add(l, &sum, 1, top);
        return;
    }
#endif
    if (!add_in_bins(p, part, l)) add_in_layers(p, part, l);
}

KERNEL(reduce, struct reduce_parameters, p)
{
    struct part part = {(int64_t)blockIdx.x * p.split_units * CHUNK, p.split_units, p.length};
    struct layers l = layers_begin(CLUSTER_BLOCKS > 1 ? long_sums() : shared_sum(&p, 0));
    struct span s;
#if CLUSTER_BLOCKS > 1
    l.is_alone = 1;
    if (!begin_together(&p)) return;
    add_part(&p, &part, &l);
    if (threadIdx.x >= 32 || !merge_cluster(&p, &l)) return;
#else
    if (gridDim.x == 1) long_clear(); /* used behind the next barrier at the earliest */
    add_part(&p, &part, &l);
    if (!is_last_warp(&p)) return;
#endif
    int has_span = gather_layers(&l, long_sums(), &s);
    if (threadIdx.x == 0 && !(has_span && span_finish(&p, s, p.length))) finish_spans(&p, has_span, &l, &s, 0);
}
