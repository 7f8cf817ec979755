/* SPDX-License-Identifier: MIT
 *
 * short_staged.cuh - rows that vectors do not divide, behind each other or nearly so: a block copies p->split_units of them to shared memory, where
 * LANES neighbouring threads share a row. No include guard. */

/* The vector at an address, of which a part may lie outside of the matrix. */
DEVICE struct vector16 load_inside(const char *at, const char *begin, const char *end)
{
    struct vector16 v;
    storage stored[16 / sizeof(storage)];
    if (at >= begin && at + 16 <= end) return load_vector(at);
#pragma unroll
    for (int i = 0; i < (int)(16 / sizeof(storage)); i++) {
        const char *here = at + i * sizeof(storage);
        memset(&stored[i], 0, sizeof stored[i]);
        if (here >= begin && here < end) stored[i] = *(const storage *)here;
    }
    memcpy(&v, stored, sizeof v);
    return v;
}

/* Bytes [from, from + bytes) of the matrix to shared memory; returns where the first one lies. */
DEVICE const char *stage(const struct reduce_parameters *p, int64_t from, int32_t bytes, struct vector16 *room)
{
    enum { AT_ONCE = 4 };
    const char *begin = (const char *)p->x, *end = p->high;
    int32_t before = (int32_t)((uintptr_t)(begin + from) & 15), count = (before + bytes + 15) / 16;
    const char *x = begin + from - before;
    for (int32_t i = (int32_t)threadIdx.x; i < count; i += AT_ONCE * THREADS) {
        struct vector16 v[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            if (i + k * THREADS < count) v[k] = load_inside(x + (int64_t)(i + k * THREADS) * 16, begin, end);
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            if (i + k * THREADS < count) room[i + k * THREADS] = v[k];
        }
    }
    __syncthreads();
    return (const char *)room + before;
}

/* The elements that a thread takes from a row at once, where rows are made of so many bytes. */
enum { IN_STAGED = STAGED_BYTES / ELEMENT_SIZE };

DEVICE void add_staged(struct quick *q, struct watch *watch, origin from, const char *at, int32_t place)
{
#if STAGED_BYTES > ELEMENT_BYTES
    struct vector16 v;
    memset(&v, 0, sizeof v);
    for (int i = 0; i < STAGED_BYTES / 4; i++) v.word[i] = ((const uint32_t *)at)[i];
    vector_add(q, watch, from, &v, 0, IN_STAGED, place);
#else
    number_add(q, watch, from, load_element(at, 0), place);
#endif
}

DEVICE void reduce_short(const struct reduce_parameters *p)
{
    DYNAMIC_SHARED(struct vector16, room);
    enum { TEAMS = THREADS / LANES };
    int64_t first = (p->first_block + blockIdx.x) * p->split_units, left = p->cells - first;
    int32_t rows = (int32_t)(left < p->split_units ? left : p->split_units), length = (int32_t)p->length;
    int32_t bytes = length * ELEMENT_SIZE, apart = (int32_t)p->kept[0].x * ELEMENT_SIZE;
    int32_t team = (int32_t)threadIdx.x / LANES, member = (int32_t)threadIdx.x % LANES;
    const char *x = stage(p, first * apart, (rows - 1) * apart + bytes, room);
    int64_t out_step = p->kept[p->kept_count - 1].out * RESULT_SIZE;
    for (int32_t base = 0; base < rows; base += TEAMS) {
        struct quick q = quick_begin();
        struct watch watch = watch_begin();
        int32_t row = base + team;
        const char *at = x + row * apart;
        origin from = origin_of(load_element(row < rows ? at : x, 0));
#pragma unroll 4
        for (int32_t i = member; i < length / IN_STAGED && row < rows; i += LANES)
            add_staged(&q, &watch, from, at + i * STAGED_BYTES, i * IN_STAGED);
#pragma unroll
        for (int distance = LANES / 2; distance > 0; distance /= 2) {
            watch_merge(&watch, watch_xor(watch, (uint32_t)distance));
            quick_merge(&q, &watch, quick_xor(q, (uint32_t)distance));
        }
        __align__(16) char result[RESULT_SIZE];
        int failed = !quick_settle(p, &q, &watch, length, first + row, result) & (row < rows);
        if (row < rows && member == 0) store_results(p, (char *)p->out + (first + row) * out_step, result, 1);
        failed = __shfl_sync(FULL_WARP, failed, (int32_t)(threadIdx.x & 31) - member); /* of what was stored */
        if (__any_sync(FULL_WARP, failed))
            redo_cell(p, (const char *)p->x + (first + row) * apart, ELEMENT_SIZE, failed ? first + row : -1, LANES);
    }
}
