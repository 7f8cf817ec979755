/* SPDX-License-Identifier: MIT
 *
 * columns.c - reductions in tiles of cells: columns read row by row, and short rows side by side. */
#include "columns.h"
#include "../convert.h"
#include "../narrow.h"
#include "near.h"
#include "scan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Rows up to this length are turned into columns while they are read; of places, which take more steps, shorter ones.
 */
#define NARROW_ROW 256
#define NARROW_PLACES 64
#define PLACES_ABREAST 8 /* columns that are worth it */

/* What a tile's rows, or a stretch of them, gave. Exact sums of rows side by side stay apart: column c has the pairs c,
 * c + columns, c + 2 columns, ... */
struct tile_result {
    int64_t abreast;
    struct fold_value values[COLUMNS_MOST];
    struct exact_columns sums;
    struct best_columns best; /* rows counted from the stretch's first one */
};

struct tiles {
    struct job *job;
    const struct loop *inner; /* the kept loop that tiles are cut from */
    const struct loop *run;   /* the innermost reduced loop */
    int64_t per_inner;        /* tiles along the inner loop */
    int64_t count;
    int64_t stretches; /* tasks along the run of a tile */
    int64_t stretch_rows;
    struct tile_result *results; /* [tile * stretches + stretch] when there are several */
};

int columns_apply(const struct job *job)
{
    const struct reduction *reduction = job->reduction;
    const struct calculation *calculation = &job->calculations[0];
    if (job->count != 1 || !reduction->out || reduction->where || calculation->flags & TALLY_SKIP_NAN) return 0;
    if (reduction->length == 0 || reduction->kept_count == 0 || reduction->reduced_count == 0) return 0;
    int fold = calculation->method == METHOD_FOLD && !calculation->ordered && calculation->op->lift != LIFT_PRODUCT;
    int exact = calculation->method == METHOD_EXACT &&
                job->kernels->exact_columns[calculation->op->lift][calculation->type] != NULL;
    int arg = calculation->method == METHOD_ARG && reduction->length <= INT32_MAX;
    if (!fold && !exact && !arg) return 0;
    const struct loop *inner = &reduction->kept[reduction->kept_count - 1];
    int side_by_side = inner->stride[OPERAND_X] == 1 && inner->extent >= (arg ? PLACES_ABREAST : 2);
    return side_by_side || (reduction->reduced_count == 1 && reduction->length <= (arg ? NARROW_PLACES : NARROW_ROW));
}

/* ---- one tile ---- */

static int64_t tile_columns(const struct tiles *tiles, int64_t tile)
{
    int64_t first = tile % tiles->per_inner * COLUMNS_MOST;
    return tiles->inner->extent - first < COLUMNS_MOST ? tiles->inner->extent - first : COLUMNS_MOST;
}

static int64_t tile_cell(const struct tiles *tiles, int64_t tile)
{
    return tile / tiles->per_inner * tiles->inner->extent + tile % tiles->per_inner * COLUMNS_MOST;
}

/* Several rows side by side, when a tile is as wide as the array and narrow. Returns how many rows make one. */
static int64_t rows_abreast(const struct tiles *tiles, const struct column_strides *strides, int64_t columns)
{
    int whole = strides->column == 1 && strides->row == columns && columns <= COLUMNS_MOST / 2;
    return whole && tiles->job->reduction->reduced_count == 1 ? COLUMNS_MOST / columns : 1;
}

static void exact_rows(const struct tiles *tiles, const char *x, struct column_strides strides, int64_t rows,
                       int64_t columns, struct tile_result *result)
{
    const struct calculation *calculation = &tiles->job->calculations[0];
    exact_columns_kernel *kernel = tiles->job->kernels->exact_columns[calculation->op->lift][calculation->type];
    result->abreast = rows_abreast(tiles, &strides, columns);
    int64_t left = rows % result->abreast;
    struct column_strides wide = {strides.row * result->abreast, strides.column};
    kernel(&result->sums, x, &wide, rows / result->abreast, columns * result->abreast);
    x += (rows - left) * strides.row * type_row(calculation->type)->size;
    kernel(&result->sums, x, &strides, left, columns);
}

