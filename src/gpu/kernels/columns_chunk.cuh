/* SPDX-License-Identifier: MIT
 *
 * columns_chunk.cuh - the chunks that columns_wave.cuh goes through: WIDTH columns of ROWS rows, and their way between
 * global and shared memory, where rows lie without gaps. No include guard.
 *   LINEAR_IN, LINEAR_OUT   rows lie without gaps in global memory, too
 *   UNIT_IN, UNIT_OUT       bytes of an access that all of a chunk's rows (LINEAR: its first one) are aligned to */

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
    struct chunk c = {0, 0, 0, 0, 0, 0};
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

/* A thread's place in a chunk: SIDE columns of a run. */
struct seat_in_chunk {
    int32_t side, run;
    int32_t count; /* rows of the run that there are */
};

DEVICE struct seat_in_chunk seat_in(const struct chunk *c)
{
    struct seat_in_chunk seat = {(int32_t)threadIdx.x % SIDES, (int32_t)threadIdx.x / SIDES, 0};
    int32_t left = c->rows - seat.run * RUN;
    if (seat.run < RUNS && left > 0) seat.count = left < RUN ? left : RUN;
    return seat;
}

/* Columns that are absent become zeros. */
DEVICE void load_chunk(const struct reduce_parameters *p, const struct chunk *c, char *stage)
{
    enum { ROW = WIDTH * ELEMENT_SIZE, PER_ROW = ROW / UNIT_IN, EACH = sizeof(storage) };
    int32_t thread = (int32_t)threadIdx.x;
#if LINEAR_IN
    int32_t bytes = c->rows * ROW, whole = bytes / UNIT_IN * UNIT_IN;
    (void)p;
#pragma unroll 4
    for (int32_t at = thread * UNIT_IN; at < whole; at += THREADS * UNIT_IN)
        copy_async(stage + at, c->input + at, UNIT_IN);
    for (int32_t at = whole + thread * EACH; at < bytes; at += THREADS * EACH)
        copy_unit(stage + at, c->input + at, EACH);
#else
    int64_t pitch = p->reduced[0].x * ELEMENT_SIZE;
    int32_t most = c->columns * ELEMENT_SIZE;
#pragma unroll 4
    for (int32_t i = thread; i < c->rows * PER_ROW; i += THREADS) {
        int32_t row = i / PER_ROW, at = i % PER_ROW * UNIT_IN;
        if (at < most) copy_async(stage + row * ROW + at, c->input + row * pitch + at, UNIT_IN);
        else memset(stage + row * ROW + at, 0, UNIT_IN);
    }
#endif
}

DEVICE void store_chunk(const struct reduce_parameters *p, const struct chunk *c, const char *from)
{
    enum { ROW = WIDTH * RESULT_SIZE, PER_ROW = ROW / UNIT_OUT };
    int32_t thread = (int32_t)threadIdx.x;
#if LINEAR_OUT
    int32_t bytes = c->rows * ROW, whole = bytes / UNIT_OUT * UNIT_OUT;
    (void)p;
#pragma unroll 4
    for (int32_t at = thread * UNIT_OUT; at < whole; at += THREADS * UNIT_OUT)
        copy_unit(c->output + at, from + at, UNIT_OUT);
    for (int32_t at = whole + thread * RESULT_PART; at < bytes; at += THREADS * RESULT_PART)
        copy_unit(c->output + at, from + at, RESULT_PART);
#else
    int64_t pitch = p->reduced[0].out * RESULT_SIZE;
    int32_t most = c->columns * RESULT_SIZE;
#pragma unroll 4
    for (int32_t i = thread; i < c->rows * PER_ROW; i += THREADS) {
        int32_t row = i / PER_ROW, at = i % PER_ROW * UNIT_OUT;
        if (at < most) copy_unit(c->output + row * pitch + at, from + row * ROW + at, UNIT_OUT);
    }
#endif
}
