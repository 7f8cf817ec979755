/* SPDX-License-Identifier: MIT
 *
 * columns_tiles.cuh - matrices of few columns, or of few elements, whose rows lie behind each other: a warp goes
 * through whole matrices in tiles that are one piece of memory, of rows of one or of several matrices, with the next
 * tiles under way. A lane has SIDE columns of a run of rows; what a matrix has above a tile is carried to it. Warps
 * never wait for each other. No include guard. BACKWARD         rows are gone through from the last one in memory on
 *   p->split_units   matrices of a warp
 *   WHOLE            a tile has whole matrices, each column of them is a lane's, and nothing stands above
 *   p->width         matrices of a tile; 1 if they are longer than a tile
 *   p->team          runs of a matrix in a tile, and
 *   p->run_units     rows of each, RUN at most */
#include "copy_async.cuh"

enum {
    WARPS = THREADS / 32,
    ROW = WIDTH * ELEMENT_SIZE,
    RESULT_ROW = WIDTH * RESULT_SIZE,
    ROW_SIDES = WIDTH / SIDE,
    PASSES = (ROW_SIDES + 31) / 32, /* that go through a tile of one matrix: several if it is one run */
    SIDES = (ROW_SIDES + PASSES - 1) / PASSES,
    IN_PLACE = !APART
};

/* Of a room for so many bytes, wherever in a vector they begin. */
#define TILE_VECTORS(bytes) ((bytes + 15 + 15) / 16)

static_assert(WIDTH % SIDE == 0 && SIDE % PACK == 0, "columns whose states are together");

/* A piece of memory that has whole rows, and where what stands above the first one comes from. */
struct tile {
    const char *input;
    char *output;
    int32_t matrices, rows;  /* of each */
    int32_t begins, goes_on; /* a matrix's first tile, and whether there is one below it */
};

/* The way through a warp's matrices. */
struct cursor {
    int64_t matrix, end, row;
};

DEVICE struct tile tile_of(const struct reduce_parameters *p, const struct cursor *c)
{
    int64_t left = p->length - c->row, most = p->team * p->run_units, together = c->end - c->matrix;
    int64_t rows = left < most ? left : most, first = BACKWARD ? 1 - c->row - rows : c->row;
    struct offsets at = column_offsets(p, c->matrix, 0);
    struct tile t;
    t.input = (const char *)p->x + at.x * ELEMENT_SIZE + first * ROW;
    t.output = (char *)p->out + at.out * RESULT_SIZE + first * RESULT_ROW;
    t.matrices = (int32_t)(together < p->width ? together : p->width);
    t.rows = (int32_t)rows;
    t.begins = c->row == 0;
    t.goes_on = left > most;
    return t;
}

DEVICE void cursor_move(const struct reduce_parameters *p, struct cursor *c, const struct tile *t)
{
    c->row += t->rows;
    if (t->goes_on) return;
    c->row = 0;
    c->matrix += t->matrices;
}

/* ---- between global and shared memory, where a tile begins as far behind a vector's border as there ---- */

DEVICE int32_t lead_of(const char *memory)
{
    return (int32_t)((uintptr_t)memory & 15);
}

/* A vector's bytes from `first` to `end`: of the vector in which all elements begin. */
DEVICE_CALL void load_lowest(char *to, const char *from, int32_t first, int32_t end)
{
#pragma unroll 1
    for (int32_t i = first; i < end; i += (int32_t)sizeof(storage)) copy_unit(to + i, from + i, sizeof(storage));
}

/* A tile's first vector may have elements of another one, too. */
DEVICE void load_tile(const struct reduce_parameters *p, const struct tile *t, char *stage)
{
    int32_t lead = lead_of(t->input), end = lead + t->matrices * t->rows * ROW;
    int32_t at = ((int32_t)threadIdx.x & 31) * 16;
    const char *from = t->input - lead;
    if (from + at < p->low) {
        load_lowest(stage, from, lead, end < 16 ? end : 16);
        at += 32 * 16;
    }
#pragma unroll 4
    for (; at < end; at += 32 * 16) copy_async_some(stage + at, from + at, (uint32_t)(end - at < 16 ? end - at : 16));
}

/* Whole vectors; a lane has one element, or part of one, at most, of what is left before and behind them. */
DEVICE void store_tile(const struct tile *t, const char *results)
{
    int32_t lead = lead_of(t->output), end = lead + t->matrices * t->rows * RESULT_ROW, whole = end & ~15;
    int32_t lane = (int32_t)threadIdx.x & 31, i = lane & 15, edge = lane < 16 ? 0 : whole;
    int is_edge = lane < 16 ? lead > 0 && i >= lead && i < end : i < end - whole && (whole > 0 || lead == 0);
    char *to = t->output - lead;
#pragma unroll 4
    for (int32_t at = lane * 16; at < whole; at += 32 * 16) {
        if (at >= lead) copy_unit(to + at, results + at, 16);
    }
    if (is_edge && i % RESULT_PART == 0) copy_unit(to + edge + i, results + edge + i, RESULT_PART);
}

