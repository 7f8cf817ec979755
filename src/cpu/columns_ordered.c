/* SPDX-License-Identifier: MIT
 *
 * columns_ordered.c - ordered reductions in tiles of cells: every step of the fixed-shape tree is taken for all columns
 * of a tile at once. */
#include "columns_ordered.h"
#include "scan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Cells up to this length are turned into columns while they are read; of sums of powers, which take longer to close,
 * longer ones. */
#define SHORT_CELL 64
#define SHORT_POWERS 512
/* Columns of longer cells, at least, where a row is no neighbour of the next. */
#define VIEW_LEAST 4
/* Columns of a tile, at least, where there are more: tiles are shared out. */
#define TILE_LEAST 32
/* A tile's columns are a multiple of this, or all that there are. */
#define TILE_UNIT 16
/* Of totals of leaves at once: longer cells, whose ends take no time, go one by one. */
#define TOTALS_MOST ((int64_t)64 << 20)

struct tiles {
    struct job *job;
    const struct fold_kernels *kernels;
    const struct fold_steps *steps;
    const struct loop *inner; /* the kept loop that tiles are cut from */
    const struct loop *run;   /* the innermost reduced loop */
    int64_t width, per_inner; /* columns of a tile, tiles along the inner loop */
    int64_t count, leaves;
    int64_t first;  /* tile of those that go at once */
    double *totals; /* of these, [tile][leaf], where a cell has several leaves: [part][column], the tile's */
};

static int is_second(const struct calculation *calculation)
{
    return (calculation->op->flags & OP_SECOND) != 0;
}

int columns_ordered_apply(const struct job *job)
{
    const struct reduction *reduction = job->reduction;
    const struct calculation *calculation = &job->calculations[0];
    if (job->count != 1 || calculation->method != METHOD_FOLD || !calculation->ordered) return 0;
    if (!reduction->out || reduction->where || calculation->flags & TALLY_SKIP_NAN) return 0;
    if (reduction->length == 0 || reduction->kept_count == 0 || reduction->reduced_count == 0) return 0;
    if (reduction->length / TREE_LEAF > TOTALS_MOST / (int64_t)sizeof(double) / FOLD_PARTS / TILE_UNIT) return 0;
    const struct loop *inner = &reduction->kept[reduction->kept_count - 1];
    const struct loop *run = &reduction->reduced[reduction->reduced_count - 1];
    const int64_t columns = inner->extent;
    int beside = inner->stride[OPERAND_X] == 1, whole = run->stride[OPERAND_X] == columns;
    if (is_second(calculation)) {
        beside &= inner->stride[OPERAND_Y] == 1;
        whole &= run->stride[OPERAND_Y] == columns;
    }
    const int is_short = reduction->length <= (calculation->combine == COMBINE_ADD_POWERS ? SHORT_POWERS : SHORT_CELL);
    if (beside) return columns >= (whole || is_short ? 2 : VIEW_LEAST);
    return is_short && columns > 1 && reduction->reduced_count == 1;
}

/* ---- one leaf of one tile ---- */

static int64_t tile_columns(const struct tiles *tiles, int64_t tile)
{
    int64_t left = tiles->inner->extent - tile % tiles->per_inner * tiles->width;
    return left < tiles->width ? left : tiles->width;
}

static int64_t tile_cell(const struct tiles *tiles, int64_t tile)
{
    return tile / tiles->per_inner * tiles->inner->extent + tile % tiles->per_inner * tiles->width;
}

/* Elements [first, first + n) of a tile's cells to their lanes. */
static int run_rows(const struct tiles *tiles, const struct cell *cell, int64_t columns, int64_t first, int64_t n,
                    struct tile_lanes *lanes)
{
    const struct reduction *reduction = tiles->job->reduction;
    const struct loop *run = tiles->run, *inner = tiles->inner;
    const int64_t size = type_row(reduction->calculation.type)->size;
    struct tile_rows rows = {
        .x_strides = {run->stride[OPERAND_X], inner->stride[OPERAND_X]},
        .y_strides = {run->stride[OPERAND_Y], inner->stride[OPERAND_Y]},
        .columns = columns,
    };
    int near = 1;
    for (int64_t done = 0; done < n && near; done += rows.rows) {
        int64_t rest = (first + done) / run->extent, begin = (first + done) % run->extent;
        int64_t x = begin * run->stride[OPERAND_X], y = begin * run->stride[OPERAND_Y];
        for (int32_t d = reduction->reduced_count - 2; d >= 0; d--) {
            x += rest % reduction->reduced[d].extent * reduction->reduced[d].stride[OPERAND_X];
            y += rest % reduction->reduced[d].extent * reduction->reduced[d].stride[OPERAND_Y];
            rest /= reduction->reduced[d].extent;
        }
        rows.x = cell->x + x * size;
        rows.y = is_second(&reduction->calculation) ? cell->y + y * size : NULL;
        rows.rows = run->extent - begin < n - done ? run->extent - begin : n - done;
        near = tiles->kernels->tile_run(lanes, (size_t)done, &rows);
    }
    return near;
}

