/* SPDX-License-Identifier: MIT
 *
 * scan_cells.c - scans whose cells lie side by side, or are short: a row of elements, one of each cell, after another,
 * so that memory is read in order and running values are vectors. */
#include "../narrow.h"
#include "device.h"
#include "scan.h"

#include <string.h>

/* Rows of a block: what is computed before it is written, and short cells are turned in. */
#define ROWS 32
/* Cells that are contiguous themselves go side by side up to this length; floats that would go by groups elsewhere,
 * which take longer than exact sums and integers do, up to the other. */
#define SHORT_CELL 48
#define SHORT_GROUPS 192
#define SAME_SETS 1024 /* bytes, and their multiples, that cells lie apart of which the cache holds few */
#define CELLS_LEAST 8
/* Fewer elements are not worth waking a thread for. */
#define PARALLEL_LEAST 65536
/* Cells of a tile whose numbers take the slow way; as scan.c's, so that they stay in the cache when they are turned. */
#define SLOW_CELLS 16

struct tiles {
    const struct scan *scan;
    const struct cpu_isa *isa;
    const struct scan_fold_kernels *fold; /* NULL: exact sums */
    int32_t dimension;                    /* the kept loop that tiles lie along */
    int64_t width, along, count;          /* cells of a tile, tiles along the dimension, all tiles */
    size_t state_bytes, worker_bytes;
    char *workers; /* memory of each: what the slow way needs */
};

/* The cells of a tile between two blocks, and a block's elements and results where they cannot stay in place. */
struct block {
    _Alignas(64) union {
        double real[SCAN_CELLS];
        int64_t word[SCAN_CELLS];
    } running, values;
    struct scan_pairs pairs;
    struct scan_ordered ordered;
    _Alignas(64) double loaded[SCAN_CELLS];
    _Alignas(64) char x[ROWS * SCAN_CELLS * 8], out[ROWS * SCAN_CELLS * 8];
};

/* ---- where it applies ---- */

static const struct scan_fold_kernels *kernels_of(const struct scan *scan, const struct cpu_isa *isa)
{
    const struct calculation *calculation = &scan->calculation;
    const struct scan_fold_kernels *fold =
        isa->scan_kernels->fold[calculation->op->lift][calculation->combine][calculation->type];
    if (calculation->method != METHOD_FOLD || !fold) return NULL;
    if (!calculation->ordered) return fold->cells ? fold : NULL;
    if (!fold->ordered || scan->axis.extent > SCAN_GROUP) return NULL;
    return type_row(calculation->result)->kind == KIND_REAL ? fold : NULL;
}

static int is_exact(const struct calculation *calculation)
{
    return calculation->method == METHOD_EXACT && type_row(calculation->type)->kind == KIND_REAL &&
           type_row(calculation->result)->kind == KIND_REAL;
}

/* The longest axis that goes side by side though cells are contiguous themselves. */
static int64_t longest_of(const struct scan *scan, const struct scan_fold_kernels *fold)
{
    const struct type_row *type = type_row(scan->calculation.type);
    if (!fold || !fold->group || type->kind != KIND_REAL || scan->kept_count < 1) return SHORT_CELL;
    int64_t apart = scan->kept[scan->kept_count - 1].stride[OPERAND_X] * type->size;
    return apart % SAME_SETS == 0 ? SHORT_CELL : SHORT_GROUPS;
}

/* The kept loop with the smallest stride, when cells lie closer than elements of one; else the last, of short cells. */
static int32_t choose_dimension(const struct scan *scan, const struct scan_fold_kernels *fold)
{
    const int64_t axis = scan->axis.stride[OPERAND_X];
    int64_t smallest = axis < 0 ? -axis : axis;
    int32_t chosen = -1;
    for (int32_t d = 0; d < scan->kept_count; d++) {
        int64_t stride = scan->kept[d].stride[OPERAND_X];
        if (stride < 0) stride = -stride;
        if (stride == 0 || stride >= smallest || scan->kept[d].extent < 2) continue;
        smallest = stride;
        chosen = d;
    }
    if (chosen < 0 && scan->axis.extent <= longest_of(scan, fold)) chosen = scan->kept_count - 1;
    return chosen;
}

