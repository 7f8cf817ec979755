/* SPDX-License-Identifier: MIT
 *
 * cells_user.c - reductions by users' operators in tiles of cells: every step of the fixed-shape tree is taken for all
 * cells of a tile, so that memory is read in order and steps are vectors of cells. */
#include "cells_user.h"
#include "../user/tree.h"

#include <stdio.h>
#include <string.h>

/* Bytes of states that lie side by side: some vectors, while a tile's lanes stay in the first-level cache. */
#define TILE_STATES 256
#define CELLS_LEAST 8
#define CELLS_MOST 64
/* Cells that do not lie side by side are read so up to this length; longer ones are vectors by themselves. */
#define SHORT_CELL 64
/* Elements of each cell that one call of the kernel takes. */
#define STEPS 128

struct tiles {
    struct job *job;
    const struct user_op *op;
    const struct loop *inner; /* the kept loop that tiles are cut from */
    int64_t width, per_inner; /* cells of a tile, tiles along the inner loop */
    int64_t leaves, stretches, stretch_leaves;
    size_t state_bytes; /* of a cell's struct state */
    char *lanes;        /* for each worker */
    size_t lanes_bytes;
    char *states; /* [tile * stretches + stretch][width], where a cell has several leaves */
};

static int same_strides(const struct loop *loops, int32_t count, int32_t inputs)
{
    for (int32_t d = 0; d < count; d++) {
        const int64_t *stride = loops[d].stride;
        if (inputs > 1 && stride[OPERAND_Y] != stride[OPERAND_X]) return 0;
        if (inputs > 2 && stride[OPERAND_Z] != stride[OPERAND_X]) return 0;
    }
    return 1;
}

int cells_user_apply(const struct job *job)
{
    const struct reduction *reduction = job->reduction;
    const struct calculation *calculation = &job->calculations[0];
    if (job->count != 1 || calculation->method != METHOD_USER || !reduction->out || reduction->where) return 0;
    if (calculation->flags & TALLY_SKIP_NAN || reduction->length == 0) return 0;
    if (reduction->kept_count == 0 || reduction->reduced_count == 0) return 0;
    const struct loop *inner = &reduction->kept[reduction->kept_count - 1];
    if (!same_strides(inner, 1, calculation->user->input_count)) return 0;
    if (!same_strides(reduction->reduced, reduction->reduced_count, calculation->user->input_count)) return 0;
    if (inner->stride[OPERAND_X] == 1 || reduction->length <= SHORT_CELL) return inner->extent > 1;
    return reduction->length <= USER_LEAF && reduction->reduced_count == 1 &&
           reduction->reduced[0].stride[OPERAND_X] == 1;
}

/* ---- one tile ---- */

/* Where elements [first, first + n) of a cell lie, counted from its first one. */
static void find_offsets(const struct reduction *reduction, int64_t first, int64_t n, long long *offsets)
{
    const struct loop *run = &reduction->reduced[reduction->reduced_count - 1];
    while (n > 0) {
        int64_t rest = first / run->extent, begin = first % run->extent, offset = begin * run->stride[OPERAND_X];
        for (int32_t d = reduction->reduced_count - 2; d >= 0; d--) {
            offset += rest % reduction->reduced[d].extent * reduction->reduced[d].stride[OPERAND_X];
            rest /= reduction->reduced[d].extent;
        }
        int64_t length = run->extent - begin < n ? run->extent - begin : n;
        for (int64_t i = 0; i < length; i++) *offsets++ = offset + i * run->stride[OPERAND_X];
        first += length;
        n -= length;
    }
}

static int64_t tile_cell(const struct tiles *tiles, int64_t tile)
{
    return tile / tiles->per_inner * tiles->inner->extent + tile % tiles->per_inner * tiles->width;
}

static int64_t tile_width(const struct tiles *tiles, int64_t tile)
{
    int64_t left = tiles->inner->extent - tile % tiles->per_inner * tiles->width;
    return left < tiles->width ? left : tiles->width;
}

