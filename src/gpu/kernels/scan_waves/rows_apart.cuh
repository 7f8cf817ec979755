/* SPDX-License-Identifier: MIT
 *
 * rows_apart.cuh - tiles of scan_rows.cu from rows whose elements lie apart in memory, or run against the results: each
 * is copied by itself to its place among the results'. No include guard. */

/* Where a thread is in x, which it goes through by a warp's elements. */
struct hop_apart {
    const char *from;
    int32_t in_row, length, on; /* on: how far it goes on in a row */
    int64_t bytes, to_next;     /* the same in memory, and what leads from behind a row to the next one */
};

/* Bytes from an element to the one whose result lies behind its own. */
DEVICE int64_t bytes_apart(const struct reduce_parameters *p)
{
    return (BACKWARD ? -p->reduced[0].x : p->reduced[0].x) * ELEMENT_SIZE;
}

DEVICE struct hop_apart hop_apart_from(const struct reduce_parameters *p, const struct span *s, int64_t place)
{
    struct hop hop = hop_from(p, s, place, 32);
    int64_t pitch = p->kept[0].x * ELEMENT_SIZE, step = bytes_apart(p);
    struct hop_apart apart = {s->x + (s->row + hop.row) * pitch + hop.in_row * step,
                              hop.in_row,
                              (int32_t)p->length,
                              hop.on,
                              hop.rows * pitch + hop.on * step,
                              pitch - p->length * step};
    return apart;
}

DEVICE void hop_apart_on(struct hop_apart *hop)
{
    hop->from += hop->bytes;
    hop->in_row += hop->on;
    if (hop->in_row < hop->length) return;
    hop->in_row -= hop->length;
    hop->from += hop->to_next;
}

/* Begins to copy a tile, with zeros where the span has none. */
#if ELEMENT_BYTES >= 4
DEVICE void begin_copying(const struct reduce_parameters *p, const struct span *s, const struct tile *t,
                          struct vector16 *stage)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
    struct hop_apart hop = hop_apart_from(p, s, t->at + lane);
#pragma unroll 4
    for (int32_t i = lane; i < TILE_ELEMENTS; i += 32, hop_apart_on(&hop))
        copy_async_or_clear((char *)stage + i * ELEMENT_SIZE, hop.from, ELEMENT_SIZE, i >= t->low && i < t->high);
}
#else
/* Copies of so few bytes cannot wait for each other in shared memory: many are under way in registers, as far as exact
 * sums leave some. */
#if defined(METHOD_EXACT)
enum { ELEMENTS_AT_ONCE = 8 };
#else
enum { ELEMENTS_AT_ONCE = 16 };
#endif

DEVICE void begin_copying(const struct reduce_parameters *p, const struct span *s, const struct tile *t,
                          struct vector16 *stage)
{
    enum { AT_ONCE = ELEMENTS_AT_ONCE };
    int32_t lane = (int32_t)threadIdx.x & 31;
    struct hop_apart hop = hop_apart_from(p, s, t->at + lane);
    storage *to = (storage *)stage, x[AT_ONCE];
#pragma unroll 1
    for (int32_t i = lane; i < TILE_ELEMENTS; i += AT_ONCE * 32) {
#pragma unroll
        for (int32_t k = 0; k < AT_ONCE; k++, hop_apart_on(&hop)) {
            int32_t at = i + k * 32;
            memset(&x[k], 0, sizeof x[k]);
            if (at >= t->low && at < t->high) x[k] = *(const storage *)hop.from;
        }
#pragma unroll
        for (int32_t k = 0; k < AT_ONCE; k++) {
            if (i + k * 32 < TILE_ELEMENTS) to[i + k * 32] = x[k];
        }
    }
}
#endif