static void run_leaf(const struct tiles *tiles, int64_t tile, int64_t leaf, struct tile_lanes *lanes, double *totals)
{
    const struct reduction *reduction = tiles->job->reduction;
    const struct cell cell = leaf_cell(reduction, tile_cell(tiles, tile));
    const int64_t columns = tile_columns(tiles, tile), first = leaf * TREE_LEAF, left = reduction->length - first;
    const int64_t n = left < TREE_LEAF ? left : TREE_LEAF;
    tiles->kernels->tile_open(lanes, n, columns, cell.x);
    if (!run_rows(tiles, &cell, columns, first, n, lanes)) {
        tiles->kernels->tile_open(lanes, n, columns, NULL);
        run_rows(tiles, &cell, columns, first, n, lanes);
    }
    tiles->kernels->tile_close(lanes, n, columns, totals);
}

/* ---- results ---- */

/* The parts of the results in place of the totals', before they are converted. */
static void finish_parts(const struct tiles *tiles, int64_t columns, double *totals)
{
    const struct calculation *calculation = &tiles->job->calculations[0];
    const enum finish finish = calculation->op->finish;
    const double n = (double)tiles->job->reduction->length, rest = n - calculation->correction;
    const int64_t count = columns * (type_row(calculation->result)->kind == KIND_COMPLEX ? 2 : 1);
    if (tiles->kernels->tile_logarithms) tiles->kernels->tile_logarithms(totals, columns);
    for (int64_t i = 0; i < columns && calculation->op->lift == LIFT_MOMENTS; i++)
        totals[i] = rest > 0 ? totals[2 * columns + i] / rest : (double)NAN;
    for (int64_t i = 0; i < count && finish == FINISH_MEAN; i++) totals[i] /= n;
    for (int64_t i = 0; i < count && (finish == FINISH_ROOT || finish == FINISH_DEVIATION); i++)
        totals[i] = sqrt(totals[i]);
}

static void finish_totals(const struct tiles *tiles, int64_t columns, double *totals, char *out)
{
    const struct calculation *calculation = &tiles->job->calculations[0];
    const struct cpu_device *device = tiles->job->context->device;
    const int64_t step = tiles->inner->stride[OPERAND_OUT];
    const int parts = type_row(calculation->result)->kind == KIND_COMPLEX ? 2 : 1;
    const int size = type_row(calculation->result)->size;
    _Alignas(64) char room[COLUMNS_MOST * 16];
    char *to = step == 1 ? out : room;
    finish_parts(tiles, columns, totals);
    for (int p = 0; p < parts; p++)
        device->isa->scan_kernels->store_real(totals + p * columns, (size_t)columns, calculation->result, parts, 0,
                                              to + p * size / 2);
    if (step != 1) scan_copy_strided(out, step, to, 1, (size_t)columns, size);
}

static struct fold_value column_total(const struct tiles *tiles, const double *totals, int64_t columns, int64_t column)
{
    struct fold_value value = {{{0}}};
    for (int p = 0; p < tiles->steps->parts; p++) value.part[p].real = totals[p * columns + column];
    return value;
}

/* One column with an initial value, which states know how to take. */
static tally_status finish_state(const struct tiles *tiles, struct state *state, struct fold_value total, int64_t out)
{
    state_open(&tiles->job->calculations[0], state, 0);
    state->count = tiles->job->reduction->length;
    tree_push(tiles->steps, &state->as.tree, 0, 0, &total);
    return job_finish(tiles->job->reduction, state, out);
}

static void finish_tile(const struct tiles *tiles, struct worker *worker, int64_t tile, double *totals)
{
    const struct reduction *reduction = tiles->job->reduction;
    const int64_t columns = tile_columns(tiles, tile), size = type_row(reduction->calculation.result)->size;
    const struct cell cell = leaf_cell(reduction, tile_cell(tiles, tile));
    if (!reduction->calculation.initial) {
        finish_totals(tiles, columns, totals, (char *)reduction->out + cell.out * size);
        return;
    }
    for (int64_t c = 0; c < columns && worker->status == TALLY_OK; c++) {
        const int64_t out = cell.out + c * tiles->inner->stride[OPERAND_OUT];
        worker->status = finish_state(tiles, worker->states[0], column_total(tiles, totals, columns, c), out);
        if (worker->status != TALLY_OK) snprintf(worker->error, sizeof worker->error, "%s", tally_last_error());
    }
}

/* ---- tasks ---- */

