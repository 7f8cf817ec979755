/* SPDX-License-Identifier: MIT
 *
 * wave_chunk.cuh - the chunks that scan_wave.cu goes through, and their way between global and shared memory. No
 * include guard. */

struct chunk {
    int64_t number, cell;
    const char *input; /* lowest addresses: backward, of the last element */
    char *output;
    int32_t count; /* elements; 0: there is none */
    int32_t bulk;  /* whole aligned vectors, so that it can be copied at once */
};

/* By one thread. */
DEVICE struct chunk chunk_of(const struct reduce_parameters *p, int64_t number)
{
    struct chunk c = {number, number / p->splits, 0, 0, 0, 0};
    if (c.cell >= p->cells) return c;
    int64_t first = (number - c.cell * p->splits) * CHUNK;
    c.count = (int32_t)(p->length - first < CHUNK ? p->length - first : CHUNK);
    struct offsets at = cell_offsets(p, c.cell);
    if (BACKWARD) first = -(first + c.count - 1);
    c.input = (const char *)p->x + (at.x + first) * ELEMENT_SIZE;
    c.output = (char *)p->out + (at.out + first) * RESULT_SIZE;
    uintptr_t edges = (uintptr_t)c.input | (uintptr_t)(c.count * ELEMENT_SIZE) | (IN_PLACE ? (uintptr_t)c.output : 0);
    c.bulk = HAS_BULK && edges % 16 == 0;
    return c;
}

/* Where in a stage the chunk begins: backward, a chunk that is not full lies at the end. */
DEVICE int32_t chunk_begin(const struct chunk *c)
{
    return BACKWARD ? CHUNK - c->count : 0;
}

/* Elements of the chunk in the thread's run. */
DEVICE int32_t chunk_share(const struct chunk *c)
{
    int32_t left = c->count - (int32_t)threadIdx.x * RUN;
    return left < 0 ? 0 : left < RUN ? left : RUN;
}

/* The thread's run in shared memory that has a run every `stride` vectors. */
DEVICE struct vector16 *run_of(struct vector16 *memory, int32_t stride)
{
    return memory + (BACKWARD ? THREADS - 1 - (int32_t)threadIdx.x : (int32_t)threadIdx.x) * stride;
}

/* By one thread. */
DEVICE void begin_loading(const struct chunk *c, struct vector16 *stage, struct bulk_barrier *arrived)
{
    if (c->bulk)
        bulk_load((char *)stage + chunk_begin(c) * ELEMENT_SIZE, c->input, (uint32_t)c->count * ELEMENT_SIZE, arrived);
}

/* A chunk that cannot be copied at once is loaded here, element by element, with zeros beside it; several are under way
 * before any is used. */
DEVICE_CALL void load_part(struct chunk c, struct vector16 *stage)
{
    enum { AT_ONCE = 8, PARTS = ELEMENT_SIZE / (int)sizeof(storage) };
    const storage *from = (const storage *)c.input;
    storage *to = (storage *)stage, x[AT_ONCE];
    int32_t begin = chunk_begin(&c) * PARTS, count = c.count * PARTS;
    for (int32_t i = (int32_t)threadIdx.x; i < CHUNK * PARTS; i += AT_ONCE * THREADS) {
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            int32_t at = i + k * THREADS - begin;
            memset(&x[k], 0, sizeof x[k]);
            if (at >= 0 && at < count) x[k] = from[at];
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            if (i + k * THREADS < CHUNK * PARTS) to[i + k * THREADS] = x[k];
        }
    }
    __syncthreads();
}

/* Results from shared memory that has a run every `stride` vectors, in the order of memory. */
DEVICE void store_results(const struct chunk *c, const struct vector16 *from, int32_t stride)
{
    if (c->count == CHUNK && (uintptr_t)c->output % 16 == 0) {
#pragma unroll
        for (int32_t k = 0; k < RESULT_VECTORS; k++) {
            int32_t i = k * THREADS + (int32_t)threadIdx.x;
            ((struct vector16 *)c->output)[i] = from[i / RESULT_VECTORS * stride + i % RESULT_VECTORS];
        }
        return;
    }
    for (int32_t i = (int32_t)threadIdx.x; i < c->count; i += THREADS) {
        int32_t at = chunk_begin(c) + i;
        memcpy(c->output + (int64_t)i * RESULT_SIZE, (const char *)(from + at / RUN * stride) + at % RUN * RESULT_SIZE,
               RESULT_SIZE);
    }
}
