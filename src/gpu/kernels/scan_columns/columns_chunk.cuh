/* SPDX-License-Identifier: MIT
 *
 * columns_chunk.cuh - the chunks that columns_wave.cuh goes through: WIDTH columns of ROWS rows, and the way of a
 * warp's part of one between global and shared memory. No include guard.
 *   LINEAR_IN, LINEAR_OUT   rows lie without gaps in global memory
 *   UNIT_IN, UNIT_OUT       bytes of an access that all of a chunk's rows (LINEAR: its parts) are aligned to
 *   SKEW_IN, SKEW_OUT       what rows' addresses are multiples of, if columns_skew.cuh copies them in vectors, or 0
 *   PITCH_IN, PITCH_OUT     bytes from row to row in shared memory, if so; else rows lie without gaps there */

struct chunk {
    int64_t split, cell; /* cell: of the first column */
    const char *input;
    char *output;
    int32_t rows, columns; /* rows 0: there is none */
};

/* How chunks lie: `tiles` of each matrix's columns beside each other, and so `groups` of them all. */
struct grid {
    int64_t inner; /* columns of a matrix */
    uint32_t tiles, groups;
};

DEVICE struct grid grid_of(const struct reduce_parameters *p)
{
    struct grid grid;
    grid.inner = p->kept[p->kept_count - 1].extent;
    grid.tiles = (uint32_t)((grid.inner + WIDTH - 1) / WIDTH);
    grid.groups = (uint32_t)(p->cells / grid.inner) * grid.tiles;
    return grid;
}

/* By one thread, for which the others wait. Neighbouring chunks lie beside each other, so that many of them are between
 * a chunk and the next below it, which needs its totals. */
DEVICE struct chunk chunk_of(const struct reduce_parameters *p, const struct grid *grid, uint32_t ticket)
{
    const struct kernel_loop *axis = &p->reduced[0];
    struct chunk c = {0, 0, (const char *)p->x, 0, 0, 0};
    uint32_t split = ticket / grid->groups, group = ticket - split * grid->groups, matrix = group / grid->tiles;
    int64_t column = (int64_t)(group - matrix * grid->tiles) * WIDTH;
    c.split = split;
    if (c.split >= p->splits) return c;
    int64_t first = c.split * ROWS;
    c.rows = (int32_t)(p->length - first < ROWS ? p->length - first : ROWS);
    c.columns = (int32_t)(grid->inner - column < WIDTH ? grid->inner - column : WIDTH);
    c.cell = matrix * grid->inner + column;
    struct offsets at = column_offsets(p, matrix, column);
    c.input = (const char *)p->x + (at.x + first * axis->x) * ELEMENT_SIZE;
    c.output = (char *)p->out + (at.out + first * axis->out) * RESULT_SIZE;
    return c;
}

/* Rows of the warp's part. */
DEVICE int32_t part_rows(const struct chunk *c)
{
    int32_t left = c->rows - ((int32_t)threadIdx.x >> 5) * PART_ROWS;
    return left < 0 ? 0 : left < PART_ROWS ? left : PART_ROWS;
}

/* Where the warp's part begins in its stage, whose pitch is that of global memory modulo a vector: as far behind a
 * vector's border as there. */
DEVICE int32_t lead_of(const char *chunk, int32_t skew, int32_t pitch)
{
    uint32_t part = (uint32_t)(uintptr_t)chunk + (threadIdx.x >> 5) * PART_ROWS * (uint32_t)pitch;
    return skew ? (int32_t)(part & 15) : 0;
}

DEVICE int32_t lead_in(const struct chunk *c)
{
    return lead_of(c->input, SKEW_IN, IN_PITCH);
}

DEVICE int32_t lead_out(const struct chunk *c)
{
    return lead_of(c->output, SKEW_OUT, OUT_PITCH);
}

/* A thread's place in its warp's part: SIDE columns of a run. Lanes that are left over have none. */
struct seat_in_part {
    int32_t side, run;
    int32_t first; /* units before it */
    int32_t is_there;
};

