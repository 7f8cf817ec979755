/* SPDX-License-Identifier: MIT
 *
 * ordered_rows_lanes.cuh - which run of which row a lane of scan_ordered_rows.cu has, and where it lies. No include
 * guard. */

enum {
    RUN_BYTES = RUN * ELEMENT_SIZE,
    RESULTS_BYTES = RUN * RESULT_SIZE,
    RUN_VECTORS = RUN_BYTES / 16,
    RESULT_VECTORS = RESULTS_BYTES / 16,
    IN_PLACE = RESULT_SIZE == ELEMENT_SIZE
};

static_assert(RUN_BYTES % 16 == 0 && RESULTS_BYTES % 16 == 0, "runs of whole vectors");
static_assert(TEAM == 1 || (TEAM == WARPS && !TOGETHER), "a block is a team");
static_assert(!TOGETHER || (IN_LINEAR && OUT_LINEAR && LEVELS == 0), "rows that make a run lie behind each other");

/* From tile to tile, 32 runs on, or as many as a team has: rows behind each other, and runs in a row. Rows that make a
 * run together are one. */
struct stride {
    int32_t length, runs; /* of a row */
    int32_t rows_on, runs_on;
    int64_t on, over; /* elements of an operand, and from the end of a row to the next one */
};

/* Where a lane's run lies. */
struct walk {
    int32_t run;  /* number in its row */
    int32_t rows; /* of the warp's, from this one on; none: there is no such run */
    int64_t at;   /* place of its first element, from the operand's on */
};

/* The rows of a warp, or the one of a team, and what the last one has. */
struct span {
    int64_t row;
    int32_t rows, tiles, last;
};

DEVICE struct stride stride_of(const struct reduce_parameters *p, int64_t pitch, int64_t step)
{
    struct stride s;
    int64_t down = (TOGETHER ? TOGETHER : 1) * (DESCENDING ? -pitch : pitch);
    s.length = (int32_t)p->length * (TOGETHER ? TOGETHER : 1);
    s.runs = (s.length + RUN - 1) / RUN;
    s.rows_on = TEAM > 1 ? 0 : 32 / s.runs;
    s.runs_on = TEAM > 1 ? 32 * TEAM : 32 % s.runs;
    s.on = s.rows_on * down + s.runs_on * RUN * step;
    s.over = down - s.runs * RUN * step;
    return s;
}

DEVICE struct span span_of(const struct reduce_parameters *p, const struct stride *s)
{
    const int64_t together = TOGETHER ? TOGETHER : 1;
    int64_t all = (p->cells + together - 1) / together, number = (int64_t)blockIdx.x * WARPS + (threadIdx.x >> 5);
    struct span span = {number / TEAM * p->split_units, 0, 0, s->length};
    int64_t left = all - span.row;
    if (left > 0) span.rows = (int32_t)(left < p->split_units ? left : p->split_units);
    if (left <= p->split_units) span.last -= (int32_t)(all * together - p->cells) * (int32_t)p->length;
    span.tiles = (int32_t)(((int64_t)span.rows * s->runs + 32 * TEAM - 1) / (32 * TEAM));
    return span;
}

/* The walk of a warp's lanes begins. DESCENDING: with the last row. */
DEVICE struct walk walk_from(const struct reduce_parameters *p, const struct span *span, const struct stride *s,
                             int64_t pitch, int64_t step)
{
    int32_t number = (int32_t)threadIdx.x & (32 * TEAM - 1), down = TEAM > 1 ? 0 : number / s->runs;
    struct walk w = {number - down * s->runs, span->rows - down, 0};
    int64_t row = (span->row + down) * (TOGETHER ? TOGETHER : 1);
    w.at = (DESCENDING ? p->cells - 1 - row : row) * pitch + w.run * RUN * step;
    return w;
}

DEVICE void walk_on(const struct stride *s, struct walk *w)
{
    w->run += s->runs_on;
    w->rows -= s->rows_on;
    w->at += s->on;
    if (TEAM > 1 || w->run < s->runs) return;
    w->run -= s->runs;
    w->rows--;
    w->at += s->over;
}

/* Elements of the lane's run that there are. */
DEVICE int32_t run_count(const struct span *span, const struct stride *s, const struct walk *w)
{
    int32_t length = TOGETHER && w->rows == 1 ? span->last : s->length;
    return w->rows > 0 && w->run < s->runs ? min(length - w->run * RUN, (int32_t)RUN) : 0;
}

/* Elements from the lane's run to the end of the span, no more than a tile has. */
DEVICE int32_t elements_left(const struct span *span, const struct stride *s, const struct walk *w)
{
    int64_t left = (int64_t)(w->rows - 1) * s->length + span->last - w->run * RUN;
    return left < 32 * RUN ? (int32_t)left : 32 * RUN;
}

/* The lane's run, and its results, in the order of memory. */
struct run {
    struct vector16 vectors[RUN_VECTORS];
};

struct results {
    struct vector16 vectors[RESULT_VECTORS];
};

DEVICE element run_element(const struct run *run, int i)
{
    int place = IN_BACKWARD ? RUN - 1 - i : i;
    struct vector16 v = run->vectors[place * ELEMENT_SIZE / 16];
    return vector_element(&v, place % (16 / ELEMENT_SIZE));
}
