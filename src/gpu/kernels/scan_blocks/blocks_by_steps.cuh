/* SPDX-License-Identifier: MIT
 *
 * blocks_by_steps.cuh - a group of scan_blocks.cu, element after element. No include guard. */

#include "run_steps.cuh"

/* The groups of a block whose numbers are below the lane's. */
STEPS_FUNCTION struct left groups_by_steps(const struct state *totals)
{
    struct left before = no_left();
    for (int32_t g = 0; g < GROUPS; g++) {
        if (g < ((int32_t)threadIdx.x & 31)) left_append(&before, totals[g].total);
    }
    return before;
}

/* The total of all runs up to the lane's. */
DEVICE struct state upto_of_run(const struct run *run)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
    struct FOLD(lane) local = lifted(run, 0);
#pragma unroll
    for (int i = 1; i < RUN; i++) FOLD(lane_combine)(&local, lifted(run, i));
    struct state upto = {FOLD(widen)(local)};
#pragma unroll
    for (int32_t distance = 1; distance < 32; distance *= 2) {
        struct state left = state_up(upto, (uint32_t)distance);
        FOLD(wide_combine)(&left.total, upto.total);
        if (lane >= distance) upto = left;
    }
    return upto;
}

STEPS_FUNCTION struct state upto_by_steps(const struct vector16 *memory)
{
    struct run run = run_load(memory);
    return upto_of_run(&run);
}

/* `left` is what stands left of the lane's run. */
STEPS_FUNCTION void results_by_steps(struct vector16 *memory, struct left left)
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
