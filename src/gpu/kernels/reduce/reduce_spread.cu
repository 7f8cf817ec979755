/* SPDX-License-Identifier: MIT
 *
 * reduce_spread.cu - variances and norms of cells whose elements lie side by side: a block takes a cell or a split of
 * it, sums as quick_spread.cuh has them, and the last block of a cell merges the splits. Where the sums leave open what
 * the result is, exact sums follow: by this block (REDOES), or by reduce_wide.cu. Absent elements give way to one that
 * is no way from what all are relative to, and are counted. */
#include "mask_words.cuh"
#include "team.cuh"

#include "failed_cells.cuh"
#include "wide.cuh"

#include "wide_result.cuh"

#define HAS_ABSENT (WITH_WHERE || SKIP_NAN)
#if HAS_ABSENT && !defined(COUNTS_ABSENT)
#define COUNTS_ABSENT
#endif
#if defined(ONLY_TYPE_f64) && defined(PICK_MOMENTS)
#define FAR_ORIGIN
#elif !IS_NARROW && defined(PICK_MOMENTS)
#define RELATIVE_PAIRS 1
#define LONG_CELLS
#endif
#include "quick_spread.cuh"

#include "shuffle.cuh"

SHUFFLE(quick)

#if defined(FAR_ORIGIN)
#include "far_origin.cuh"
typedef struct far_origin cell_origin;
#else
typedef origin cell_origin;
#endif

enum { WARPS = THREADS / 32, IN_VECTOR = 16 / ELEMENT_SIZE, CHUNK = THREADS * VECTORS };

/* A cell: elements before its first aligned vector, vectors, and elements behind them. */
struct span {
    const char *x;
#if WITH_WHERE
    const unsigned char *where;
#endif
    int64_t vectors;
    int32_t head, tail;
};

DEVICE struct span span_of(const struct cell *c, int64_t length)
{
    struct span s;
    int64_t head = (int64_t)(-(uintptr_t)c->x & 15) / ELEMENT_SIZE;
    if (head > length) head = length;
    s.x = c->x + head * ELEMENT_SIZE;
#if WITH_WHERE
    s.where = c->where + head;
#endif
    s.head = (int32_t)head;
    s.vectors = (length - head) / IN_VECTOR;
    s.tail = (int32_t)(length - head - s.vectors * IN_VECTOR);
    return s;
}

/* Vectors, and their masks. */
struct chunk {
    struct vector16 v[VECTORS];
#if WITH_WHERE
    struct mask mask[VECTORS];
#endif
};

DEVICE void load_one(const struct span *s, int64_t u, int j, struct chunk *chunk)
{
    chunk->v[j] = load_vector(s->x + u * 16);
#if WITH_WHERE
    chunk->mask[j] = load_mask(s->where + u * IN_VECTOR);
#endif
}

/* Vectors of a chunk, as far as there are any. */
DEVICE void load_chunk(const struct span *s, int64_t number, struct chunk *chunk)
{
    int64_t u = number * CHUNK + threadIdx.x;
    if ((number + 1) * CHUNK <= s->vectors) {
#pragma unroll
        for (int j = 0; j < VECTORS; j++) load_one(s, u + j * THREADS, j, chunk);
        return;
    }
#pragma unroll
    for (int j = 0; j < VECTORS; j++) {
        if (u + j * THREADS < s->vectors) load_one(s, u + j * THREADS, j, chunk);
    }
}

/* Whether element i of a cell counts. */
DEVICE int is_present(const struct cell *c, element x, int64_t i)
{
#if WITH_WHERE
    if (c->where[i] == 0) return 0;
#endif
    (void)c, (void)i;
    return !(SKIP_NAN && element_is_nan(x));
}

/* What a cell's numbers are relative to: one of the first 32 that counts. Every lane of a warp comes here. */
DEVICE cell_origin cell_origin_of(const struct cell *c, int64_t length)
{
    int64_t lane = threadIdx.x & 31, place = lane < length ? lane : 0;
    element first = load_element(c->x, 0), number = load_element(c->x, place);
#if HAS_ABSENT
    int present = is_present(c, number, place);
    uint32_t all = __ballot_sync(FULL_WARP, present);
    memset(&first, 0, sizeof first);
    if (all) first = load_element(c->x, __ffs((int)all) - 1);
    if (!present) number = first;
#endif
#if defined(FAR_ORIGIN)
    return far_origin_of(first, number);
#else
    (void)number;
    return origin_of(first);
#endif
}

/* What stands in for an absent element. */
DEVICE_UNUSED element filling_of(const cell_origin *from)
{
    element x;
#if defined(FAR_ORIGIN)
    x.v = from->from;
#elif IS_COMPLEX
    x.re = x.im = 0;
    if (IS_RELATIVE) x.re = (storage)from->component[0], x.im = (storage)from->component[1];
#elif IS_FLOAT
    x.v = IS_RELATIVE ? (float)*from : 0;
#else
    x.v = IS_RELATIVE ? (storage)*from : 0;
#endif
    return x;
}

DEVICE void add_some(struct quick *q, const cell_origin *from, const element *x, int count)
{
#if defined(FAR_ORIGIN)
    uint32_t farthest = 0;
#pragma unroll
    for (int i = 0; i < count; i++) {
        uint32_t place = far_place(from, (double)x[i].v);
        distance_add(q, 0, (double)x[i].v - from->from);
        farthest = place > farthest ? place : farthest;
    }
    q->most = farthest > q->most ? farthest : q->most;
    if (farthest <= from->span) return;
#pragma unroll
    for (int i = 0; i < count; i++) far_add_rest(q, from, (double)x[i].v);
#else
#pragma unroll
    for (int i = 0; i < count; i++) spread_add(q, *from, x[i]);
#endif
}

