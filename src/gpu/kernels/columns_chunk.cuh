/* SPDX-License-Identifier: MIT
 *
 * columns_chunk.cuh - the chunks that columns_wave.cuh goes through: WIDTH columns of ROWS rows, and the way of a
 * warp's part of one between global and shared memory, where rows lie without gaps. No include guard. LINEAR_IN,
 * LINEAR_OUT   rows lie without gaps in global memory, too UNIT_IN, UNIT_OUT       bytes of an access that all of a
 * chunk's rows (LINEAR: its parts) are aligned to */

struct chunk {
    int64_t split, cell; /* cell: of the first column */
    const char *input;
    char *output;
    int32_t rows, columns; /* rows 0: there is none */
};

/* By one thread. Neighbouring chunks lie beside each other, so that many of them are between a chunk and the next below
 * it, which needs its totals. */
DEVICE struct chunk chunk_of(const struct reduce_parameters *p, int64_t number)
{
    const struct kernel_loop *axis = &p->reduced[0];
    struct chunk c = {0, 0, (const char *)p->x, 0, 0, 0};
    int64_t inner = p->kept[p->kept_count - 1].extent, tiles = (inner + WIDTH - 1) / WIDTH;
    int64_t groups = p->cells / inner * tiles, group = number % groups, column = group % tiles * WIDTH;
    c.split = number / groups;
    if (c.split >= p->splits) return c;
    int64_t first = c.split * ROWS;
    c.rows = (int32_t)(p->length - first < ROWS ? p->length - first : ROWS);
    c.columns = (int32_t)(inner - column < WIDTH ? inner - column : WIDTH);
    c.cell = group / tiles * inner + column;
    struct offsets at = cell_offsets(p, c.cell);
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

/* A thread's place in its warp's part: SIDE columns of a run. Lanes that are left over have a run that is none. */
struct seat_in_part {
    int32_t side, run;
    int32_t first; /* sides before it */
    int32_t count; /* rows of the run that there are */
};

DEVICE struct seat_in_part seat_in(const struct chunk *c)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
    struct seat_in_part seat = {lane % SIDES, lane / SIDES, 0, 0};
    int32_t left = part_rows(c) - seat.run * RUN;
    if (seat.run < RUNS && left > 0) {
        seat.count = left < RUN ? left : RUN;
        seat.first = seat.run * RUN * SIDES + seat.side;
    }
    return seat;
}

/* The warp's part. Columns that are absent become zeros. */
DEVICE void load_part(const struct reduce_parameters *p, const struct chunk *c, char *stage)
{
    enum { ROW = WIDTH * ELEMENT_SIZE, PER_ROW = ROW / UNIT_IN, EACH = sizeof(storage) };
    int32_t lane = (int32_t)threadIdx.x & 31, rows = part_rows(c);
    int64_t first = ((int32_t)threadIdx.x >> 5) * PART_ROWS;
#if LINEAR_IN
    const char *input = c->input + first * ROW;
    int32_t bytes = rows * ROW, whole = bytes / UNIT_IN * UNIT_IN;
    (void)p;
#pragma unroll 4
    for (int32_t at = lane * UNIT_IN; at < whole; at += 32 * UNIT_IN) copy_async(stage + at, input + at, UNIT_IN);
    for (int32_t at = whole + lane * EACH; at < bytes; at += 32 * EACH) copy_unit(stage + at, input + at, EACH);
#else
    int64_t pitch = p->reduced[0].x * ELEMENT_SIZE;
    const char *input = c->input + first * pitch;
    int32_t most = c->columns * ELEMENT_SIZE;
#pragma unroll 4
    for (int32_t i = lane; i < rows * PER_ROW; i += 32) {
        int32_t row = i / PER_ROW, at = i % PER_ROW * UNIT_IN;
        if (at < most) copy_async(stage + row * ROW + at, input + row * pitch + at, UNIT_IN);
        else memset(stage + row * ROW + at, 0, UNIT_IN);
    }
#endif
}

DEVICE void store_part(const struct reduce_parameters *p, const struct chunk *c, const char *from)
{
    enum { ROW = WIDTH * RESULT_SIZE, PER_ROW = ROW / UNIT_OUT };
    int32_t lane = (int32_t)threadIdx.x & 31, rows = part_rows(c);
    int64_t first = ((int32_t)threadIdx.x >> 5) * PART_ROWS;
#if LINEAR_OUT
    char *output = c->output + first * ROW;
    int32_t bytes = rows * ROW, whole = bytes / UNIT_OUT * UNIT_OUT;
    (void)p;
#pragma unroll 4
    for (int32_t at = lane * UNIT_OUT; at < whole; at += 32 * UNIT_OUT) copy_unit(output + at, from + at, UNIT_OUT);
    for (int32_t at = whole + lane * RESULT_PART; at < bytes; at += 32 * RESULT_PART)
        copy_unit(output + at, from + at, RESULT_PART);
#else
    int64_t pitch = p->reduced[0].out * RESULT_SIZE;
    char *output = c->output + first * pitch;
    int32_t most = c->columns * RESULT_SIZE;
#pragma unroll 4
    for (int32_t i = lane; i < rows * PER_ROW; i += 32) {
        int32_t row = i / PER_ROW, at = i % PER_ROW * UNIT_OUT;
        if (at < most) copy_unit(output + row * pitch + at, from + row * ROW + at, UNIT_OUT);
    }
#endif
}