static int choose(struct tiles *tiles, int threads)
{
    const struct scan *scan = tiles->scan;
    const struct calculation *calculation = &scan->calculation;
    if (scan->states || scan->where || calculation->user || calculation->initial || scan->axis.extent < 1) return 0;
    if (calculation->flags & (TALLY_SKIP_NAN | TALLY_CHECK_OVERFLOW)) return 0;
    if (type_row(calculation->type)->size > 8 || type_row(calculation->result)->size > 8) return 0;
    tiles->fold = kernels_of(scan, tiles->isa);
    if (!tiles->fold && !is_exact(calculation)) return 0;
    tiles->dimension = choose_dimension(scan, tiles->fold);
    if (tiles->dimension < 0 || scan->kept[tiles->dimension].extent < CELLS_LEAST) return 0;
    const int64_t extent = scan->kept[tiles->dimension].extent, others = scan->cells / extent;
    /* Enough tiles for every thread; few and long cells are cut along the axis elsewhere. */
    for (tiles->width = SCAN_CELLS; tiles->width >= CELLS_LEAST; tiles->width /= 2) {
        tiles->along = (extent + tiles->width - 1) / tiles->width;
        tiles->count = others * tiles->along;
        if (threads == 1 || tiles->count >= 2 * threads) return 1;
    }
    return 0;
}

/* ---- tiles ---- */

static struct scan_tile tile_at(const struct tiles *tiles, int64_t index)
{
    const struct scan *scan = tiles->scan;
    const int64_t start = index % tiles->along * tiles->width;
    struct scan_tile tile = {.cells = tiles->width};
    int64_t rest = index / tiles->along;
    for (int32_t d = scan->kept_count - 1; d >= 0; d--) {
        const struct loop *loop = &scan->kept[d];
        int64_t at = start;
        if (d != tiles->dimension) {
            at = rest % loop->extent;
            rest /= loop->extent;
        } else {
            if (loop->extent - start < tile.cells) tile.cells = loop->extent - start;
            memcpy(tile.step, loop->stride, sizeof tile.step);
        }
        for (int o = 0; o < OPERAND_COUNT; o++) tile.offset[o] += at * loop->stride[o];
    }
    return tile;
}

static char *operand_at(const struct scan *scan, const struct scan_tile *tile, enum operand operand, int64_t row)
{
    const struct calculation *calculation = &scan->calculation;
    char *base = operand == OPERAND_X ? (char *)(uintptr_t)scan->x : scan->out;
    const int32_t size = type_row(operand == OPERAND_X ? calculation->type : calculation->result)->size;
    return base + (tile->offset[operand] + row * scan->axis.stride[operand]) * size;
}

/* ---- rows ---- */

static void fold_row(const struct tiles *tiles, struct block *block, const char *x, size_t cells, char *out)
{
    const struct calculation *calculation = &tiles->scan->calculation;
    const struct cpu_scan_kernels *kernels = tiles->isa->scan_kernels;
    const int exclusive = (calculation->flags & TALLY_EXCLUSIVE) != 0;
    tiles->fold->cells(&block->running, x, cells, exclusive, &block->values, calculation->modulus);
    if (type_row(calculation->type)->kind == KIND_REAL && calculation->op->lift == LIFT_VALUE) {
        kernels->store_real(block->values.real, cells, calculation->result, 1, 1, out);
        return;
    }
    const int is_signed = type_row(calculation->type)->kind == KIND_SIGNED && calculation->op->lift == LIFT_VALUE;
    kernels->store_word(block->values.word, cells, is_signed, calculation->result, out);
}