/* Elements [first, first + n) of a tile's cells, a leaf at most, to the totals in lane 0. */
static void run_leaf(const struct tiles *tiles, const struct cell *cell, int64_t width, int64_t first, int64_t n,
                     char *lanes)
{
    const struct user_kernels *kernels = user_kernels(tiles->op);
    long long offsets[STEPS];
    struct user_cells cells = {
        .inputs = {cell->x, cell->y, cell->z},
        .offsets = offsets,
        .step = tiles->inner->stride[OPERAND_X],
        .count = (int)width,
    };
    for (int64_t done = 0; done < n; done += STEPS) {
        int64_t steps = n - done < STEPS ? n - done : STEPS;
        find_offsets(tiles->job->reduction, first + done, steps, offsets);
        kernels->run_cells(tiles->op, lanes, &cells, (int)done, (int)steps, first + done);
    }
    kernels->close_cells(tiles->op, lanes, (int)n, (int)width);
}

/* The same of cells of one leaf, each contiguous: one after the other, with the total of each where it would be then.
 */
static void run_apart(const struct tiles *tiles, const struct cell *cell, int64_t width, char *lanes, char *totals)
{
    const struct user_kernels *kernels = user_kernels(tiles->op);
    unsigned char has[USER_LANES];
    struct user_run run = {.inputs = {cell->x, cell->y, cell->z}, .n = tiles->job->reduction->length};
    for (int64_t c = 0; c < width; c++) {
        memset(has, 0, sizeof has);
        kernels->run(tiles->op, lanes, has, 0, &run);
        kernels->close(tiles->op, lanes, has);
        memcpy(totals + kernels->state_bytes * (size_t)c, lanes, kernels->state_bytes);
        for (int32_t i = 0; i < tiles->op->input_count; i++)
            run.inputs[i] = (const char *)run.inputs[i] +
                            tiles->inner->stride[OPERAND_X] * (int64_t)type_row(tiles->op->inputs[i])->size;
    }
}

static struct state *state_of(const struct tiles *tiles, int64_t place, int64_t c)
{
    return (struct state *)(void *)(tiles->states + tiles->state_bytes * (size_t)(place * tiles->width + c));
}

/* ---- tasks ---- */

static void record_failure(struct worker *worker, tally_status status)
{
    worker->status = status;
    snprintf(worker->error, sizeof worker->error, "%s", tally_last_error());
}

static char *result_of(const struct tiles *tiles, int64_t cell)
{
    const struct reduction *reduction = tiles->job->reduction;
    return (char *)reduction->out +
           leaf_cell(reduction, cell).out * (int64_t)type_row(reduction->calculation.result)->size;
}

/* A tile of cells of one leaf: their totals are their results' states. */
static void short_task(void *argument, int64_t tile, int number)
{
    const struct tiles *tiles = argument;
    const struct reduction *reduction = tiles->job->reduction;
    struct worker *worker = &tiles->job->worker[number];
    char *lanes = tiles->lanes + tiles->lanes_bytes * (size_t)number;
    struct cell cell = leaf_cell(reduction, tile_cell(tiles, tile));
    int64_t width = tile_width(tiles, tile), size = type_row(reduction->calculation.result)->size;
    size_t bytes = user_kernels(tiles->op)->state_bytes;
    char *out = result_of(tiles, tile_cell(tiles, tile));
    if (worker->status != TALLY_OK) return;
    char *totals = lanes;
    if (tiles->inner->stride[OPERAND_X] != 1 && reduction->length > SHORT_CELL) {
        totals = lanes + bytes * USER_LANES;
        run_apart(tiles, &cell, width, lanes, totals);
    } else {
        run_leaf(tiles, &cell, width, 0, reduction->length, lanes);
    }
    for (int64_t c = 0; c < width; c++) {
        tally_status status = user_total_finish(&reduction->calculation, totals + bytes * (size_t)c, reduction->length,
                                                out, reduction->step * size);
        if (status != TALLY_OK) record_failure(worker, status);
        out += tiles->inner->stride[OPERAND_OUT] * size;
    }
}

