/* SPDX-License-Identifier: MIT
 *
 * reduce_whole.cu - all elements of a contiguous array to one result, in one launch. As many blocks as run at once go
 * through the array, one chunk after another, so that starting and merging are paid for once; then each block merges
 * what its threads have, and the last one to do so merges the blocks: or, of a cluster's, the first one. Compiled with
 * CONTIGUOUS 1. */
#if defined(BLOCKS_TOGETHER)
#define CLUSTER_BLOCKS BLOCKS_TOGETHER
#endif
#if defined(METHOD_INDEX) && !defined(ONLY_TYPE_c64) && !defined(ONLY_TYPE_c128)
#define VALUES_FIRST
#endif

#define FAR_APART              /* exact sums of floats: see TAKES_TURNS */
#define FINISH_ROOM __shared__ /* one thread finishes */
#include "tile.cuh"

#include "finish_cell.cuh"
#include "shuffle.cuh"

#if GAPS
#include "gaps.cuh"
#endif

enum { WARPS = THREADS / 32, CHUNK = THREADS * VECTORS };
enum { CLAIMS = 1 }; /* the ticket that counts chunks; the first is for blocks that are done */

/* The array as aligned vectors; those outside [begin, end) have elements of others, too. */
struct array {
    const char *x, *y; /* of vector 0 */
    const unsigned char *where;
#if GAPS
    int32_t apart, step; /* phases from a vector of a thread to its next one */
#endif
    int64_t first; /* place of its first element, below zero where the array begins later */
    int64_t length, vectors, begin, end, chunks;
};

DEVICE struct array array_of(const struct reduce_parameters *p)
{
    struct array a;
    int64_t ahead = (int64_t)((uintptr_t)p->x & 15) / ELEMENT_SIZE;
    a.first = -ahead;
    a.x = (const char *)p->x - ahead * ELEMENT_SIZE;
    a.y = WITH_SECOND ? (const char *)p->y - ahead * ELEMENT_SIZE : 0;
#if GAPS
    a.where = 0;
    a.apart = (int32_t)p->width;
    a.step = THREADS * VECTOR % a.apart;
#else
    a.where = WITH_WHERE ? p->where - ahead : 0;
#endif
    a.length = p->length;
    a.vectors = (p->length + ahead + VECTOR - 1) / VECTOR;
    a.begin = ahead > 0;
    a.end = (p->length + ahead) / VECTOR;
    a.chunks = (a.vectors + CHUNK - 1) / CHUNK;
    return a;
}

/* A vector that reaches over an end of the array. */
DEVICE_CALL struct vector16 load_end(const char *address, int32_t from, int32_t to)
{
    enum { PARTS = 16 / sizeof(storage), EACH = PARTS / VECTOR };
    uint64_t half[2] = {0, 0};
    struct vector16 v;
    for (int32_t i = from * EACH; i < to * EACH; i++) {
        uint64_t bits = 0;
        memcpy(&bits, (const storage *)address + i, sizeof(storage));
        int32_t at = i * (int32_t)sizeof(storage);
        if (at < 8) half[0] |= bits << 8 * at;
        else half[1] |= bits << 8 * (at - 8);
    }
    memcpy(&v, half, sizeof v);
    return v;
}

/* Exact sums take longer over a tile than its loads do. */
#if defined(METHOD_EXACT) && IS_FLOAT
#define LOOKS_AHEAD 1
#define EDGE_FUNCTION DEVICE_CALL /* by several callers */
#else
#define LOOKS_AHEAD 0
#define EDGE_FUNCTION DEVICE
#endif

/* A tile of the first or the last chunk, without its places. */
EDGE_FUNCTION struct tile load_edge(struct array a, int64_t u)
{
    struct tile tile;
    tile.inside = 0;
#pragma unroll
    for (int j = 0; j < VECTORS; j++, u += THREADS) {
        int32_t from = 0, to = 0;
        memset(&tile.x[j], 0, sizeof tile.x[j]);
#if WITH_SECOND
        memset(&tile.y[j], 0, sizeof tile.y[j]);
#endif
        if (u >= a.begin && u < a.end) {
            to = VECTOR;
            tile.x[j] = load_vector(a.x + u * 16);
#if WITH_SECOND
            tile.y[j] = load_vector(a.y + u * 16);
#endif
        } else if (u < a.vectors) {
            int64_t rest = a.length - a.first - u * VECTOR;
            from = u == 0 ? (int32_t)-a.first : 0;
            to = rest < VECTOR ? (int32_t)rest : VECTOR;
            tile.x[j] = load_end(a.x + u * 16, from, to);
#if WITH_SECOND
            tile.y[j] = load_end(a.y + u * 16, from, to);
#endif
        }
#if MASK_IS_WORDS && !GAPS
        tile.mask[j] = load_mask_part(a.where + u * VECTOR, from, to);
#endif
        tile.inside |= (((tile_mask)1 << to) - ((tile_mask)1 << from)) << j * VECTOR;
    }
    return tile;
}