/* Unless rows' pitches are multiples of sides, bytes. */
#if SKEW_IN
typedef char seat_unit;
#else
typedef struct side seat_unit;
#endif

DEVICE struct seat_in_part seat_of_lane(const struct chunk *c)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
    struct seat_in_part seat = {lane % SIDES, lane / SIDES, 0, lane / SIDES < RUNS};
    enum { UNIT = sizeof(seat_unit) };
    if (seat.is_there) seat.first = lead_in(c) + seat.run * RUN * (IN_PITCH / UNIT) + seat.side * (SIDE_BYTES / UNIT);
    return seat;
}

/* Its first element in the part's stage. */
DEVICE char *seat_in(const struct seat_in_part *seat, struct vector16 *stage)
{
    return (char *)((seat_unit *)stage + seat->first);
}

/* Bytes before its first result, where results go. */
DEVICE int32_t seat_out(const struct seat_in_part *seat, const struct chunk *c)
{
    if (!SKEW_IN && !SKEW_OUT) return seat->first * (SIDE * RESULT_SIZE);
    return lead_out(c) + seat->run * RUN * OUT_PITCH + seat->side * (SIDE * RESULT_SIZE);
}

/* Lanes take turns at the units of a part's rows, which lie without gaps in shared memory. A lane's next unit is 32
 * units further there; in global memory, where rows have a pitch, as many rows and units further, and perhaps a row
 * more. */
struct turns {
    int32_t unit;  /* of its row */
    int64_t first; /* in global memory */
    int64_t step, row;
};

DEVICE struct turns turns_begin(int64_t pitch, int32_t per_row, int32_t unit_bytes)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
    struct turns t = {lane % per_row, 0, 32 / per_row * pitch + 32 % per_row * unit_bytes, 0};
    t.first = lane / per_row * pitch + t.unit * unit_bytes;
    t.row = pitch - per_row * unit_bytes;
    return t;
}

/* Bytes from a lane's unit to its next one in global memory. */
DEVICE int64_t turns_next(struct turns *t, int32_t per_row)
{
    if (32 % per_row == 0) return t->step;
    t->unit += 32 % per_row;
    if (t->unit < per_row) return t->step;
    t->unit -= per_row;
    return t->step + t->row;
}

/* Rows of a part that are absent. */
DEVICE void clear_rows(char *first, int32_t rows)
{
    storage *all = (storage *)first;
    enum { END = ((PART_ROWS - 1) * IN_PITCH + WIDTH * ELEMENT_SIZE) / sizeof(storage) };
#pragma unroll 1
    for (int32_t i = rows * (IN_PITCH / (int32_t)sizeof(storage)) + ((int32_t)threadIdx.x & 31); i < END; i += 32)
        all[i] = 0;
}

#if SKEW_IN || SKEW_OUT
#include "columns_skew.cuh"
#endif