/* A row of elements as doubles: products of integers go to floats, too. */
static void load_doubles(const struct tiles *tiles, struct block *block, const char *x, size_t cells)
{
    const struct cpu_scan_kernels *kernels = tiles->isa->scan_kernels;
    const tally_type type = tiles->scan->calculation.type;
    if (type_row(type)->kind == KIND_REAL) {
        kernels->load_real[type](x, NULL, cells, 0, block->loaded);
        return;
    }
    const int is_signed = type_row(type)->kind == KIND_SIGNED;
    kernels->load_word[type](x, NULL, cells, block->values.word);
    for (size_t c = 0; c < cells; c++) {
        const int64_t word = block->values.word[c];
        block->loaded[c] = is_signed ? (double)word : (double)(uint64_t)word;
    }
}

static void ordered_row(const struct tiles *tiles, struct block *block, int row, const char *x, size_t cells, char *out)
{
    const struct calculation *calculation = &tiles->scan->calculation;
    const struct cpu_scan_kernels *kernels = tiles->isa->scan_kernels;
    load_doubles(tiles, block, x, cells);
    tiles->fold->ordered(&block->ordered, row, block->loaded, (calculation->flags & TALLY_EXCLUSIVE) != 0,
                         block->values.real);
    kernels->store_real(block->values.real, cells, calculation->result, 1, calculation->combine == COMBINE_ADD, out);
}

static void sum_row(const struct tiles *tiles, struct block *block, const char *x, size_t cells, char *out)
{
    const struct calculation *calculation = &tiles->scan->calculation;
    const struct cpu_scan_kernels *kernels = tiles->isa->scan_kernels;
    const int odd = calculation->result != TALLY_F64, exclusive = (calculation->flags & TALLY_EXCLUSIVE) != 0;
    kernels->load_real[calculation->type](x, NULL, cells, 0, block->loaded);
    kernels->sum_cells(&block->pairs, block->loaded, odd, exclusive, block->values.real);
    kernels->store_real(block->values.real, cells, calculation->result, 1, 0, out);
}

/* Rows [first, first + n), n <= ROWS. False, with nothing written, when sums lost something. */
static int run_block(const struct tiles *tiles, const struct scan_tile *tile, int64_t first, int64_t n,
                     struct block *block)
{
    const struct scan *scan = tiles->scan;
    const int64_t size = type_row(scan->calculation.type)->size, out_size = type_row(scan->calculation.result)->size;
    int64_t x_row = scan->axis.stride[OPERAND_X] * size, out_row = scan->axis.stride[OPERAND_OUT] * out_size;
    const char *x = operand_at(scan, tile, OPERAND_X, first);
    char *const result = operand_at(scan, tile, OPERAND_OUT, first), *out = result;
    if (tile->step[OPERAND_X] != 1) {
        scan_turn_copy(block->x, SCAN_CELLS * size, size, x, x_row, tile->step[OPERAND_X] * size, n, tile->cells,
                       (int)size);
        x = block->x, x_row = SCAN_CELLS * size;
    }
    const int direct = tile->step[OPERAND_OUT] == 1 && tiles->fold;
    if (!direct) out = block->out, out_row = SCAN_CELLS * out_size;
    for (int64_t r = 0; r < n; r++) {
        if (scan->calculation.ordered)
            ordered_row(tiles, block, (int)(first + r), x + r * x_row, (size_t)tile->cells, out + r * out_row);
        else if (tiles->fold) fold_row(tiles, block, x + r * x_row, (size_t)tile->cells, out + r * out_row);
        else sum_row(tiles, block, x + r * x_row, (size_t)tile->cells, out + r * out_row);
    }
    if (block->pairs.lost) return 0;
    if (!direct)
        scan_turn_copy(result, scan->axis.stride[OPERAND_OUT] * out_size, tile->step[OPERAND_OUT] * out_size,
                       block->out, out_row, out_size, n, tile->cells, (int)out_size);
    return 1;
}

