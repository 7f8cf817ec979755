/* SPDX-License-Identifier: MIT
 *
 * blocks_runs.cuh - what a warp of scan_blocks.cu does with a group of a block: loading it, entering it, finding and
 * storing its results. A lane has a run. No include guard. */

/* Whether the identity may stand for a left operand that does not exist: the results have the same bits. */
#define IDENTITY_IS_NONE                                                      \
    (COMBINE_NUMBER == COMBINE_ADD || COMBINE_NUMBER == COMBINE_ADD_POWERS || \
     COMBINE_NUMBER == COMBINE_MULTIPLY_REAL || (COMBINE_NUMBER == COMBINE_MULTIPLY && ELEMENT_KIND != KIND_COMPLEX))

DEVICE void left_prepare(struct left *left)
{
    /* -0 becomes +0, so that no sum is -0 */
    if (COMBINE_NUMBER == COMBINE_ADD) FOLD(wide_combine)(&left->value, FOLD(wide_identity)());
    if (IDENTITY_IS_NONE) left->some = 1;
}

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

/* Behind the end of the axis there is whatever lies there: nothing comes from it that is kept. */
DEVICE struct FOLD(lane) lifted(const struct run *run, int i)
{
    element x = run_element(run, i);
    return SKIP_NAN && element_is_nan(x) ? FOLD(lane_identity)() : FOLD(lift)(x, x);
}

/* Returns what stands left of the run in its group, and leaves the group's total. */
DEVICE struct state enter_group(const struct vector16 *memory, struct state *total)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
    struct run run = run_load(memory);
    struct FOLD(lane) local = lifted(&run, 0);
#pragma unroll
    for (int i = 1; i < RUN; i++) FOLD(lane_combine)(&local, lifted(&run, i));
    struct state upto = {FOLD(widen)(local)};
#pragma unroll
    for (int32_t distance = 1; distance < 32; distance *= 2) {
        struct state left = state_up(upto, (uint32_t)distance);
        FOLD(wide_combine)(&left.total, upto.total);
        if (lane >= distance) upto = left;
    }
    if (lane == 31) *total = upto;
    return state_up(upto, 1);
}

DEVICE void group_results(struct vector16 *memory, struct left left)
{
    enum { OF_VECTOR = 16 / RESULT_SIZE };
    struct FOLD(lane) local = FOLD(lane_identity)();
    struct vector16 results = {{0, 0, 0, 0}};
    struct run run = run_load(memory); /* ahead of the first result */
    int32_t vector = ((int32_t)threadIdx.x & 31) * RUN_VECTORS;
    left_prepare(&left);
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        struct FOLD(lane) before = local;
        struct left value = left;
        if (i > 0) FOLD(lane_combine)(&local, lifted(&run, i));
        else local = lifted(&run, 0);
        if (!EXCLUSIVE || i > 0) left_append(&value, FOLD(widen)(EXCLUSIVE ? before : local));
        store_result(value.value, (char *)&results + i % OF_VECTOR * RESULT_SIZE);
        if ((i + 1) % OF_VECTOR == 0) memory[place_of(vector + i / OF_VECTOR)] = results;
    }
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
