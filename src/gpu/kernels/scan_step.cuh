/* SPDX-License-Identifier: MIT
 *
 * scan_step.cuh - a step of a scan in memory: every thread of a team has a run of RUN neighbouring elements. Where a
 * block has one cell whose axis is contiguous (CONTIGUOUS 1), runs pass through shared memory, so that memory sees
 * whole vectors: run r lies there at r * RUN_STRIDE bytes, an odd number of vectors, which keeps banks apart. */
#ifndef TALLY_SCAN_STEP_CUH
#define TALLY_SCAN_STEP_CUH

#include "team.cuh"

#include "scan_parameters.h"

enum { RUN = 16 };

#define RUN_STRIDE(size) ((((size)*RUN / 16) | 1) * 16)

DEVICE int element_is_present(const struct cell *c, int64_t where_offset, element x)
{
    if (WITH_WHERE && !c->where[where_offset]) return 0;
    return !(SKIP_NAN && element_is_nan(x));
}

/* `count` elements of `size` bytes from memory to their places in shared memory. */
DEVICE void stage_in(const char *from, int64_t count, int32_t size, char *room)
{
    __syncthreads();
    if (count == THREADS * RUN && ((uintptr_t)from & 15) == 0) {
        int32_t run_vectors = size * RUN / 16;
        for (int32_t i = (int32_t)threadIdx.x; i < THREADS * run_vectors; i += THREADS)
            *(struct vector16 *)(room + i / run_vectors * RUN_STRIDE(size) + i % run_vectors * 16) =
                load_vector(from + 16 * i);
    } else {
        for (int32_t i = (int32_t)threadIdx.x; i < count; i += THREADS)
            copy_element(room + i / RUN * RUN_STRIDE(size) + i % RUN * size, from + (int64_t)i * size);
    }
    __syncthreads();
}

/* The way back, for results. Threads may write their run before this, and not before everyone is done with the room. */
DEVICE void stage_out(char *to, int64_t count, const char *room)
{
    __syncthreads();
    if (count == THREADS * RUN && ((uintptr_t)to & 15) == 0) {
        int32_t run_vectors = RESULT_SIZE * RUN / 16;
        for (int32_t i = (int32_t)threadIdx.x; i < THREADS * run_vectors; i += THREADS)
            *(struct vector16 *)(to + 16 * i) =
                *(const struct vector16 *)(room + i / run_vectors * RUN_STRIDE(RESULT_SIZE) + i % run_vectors * 16);
    } else {
        for (int32_t i = (int32_t)threadIdx.x; i < count; i += THREADS)
            copy_result(to + (int64_t)i * RESULT_SIZE,
                        room + i / RUN * RUN_STRIDE(RESULT_SIZE) + i % RUN * RESULT_SIZE);
    }
    __syncthreads();
}

/* A thread's place in a step. */
struct step {
    int64_t block_first; /* the step's first element along the axis */
    int64_t first, end;  /* of the thread's run; end is the split's */
    const struct cell *cell;
    char *out; /* result 0 of the cell */
    char *room;
};

/* Calls `take(i, element, present)` is not C: the run's elements and which of them are present. */
DEVICE uint32_t load_run(const struct reduce_parameters *p, const struct step *step, element *x)
{
    const struct kernel_loop *axis = &p->reduced[0];
    const struct cell *c = step->cell;
    uint32_t present = 0;
#if CONTIGUOUS
    int64_t count = step->end - step->block_first;
    stage_in(c->x + step->block_first * ELEMENT_SIZE, count < THREADS * RUN ? count : THREADS * RUN, ELEMENT_SIZE,
             step->room);
    const char *mine = step->room + (int32_t)threadIdx.x * RUN_STRIDE(ELEMENT_SIZE);
    struct vector16 v[RUN * ELEMENT_SIZE / 16];
#pragma unroll
    for (int i = 0; i < RUN * ELEMENT_SIZE / 16; i++) v[i] = ((const struct vector16 *)mine)[i];
#pragma unroll
    for (int i = 0; i < RUN; i++) x[i] = vector_element(&v[i * ELEMENT_SIZE / 16], i % (16 / ELEMENT_SIZE));
#else
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        memset(&x[i], 0, sizeof x[i]);
        if (step->first + i < step->end) x[i] = load_element(c->x + (step->first + i) * axis->x * ELEMENT_SIZE, 0);
    }
#endif
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        int here = step->first + i < step->end &&
                   (!(WITH_WHERE || SKIP_NAN) || element_is_present(c, (step->first + i) * axis->where, x[i]));
        present |= (uint32_t)here << i;
    }
    return present;
}

/* Where result i of the run goes. */
DEVICE char *result_place(const struct reduce_parameters *p, const struct step *step, int i)
{
#if CONTIGUOUS
    (void)p;
    return step->room + (int32_t)threadIdx.x * RUN_STRIDE(RESULT_SIZE) + i * RESULT_SIZE;
#else
    return step->out + (step->first + i) * p->reduced[0].out * RESULT_SIZE;
#endif
}

/* Before the first result_place of a step, and after the last. */
DEVICE void results_begin(void)
{
#if CONTIGUOUS
    __syncthreads();
#endif
}

DEVICE void results_end(const struct step *step, int check_only)
{
#if CONTIGUOUS
    int64_t count = step->end - step->block_first;
    if (check_only) __syncthreads();
    else
        stage_out(step->out + step->block_first * RESULT_SIZE, count < THREADS * RUN ? count : THREADS * RUN,
                  step->room);
#endif
}

#endif