/* fresh: the values are written; otherwise they go on. */
static void fold_rows(const struct tiles *tiles, const char *x, struct column_strides strides, int64_t rows,
                      int64_t columns, int fresh, struct fold_value *values)
{
    const struct calculation *calculation = &tiles->job->calculations[0];
    const struct fold_kernels *kernels =
        tiles->job->kernels->fold[calculation->op->lift][calculation->combine][calculation->type];
    struct fold_value part[COLUMNS_MOST];
    int64_t abreast = rows_abreast(tiles, &strides, columns), left = rows % abreast;
    struct column_strides wide = {strides.row * abreast, strides.column};
    struct fold_value *to = fresh && abreast == 1 ? values : part;
    kernels->columns(x, &wide, rows / abreast, columns * abreast, to, calculation->modulus);
    if (to == values) return;
    if (fresh) memcpy(values, part, sizeof *values * (size_t)columns);
    for (int64_t c = fresh ? columns : 0; c < columns * abreast; c++)
        fold_combine(calculation, &values[c % columns], &part[c]);
    if (left == 0) return;
    x += (rows - left) * strides.row * type_row(calculation->type)->size;
    kernels->columns(x, &strides, left, columns, part, calculation->modulus);
    for (int64_t c = 0; c < columns; c++) fold_combine(calculation, &values[c], &part[c]);
}

/* Elements [first, end) of the run, for each index of the outer reduced loops. */
static void tile_run(const struct tiles *tiles, int64_t tile, int64_t first, int64_t end, struct tile_result *result)
{
    const struct reduction *reduction = tiles->job->reduction;
    const struct calculation *calculation = &tiles->job->calculations[0];
    struct column_strides strides = {tiles->run->stride[OPERAND_X], tiles->inner->stride[OPERAND_X]};
    int64_t columns = tile_columns(tiles, tile), size = type_row(calculation->type)->size;
    struct cell cell = leaf_cell(reduction, tile_cell(tiles, tile));
    if (calculation->method == METHOD_EXACT) memset(&result->sums, 0, sizeof result->sums);
    int64_t outer = reduction->length / tiles->run->extent;
    for (int64_t i = 0; i < outer; i++) {
        int64_t rest = i, offset = first * strides.row;
        for (int32_t d = reduction->reduced_count - 2; d >= 0; d--) {
            offset += rest % reduction->reduced[d].extent * reduction->reduced[d].stride[OPERAND_X];
            rest /= reduction->reduced[d].extent;
        }
        const char *x = cell.x + offset * size;
        if (calculation->method == METHOD_EXACT) exact_rows(tiles, x, strides, end - first, columns, result);
        else if (calculation->method == METHOD_ARG)
            tiles->job->kernels->best_columns[calculation->type](&result->best, x, &strides,
                                                                 (int32_t)(i * (end - first)), end - first, columns,
                                                                 calculation->combine == COMBINE_ARGMAX);
        else fold_rows(tiles, x, strides, end - first, columns, i == 0, result->values);
    }
}

/* ---- results ---- */

/* One column of a tile, and where its result goes. */
struct column {
    const struct tiles *tiles;
    struct worker *worker;
    const struct tile_result *results;
    int64_t tile;
    int64_t index;
    struct cell cell;
    char *out;
};

/* Adds a column's pairs to the state, and what they are off to *off; 0, with nothing added, when that is too much. */
static int add_pairs(const struct column *column, const struct tile_result *result, struct state *state, double *off)
{
    int64_t columns = tile_columns(column->tiles, column->tile), end = columns * result->abreast;
    double lost = 0;
    for (int64_t i = column->index; i < end; i += columns) lost += result->sums.off[i];
    if (!isfinite(lost) || (lost != 0 && !column->tiles->job->near)) return 0;
    for (int64_t i = column->index; i < end; i += columns) {
        exact_add_double_bits(&state->as.exact[0], double_bits(result->sums.high[i]));
        exact_add_double_bits(&state->as.exact[0], double_bits(result->sums.low[i]));
    }
    *off += lost;
    return 1;
}

