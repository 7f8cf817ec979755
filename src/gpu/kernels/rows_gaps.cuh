/* SPDX-License-Identifier: MIT
 *
 * rows_gaps.cuh - tiles of scan_rows.cu to and from rows that do not lie behind each other: units of IN_UNIT and
 * OUT_UNIT bytes, of which rows have whole numbers. No include guard. */

/* Where a thread is in the span's rows, which it goes through in units, from one to the next of its own. */
struct hop {
    int32_t row, in_row;
    int32_t rows, on; /* how far that is */
};

DEVICE struct hop hop_from(const struct reduce_parameters *p, const struct span *s, int64_t place, int32_t step)
{
    int32_t length = (int32_t)p->length, at = (int32_t)(place - s->begin);
    struct hop hop = {at / length, 0, step / length, 0};
    hop.in_row = at - hop.row * length;
    hop.on = step - hop.rows * length;
    if (hop.in_row < 0) hop.in_row += length, hop.row--;
    return hop;
}

DEVICE void hop_on(const struct reduce_parameters *p, struct hop *hop)
{
    hop->row += hop->rows;
    hop->in_row += hop->on;
    if (hop->in_row < p->length) return;
    hop->in_row -= (int32_t)p->length;
    hop->row++;
}

DEVICE int64_t hop_element(const struct hop *hop, const struct span *s, int64_t pitch)
{
    return (s->row + hop->row) * pitch + hop->in_row;
}

#if IN_UNIT
/* Begins to copy a tile, with zeros where the span has none; of every thread one group. */
DEVICE void begin_copying(const struct reduce_parameters *p, const struct span *s, const struct tile *t,
                          struct vector16 *stage)
{
    enum { EACH = IN_UNIT / ELEMENT_SIZE, UNITS = TILE_ELEMENTS / EACH };
    int32_t lane = (int32_t)threadIdx.x & 31;
    struct hop hop = hop_from(p, s, t->at + lane * EACH, 32 * EACH);
#pragma unroll 4
    for (int32_t k = lane; k < UNITS; k += 32, hop_on(p, &hop)) {
        const char *from = s->x + hop_element(&hop, s, p->kept[0].x) * ELEMENT_SIZE;
        copy_async_or_clear((char *)stage + k * IN_UNIT, from, IN_UNIT, k * EACH >= t->low && k * EACH < t->high);
    }
}
#endif

#if OUT_UNIT
/* Results in shared memory, a run every `stride` vectors, to where they belong. */
DEVICE void store_units(const struct reduce_parameters *p, const struct span *s, const struct tile *t,
                        const struct vector16 *results, int32_t stride)
{
    enum { EACH = OUT_UNIT / RESULT_SIZE, UNITS = TILE_ELEMENTS / EACH };
    int32_t lane = (int32_t)threadIdx.x & 31;
    struct hop hop = hop_from(p, s, t->at + lane * EACH, 32 * EACH);
#pragma unroll 4
    for (int32_t k = lane; k < UNITS; k += 32, hop_on(p, &hop)) {
        int32_t i = k * EACH;
        if (i < t->low || i >= t->high) continue;
        copy_unit(s->out + hop_element(&hop, s, p->kept[0].out) * RESULT_SIZE, result_of_runs(results, stride, i),
                  OUT_UNIT);
    }
}
#endif
