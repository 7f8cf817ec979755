/* SPDX-License-Identifier: MIT
 *
 * scan.c - cuts a scan into tasks for the threads.
 *
 * The unit is a tile of neighbouring cells. With enough tiles, threads take tiles. Otherwise a tile's axis is cut into
 * chunks, which are run through twice: for their totals, and, once these are carried on from chunk to chunk, for the
 * results. That goes by stretches of a few chunks, so that the second run finds its data in the cache. */
#include "scan.h"
#include "../user/tree.h"
#include "device.h"
#include "one_element.h"

#include <stdatomic.h>
#include <string.h>

/* Fewer elements than this are not worth waking a thread for, or a task of their own. */
#define PARALLEL_LEAST 65536
#define TASK_LEAST 32768
/* Elements of a chunk; a multiple of SCAN_BLOCK. */
#define CHUNK 32768
#define CHUNKS_EACH 2 /* of a stretch, for each thread */
/* Bytes of elements in a row of a turned tile: a cache line, or a few cells when they are large. */
#define TILE_BYTES 64
#define TILE_LEAST 8

struct cut {
    const struct scan *scan;
    const struct cpu_isa *isa;
    int32_t dimension; /* the kept loop that tiles lie along; -1 without kept loops */
    int turned;
    int64_t cells_each; /* of a tile, but for the last ones along the dimension */
    int64_t along, tiles;
    size_t state_bytes, worker_bytes;
    char *workers; /* memory of each worker: states of a tile, then blocks to turn */
    int check;     /* only whether results fit */
    _Atomic int overflow;
    /* In chunks: */
    struct scan_tile tile;
    int64_t chunk, chunks;              /* elements of a chunk, chunks of a stretch */
    int64_t first, end;                 /* of the stretch */
    struct scan_state *starts, *totals; /* [chunk][cell] */
    char *block_totals;                 /* ordered: [block of the stretch][cell], total_bytes each */
    size_t total_bytes;
};

/* ---- tiles ---- */

static struct scan_tile tile_at(const struct cut *cut, int64_t index)
{
    const struct scan *scan = cut->scan;
    struct scan_tile tile = {.cells = 1, .cell_step = 1};
    if (cut->dimension < 0) return tile;
    int64_t rest = index / cut->along, start = index % cut->along * cut->cells_each, cell_step = 1;
    for (int32_t d = scan->kept_count - 1; d >= 0; d--) {
        const struct loop *loop = &scan->kept[d];
        int64_t at = start;
        if (d != cut->dimension) {
            at = rest % loop->extent;
            rest /= loop->extent;
        } else {
            tile.cells = loop->extent - start < cut->cells_each ? loop->extent - start : cut->cells_each;
            tile.cell_step = cell_step;
            memcpy(tile.step, loop->stride, sizeof tile.step);
        }
        for (int o = 0; o < OPERAND_COUNT; o++) tile.offset[o] += at * loop->stride[o];
        tile.first_cell += at * cell_step;
        cell_step *= loop->extent;
    }
    return tile;
}

static struct scan_state *state_in(const struct cut *cut, struct scan_state *states, int64_t index)
{
    return (struct scan_state *)(void *)((char *)states + cut->state_bytes * (size_t)index);
}

/* Copies a tile's states from where the scan starts, or back to the caller. */
static void states_read(const struct cut *cut, const struct scan_tile *tile, struct scan_state *states)
{
    for (int64_t c = 0; c < tile->cells; c++) {
        struct scan_state *to = state_in(cut, states, c);
        if (cut->scan->states)
            memcpy(to, state_in(cut, cut->scan->states, tile->first_cell + c * tile->cell_step), cut->state_bytes);
        else scan_state_open(&cut->scan->calculation, to);
    }
}

static void states_write(const struct cut *cut, const struct scan_tile *tile, struct scan_state *states)
{
    if (!cut->scan->states || cut->check) return;
    for (int64_t c = 0; c < tile->cells; c++)
        memcpy(state_in(cut, cut->scan->states, tile->first_cell + c * tile->cell_step), state_in(cut, states, c),
               cut->state_bytes);
}

static struct scan_state *worker_states(const struct cut *cut, int worker)
{
    return (struct scan_state *)(void *)(cut->workers + cut->worker_bytes * (size_t)worker);
}

