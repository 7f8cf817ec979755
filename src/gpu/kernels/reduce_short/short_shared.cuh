/* SPDX-License-Identifier: MIT
 *
 * short_shared.cuh - rows of a few elements that vectors do not divide, without gaps: a thread takes SETS sets of
 * VECTORS_OF_SET vectors, which have ROWS_OF_SET whole rows of IN_ROW elements, and leaves a set's results side by
 * side. No include guard. */

/* The first `bytes` bytes at an address, and zeros. */
DEVICE_CALL struct vector16 load_bytes(const char *x, int64_t bytes)
{
    storage stored[16 / sizeof(storage)];
    struct vector16 v;
    memset(stored, 0, sizeof stored);
#pragma unroll 1
    for (int i = 0; i < 16 / (int)sizeof(storage) && i * (int)sizeof(storage) < bytes; i++)
        stored[i] = ((const storage *)x)[i];
    memcpy(&v, stored, sizeof v);
    return v;
}

DEVICE void load_set(const struct reduce_parameters *p, int64_t set, struct vector16 *v)
{
    const char *x = (const char *)p->x + set * (VECTORS_OF_SET * 16);
    int64_t left = (p->cells - set * ROWS_OF_SET) * (IN_ROW * ELEMENT_SIZE);
#pragma unroll
    for (int i = 0; i < VECTORS_OF_SET; i++) {
        memset(&v[i], 0, sizeof v[i]);
        if (left >= VECTORS_OF_SET * 16) v[i] = load_vector(x + i * 16);
        else if (left > i * 16) v[i] = load_bytes(x + i * 16, left - i * 16);
    }
}

/* Returns a bit for each row whose result is not known. */
DEVICE uint32_t finish_set(const struct reduce_parameters *p, int64_t set, const struct vector16 *v)
{
    __align__(16) char results[ROWS_OF_SET * STORED_SIZE];
    int64_t cell = set * ROWS_OF_SET, left = p->cells - cell, out_step = p->kept[p->kept_count - 1].out * RESULT_SIZE;
    char *out = (char *)p->out + cell * out_step;
    uint32_t failed = 0;
#pragma unroll
    for (int r = 0; r < ROWS_OF_SET; r++) {
        struct quick q = quick_begin();
        struct watch watch = watch_begin();
#pragma unroll
        for (int j = r * IN_ROW; j < (r + 1) * IN_ROW; j++)
            number_add(&q, &watch, 0, vector_element(&v[j / IN_VECTOR], j % IN_VECTOR), j - r * IN_ROW);
        int known = quick_settle(p, &q, &watch, IN_ROW, cell + r, results + r * STORED_SIZE);
        failed |= (uint32_t)(!known && r < left) << r;
    }
    if (left >= ROWS_OF_SET) store_results(p, out, results, ROWS_OF_SET);
    for (int r = 0; r < ROWS_OF_SET - 1 && left < ROWS_OF_SET; r++) {
        if (r < left) store_result(out + r * out_step, results + r * STORED_SIZE);
    }
    return failed;
}

/* Each lane its next row, until none has any. */
DEVICE void redo_set(const struct reduce_parameters *p, int64_t set, uint32_t failed)
{
    for (; __any_sync(FULL_WARP, failed != 0); failed &= failed - 1) {
        int64_t cell = set * ROWS_OF_SET + (failed ? __ffs((int)failed) - 1 : 0);
        redo_cell(p, (const char *)p->x + cell * (IN_ROW * ELEMENT_SIZE), ELEMENT_SIZE, failed ? cell : -1, 1);
    }
}

DEVICE void reduce_short(const struct reduce_parameters *p)
{
    struct vector16 v[SETS][VECTORS_OF_SET];
    int64_t set = (p->first_block + blockIdx.x) * (SETS * THREADS) + threadIdx.x;
    uint32_t failed[SETS];
#pragma unroll
    for (int s = 0; s < SETS; s++) load_set(p, set + s * THREADS, v[s]);
#pragma unroll
    for (int s = 0; s < SETS; s++) failed[s] = finish_set(p, set + s * THREADS, v[s]);
#pragma unroll
    for (int s = 0; s < SETS; s++) redo_set(p, set + s * THREADS, failed[s]);
}