/* All stretches of a column through its state. */
static tally_status finish_exact_column(const struct column *column)
{
    const struct tiles *tiles = column->tiles;
    const struct job *job = tiles->job;
    struct state *state = column->worker->states[0];
    struct exact_near near[NEAR_SUMS] = {{0, 0, 0}};
    state_open(&job->calculations[0], state, 0);
    for (int64_t s = 0; s < tiles->stretches; s++) {
        int64_t first = s * tiles->stretch_rows, end = first + tiles->stretch_rows;
        if (end > tiles->run->extent) end = tiles->run->extent;
        if (tiles->stretches == 1) end = job->reduction->length;
        if (add_pairs(column, &column->results[s], state, &near[0].off)) state->count += end - first;
        else job_append(job, column->worker->scratch, &column->cell, first, end, column->worker->states);
    }
    if (near[0].off == 0) return job_finish(job->reduction, state, column->cell.out);
    near[0].off *= 1 + 0x1p-10; /* its parts were rounded */
    if (near_settles(job, state, near, column->cell.out)) return TALLY_OK;
    state_open(&job->calculations[0], state, 0);
    job_append(job, column->worker->scratch, &column->cell, 0, job->reduction->length, column->worker->states);
    return job_finish(job->reduction, state, column->cell.out);
}

static tally_status finish_fold_column(const struct column *column)
{
    const struct tiles *tiles = column->tiles;
    const struct calculation *calculation = &tiles->job->calculations[0];
    struct fold_value value = column->results[0].values[column->index];
    for (int64_t s = 1; s < tiles->stretches; s++)
        fold_combine(calculation, &value, &column->results[s].values[column->index]);
    if (!calculation->initial && fold_finish(calculation, &value, tiles->job->reduction->length, column->out))
        return TALLY_OK;
    struct state *state = column->worker->states[0];
    state->start = state->absent = 0;
    state->count = tiles->job->reduction->length;
    state->as.fold = value;
    return job_finish(tiles->job->reduction, state, column->cell.out);
}

/* Whether results are first parts of values, converted. */
static int is_plain_value(const struct calculation *calculation)
{
    const enum combine combine = calculation->combine;
    const int extreme = combine == COMBINE_MINIMUM || combine == COMBINE_MAXIMUM;
    if (calculation->method != METHOD_FOLD || calculation->initial || calculation->modulus.p) return 0;
    if (calculation->op->finish != FINISH_TOTAL || type_row(calculation->result)->kind == KIND_COMPLEX) return 0;
    if (calculation->op->lift == LIFT_VALUE && type_row(calculation->type)->kind & KIND_FLOAT)
        return extreme && type_row(calculation->type)->kind == KIND_REAL;
    if (calculation->op->lift != LIFT_VALUE && calculation->op->lift != LIFT_NONZERO) return 0;
    return extreme || combine == COMBINE_ADD || combine == COMBINE_AND || combine == COMBINE_OR;
}

/* All results of a tile of such values. */
static void finish_plain_tile(const struct tiles *tiles, const struct tile_result *result, const struct column *first)
{
    const struct calculation *calculation = &tiles->job->calculations[0];
    const struct cpu_device *device = tiles->job->context->device;
    const int64_t columns = tile_columns(tiles, first->tile), step = tiles->inner->stride[OPERAND_OUT];
    const int is_value = calculation->op->lift == LIFT_VALUE, size = type_row(calculation->result)->size;
    _Alignas(64) char room[COLUMNS_MOST * 8];
    char *out = step == 1 ? first->out : room;
    if (is_value && type_row(calculation->type)->kind == KIND_REAL) {
        double values[COLUMNS_MOST];
        for (int64_t c = 0; c < columns; c++) values[c] = result->values[c].part[0].real;
        device->isa->scan_kernels->store_real(values, (size_t)columns, calculation->result, 1, 1, out);
    } else {
        const int is_signed = is_value && type_row(calculation->type)->kind == KIND_SIGNED;
        int64_t values[COLUMNS_MOST];
        for (int64_t c = 0; c < columns; c++) values[c] = result->values[c].part[0].integer;
        device->isa->scan_kernels->store_word(values, (size_t)columns, is_signed, calculation->result, out);
    }
    if (step != 1) scan_copy_strided(first->out, step, out, 1, (size_t)columns, size);
}