DEVICE int32_t passes_of(const struct reduce_parameters *p, const struct tile *t)
{
    return p->team > 1 ? 1 : (t->matrices * ROW_SIDES + 31) / 32;
}

/* Rows of a batch, of those that are left. */
DEVICE int32_t batch_of(int32_t left)
{
    return left < DEPTH ? left : DEPTH;
}

/* Rows that were written over by what is no result. */
DEVICE void put_back(const struct side *v, char *to, int32_t count)
{
#pragma unroll
    for (int d = 0; d < DEPTH; d++) {
        if (d < count) side_store(to + d * IN_PITCH, &v[d]);
    }
}

#if HAS_WORDS
#include "column_rest.cuh"
#endif

/* Of a run; in place, rows are read before results are written. */
DEVICE void run_results(const struct column *columns, const struct strays *strays, int apart, char *from,
                        int32_t present, char *to)
{
    struct trail trail = trail_of(columns, apart);
    struct column next[PACKS], rest[PACKS];
    int32_t i = 0;
#pragma unroll
    for (int k = 0; k < PACKS; k++) next[k] = columns[k];
#pragma unroll 1
    for (; !apart && i < present; i += DEPTH) {
        struct side v[DEPTH];
        int32_t count = batch_of(present - i);
        memset(v, 0, sizeof v);
#pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            if (d < count) v[d] = side_load(from + (i + d) * IN_PITCH);
        }
        if (!rows_lost(next, &trail, v, count, to + i * OUT_PITCH, OUT_PITCH)) continue;
        if (IN_PLACE) put_back(v, from + i * IN_PITCH, count);
        break;
    }
    if (i >= present) return;
    memcpy(rest, next, sizeof rest);
    columns_apart(rest, strays, from + i * IN_PITCH, present - i, to + i * OUT_PITCH);
}

#if WHOLE
#include "tiles_whole.cuh"
#else
#include "tiles_carried.cuh"
#endif

/* ---- tiles ---- */

/* A warp's rooms: stages, then one for results that do not lie as elements do. */
struct rooms {
    struct vector16 *stages;
    int32_t each; /* vectors of a stage */
};

DEVICE struct rooms rooms_of(const struct reduce_parameters *p)
{
    DYNAMIC_SHARED(struct vector16, shared); /* of each warp */
    int32_t rows = (int32_t)(p->width * p->team * p->run_units), each = TILE_VECTORS(rows * ROW);
    int32_t all = STAGES * each + (IN_PLACE ? 0 : TILE_VECTORS(rows * RESULT_ROW));
    struct rooms rooms = {shared + ((int32_t)threadIdx.x >> 5) * all, each};
    return rooms;
}

/* Starts to load the cursor's tile, if there is one. */
DEVICE void begin_tile(const struct reduce_parameters *p, struct cursor *c, char *stage)
{
    if (c->matrix < c->end) {
        struct tile t = tile_of(p, c);
        load_tile(p, &t, stage);
        cursor_move(p, c, &t);
    }
    copy_group();
}

DEVICE void finish_tile(const struct scan_parameters *given, const struct tile *t, char *stage, char *results,
                        struct above *above)
{
    int32_t passes = passes_of(&given->reduce, t);
#pragma unroll 1
    for (int32_t pass = 0; pass < passes; pass++) finish_pass(given, t, pass, stage, results, above);
    __syncwarp();
    store_tile(t, results);
    __syncwarp();
}

DEVICE void scan_columns(const struct scan_parameters *given)
{
    const struct reduce_parameters *p = &given->reduce;
    int64_t matrices = p->cells / WIDTH, warp = (int64_t)blockIdx.x * WARPS + ((int32_t)threadIdx.x >> 5);
    struct cursor here = {warp * p->split_units, (warp + 1) * p->split_units, 0}, ahead;
    struct rooms rooms = rooms_of(p);
    char *results = (char *)(rooms.stages + STAGES * rooms.each);
    struct above above;
    if (here.end > matrices) here.end = matrices;
    ahead = here;
    above_begin(given, &above);
#pragma unroll 1
    for (int32_t k = 1 - STAGES, stage = 1, spare = 0; here.matrix < here.end; k++) {
        begin_tile(p, &ahead, (char *)(rooms.stages + spare * rooms.each));
        if (k >= 0) {
            struct tile t = tile_of(p, &here);
            char *memory = (char *)(rooms.stages + stage * rooms.each);
            COPY_AWAIT_BUT(STAGES - 1);
            __syncwarp();
            finish_tile(given, &t, memory, IN_PLACE ? memory : results, &above);
            cursor_move(p, &here, &t);
        }
        spare = spare + 1 < STAGES ? spare + 1 : 0;
        stage = stage + 1 < STAGES ? stage + 1 : 0;
    }
}
