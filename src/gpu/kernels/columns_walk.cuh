/* SPDX-License-Identifier: MIT
 *
 * columns_walk.cuh - a thread for SIDE neighbouring columns, with DEPTH rows under way. No include guard. */

/* Rows from `x` on, as many of DEPTH as there are. Results may go where elements lie, so these are ordinary loads. */
DEVICE void load_rows(struct side *v, const char *x, int64_t pitch, int64_t count)
{
#pragma unroll
    for (int d = 0; d < DEPTH; d++) {
        if (d < count) v[d] = *(const struct side *)(x + d * pitch);
    }
}

DEVICE void scan_columns(const struct scan_parameters *given)
{
    const struct reduce_parameters *p = &given->reduce;
    int64_t cell = ((int64_t)blockIdx.x * THREADS + threadIdx.x) * SIDE;
    int64_t pitch = p->reduced[0].x * ELEMENT_SIZE, out_pitch = p->reduced[0].out * RESULT_SIZE;
    struct column columns[SIDE];
    struct strays strays;
    struct side v[DEPTH];
    if (cell >= p->cells) return;
    struct offsets at = cell_offsets(p, cell);
    const char *x = (const char *)p->x + at.x * ELEMENT_SIZE;
    char *out = (char *)p->out + at.out * RESULT_SIZE;
    strays_begin(&strays);
#pragma unroll
    for (int k = 0; k < SIDE; k++) columns[k] = column_first(given, cell + k, &strays, k);
    for (int64_t i = 0; i < p->length; i += DEPTH, x += DEPTH * pitch, out += DEPTH * out_pitch) {
        load_rows(v, x, pitch, p->length - i);
#pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            if (i + d < p->length) step_row(columns, &strays, &v[d], out + d * out_pitch);
        }
    }
    strays_end(given, &strays);
}