static char *worker_turn(const struct cut *cut, int worker)
{
    return cut->turned ? (char *)state_in(cut, worker_states(cut, worker), cut->cells_each) : NULL;
}

/* A task: all of a tile; of one that is not turned, cell after cell. */
static void tile_task(void *argument, int64_t index, int worker)
{
    struct cut *cut = argument;
    struct scan_tile tile = tile_at(cut, index);
    struct scan_state *states = worker_states(cut, worker);
    int64_t cells = tile.cells;
    if (!cut->turned) tile.cells = 1;
    for (int64_t c = 0; c < cells; c += tile.cells) {
        states_read(cut, &tile, states);
        if (!scan_tile_run(cut->scan, cut->isa, &tile, 0, cut->scan->axis.extent, states, cut->state_bytes,
                           worker_turn(cut, worker), !cut->check))
            atomic_store(&cut->overflow, 1);
        states_write(cut, &tile, states);
        for (int o = 0; o < OPERAND_COUNT; o++) tile.offset[o] += tile.step[o];
        tile.first_cell += tile.cell_step;
    }
}

static void all_tiles_task(void *argument, int64_t index, int worker)
{
    struct cut *cut = argument;
    (void)index;
    for (int64_t i = 0; i < cut->tiles; i++) tile_task(cut, i, worker);
}

/* ---- chunks ---- */

static struct scan_state *chunk_states(const struct cut *cut, struct scan_state *states, int64_t chunk)
{
    return state_in(cut, states, chunk * cut->tile.cells);
}

static void *block_total(const struct cut *cut, int64_t block, int64_t cell)
{
    return cut->block_totals + cut->total_bytes * (size_t)(block * cut->tile.cells + cell);
}

/* A fold's value; of a user's operator the whole state. */
static size_t total_bytes(const struct cut *cut)
{
    return cut->scan->calculation.user ? cut->state_bytes : sizeof(struct fold_value);
}

static void total_take(const struct cut *cut, const struct scan_state *state, void *total)
{
    if (cut->scan->calculation.user) memcpy(total, state, cut->state_bytes);
    else memcpy(total, &state->as.block.carry, sizeof state->as.block.carry);
}

/* The total of a chunk, for every cell; of an ordered scan, the totals of its blocks. */
static void total_task(void *argument, int64_t index, int worker)
{
    struct cut *cut = argument;
    struct calculation fresh = cut->scan->calculation;
    struct scan_state *states = chunk_states(cut, cut->totals, index);
    int64_t first = cut->first + index * cut->chunk, step = fresh.ordered ? SCAN_BLOCK : cut->chunk;
    fresh.initial = NULL;
    for (int64_t i = 0; i < cut->chunk; i += step) {
        for (int64_t c = 0; c < cut->tile.cells; c++) {
            scan_state_open(&fresh, state_in(cut, states, c));
            if (fresh.user)
                user_line_seek(state_in(cut, states, c),
                               user_line_elements(state_in(cut, cut->starts, c)) + index * cut->chunk + i);
        }
        scan_tile_run(cut->scan, cut->isa, &cut->tile, first + i, step, states, cut->state_bytes,
                      worker_turn(cut, worker), 0);
        for (int64_t c = 0; c < cut->tile.cells && fresh.ordered; c++)
            total_take(cut, state_in(cut, states, c), block_total(cut, (index * cut->chunk + i) / SCAN_BLOCK, c));
    }
}

static void result_task(void *argument, int64_t index, int worker)
{
    struct cut *cut = argument;
    int64_t first = cut->first + index * cut->chunk;
    int64_t count = cut->end - first < cut->chunk ? cut->end - first : cut->chunk;
    scan_tile_run(cut->scan, cut->isa, &cut->tile, first, count, chunk_states(cut, cut->starts, index),
                  cut->state_bytes, worker_turn(cut, worker), 1);
}

