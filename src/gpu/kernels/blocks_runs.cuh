/* SPDX-License-Identifier: MIT
 *
 * blocks_runs.cuh - a warp's group of a block, for scan_blocks.cu: loading it, and storing its results. A lane has a
 * run. No include guard. */

/* Elements of the warp's group that there are. */
DEVICE int32_t group_share(const struct reduce_parameters *p, int64_t number)
{
    int64_t left = p->length - number * BLOCK_ELEMENTS - (int64_t)(threadIdx.x >> 5) * GROUP_ELEMENTS;
    return left < 0 ? 0 : left < GROUP_ELEMENTS ? (int32_t)left : GROUP_ELEMENTS;
}

/* Vector i of a group lies there in its room: vectors of neighbouring runs in different banks. */
DEVICE int32_t place_of(int32_t i)
{
    return i ^ (i >> 3 & (RUN_VECTORS - 1));
}

DEVICE void begin_loading(const struct scan_parameters *given, int64_t number, struct vector16 *memory)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
    if (number != NO_BLOCK) {
        int32_t bytes = group_share(&given->reduce, number) * ELEMENT_SIZE;
        const char *from = (const char *)given->reduce.x +
                           (number * BLOCK_ELEMENTS + (int64_t)(threadIdx.x >> 5) * GROUP_ELEMENTS) * ELEMENT_SIZE;
#pragma unroll
        for (int32_t k = 0; k < RUN_VECTORS; k++) {
            int32_t i = k * 32 + lane;
            if (16 * i + 16 <= bytes) copy_async((char *)&memory[place_of(i)], from + 16 * i, 16);
            else if (16 * i < bytes) memcpy(&memory[place_of(i)], from + 16 * i, (uint32_t)(bytes - 16 * i));
        }
    }
    copy_group();
}

/* The lane's run. */
struct run {
    struct vector16 vectors[RUN_VECTORS];
};

DEVICE struct run run_load(const struct vector16 *memory)
{
    int32_t first = ((int32_t)threadIdx.x & 31) * RUN_VECTORS;
    struct run run;
#pragma unroll
    for (int i = 0; i < RUN_VECTORS; i++) run.vectors[i] = memory[place_of(first + i)];
    return run;
}

DEVICE element run_element(const struct run *run, int i)
{
    struct vector16 v = run->vectors[i * ELEMENT_SIZE / 16];
    return vector_element(&v, i % (16 / ELEMENT_SIZE));
}

DEVICE void store_group(const struct scan_parameters *given, int64_t number, const struct vector16 *memory)
{
    int32_t lane = (int32_t)threadIdx.x & 31, bytes = group_share(&given->reduce, number) * RESULT_SIZE;
    char *to = (char *)given->reduce.out +
               (number * BLOCK_ELEMENTS + (int64_t)(threadIdx.x >> 5) * GROUP_ELEMENTS) * RESULT_SIZE;
#pragma unroll
    for (int32_t k = 0; k < RUN_VECTORS; k++) {
        int32_t i = k * 32 + lane;
        const struct vector16 *from = &memory[place_of(i)];
        if (16 * i + 16 <= bytes) *(struct vector16 *)(to + 16 * i) = *from;
        else if (16 * i < bytes) memcpy(to + 16 * i, from, (uint32_t)(bytes - 16 * i));
    }
}