/* From a row on, from exact sums that the pairs are: a cell after the other, in turned tiles. */
static void run_slowly(const struct tiles *tiles, const struct scan_tile *tile, int64_t first,
                       const struct scan_pairs *pairs, char *memory)
{
    const struct scan *scan = tiles->scan;
    struct scan_state *states = (struct scan_state *)(void *)memory;
    struct scan_tile part = *tile;
    for (int64_t c = 0; c < tile->cells; c += SLOW_CELLS) {
        part.cells = tile->cells - c < SLOW_CELLS ? tile->cells - c : SLOW_CELLS;
        for (int64_t i = 0; i < part.cells; i++) {
            struct scan_state *state = scan_state_at(&scan->calculation, states, i);
            scan_state_open(&scan->calculation, state);
            exact_add_double_bits(&state->as.exact[0], double_bits(pairs->high[c + i]));
            exact_add_double_bits(&state->as.exact[0], double_bits(pairs->low[c + i]));
        }
        scan_tile_run(scan, tiles->isa, &part, first, scan->axis.extent - first, states, tiles->state_bytes,
                      memory + tiles->state_bytes * SLOW_CELLS, 1);
        for (int o = 0; o < OPERAND_COUNT; o++) part.offset[o] += SLOW_CELLS * part.step[o];
    }
}

static void tile_task(void *argument, int64_t index, int worker)
{
    const struct tiles *tiles = argument;
    const struct calculation *calculation = &tiles->scan->calculation;
    const struct scan_tile tile = tile_at(tiles, index);
    const int64_t rows = tiles->scan->axis.extent;
    struct block block;
    memset(&block.pairs, 0, sizeof block.pairs);
    memset(block.loaded, 0, sizeof block.loaded);
    if (tiles->fold && !calculation->ordered) {
        struct scan_state state;
        scan_state_open(calculation, &state);
        for (int64_t c = 0; c < SCAN_CELLS; c++) memcpy(&block.running.word[c], &state.as.fold.part[0], 8);
    }
    for (int64_t first = 0; first < rows; first += ROWS) {
        const struct scan_pairs before = block.pairs;
        if (run_block(tiles, &tile, first, rows - first < ROWS ? rows - first : ROWS, &block)) continue;
        run_slowly(tiles, &tile, first, &before, tiles->workers + tiles->worker_bytes * (size_t)worker);
        return;
    }
}

static void all_tasks(void *argument, int64_t index, int worker)
{
    const struct tiles *tiles = argument;
    (void)index;
    for (int64_t t = 0; t < tiles->count; t++) tile_task(argument, t, worker);
}

tally_status scan_cells(struct tally_context *context, const struct scan *scan, int *done)
{
    struct cpu_device *device = context->device;
    struct tiles tiles = {.scan = scan, .isa = device->isa, .state_bytes = scan_state_size(&scan->calculation)};
    const int parallel = scan->cells * scan->axis.extent >= PARALLEL_LEAST;
    const int threads = parallel ? cpu_pool_threads(device->pool) : 1;
    size_t bytes = 0;
    if (!choose(&tiles, threads)) return TALLY_OK;
    if (!tiles.fold) {
        tiles.worker_bytes = (tiles.state_bytes * SLOW_CELLS + scan_turn_bytes(scan, SLOW_CELLS) + 63) / 64 * 64;
        bytes = tiles.worker_bytes * (size_t)threads;
        tiles.workers = context_allocate(context, bytes);
        if (!tiles.workers) return TALLY_OUT_OF_MEMORY;
    }
    if (parallel) cpu_pool_run(device->pool, tiles.count, tile_task, &tiles);
    else cpu_pool_run(device->pool, 1, all_tasks, &tiles);
    if (tiles.workers) context_release(context, tiles.workers, bytes);
    *done = 1;
    return TALLY_OK;
}