/* Whether sums are pairs that can be rounded as they are. */
static int is_rounded_pair(const struct tiles *tiles, const struct tile_result *result)
{
    const struct calculation *calculation = &tiles->job->calculations[0];
    return calculation->method == METHOD_EXACT && tiles->stretches == 1 && result->abreast == 1 &&
           calculation->op->finish == FINISH_TOTAL && !calculation->initial &&
           type_row(calculation->result)->kind == KIND_REAL;
}

/* Both ends of what the sums of a tile can be, rounded to odd where the result is narrower than a double. Whether they
 * may differ. */
static int pair_ends(const struct exact_columns *sums, int64_t columns, int to_double, double ends[2][COLUMNS_MOST])
{
    int near = 0;
    for (int64_t c = 0; c < columns; c++) {
        /* Sums of what is lost, and the ends, were rounded. */
        const double off = sums->off[c], reach = off == 0 ? 0 : off * (1 + 0x1p-10) + fabs(sums->low[c]) * 0x1p-52;
        for (int end = 0; end < 2; end++) {
            const double low = end ? sums->low[c] + reach : sums->low[c] - reach;
            ends[end][c] = to_double ? sums->high[c] + low : round_to_odd_sum(sums->high[c], low);
        }
        near |= off != 0;
    }
    return near;
}

/* All results of a tile of exact sums; columns whose ends differ, or are none, go through their states. */
static tally_status finish_pair_tile(const struct tiles *tiles, const struct tile_result *result, struct column *column)
{
    const struct calculation *calculation = &tiles->job->calculations[0];
    const struct cpu_device *device = tiles->job->context->device;
    const int64_t columns = tile_columns(tiles, column->tile), step = tiles->inner->stride[OPERAND_OUT];
    const int64_t size = type_row(calculation->result)->size;
    const struct cell first = column->cell;
    double ends[2][COLUMNS_MOST];
    _Alignas(64) char rounded[2][COLUMNS_MOST * 8];
    const int near = pair_ends(&result->sums, columns, calculation->result == TALLY_F64, ends);
    char *out = near || step != 1 ? rounded[0] : column->out;
    device->isa->scan_kernels->store_real(ends[0], (size_t)columns, calculation->result, 1, 1, out);
    if (near) device->isa->scan_kernels->store_real(ends[1], (size_t)columns, calculation->result, 1, 1, rounded[1]);
    if (out != column->out) scan_copy_strided(column->out, step, out, 1, (size_t)columns, (int)size);
    for (int64_t c = 0; near && c < columns; c++) {
        const double off = result->sums.off[c];
        if (off == 0) continue;
        if (tiles->job->near && isfinite(off) &&
            memcmp(rounded[0] + c * size, rounded[1] + c * size, (size_t)size) == 0)
            continue;
        column->index = c;
        column->cell = first;
        column->cell.out += c * step;
        column->cell.x += c * tiles->inner->stride[OPERAND_X] * type_row(calculation->type)->size;
        TRY(finish_exact_column(column));
    }
    return TALLY_OK;
}

/* The place of the best element; of equal ones in several stretches the first. */
static void finish_arg_column(const struct column *column)
{
    const struct tiles *tiles = column->tiles;
    const struct calculation *calculation = &tiles->job->calculations[0];
    const struct fold_steps *steps = fold_steps(LIFT_VALUE, COMBINE_MAXIMUM, calculation->type);
    int64_t size = type_row(calculation->type)->size, best = column->results[0].best.place[column->index];
    for (int64_t s = 1; s < tiles->stretches; s++) { /* then there is one reduced loop */
        int64_t place = s * tiles->stretch_rows + column->results[s].best.place[column->index];
        const int64_t row = tiles->run->stride[OPERAND_X] * size;
        struct fold_value value;
        steps->lift(&value, column->cell.x + place * row, column->cell.x + place * row);
        if (arg_improves(calculation, &value, column->cell.x + best * row)) best = place;
    }
    convert_integer((uint64_t)best, 1, calculation->result, column->out);
}

/* Whether it is a failure, which the worker then has. */
static int worker_take(struct worker *worker, tally_status status)
{
    if (status == TALLY_OK) return 0;
    worker->status = status;
    snprintf(worker->error, sizeof worker->error, "%s", tally_last_error());
    return 1;
}

