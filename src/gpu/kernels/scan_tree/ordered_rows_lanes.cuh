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
    int32_t run;    /* number in its row */
    int32_t rows;   /* of the warp's, from this one on; none: there is no such run */
    int32_t passed; /* elements of the warp's rows that come before */
    int64_t at;     /* place of its first element, from the operand's on, where that does not follow from these */
};

/* The rows of a warp, or the one of a team. */
struct span {
    int64_t row, first; /* number, and place of its first element, of the first one */
    int32_t rows, tiles;
    int32_t last, all; /* elements, of the last one and of all */
};

DEVICE struct stride stride_of(const struct reduce_parameters *p, int64_t pitch, int64_t step)
{
    struct stride s;
    s.length = (int32_t)p->length * (TOGETHER ? TOGETHER : 1);
    s.runs = (s.length + RUN - 1) / RUN;
    s.rows_on = TEAM > 1 ? 0 : 32 / s.runs;
    s.runs_on = TEAM > 1 ? 32 * TEAM : 32 % s.runs;
    s.on = s.rows_on * (DESCENDING ? -pitch : pitch) + s.runs_on * RUN * step;
    s.over = (DESCENDING ? -pitch : pitch) - s.runs * RUN * step;
    return s;
}

/* DESCENDING: the last row is the first one. */
DEVICE int64_t row_number(const struct reduce_parameters *p, int64_t row)
{
    return DESCENDING ? p->cells - 1 - row : row;
}

DEVICE struct span span_of(const struct reduce_parameters *p, const struct stride *s)
{
    const int64_t together = TOGETHER ? TOGETHER : 1;
    int64_t all = (p->cells + together - 1) / together, number = (int64_t)blockIdx.x * WARPS + (threadIdx.x >> 5);
    struct span span = {number / TEAM * p->split_units, 0, 0, 0, s->length, 0};
    int64_t left = all - span.row;
    span.first = row_number(p, span.row * together) * p->length;
    if (left <= 0) return span;
    span.rows = (int32_t)(left < p->split_units ? left : p->split_units);
    if (left <= p->split_units) span.last -= (int32_t)(all * together - p->cells) * (int32_t)p->length;
    span.all = (span.rows - 1) * s->length + span.last;
    span.tiles = (span.rows * s->runs + 32 * TEAM - 1) / (32 * TEAM);
    return span;
}

DEVICE struct walk walk_from(const struct reduce_parameters *p, const struct span *span, const struct stride *s,
                             int64_t pitch, int64_t step)
{
    int32_t number = (int32_t)threadIdx.x & (32 * TEAM - 1), down = TEAM > 1 ? 0 : number / s->runs;
    struct walk w = {number - down * s->runs, span->rows - down, 0, 0};
    w.passed = down * s->length + w.run * RUN;
    w.at = row_number(p, span->row + down) * pitch + w.run * RUN * step;
    return w;
}

DEVICE void walk_on(const struct stride *s, struct walk *w)
{
    w->run += s->runs_on;
    w->rows -= s->rows_on;
    w->passed += s->rows_on * s->length + s->runs_on * RUN;
    w->at += s->on;
    if (TEAM > 1 || w->run < s->runs) return;
    w->run -= s->runs;
    w->rows--;
    w->passed += s->length - s->runs * RUN;
    w->at += s->over;
}

/* Elements of the lane's run that there are. */
DEVICE int32_t run_count(const struct span *span, const struct stride *s, const struct walk *w)
{
    int32_t length = TOGETHER && w->rows == 1 ? span->last : s->length;
    return w->rows > 0 && w->run < s->runs ? min(length - w->run * RUN, (int32_t)RUN) : 0;
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