static void stretch_task(void *argument, int64_t place, int number)
{
    const struct tiles *tiles = argument;
    const struct reduction *reduction = tiles->job->reduction;
    char *lanes = tiles->lanes + tiles->lanes_bytes * (size_t)number;
    struct cell cell = leaf_cell(reduction, tile_cell(tiles, place / tiles->stretches));
    int64_t width = tile_width(tiles, place / tiles->stretches);
    int64_t first = place % tiles->stretches * tiles->stretch_leaves * USER_LEAF;
    int64_t end = first + tiles->stretch_leaves * USER_LEAF;
    if (end > reduction->length) end = reduction->length;
    for (int64_t c = 0; c < width; c++) state_open(&reduction->calculation, state_of(tiles, place, c), first);
    for (; first < end; first += USER_LEAF) {
        int64_t n = end - first < USER_LEAF ? end - first : USER_LEAF;
        run_leaf(tiles, &cell, width, first, n, lanes);
        for (int64_t c = 0; c < width; c++)
            user_state_add_leaf(tiles->op, state_of(tiles, place, c),
                                lanes + user_kernels(tiles->op)->state_bytes * (size_t)c, n);
    }
}

/* The states of a tile's stretches become those of its cells. */
static void finish_task(void *argument, int64_t tile, int number)
{
    const struct tiles *tiles = argument;
    const struct job *job = tiles->job;
    struct worker *worker = &job->worker[number];
    for (int64_t c = 0; c < tile_width(tiles, tile) && worker->status == TALLY_OK; c++) {
        struct state *state = state_of(tiles, tile * tiles->stretches, c);
        for (int64_t s = 1; s < tiles->stretches; s++)
            state_merge(&job->calculations[0], state, state_of(tiles, tile * tiles->stretches + s, c));
        tally_status status =
            job_finish(job->reduction, state, leaf_cell(job->reduction, tile_cell(tiles, tile) + c).out);
        if (status != TALLY_OK) record_failure(worker, status);
    }
}

/* ---- the whole ---- */

/* Few tiles of long cells are cut along the cells, to give every worker a share. */
static void cut(struct tiles *tiles, int64_t count, int workers)
{
    int64_t wanted = workers > 1 && count < 4 * workers ? (8 * workers + count - 1) / count : 1;
    tiles->leaves = (tiles->job->reduction->length + USER_LEAF - 1) / USER_LEAF;
    if (wanted > tiles->leaves) wanted = tiles->leaves;
    tiles->stretch_leaves = (tiles->leaves + wanted - 1) / wanted;
    tiles->stretches = (tiles->leaves + tiles->stretch_leaves - 1) / tiles->stretch_leaves;
}

static tally_status run_long(struct tiles *tiles, int64_t count)
{
    struct job *job = tiles->job;
    size_t bytes = tiles->state_bytes * (size_t)(count * tiles->stretches * tiles->width);
    tiles->states = context_allocate(job->context, bytes);
    if (!tiles->states) return TALLY_OUT_OF_MEMORY;
    job_run(job, count * tiles->stretches, stretch_task, tiles);
    job_run(job, count, finish_task, tiles);
    context_release(job->context, tiles->states, bytes);
    return job_status(job);
}

tally_status cells_user_reduce(struct job *job)
{
    const struct reduction *reduction = job->reduction;
    struct tiles tiles = {.job = job, .op = job->calculations[0].user};
    size_t bytes = user_kernels(tiles.op)->state_bytes;
    tiles.inner = &reduction->kept[reduction->kept_count - 1];
    tiles.width = TILE_STATES / (int64_t)bytes;
    if (tiles.width > CELLS_MOST) tiles.width = CELLS_MOST;
    if (tiles.width < CELLS_LEAST) tiles.width = CELLS_LEAST;
    if (tiles.width > tiles.inner->extent) tiles.width = tiles.inner->extent;
    tiles.per_inner = (tiles.inner->extent + tiles.width - 1) / tiles.width;
    tiles.state_bytes = state_size(&job->calculations[0]);
    int64_t count = reduction->cells / tiles.inner->extent * tiles.per_inner;
    cut(&tiles, count, job->workers);
    tiles.lanes_bytes = (bytes * (size_t)((USER_LANES + 1) * tiles.width) + 63) / 64 * 64;
    size_t lanes = tiles.lanes_bytes * (size_t)job->workers;
    tiles.lanes = context_allocate(job->context, lanes);
    if (!tiles.lanes) return TALLY_OUT_OF_MEMORY;
    tally_status status = TALLY_OK;
    if (tiles.leaves == 1) {
        job_run(job, count, short_task, &tiles);
        status = job_status(job);
    } else {
        status = run_long(&tiles, count);
    }
    context_release(job->context, tiles.lanes, lanes);
    return status;
}