DEVICE struct tile load_tile(const struct array *a, int64_t chunk)
{
    struct tile tile;
    int64_t u = chunk * CHUNK + (int64_t)threadIdx.x;
    if (chunk * CHUNK >= a->begin && (chunk + 1) * CHUNK <= a->end) {
#pragma unroll
        for (int j = 0; j < VECTORS; j++) {
            tile.x[j] = load_vector(a->x + (u + j * THREADS) * 16);
#if WITH_SECOND
            tile.y[j] = load_vector(a->y + (u + j * THREADS) * 16);
#endif
#if MASK_IS_WORDS && !GAPS
            tile.mask[j] = load_mask(a->where + (u + j * THREADS) * VECTOR);
#endif
        }
        tile.inside = (tile_mask)FULL_TILE;
    } else {
        tile = load_edge(*a, u);
    }
#pragma unroll
    for (int j = 0; j < VECTORS; j++) tile.place[j] = a->first + (u + j * THREADS) * VECTOR;
    tile.allowed = tile.inside;
#if GAPS
    int32_t phase = phase_of(tile.place[0], a->apart);
#pragma unroll
    for (int j = 0; j < VECTORS; j++) {
        tile.mask[j] = mask_of_phase[phase];
        phase += a->step;
        phase -= phase >= a->apart ? a->apart : 0;
    }
#endif
    return tile;
}

/* Tiles that are taken as far ones without a look: few behind a single one, more when that was too few. */
enum { LEAST_RUN = 4, MOST_RUN = 128 };

#if defined(METHOD_EXACT) && IS_FLOAT
#include "pair.cuh"
#include "whole_far.cuh"
#include "whole_exact.cuh"
#else
#include "whole_state.cuh"
#endif

#if LOOKS_AHEAD
/* Tiles from a chunk on, which is `next`, the following one under way while one is absorbed; returns the chunk of the
 * first that is left alone, or that there are no more. */
DEVICE int64_t absorb_ahead(const struct array *a, struct open_state *open, int64_t chunk, struct tile next)
{
    while (chunk < a->chunks) {
        struct tile tile = next;
        int64_t following = chunk + gridDim.x;
        if (following < a->chunks) next = load_tile(a, following);
        absorb(open, &tile);
        if (TAKES_TURNS && open->missed) break;
        if (!TAKES_TURNS && SUMS == 1 && open->rare->sum[0].special & EXACT_NAN) return a->chunks; /* so is the sum */
        chunk = following;
    }
    return chunk;
}

/* Whether the block has found one, so that the sum is NaN whatever else there is; a warp's lanes go on or stop
 * together.
 */
DEVICE int far_found_nan(void)
{
    const volatile unsigned long long *special = &long_sums()[0].special;
    return __any_sync(FULL_WARP, (*special & EXACT_NAN) != 0);
}
#else
/* Multiprocessors are not equally fast: the last chunks are for who comes first. All threads of a block come here. */
DEVICE int64_t following_chunk(const struct reduce_parameters *p, const struct array *a, int64_t chunk)
{
    __shared__ int64_t claimed;
    int64_t next = chunk + gridDim.x, dealt = a->chunks - a->chunks / 16;
    if (CLUSTER_BLOCKS > 1 || a->chunks < 8 * (int64_t)gridDim.x || next < dealt) return next;
    __syncthreads();
    if (threadIdx.x == 0) claimed = dealt + atomicAdd(&p->tickets[CLAIMS], 1u);
    __syncthreads();
    return claimed;
}

DEVICE void absorb_all(const struct reduce_parameters *p, const struct array *a, struct open_state *open, int64_t chunk)
{
#if defined(VALUES_FIRST)
    if (HAS_PLACES(*a)) {
        absorb_with_place(a, open, chunk);
        return;
    }
#endif
#if defined(METHOD_EXACT) && defined(PICK_MOMENTS)
    struct tile next = load_tile(a, chunk); /* two sums take longer, too, and fewer blocks are there at once */
    while (chunk < a->chunks) {
        struct tile tile = next;
        chunk = following_chunk(p, a, chunk);
        if (chunk < a->chunks) next = load_tile(a, chunk);
        absorb(open, &tile);
    }
#else
    while (chunk < a->chunks) {
        struct tile tile = load_tile(a, chunk);
        absorb(open, &tile);
        chunk = following_chunk(p, a, chunk);
    }
#endif
}
#endif

KERNEL(reduce, struct reduce_parameters, p)
{
    struct array a = array_of(&p);
    struct open_state open;
#if GAPS
    gaps_prepare(&p);
#endif
    int64_t chunk = blockIdx.x;
#if CLUSTER_BLOCKS > 1
    if (!begin_together(&a)) return;
#endif
#if LOOKS_AHEAD
    struct tile next = load_tile(&a, chunk);
    open_begin(&open);
    long_clear();
    __syncthreads();
    for (int64_t far_end = -1;;) {
        chunk = absorb_ahead(&a, &open, chunk, next);
        if (!TAKES_TURNS || chunk >= a.chunks) break;
        open.missed = 0;
        open.far_run = chunk > far_end ? LEAST_RUN : open.far_run < MOST_RUN ? 2 * open.far_run : MOST_RUN;
        chunk = far_end = absorb_far(&a, &open, chunk);
        if (far_found_nan()) break;
        next = load_tile(&a, chunk);
    }
#else
    open_begin(&open);
    absorb_all(&p, &a, &open, chunk);
#endif
    merge_and_finish(&p, &open);
}