DEVICE void add_chunk(struct quick *q, const cell_origin *from, const struct chunk *chunk, int64_t left)
{
    element x[VECTORS * IN_VECTOR];
#pragma unroll
    for (int i = 0; i < VECTORS * IN_VECTOR; i++) {
        x[i] = vector_element(&chunk->v[i / IN_VECTOR], i % IN_VECTOR);
#if HAS_ABSENT
        int present = !(SKIP_NAN && element_is_nan(x[i]));
#if WITH_WHERE
        present &= (int)(mask_bits(&chunk->mask[i / IN_VECTOR]) >> i % IN_VECTOR & 1);
#endif
        if (i / IN_VECTOR * THREADS < left) q->absent += !present;
        x[i] = present ? x[i] : filling_of(from);
#endif
    }
    if (left >= CHUNK) {
        add_some(q, from, x, VECTORS * IN_VECTOR);
        return;
    }
#pragma unroll
    for (int j = 0; j < VECTORS; j++) {
        if (j * THREADS < left) add_some(q, from, x + j * IN_VECTOR, IN_VECTOR);
    }
}

/* A thread's sums of a split. The next chunk is under way while one is added. */
DEVICE struct quick add_split(const struct reduce_parameters *p, const struct cell *c, int64_t split, cell_origin *from)
{
    struct span s = span_of(c, p->length);
    struct quick q = quick_begin();
    struct chunk next;
    int32_t thread = (int32_t)threadIdx.x;
    int64_t chunks = (s.vectors + CHUNK - 1) / CHUNK;
    if (split < chunks) load_chunk(&s, split, &next);
    *from = cell_origin_of(c, p->length);
    if (split == 0 && thread < s.head + s.tail) {
        int64_t place = thread < s.head ? thread : thread + s.vectors * IN_VECTOR;
        element x = load_element(c->x, place);
        if (is_present(c, x, place)) add_some(&q, from, &x, 1);
#if HAS_ABSENT
        else q.absent++;
#endif
    }
    for (int64_t chunk = split; chunk < chunks; chunk += p->splits) {
        struct chunk here = next;
        if (chunk + p->splits < chunks) load_chunk(&s, chunk + p->splits, &next);
        int64_t left = s.vectors - chunk * CHUNK - thread;
        add_chunk(&q, from, &here, s.vectors >= (chunk + 1) * CHUNK ? CHUNK : left);
    }
    return q;
}

/* The block's sums, in every thread of its first warp. */
DEVICE struct quick merge_block(struct quick q)
{
    __shared__ struct quick room[WARPS];
    int32_t lane = (int32_t)threadIdx.x & 31, warp = (int32_t)threadIdx.x >> 5;
#pragma unroll
    for (uint32_t half = 16; half > 0; half /= 2) spread_merge(&q, quick_xor(q, half));
    if (lane == 0) room[warp] = q;
    __syncthreads();
    if (warp == 0) {
        q = room[lane % WARPS];
#pragma unroll
        for (uint32_t half = WARPS / 2; half > 0; half /= 2) spread_merge(&q, quick_xor(q, half));
    }
    return q;
}

/* Exact sums of the cell, by the block or in the list of those that are to come. */
DEVICE_CALL void redo_cell(const struct reduce_parameters *p, struct cell c, int64_t cell)
{
#if REDOES
    DYNAMIC_SHARED(struct wide, w);
    wide_clear(w);
    wide_absorb(p, &c, 0, p->length, w);
    if (threadIdx.x == 0) wide_result(p, w, cell);
#else
    (void)c;
    if (threadIdx.x == 0) list_failed(p, cell);
#endif
}

KERNEL(reduce, struct reduce_parameters, p)
{
    int64_t block = p.first_block + blockIdx.x, cell = block / p.splits, split = block % p.splits;
    struct cell c = cell_of(&p, cell);
    cell_origin from;
    struct quick q = merge_block(add_split(&p, &c, split, &from));
    if (p.splits > 1) {
        static_assert(sizeof q <= REDUCE_SPREAD_BYTES, "what the host makes room for");
        struct quick *published = (struct quick *)p.states + cell * p.splits;
        if (threadIdx.x == 0) published[split] = q;
        if (!last_to_arrive(&p.tickets[cell], (uint32_t)p.splits)) return;
        q = quick_begin();
        for (int64_t i = threadIdx.x; i < p.splits; i += THREADS) spread_merge(&q, published[i]);
        q = merge_block(q);
    }
    int failed = 0;
    int64_t n = p.length;
#if HAS_ABSENT
    n -= q.absent;
#endif
    if (threadIdx.x == 0) {
        int64_t terms = p.length / (THREADS * p.splits) + 2 * VECTORS * IN_VECTOR + p.splits / THREADS + 32;
        char *out = (char *)p.out + cell_offsets(&p, cell).out * RESULT_SIZE;
        failed = n == 0 || !spread_finish(&p, &q, n, (double)terms, out);
#if defined(FAR_ORIGIN)
        double nothing = 0 * shares_of(&p, n).inverse;
        if (failed && n > 0 && far_are_equal(&from, &q)) failed = !between_store(nothing, nothing, out);
#endif
    }
    if (__syncthreads_or(failed)) redo_cell(&p, c, cell);
}
