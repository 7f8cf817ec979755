/* SPDX-License-Identifier: MIT
 *
 * short_columns.cuh - a thread takes GROUPS groups of SIDE neighbouring cells, which lie in one aligned access, and
 * goes down the reduced axis with DEPTH accesses to each under way. No include guard. */

/* What a thread reads at once. */
struct __align__(SIDE *ELEMENT_SIZE) side
{
    struct OF_ELEMENT(stored) stored[SIDE];
};

DEVICE struct side load_side(const char *address)
{
#if SIDE > 1
    if (sizeof(struct side) == 16) {
        struct vector16 v = load_vector(address);
        struct side side;
        memcpy(&side, &v, sizeof side);
        return side;
    }
#endif
    return *(const struct side *)address;
}

DEVICE void reduce_short(const struct reduce_parameters *p)
{
    struct quick q[GROUPS][SIDE];
    struct watch watch = watch_begin();
    int32_t length = (int32_t)p->length;
    int64_t pitch = p->reduced[0].x * ELEMENT_SIZE;
    int64_t first = ((p->first_block + blockIdx.x) * GROUPS * THREADS + threadIdx.x) * SIDE;
    struct offsets at[GROUPS];
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
        int64_t cell = first + g * THREADS * SIDE;
        at[g] = cell_offsets(p, cell < p->cells ? cell : 0);
#pragma unroll
        for (int k = 0; k < SIDE; k++) q[g][k] = quick_begin();
    }
    for (int32_t i = 0; i < length; i += DEPTH) {
        struct side v[GROUPS][DEPTH];
#pragma unroll
        for (int j = 0; j < DEPTH * GROUPS; j++) {
            int g = j / DEPTH, d = j % DEPTH;
            if (i + d < length) v[g][d] = load_side((const char *)p->x + at[g].x * ELEMENT_SIZE + (i + d) * pitch);
        }
#pragma unroll
        for (int j = 0; j < DEPTH * GROUPS; j++) {
            int g = j / DEPTH, d = j % DEPTH;
#pragma unroll
            for (int k = 0; k < SIDE && i + d < length; k++)
                quick_add(&q[g][k], &watch, load_element(v[g][d].stored, k));
        }
    }
    int failed = watch_failed(&watch, length);
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
        __align__(16) char results[SIDE * RESULT_SIZE];
        int64_t cell = first + g * THREADS * SIDE;
#pragma unroll
        for (int k = 0; k < SIDE; k++) failed |= !quick_finish(p, &q[g][k], cell + k, results + k * RESULT_SIZE);
        if (cell < p->cells) store_results(p, (char *)p->out + at[g].out * RESULT_SIZE, results, SIDE);
    }
    if (!__any_sync(FULL_WARP, failed)) return;
    for (int i = 0; i < GROUPS * SIDE; i++) {
        int64_t cell = first + i / SIDE * THREADS * SIDE + i % SIDE;
        int again = failed && cell < p->cells;
        struct offsets here = cell_offsets(p, again ? cell : 0);
        redo_cell(p, (const char *)p->x + here.x * ELEMENT_SIZE, pitch, again ? cell : -1, 1);
    }
}
