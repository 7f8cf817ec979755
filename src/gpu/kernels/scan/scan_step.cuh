/* SPDX-License-Identifier: MIT
 *
 * scan_step.cuh - a step of a scan: every thread of a team has a run of RUN neighbouring elements, of which some may be
 * absent, and writes as many results. */
#ifndef TALLY_SCAN_STEP_CUH
#define TALLY_SCAN_STEP_CUH

#include "scan_stage.cuh"

#if !WITH_WHERE
#define WHERE_WAY BY_RUN
#define WHERE_UNIT 0
#endif

/* The first step of a split. */
DEVICE struct step step_of(const struct reduce_parameters *p, const struct seat *seat, int64_t group, int64_t split,
                           char *room)
{
    struct step step;
    int64_t cell = group * seat->cells + seat->cell, left = p->cells - group * seat->cells;
    struct offsets at = cell_offsets(p, cell < p->cells ? cell : 0);
    step.block_first = split * p->split_units;
    step.first = step.block_first + seat->member * RUN;
    step.stop = step.block_first + p->split_units < p->length ? step.block_first + p->split_units : p->length;
    step.end = cell < p->cells ? step.stop : step.block_first;
    step.p = p;
    step.cells_here = left < seat->cells ? (int32_t)left : seat->cells;
    step.own.of[OF_X] = (char *)p->x + at.x * ELEMENT_SIZE;
    step.own.of[OF_WHERE] = WITH_WHERE ? (char *)p->where + at.where : 0;
    step.own.of[OF_OUT] = (char *)p->out + at.out * RESULT_SIZE;
    step.room = room;
    step.places = 0;
#if !ONE_CELL
    __shared__ struct place places[THREADS];
    if (seat->member == 0) places[seat->cell] = step.own;
    step.places = places;
    __syncthreads();
#endif
    return step;
}

DEVICE void step_move(struct step *step)
{
    step->block_first += step_length(step);
    step->first += step_length(step);
}

/* Has an operand's elements of the thread's next run on their way to the L2 cache, if they lie along the axis: across
 * cells, half of what memory fetches at once would be other blocks', and come too early for them. */
DEVICE void prefetch_run(const struct step *step, const struct stream *s, int32_t cell)
{
    enum { BOTH_SECTORS = 64 }; /* memory fetches two at once */
    int64_t first = step->first + step_length(step), stride = s->stride < 0 ? -s->stride : s->stride;
    const char *from = (ONE_CELL ? step->own : step->places[cell]).of[s->operand] + first * s->stride;
    if (s->way != ALONG || first + RUN > step->end) return;
    int32_t apart = stride >= BOTH_SECTORS ? 1 : stride * RUN <= BOTH_SECTORS ? RUN : 0;
    if (apart == 0) apart = (int32_t)(BOTH_SECTORS / stride);
#pragma unroll 1
    for (int32_t i = 0; i < RUN; i += apart) prefetch(from + i * s->stride);
}

DEVICE void prefetch_next(const struct step *step, const struct stream *in, const struct stream *mask)
{
    int32_t thread = (int32_t)threadIdx.x;
    int32_t cell = step->p->cells_first ? thread & (THREADS / step->p->team - 1) : thread / step->p->team;
    prefetch_run(step, in, cell);
    if (WITH_WHERE) prefetch_run(step, mask, cell);
}

/* Which elements of a run the mask lets through. */
DEVICE uint32_t load_mask(const struct reduce_parameters *p, const struct step *step, const char *room)
{
    uint32_t present = 0;
    if (WHERE_WAY == BY_RUN) {
        const char *mask = step->own.of[OF_WHERE] + step->first * p->reduced[0].where;
#pragma unroll
        for (int i = 0; i < RUN; i++) {
            uint8_t byte = 0;
            if (step->first + i < step->end) byte = *(const uint8_t *)(mask + i * p->reduced[0].where);
            present |= (uint32_t)(byte != 0) << i;
        }
        return present;
    }
    struct vector16 v = *(const struct vector16 *)(room + (int32_t)threadIdx.x * RUN_STRIDE(1));
#pragma unroll
    for (int i = 0; i < RUN; i++) present |= (uint32_t)((v.word[i / 4] >> i % 4 * 8 & 255) != 0) << i;
    return present;
}