/* The state after a chunk, from the state before it and its total. */
static void carry_chunk(const struct cut *cut, int64_t chunk, int64_t cell)
{
    const struct calculation *calculation = &cut->scan->calculation;
    const struct scan_state *from = state_in(cut, chunk_states(cut, cut->starts, chunk), cell);
    struct scan_state *to = state_in(cut, chunk_states(cut, cut->starts, chunk + 1), cell);
    const struct scan_state *total = state_in(cut, chunk_states(cut, cut->totals, chunk), cell);
    memcpy(to, from, cut->state_bytes);
    if (calculation->method == METHOD_EXACT) {
        for (int p = 0; p < state_exact_count(calculation); p++) exact_merge(&to->as.exact[p], &total->as.exact[p]);
        return;
    }
    int64_t blocks = cut->chunk / SCAN_BLOCK;
    for (int64_t b = 0; calculation->user && b < blocks; b++)
        user_line_append(calculation->user, to, block_total(cut, chunk * blocks + b, cell));
    if (calculation->user) return;
    const struct fold_steps *steps = fold_steps(calculation->op->lift, calculation->combine, calculation->type);
    if (!calculation->ordered) {
        fold_combine(calculation, &to->as.fold, &total->as.fold);
        return;
    }
    struct scan_block *block = &to->as.block;
    for (int64_t b = chunk * blocks; b < (chunk + 1) * blocks; b++) {
        const struct fold_value *value = block_total(cut, b, cell);
        if (block->carried) steps->combine(&block->carry, value);
        else block->carry = *value;
        block->carried = 1;
        block->based = 0;
    }
}

/* Elements up to the next block, which chunks start with; 0 when the scan is there. */
static int64_t head_length(const struct cut *cut, const struct scan_state *state)
{
    if (!cut->scan->calculation.ordered) return 0;
    int64_t position = cut->scan->calculation.user ? user_line_position(state) : state->as.block.position;
    int64_t rest = position == 0 ? 0 : SCAN_BLOCK - position;
    return rest < cut->scan->axis.extent ? rest : cut->scan->axis.extent;
}

static void run_chunks(struct cut *cut, struct cpu_pool *pool)
{
    int64_t n = cut->scan->axis.extent;
    states_read(cut, &cut->tile, cut->starts);
    cut->first = head_length(cut, cut->starts);
    scan_tile_run(cut->scan, cut->isa, &cut->tile, 0, cut->first, cut->starts, cut->state_bytes, worker_turn(cut, 0),
                  1);
    while (cut->first < n) {
        int64_t length = cut->chunk * cut->chunks < n - cut->first ? cut->chunk * cut->chunks : n - cut->first;
        int64_t chunks = (length + cut->chunk - 1) / cut->chunk;
        cut->end = cut->first + length;
        cpu_pool_run(pool, chunks - 1, total_task, cut);
        for (int64_t k = 0; k < chunks - 1; k++) {
            for (int64_t c = 0; c < cut->tile.cells; c++) carry_chunk(cut, k, c);
        }
        cpu_pool_run(pool, chunks, result_task, cut);
        memmove(cut->starts, chunk_states(cut, cut->starts, chunks - 1), cut->state_bytes * (size_t)cut->tile.cells);
        cut->first = cut->end;
    }
    states_write(cut, &cut->tile, cut->starts);
}

/* ---- the cut ---- */

/* Tiles lie along the kept loop with the smallest stride, turned, when that is smaller than the axis's; otherwise along
 * the last kept loop. */
static void choose_tiles(struct cut *cut)
{
    const struct scan *scan = cut->scan;
    int64_t axis = scan->axis.stride[OPERAND_X], smallest = axis < 0 ? -axis : axis, extent = 1;
    int32_t size = type_row(scan->calculation.type)->size;
    cut->dimension = scan->kept_count - 1;
    cut->turned = 0;
    for (int32_t d = 0; d < scan->kept_count; d++) {
        int64_t stride = scan->kept[d].stride[OPERAND_X];
        if (stride < 0) stride = -stride;
        if (stride == 0 || stride >= smallest || scan->kept[d].extent < 2) continue;
        smallest = stride;
        cut->dimension = d;
        cut->turned = scan->axis.extent > 1 && !scan->y && scan->calculation.values == 1;
    }
    if (cut->dimension >= 0) extent = scan->kept[cut->dimension].extent;
    cut->cells_each = scan->axis.extent < TASK_LEAST ? TASK_LEAST / scan->axis.extent : 1;
    if (cut->turned) cut->cells_each = TILE_BYTES / size > TILE_LEAST ? TILE_BYTES / size : TILE_LEAST;
    if (cut->cells_each > extent) cut->cells_each = extent;
    cut->along = (extent + cut->cells_each - 1) / cut->cells_each;
    cut->tiles = scan->cells / extent * cut->along;
}

