/* SPDX-License-Identifier: MIT
 *
 * columns_walk.cuh - a thread for SIDE neighbouring columns, DEPTH rows at a time. No include guard.
 *   LOADS_AHEAD   whether the next rows are under way meanwhile */

/* Rows from `x` on, as many of DEPTH as there are, and zeros behind them. Results may go where elements lie, so these
 * are ordinary loads. */
DEVICE void load_rows(struct side *v, const char *x, int64_t pitch, int32_t count)
{
    memset(v, 0, DEPTH * sizeof *v);
#pragma unroll
    for (int d = 0; d < DEPTH; d++, x += pitch) {
        if (d < count) v[d] = *(const struct side *)x;
    }
}

/* Rows of a batch, of those that are left. */
DEVICE int32_t batch_of(int64_t left)
{
    return left < DEPTH ? (int32_t)left : DEPTH;
}

DEVICE void scan_columns(const struct scan_parameters *given)
{
    const struct reduce_parameters *p = &given->reduce;
    int64_t cell = ((int64_t)blockIdx.x * THREADS + threadIdx.x) * SIDE;
    int64_t pitch = p->reduced[0].x * ELEMENT_SIZE, out_pitch = p->reduced[0].out * RESULT_SIZE;
    struct column columns[PACKS];
    struct strays strays;
    struct side ahead[DEPTH];
    if (cell >= p->cells) return;
    struct offsets at = cell_offsets(p, cell);
    const char *x = (const char *)p->x + at.x * ELEMENT_SIZE;
    char *out = (char *)p->out + at.out * RESULT_SIZE;
    if (LOADS_AHEAD) load_rows(ahead, x, pitch, batch_of(p->length));
    strays_begin(given, &strays);
    struct trail trail = columns_first(given, cell, columns, &strays);
    for (int64_t left = p->length; left > 0; left -= DEPTH, x += DEPTH * pitch, out += DEPTH * out_pitch) {
        struct side v[DEPTH];
        if (LOADS_AHEAD) {
            memcpy(v, ahead, sizeof v);
            load_rows(ahead, x + DEPTH * pitch, pitch, batch_of(left - DEPTH));
        } else {
            load_rows(v, x, pitch, batch_of(left));
        }
        step_rows(columns, &strays, &trail, v, batch_of(left), out, out_pitch);
    }
}