static void finish_tile(const struct tiles *tiles, struct worker *worker, const struct tile_result *results,
                        int64_t tile)
{
    const struct calculation *calculation = &tiles->job->calculations[0];
    int64_t columns = tile_columns(tiles, tile);
    int64_t step = tiles->inner->stride[OPERAND_OUT] * type_row(calculation->result)->size;
    struct column column = {.tiles = tiles, .worker = worker, .results = results, .tile = tile};
    column.cell = leaf_cell(tiles->job->reduction, tile_cell(tiles, tile));
    column.out = (char *)tiles->job->reduction->out + column.cell.out * type_row(calculation->result)->size;
    if (tiles->stretches == 1 && is_plain_value(calculation)) {
        finish_plain_tile(tiles, results, &column);
        return;
    }
    if (is_rounded_pair(tiles, results)) {
        worker_take(worker, finish_pair_tile(tiles, results, &column));
        return;
    }
    for (; column.index < columns; column.index++) {
        tally_status status = TALLY_OK;
        if (calculation->method == METHOD_ARG) finish_arg_column(&column);
        else if (calculation->method == METHOD_EXACT) status = finish_exact_column(&column);
        else status = finish_fold_column(&column);
        if (worker_take(worker, status)) return;
        column.out += step;
        column.cell.out += tiles->inner->stride[OPERAND_OUT];
        column.cell.x += tiles->inner->stride[OPERAND_X] * type_row(calculation->type)->size;
    }
}

/* ---- tasks ---- */

static void tile_task(void *argument, int64_t index, int number)
{
    const struct tiles *tiles = argument;
    struct worker *worker = &tiles->job->worker[number];
    struct tile_result result;
    if (worker->status != TALLY_OK) return;
    tile_run(tiles, index, 0, tiles->run->extent, &result);
    finish_tile(tiles, worker, &result, index);
}

static void stretch_task(void *argument, int64_t index, int number)
{
    const struct tiles *tiles = argument;
    int64_t first = index % tiles->stretches * tiles->stretch_rows, end = first + tiles->stretch_rows;
    (void)number;
    if (end > tiles->run->extent) end = tiles->run->extent;
    tile_run(tiles, index / tiles->stretches, first, end, &tiles->results[index]);
}

/* Few tiles with long runs are cut along the run, to give every thread a share. */
static void cut(struct tiles *tiles, int threads)
{
    const struct reduction *reduction = tiles->job->reduction;
    int64_t wanted = tiles->count < 4 * threads && reduction->reduced_count == 1 ? 8 * threads / tiles->count : 1;
    int64_t most = tiles->run->extent * tiles->inner->extent / PARALLEL_ELEMENTS;
    tiles->stretches = wanted < most ? wanted : most;
    if (tiles->stretches < 1 || threads == 1) tiles->stretches = 1;
    tiles->stretch_rows = (tiles->run->extent + tiles->stretches - 1) / tiles->stretches;
    tiles->stretches = (tiles->run->extent + tiles->stretch_rows - 1) / tiles->stretch_rows;
}

tally_status columns_reduce(struct job *job)
{
    const struct reduction *reduction = job->reduction;
    struct tiles tiles = {.job = job};
    tiles.inner = &reduction->kept[reduction->kept_count - 1];
    tiles.run = &reduction->reduced[reduction->reduced_count - 1];
    tiles.per_inner = (tiles.inner->extent + COLUMNS_MOST - 1) / COLUMNS_MOST;
    tiles.count = reduction->cells / tiles.inner->extent * tiles.per_inner;
    cut(&tiles, job->workers);
    if (tiles.stretches == 1) {
        job_run(job, tiles.count, tile_task, &tiles);
        return job_status(job);
    }
    size_t bytes = sizeof(struct tile_result) * (size_t)(tiles.count * tiles.stretches);
    tiles.results = context_allocate(job->context, bytes);
    if (!tiles.results) return TALLY_OUT_OF_MEMORY;
    job_run(job, tiles.count * tiles.stretches, stretch_task, &tiles);
    for (int64_t t = 0; t < tiles.count; t++)
        finish_tile(&tiles, &job->worker[0], &tiles.results[t * tiles.stretches], t);
    context_release(job->context, tiles.results, bytes);
    return job_status(job);
}