/* How a tile's axis is cut, when that is what gives the threads work; otherwise chunks is 0. */
static void choose_chunks(struct cut *cut, int threads)
{
    int64_t cells = cut->turned ? cut->cells_each : 1, n = cut->scan->axis.extent;
    cut->chunk = CHUNK / cells > SCAN_BLOCK ? CHUNK / cells / SCAN_BLOCK * SCAN_BLOCK : SCAN_BLOCK;
    cut->chunks = 0;
    if (threads == 1 || cut->tiles >= 2 * threads || n < 2 * cut->chunk) return;
    if (!cut->turned && cut->cells_each > 1) return;
    if (cut->scan->calculation.flags & TALLY_CHECK_OVERFLOW) return;
    cut->chunks = CHUNKS_EACH * threads < (n + cut->chunk - 1) / cut->chunk ? CHUNKS_EACH * threads
                                                                            : (n + cut->chunk - 1) / cut->chunk;
}

static size_t aligned(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static void run_all(struct cut *cut, struct cpu_pool *pool)
{
    int parallel = cut->scan->cells * cut->scan->axis.extent >= PARALLEL_LEAST;
    if (cut->chunks > 0) {
        for (int64_t i = 0; i < cut->tiles; i++) {
            cut->tile = tile_at(cut, i);
            run_chunks(cut, pool);
        }
    } else if (parallel) {
        cpu_pool_run(pool, cut->tiles, tile_task, cut);
    } else {
        cpu_pool_run(pool, 1, all_tiles_task, cut);
    }
}

static tally_status run_checked(struct cut *cut, struct cpu_pool *pool)
{
    const struct calculation *calculation = &cut->scan->calculation;
    cut->check = 1;
    run_all(cut, pool);
    cut->check = 0;
    if (!atomic_load(&cut->overflow)) return TALLY_OK;
    FAIL(TALLY_OVERFLOW,
         "the running %s does not fit its result type %s: give a wider options.type, or drop "
         "TALLY_CHECK_OVERFLOW",
         calculation->op->name, tally_type_name(calculation->result));
}

static tally_status scan_in_tiles(struct tally_context *context, const struct scan *scan)
{
    struct cpu_device *device = context->device;
    struct cut cut = {.scan = scan, .isa = device->isa, .state_bytes = scan_state_size(&scan->calculation)};
    tally_status status = TALLY_OK;
    int threads = cpu_pool_threads(device->pool);
    if (scan->cells * scan->axis.extent < PARALLEL_LEAST) threads = 1;
    choose_tiles(&cut);
    choose_chunks(&cut, threads);
    int64_t cells = cut.turned ? cut.cells_each : 1;
    cut.worker_bytes = aligned(cut.state_bytes * (size_t)cells + (cut.turned ? scan_turn_bytes(scan, cells) : 0));
    size_t starts = aligned(cut.state_bytes * (size_t)(cells * cut.chunks));
    size_t blocks = scan->calculation.ordered ? (size_t)(cut.chunk / SCAN_BLOCK * cut.chunks * cells) : 0;
    size_t workers = cut.worker_bytes * (size_t)threads;
    cut.total_bytes = total_bytes(&cut);
    size_t bytes = workers + 2 * starts + blocks * cut.total_bytes;
    char *memory = context_allocate(context, bytes);
    if (!memory) return TALLY_OUT_OF_MEMORY;
    cut.workers = memory;
    cut.starts = (struct scan_state *)(void *)(memory + workers);
    cut.totals = (struct scan_state *)(void *)(memory + workers + starts);
    cut.block_totals = memory + workers + 2 * starts;
    if (scan->calculation.flags & TALLY_CHECK_OVERFLOW) status = run_checked(&cut, device->pool);
    if (status == TALLY_OK) run_all(&cut, device->pool);
    context_release(context, memory, bytes);
    return status;
}

tally_status cpu_scan(struct tally_context *context, const struct scan *scan)
{
    struct cpu_float_environment saved;
    struct reduction reduction;
    int done = 0;
    if (scan_is_of_one(scan, &reduction)) return cpu_reduce(context, &reduction);
    cpu_float_enter(&saved);
    tally_status status = scan_cells(context, scan, &done);
    if (status == TALLY_OK && !done) status = scan_in_tiles(context, scan);
    cpu_float_leave(&saved);
    return status;
}