DEVICE void load_elements(const struct reduce_parameters *p, const struct step *step, element *x)
{
    if (X_WAY == BY_RUN) {
        const char *from = step->own.of[OF_X] + step->first * p->reduced[0].x * ELEMENT_SIZE;
#pragma unroll
        for (int i = 0; i < RUN; i++) {
            memset(&x[i], 0, sizeof x[i]);
            if (step->first + i < step->end) x[i] = load_element(from + i * p->reduced[0].x * ELEMENT_SIZE, 0);
        }
        return;
    }
    const struct vector16 *mine =
        (const struct vector16 *)(step->room + (int32_t)threadIdx.x * RUN_STRIDE(ELEMENT_SIZE));
    struct vector16 v[RUN * ELEMENT_SIZE / 16];
#pragma unroll
    for (int i = 0; i < RUN * ELEMENT_SIZE / 16; i++) v[i] = mine[i];
#pragma unroll
    for (int i = 0; i < RUN; i++) x[i] = vector_element(&v[i * ELEMENT_SIZE / 16], i % (16 / ELEMENT_SIZE));
}

/* The run's elements; returns which of them are present. */
DEVICE uint32_t load_run(const struct reduce_parameters *p, const struct step *step, element *x)
{
    struct stream in = {OF_X, X_WAY, X_UNIT, ELEMENT_SIZE, sizeof(storage), p->reduced[0].x * ELEMENT_SIZE};
    struct stream mask = {OF_WHERE, WHERE_WAY, WHERE_UNIT, 1, 1, p->reduced[0].where};
    char *masks = step->room + (X_WAY != BY_RUN ? THREADS * RUN_STRIDE(ELEMENT_SIZE) : 0);
    uint32_t present;
    if (X_WAY != BY_RUN || WHERE_WAY != BY_RUN) {
        __syncthreads();
        if (X_WAY != BY_RUN) stage_in(step, &in, step->room);
        if (WHERE_WAY != BY_RUN) stage_in(step, &mask, masks);
        copy_group();
        prefetch_next(step, &in, &mask);
        COPY_AWAIT_BUT(0);
        __syncthreads();
    }
    int64_t count = step->end - step->first;
    present = count >= RUN ? 0xffff : count > 0 ? (1u << count) - 1 : 0;
    if (WITH_WHERE) present &= load_mask(p, step, masks);
    load_elements(p, step, x);
#pragma unroll
    for (int i = 0; i < RUN && SKIP_NAN; i++) present &= ~((uint32_t)element_is_nan(x[i]) << i);
    return present;
}

/* Where result i of the run goes. */
DEVICE char *result_place(const struct reduce_parameters *p, const struct step *step, int i)
{
    if (OUT_WAY == BY_RUN) return step->own.of[OF_OUT] + (step->first + i) * p->reduced[0].out * RESULT_SIZE;
    return step->room + (int32_t)threadIdx.x * RUN_STRIDE(RESULT_SIZE) + i * RESULT_SIZE;
}

/* Before the first result_place of a step, and after the last. */
DEVICE void results_begin(void)
{
    if (OUT_WAY != BY_RUN) __syncthreads();
}

DEVICE void results_end(const struct reduce_parameters *p, const struct step *step, int check_only)
{
    struct stream out = {OF_OUT, OUT_WAY, OUT_UNIT, RESULT_SIZE, RESULT_PART, p->reduced[0].out * RESULT_SIZE};
    if (OUT_WAY == BY_RUN) return;
    __syncthreads();
    if (!check_only) stage_out(step, &out, step->room);
    __syncthreads();
}

#endif