/* The warp's part. What is absent becomes zeros. */
DEVICE void load_part(const struct reduce_parameters *p, const struct chunk *c, char *stage)
{
    enum { ROW = WIDTH * ELEMENT_SIZE, EACH = sizeof(storage) };
    int32_t lane = (int32_t)threadIdx.x & 31, rows = part_rows(c);
    int64_t first = ((int32_t)threadIdx.x >> 5) * PART_ROWS;
#if LINEAR_IN
    const char *input = c->input + first * ROW;
    int32_t bytes = rows * ROW, whole = bytes / UNIT_IN * UNIT_IN;
    (void)p;
#pragma unroll 4
    for (int32_t at = lane * UNIT_IN; at < whole; at += 32 * UNIT_IN) copy_async(stage + at, input + at, UNIT_IN);
    for (int32_t at = whole + lane * EACH; at < bytes; at += 32 * EACH) copy_unit(stage + at, input + at, EACH);
#elif SKEW_IN
    const char *input = c->input + first * (p->reduced[0].x * ELEMENT_SIZE);
    struct skewed s = {p->reduced[0].x * ELEMENT_SIZE, rows, c->columns * ELEMENT_SIZE, lead_in(c)};
    (void)lane;
    load_skewed(&s, input, p->low, stage);
#else
    enum { PER_ROW = ROW / UNIT_IN };
    int64_t pitch = p->reduced[0].x * ELEMENT_SIZE;
    const char *input = c->input + first * pitch;
    int32_t present = c->columns * ELEMENT_SIZE / UNIT_IN;
    struct turns t = turns_begin(pitch, PER_ROW, UNIT_IN);
    const char *from = input + t.first;
    char *to = stage + lane * UNIT_IN;
#pragma unroll 4
    for (int32_t left = rows * PER_ROW - lane; left > 0; left -= 32) {
        copy_async_or_clear(to, from, UNIT_IN, t.unit < present);
        to += 32 * UNIT_IN;
        from += turns_next(&t, PER_ROW);
    }
#endif
    if (rows < PART_ROWS) clear_rows(stage + lead_in(c), rows);
}

#if SKEW_OUT
DEVICE void store_part(const struct reduce_parameters *p, const struct chunk *c, const char *stage)
{
    struct skewed s = {p->reduced[0].out * RESULT_SIZE, part_rows(c), c->columns * RESULT_SIZE, lead_out(c)};
    store_skewed(&s, c->output + ((int32_t)threadIdx.x >> 5) * PART_ROWS * s.pitch, stage);
}
#else
/* A unit of results. */
#if UNIT_OUT == 16
typedef struct vector16 out_unit;
#elif UNIT_OUT == 8
typedef uint64_t out_unit;
#elif UNIT_OUT == 4
typedef uint32_t out_unit;
#elif UNIT_OUT == 2
typedef uint16_t out_unit;
#else
typedef uint8_t out_unit;
#endif

#define UNITS_AT_ONCE 4

DEVICE void store_part(const struct reduce_parameters *p, const struct chunk *c, const char *from)
{
    enum { ROW = WIDTH * RESULT_SIZE };
    int32_t lane = (int32_t)threadIdx.x & 31, rows = part_rows(c);
    int64_t first = ((int32_t)threadIdx.x >> 5) * PART_ROWS;
    const out_unit *next = (const out_unit *)from + lane;
#if LINEAR_OUT
    enum { PER_ROW = 1 }; /* all are of one row */
    int64_t pitch = UNIT_OUT;
    char *output = c->output + first * ROW;
    int32_t bytes = rows * ROW, units = bytes / UNIT_OUT, present = 1;
    (void)p;
    for (int32_t at = units * UNIT_OUT + lane * RESULT_PART; at < bytes; at += 32 * RESULT_PART)
        copy_unit(output + at, from + at, RESULT_PART);
#else
    enum { PER_ROW = ROW / UNIT_OUT };
    int64_t pitch = p->reduced[0].out * RESULT_SIZE;
    char *output = c->output + first * pitch;
    int32_t units = rows * PER_ROW, present = c->columns * RESULT_SIZE / UNIT_OUT;
#endif
    struct turns t = turns_begin(pitch, PER_ROW, UNIT_OUT);
    char *to = output + t.first;
#pragma unroll 1
    for (int32_t left = units - lane; left > 0; left -= 32 * UNITS_AT_ONCE, next += 32 * UNITS_AT_ONCE) {
        out_unit unit[UNITS_AT_ONCE];
#pragma unroll
        for (int k = 0; k < UNITS_AT_ONCE; k++) {
            if (32 * k < left) unit[k] = next[32 * k];
        }
#pragma unroll
        for (int k = 0; k < UNITS_AT_ONCE; k++) {
            if (32 * k < left && t.unit < present) *(out_unit *)to = unit[k];
            to += turns_next(&t, PER_ROW);
        }
    }
}
#endif