static void tile_task(void *argument, int64_t index, int number)
{
    const struct tiles *tiles = argument;
    struct worker *worker = &tiles->job->worker[number];
    double totals[FOLD_PARTS * COLUMNS_MOST];
    run_leaf(tiles, index, 0, &worker->scratch->tile, totals);
    finish_tile(tiles, worker, index, totals);
}

static double *leaf_totals(const struct tiles *tiles, int64_t tile, int64_t leaf)
{
    return tiles->totals + ((tile - tiles->first) * tiles->leaves + leaf) * tiles->steps->parts * tiles->width;
}

static void leaf_task(void *argument, int64_t index, int number)
{
    const struct tiles *tiles = argument;
    const int64_t tile = tiles->first + index / tiles->leaves, leaf = index % tiles->leaves;
    run_leaf(tiles, tile, leaf, &tiles->job->worker[number].scratch->tile, leaf_totals(tiles, tile, leaf));
}

static void join_leaves(const struct tiles *tiles, int64_t columns, double *left, const double *right)
{
    for (int64_t c = 0; c < columns; c++) {
        struct fold_value a = column_total(tiles, left, columns, c), b = column_total(tiles, right, columns, c);
        tiles->steps->combine(&a, &b);
        for (int p = 0; p < tiles->steps->parts; p++) left[p * columns + c] = a.part[p].real;
    }
}

/* Joins a tile's leaves: neighbours at each level, while one that has none rises. */
static void tree_task(void *argument, int64_t index, int number)
{
    const struct tiles *tiles = argument;
    const int64_t tile = tiles->first + index;
    for (int64_t step = 1; step < tiles->leaves; step *= 2) {
        for (int64_t leaf = 0; leaf + step < tiles->leaves; leaf += 2 * step)
            join_leaves(tiles, tile_columns(tiles, tile), leaf_totals(tiles, tile, leaf),
                        leaf_totals(tiles, tile, leaf + step));
    }
    finish_tile(tiles, &tiles->job->worker[number], tile, leaf_totals(tiles, tile, 0));
}

/* As many columns as have room for their lanes, and no more than leaves every worker a share. */
static int64_t tile_width(const struct tiles *tiles)
{
    const struct reduction *reduction = tiles->job->reduction;
    const int64_t lanes = reduction->length < TREE_LANES ? reduction->length : TREE_LANES;
    const int64_t columns = tiles->inner->extent;
    int64_t most = TILE_LANES_BYTES / (int64_t)tiles->steps->lane_size / tiles->steps->parts / lanes;
    if (most > COLUMNS_MOST) most = COLUMNS_MOST;
    while (tiles->job->workers > 1 && most > TILE_LEAST &&
           reduction->cells / columns * ((columns + most - 1) / most) * tiles->leaves < 4 * tiles->job->workers)
        most /= 2;
    const int64_t count = (columns + most - 1) / most, even = (columns + count - 1) / count;
    const int64_t rounded = (even + TILE_UNIT - 1) / TILE_UNIT * TILE_UNIT;
    return rounded < most ? rounded : most;
}

tally_status columns_ordered_reduce(struct job *job)
{
    const struct reduction *reduction = job->reduction;
    const struct calculation *calculation = &job->calculations[0];
    struct tiles tiles = {.job = job};
    tiles.kernels = job->kernels->fold[calculation->op->lift][calculation->combine][calculation->type];
    tiles.steps = fold_steps(calculation->op->lift, calculation->combine, calculation->type);
    tiles.inner = &reduction->kept[reduction->kept_count - 1];
    tiles.run = &reduction->reduced[reduction->reduced_count - 1];
    tiles.leaves = (reduction->length + TREE_LEAF - 1) / TREE_LEAF;
    tiles.width = tile_width(&tiles);
    tiles.per_inner = (tiles.inner->extent + tiles.width - 1) / tiles.width;
    tiles.count = reduction->cells / tiles.inner->extent * tiles.per_inner;
    if (tiles.leaves == 1) {
        job_run(job, tiles.count, tile_task, &tiles);
        return job_status(job);
    }
    const int64_t tile_bytes = (int64_t)sizeof(double) * tiles.leaves * tiles.steps->parts * tiles.width;
    int64_t at_once = TOTALS_MOST / tile_bytes;
    if (at_once < 1) at_once = 1;
    if (at_once > tiles.count) at_once = tiles.count;
    tiles.totals = context_allocate(job->context, (size_t)(at_once * tile_bytes));
    if (!tiles.totals) return TALLY_OUT_OF_MEMORY;
    for (; tiles.first < tiles.count && job_status(job) == TALLY_OK; tiles.first += at_once) {
        const int64_t left = tiles.count - tiles.first, now = left < at_once ? left : at_once;
        job_run(job, now * tiles.leaves, leaf_task, &tiles);
        job_run(job, now, tree_task, &tiles);
    }
    context_release(job->context, tiles.totals, (size_t)(at_once * tile_bytes));
    return job_status(job);
}
