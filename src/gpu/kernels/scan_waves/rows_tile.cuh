/* SPDX-License-Identifier: MIT
 *
 * rows_tile.cuh - the rows that a warp of scan_rows.cu takes, the tiles that it goes through them in, and their way
 * between global and shared memory. No include guard. */

/* Rows that lie behind each other. Places in memory count elements, from a vector's beginning on. */
struct span {
    int64_t begin, end;
    int64_t edge;  /* where the first tile begins; backward, where it ends: a vector's border */
    int32_t pad;   /* elements between the edge and the first row */
    int32_t tiles; /* 0: there are no such rows */
    int64_t row;   /* the first one, where they do not lie behind each other */
    int32_t shift; /* the place of the first element of all rows */
    const char *x; /* place 0, or (IN_UNIT, OUT_UNIT) the first of all rows: what has its first place among results */
    char *out;
};

/* Elements beyond a vector's border, where the lowest of all rows begins: of x, or, as that is copied in units, of
 * out, whose vectors are what lies in shared memory unless results are put together. */
DEVICE int32_t misalignment(const char *x, const char *out)
{
    if (IN_UNIT && (OUT_UNIT || OUT_ACROSS)) return 0;
    return (int32_t)(IN_UNIT ? ((uintptr_t)out & 15) / RESULT_SIZE : ((uintptr_t)x & 15) / ELEMENT_SIZE);
}

DEVICE struct span span_of(const struct reduce_parameters *p, int64_t number)
{
    struct span s;
    int64_t back = BACKWARD ? p->length - 1 : 0, all = p->cells * p->length, from = number * p->split_units;
    const char *lowest = (const char *)p->x + back * p->reduced[0].x * ELEMENT_SIZE;
    char *out = (char *)p->out - back * RESULT_SIZE;
    int64_t shift = misalignment(lowest, out);
    s.shift = (int32_t)shift;
    s.row = IN_UNIT || OUT_UNIT ? number * (p->split_units / p->length) : 0;
    s.x = IN_UNIT ? lowest : lowest - shift * ELEMENT_SIZE;
    s.out = OUT_UNIT ? out : out - shift * RESULT_SIZE;
    s.begin = (from < all ? from : all) + shift;
    s.end = (from + p->split_units < all ? from + p->split_units : all) + shift;
    s.edge = (BACKWARD ? s.end + PER_VECTOR - 1 : s.begin) & -(int64_t)PER_VECTOR;
    s.pad = (int32_t)(BACKWARD ? s.edge - s.end : s.begin - s.edge);
    s.tiles = s.begin < s.end ? (int32_t)((s.end - s.begin + s.pad + TILE_ELEMENTS - 1) / TILE_ELEMENTS) : 0;
    return s;
}

/* A tile has elements of the span from `low` on, below `high`; those from bulk_low on, below bulk_high, are whole
 * vectors, which are copied at once. */
struct tile {
    int64_t at; /* place of its element 0 */
    int32_t low, high, bulk_low, bulk_high;
};

DEVICE struct tile tile_of(const struct span *s, int32_t number)
{
    int64_t offset = (int64_t)(number + BACKWARD) * TILE_ELEMENTS;
    struct tile t = {BACKWARD ? s->edge - offset : s->edge + offset, 0, TILE_ELEMENTS, 0, TILE_ELEMENTS};
    if (!IN_UNIT && number > 0 && number + 1 < s->tiles) return t; /* most of them */
    if (s->begin > t.at) t.low = (int32_t)(s->begin - t.at);
    if (s->end < t.at + TILE_ELEMENTS) t.high = (int32_t)(s->end - t.at);
    t.bulk_low = (t.low + PER_VECTOR - 1) & -PER_VECTOR;
    t.bulk_high = t.high & -PER_VECTOR;
    if (t.bulk_high < t.bulk_low) t.bulk_high = t.bulk_low;
    return t;
}

/* Whether something is copied at once. */
DEVICE int tile_has_bulk(const struct tile *t)
{
    return t->bulk_low < t->bulk_high;
}

DEVICE int tile_has_edges(const struct tile *t)
{
    return t->bulk_low > 0 || t->bulk_high < TILE_ELEMENTS;
}

/* By one lane. */
DEVICE void begin_loading(const struct span *s, const struct tile *t, struct vector16 *stage,
                          struct bulk_barrier *arrived)
{
    if (!tile_has_bulk(t)) return;
    bulk_load((char *)stage + t->bulk_low * ELEMENT_SIZE, s->x + (t->at + t->bulk_low) * ELEMENT_SIZE,
              (uint32_t)(t->bulk_high - t->bulk_low) * ELEMENT_SIZE, arrived);
}

/* What no copy brings, by elements or their parts, with zeros where the span has none. Every lane of the warp calls it.
 */
DEVICE_CALL void load_edges(const struct span *s, struct tile t, struct vector16 *stage)
{
    enum { PARTS = ELEMENT_SIZE / (int)sizeof(storage) };
    const storage *from = (const storage *)(s->x + t.at * ELEMENT_SIZE);
    int32_t bulk = (t.bulk_high - t.bulk_low) * PARTS, low = t.low * PARTS, high = t.high * PARTS;
    for (int32_t k = (int32_t)threadIdx.x & 31; k < TILE_ELEMENTS * PARTS - bulk; k += 32) {
        int32_t i = k < t.bulk_low * PARTS ? k : k + bulk;
        storage x;
        memset(&x, 0, sizeof x);
        if (i >= low && i < high) x = from[i];
        ((storage *)stage)[i] = x;
    }
    __syncwarp();
}

#include "results_across.cuh"

/* Results in shared memory, a run every `stride` vectors, where out has vectors where that has them. */
DEVICE_CALL void store_edges(const struct span *s, struct tile t, const struct vector16 *results, int32_t stride)
{
    char *to = s->out + t.at * RESULT_SIZE;
    int32_t bulk = t.bulk_high - t.bulk_low;
    for (int32_t k = t.low + ((int32_t)threadIdx.x & 31); k < t.high - bulk; k += 32) {
        int32_t i = k < t.bulk_low ? k : k + bulk;
        copy_result(to + (int64_t)i * RESULT_SIZE, result_of_runs(results, stride, i));
    }
}

/* The same for whole vectors, where results do not lie as one piece. */
DEVICE void store_vectors(const struct span *s, const struct tile *t, const struct vector16 *results)
{
    enum { RATIO = RESULT_SIZE / ELEMENT_SIZE };
    struct vector16 *to = (struct vector16 *)(s->out + t->at * RESULT_SIZE);
    int32_t low = t->bulk_low / PER_VECTOR * RATIO, high = t->bulk_high / PER_VECTOR * RATIO;
#pragma unroll
    for (int32_t k = 0; k < RESULT_VECTORS; k++) {
        int32_t i = k * 32 + ((int32_t)threadIdx.x & 31);
        if (i >= low && i < high) to[i] = vector_of_runs(results, RESULT_STRIDE, i);
    }
}
