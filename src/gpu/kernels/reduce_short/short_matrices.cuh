/* SPDX-License-Identifier: MIT
 *
 * short_matrices.cuh - columns of matrices that lie behind each other, of narrow rows or such that vectors do not
 * divide: a block copies p->split_units matrices to shared memory as they lie. A thread goes down SIDE columns at once,
 * or TEAM lanes of a warp do, each through every ROW_STEPth row: TEAM, or 1 for p->units rows each. Columns of elements
 * narrower than a word are four or eight bytes that begin anywhere, of which a row's last ones begin so early that the
 * row has all of them, unless it is shorter; their results go by way of shared memory, too, from vector p->all_units
 * on. No include guard.
 *   WHOLE_SIDES   1: rows have SIDE columns or more */
#include "short_sides.cuh"
#include "short_stage.cuh"

/* What a block has in shared memory. */
struct block {
    const struct vector16 *room;
    int64_t first;           /* matrix */
    int32_t matrices;        /* that there are */
    int32_t begin;           /* of the first one, in bytes */
    int32_t apart, pitch;    /* bytes from matrix to matrix, and from row to row */
    int32_t step;            /* and to the next row of a thread */
    int32_t columns, groups; /* of a matrix, */
    int32_t all;             /* and groups of all; */
    int32_t side;            /* columns that a group has */
};

DEVICE struct block block_open(const struct reduce_parameters *p, struct vector16 *room)
{
    const struct kernel_loop *outer = &p->kept[0], *inner = &p->kept[1];
    struct block b;
    b.room = room;
    b.first = (p->first_block + blockIdx.x) * p->split_units;
    int64_t left = outer->extent - b.first;
    b.matrices = (int32_t)(left < p->split_units ? left : p->split_units);
    b.columns = (int32_t)inner->extent;
    b.groups = (int32_t)p->row_units;
    b.all = b.matrices * b.groups;
    b.side = WHOLE_SIDES ? SIDE : b.columns;
    b.apart = (int32_t)outer->x * ELEMENT_SIZE;
    b.pitch = (int32_t)p->reduced[0].x * ELEMENT_SIZE;
    b.step = ROW_STEP * b.pitch;
    int32_t bytes = (b.matrices - 1) * b.apart + ((int32_t)p->length - 1) * b.pitch + b.columns * ELEMENT_SIZE;
    b.begin = (int32_t)(stage(p, b.first * b.apart, bytes, room) - (const char *)room);
    return b;
}

/* A warp has groups side by side, and as many again for each member of a team. */
enum { GROUPS_OF_WARP = 32 / TEAM, GROUPS_AT_ONCE = THREADS / TEAM };

DEVICE int32_t member_of_team(void)
{
    return (int32_t)(threadIdx.x & 31) / GROUPS_OF_WARP;
}

/* Goes from group to group of a thread, which lie GROUPS_AT_ONCE apart. */
struct walk {
    int32_t group;         /* of the block */
    int32_t column;        /* SIDE times the group's place in its row */
    int32_t at, cell;      /* byte of shared memory, and result of the block, if no group began earlier */
    int32_t columns;       /* from one to the next, or a row's fewer */
    int32_t bytes, cells;  /* as many */
    int32_t row;           /* columns of a row's groups */
    int32_t bytes_of_wrap; /* more where the column is a row's fewer */
    int32_t cells_of_wrap;
};

DEVICE struct walk walk_begin(const struct block *b)
{
    uint32_t groups = (uint32_t)b->groups;
    uint32_t first = threadIdx.x / 32 * GROUPS_OF_WARP + threadIdx.x % GROUPS_OF_WARP;
    int32_t matrix = (int32_t)(first / groups), matrices = (int32_t)(GROUPS_AT_ONCE / groups);
    struct walk w;
    w.group = (int32_t)first;
    w.column = (int32_t)(first % groups) * SIDE;
    w.at = b->begin + matrix * b->apart + w.column * ELEMENT_SIZE;
    w.cell = matrix * b->columns + w.column;
    w.columns = (int32_t)(GROUPS_AT_ONCE % groups) * SIDE;
    w.bytes = matrices * b->apart + w.columns * ELEMENT_SIZE;
    w.cells = matrices * b->columns + w.columns;
    w.row = (int32_t)groups * SIDE;
    w.bytes_of_wrap = b->apart - w.row * ELEMENT_SIZE;
    w.cells_of_wrap = b->columns - w.row;
    return w;
}

DEVICE void walk_on(struct walk *w)
{
    w->group += GROUPS_AT_ONCE;
    w->column += w->columns;
    w->at += w->bytes;
    w->cell += w->cells;
    if (w->column < w->row) return;
    w->column -= w->row;
    w->at += w->bytes_of_wrap;
    w->cell += w->cells_of_wrap;
}

/* A group of columns: where there is none any more, the first one. */
struct spot {
    int32_t at, cell; /* as above */
    int is_there;
};

DEVICE struct spot spot_of(const struct block *b, const struct walk *w)
{
    struct spot s = {w->at, SIDE > 1 ? w->cell : w->group, w->group < b->all};
    if (SIDE > 1) {
        int32_t early = w->column + b->side - b->columns;
        if (early > 0) s.at -= early * ELEMENT_SIZE, s.cell -= early;
    }
    if (!s.is_there) s.at = b->begin, s.cell = 0;
    return s;
}

/* What lies at a byte of shared memory. */
DEVICE struct side side_at(const struct vector16 *room, int32_t at)
{
#if SIDE > 1
    const uint32_t *word = (const uint32_t *)room + ((uint32_t)at >> 2);
    uint32_t low = word[0];
    struct side side;
#pragma unroll
    for (int i = 0; i < SIDE_BYTES / 4; i++) {
        uint32_t high = word[i + 1];
        side.word[i] = __funnelshift_r(low, high, (uint32_t)at * 8);
        low = high;
    }
    return side;
#else
    return *(const struct side *)((const char *)room + at);
#endif
}

/* The first `count` of DEPTH rows. */
DEVICE void load_sides(struct side *v, const struct block *b, int32_t at, int32_t count)
{
#pragma unroll
    for (int32_t d = 0; d < DEPTH; d++) {
        if (d < count) v[d] = side_at(b->room, at + d * b->step);
    }
}

DEVICE int32_t first_row(const struct reduce_parameters *p)
{
    return member_of_team() * (ROW_STEP > 1 ? 1 : (int32_t)p->units);
}

/* Rows of a column that are a thread's, which the compiler knows if they are DEPTH. */
DEVICE int32_t rows_of_member(const struct reduce_parameters *p)
{
    int32_t length = (int32_t)p->length, left = length - first_row(p);
    if (IN_ONE_PASS) return DEPTH;
    return ROW_STEP > 1 ? (left + ROW_STEP - 1) / ROW_STEP : TEAM > 1 ? min(left, (int32_t)p->units) : length;
}

/* Bytes of truth values may have any bits. */
#if (defined(PICK_VALUE_MAXIMUM) || defined(PICK_VALUE_MINIMUM)) && HAS_EXTREMES && SIDE > 1 && !defined(ONLY_TYPE_bool)
#define HAS_PACKED_RESULTS
#if ELEMENT_BYTES == 1
#define WORD_OF_RESULTS(word) (word)
#else
#define WORD_OF_RESULTS HALVES_RESULT
#endif

/* The extremes of columns, which are their results as well. */
DEVICE struct side results_of(const struct block *b, int32_t length, int32_t at)
{
    struct side v[DEPTH], best;
    load_sides(v, b, at, length);
    best = best_side(v, length);
#pragma unroll 1
    for (int32_t i = DEPTH; i < length; i += DEPTH - 1) {
        v[0] = best;
#pragma unroll
        for (int32_t d = 1; d < DEPTH; d++) {
            if (i + d - 1 < length) v[d] = side_at(b->room, at + (i + d - 1) * b->step);
        }
        best = best_side(v, length - i + 1);
    }
#pragma unroll
    for (int distance = 16; distance >= GROUPS_OF_WARP; distance /= 2) {
        v[0] = best;
#pragma unroll
        for (int i = 0; i < SIDE_BYTES / 4; i++) v[1].word[i] = __shfl_xor_sync(FULL_WARP, best.word[i], distance);
        best = best_side(v, 2);
    }
#pragma unroll
    for (int i = 0; i < SIDE_BYTES / 4; i++) best.word[i] = WORD_OF_RESULTS(best.word[i]);
    return best;
}
#endif

#if TEAM > 1
DEVICE void merge_team(struct quick *q, struct watch *watch)
{
#pragma unroll
    for (int distance = 16; distance >= GROUPS_OF_WARP; distance /= 2) {
        watch_merge(watch, watch_xor(*watch, (uint32_t)distance));
#pragma unroll
        for (int k = 0; k < SIDE; k++) quick_merge(&q[k], watch, quick_xor(q[k], (uint32_t)distance));
    }
}
#else
#define merge_team(q, watch) ((void)0)
#endif

/* The results of the columns from a byte of shared memory on; returns a bit for each that is not exact. By all lanes of
 * a warp. */
DEVICE uint32_t reduce_columns(const struct reduce_parameters *p, const struct block *b, int32_t at, int64_t cell,
                               char *results)
{
    int32_t rows = rows_of_member(p), first = first_row(p), here = at + first * b->pitch;
#if defined(HAS_PACKED_RESULTS)
    if (RESULT_NUMBER == ELEMENT_NUMBER && !p->has_initial) {
        struct side best = results_of(b, rows, here);
        memcpy(results, &best, sizeof best);
        return 0;
    }
#endif
    struct quick q[SIDE];
    struct watch watch = watch_begin();
    origin from[SIDE];
    struct side v[DEPTH];
    uint32_t failed = 0;
    int32_t i = 0;
#pragma unroll
    for (int k = 0; k < SIDE; k++) q[k] = quick_begin();
    load_sides(v, b, here, rows);
    const struct side top = TEAM > 1 && IS_RELATIVE ? side_at(b->room, at) : v[0];
    origins_of(from, &top);
#pragma unroll 1
    for (; i + DEPTH < rows; i += DEPTH) {
        add_sides(q, &watch, from, v, first + i * ROW_STEP, DEPTH);
        here += DEPTH * b->step;
        load_sides(v, b, here, rows - i - DEPTH);
    }
    if (IN_ONE_PASS) add_sides(q, &watch, from, v, 0, DEPTH);
    else add_sides(q, &watch, from, v, first + i * ROW_STEP, rows - i);
    merge_team(q, &watch);
#pragma unroll
    for (int k = 0; k < SIDE; k++) {
        int64_t n = IN_ONE_PASS ? DEPTH : p->length;
        failed |= (uint32_t)!quick_settle(p, &q[k], &watch, n, cell + k, results + k * RESULT_SIZE) << k;
    }
    return failed;
}

#if SIDE > 1
/* Results wider than two bytes have a gap behind each group: neighbouring threads write at different banks then. Others
 * lie within vectors as in memory. */
enum { HAS_GAPS = RESULT_SIZE > 2 };

DEVICE char *result_at(const struct reduce_parameters *p, char *out, const struct vector16 *room, int32_t i)
{
    char *results = (char *)(room + p->all_units);
    return HAS_GAPS ? results + (i + i / SIDE) * RESULT_SIZE : results + ((uintptr_t)out & 15) + i * RESULT_SIZE;
}

/* Part of a vector of results, from one on and below another. */
DEVICE void copy_some(char *out, const char *from, int32_t begin, int32_t end)
{
    for (int32_t i = begin; i < end; i++) store_result(out + i * RESULT_SIZE, from + i * RESULT_SIZE);
}

/* Copies so many results from shared memory, by all threads. */
DEVICE void copy_results(const struct reduce_parameters *p, char *out, const struct vector16 *room, int32_t count)
{
    enum { IN_OUT = 16 / RESULT_SIZE };
    int32_t ahead = (int32_t)((uintptr_t)out & 15) / RESULT_SIZE;
    const struct vector16 *from = room + p->all_units;
#pragma unroll 4
    for (int32_t i = (int32_t)threadIdx.x; HAS_GAPS && i < count; i += THREADS)
        store_result(out + i * RESULT_SIZE, result_at(p, out, room, i));
    for (int32_t i = (int32_t)threadIdx.x; !HAS_GAPS && i * IN_OUT < ahead + count; i += THREADS) {
        int32_t begin = ahead - i * IN_OUT, end = begin + count;
        char *to = out - ((uintptr_t)out & 15) + i * 16;
        if (begin <= 0 && end >= IN_OUT) *(struct vector16 *)to = from[i];
        else copy_some(to, (const char *)&from[i], begin > 0 ? begin : 0, end < IN_OUT ? end : IN_OUT);
    }
}
#endif

/* Rows that a thread goes through alone in the time in which a warp's lanes share those of one cell after the other. */
#define ROWS_ALONE 64

/* Each lane's cell, or that of none (-1): of many rows by all lanes together, one after the other. */
DEVICE void redo_cells(const struct reduce_parameters *p, const char *x, int64_t stride, int64_t cell)
{
    if (p->length <= ROWS_ALONE) {
        redo_cell(p, x, stride, cell, 1);
        return;
    }
#pragma unroll 1
    for (uint32_t lanes = __ballot_sync(FULL_WARP, cell >= 0); lanes; lanes &= lanes - 1) {
        int32_t lane = __ffs((int)lanes) - 1;
        const char *its_x = (const char *)(uintptr_t)__shfl_sync(FULL_WARP, (uint64_t)(uintptr_t)x, lane);
        redo_cell(p, its_x, stride, __shfl_sync(FULL_WARP, cell, lane), 32);
    }
}

/* Each lane its columns that have a bit, of SIDE for each of its groups. Bits recur after 32 / SIDE groups: what is
 * exact may be done again, too. */
DEVICE void redo_columns(const struct reduce_parameters *p, const struct block *b, uint32_t failed)
{
    struct walk w = walk_begin(b);
    for (int32_t done = 0; done < b->all; done += GROUPS_AT_ONCE, walk_on(&w)) {
        const struct spot s = spot_of(b, &w);
        uint32_t columns = s.is_there && member_of_team() == 0 ? failed & ((1u << b->side) - 1) : 0;
        failed = __funnelshift_r(failed, failed, SIDE);
        for (; __any_sync(FULL_WARP, columns != 0); columns &= columns - 1) {
            int k = columns ? __ffs((int)columns) - 1 : 0;
            const char *x = (const char *)p->x + b->first * b->apart + (s.at - b->begin) + k * ELEMENT_SIZE;
            redo_cells(p, x, b->pitch, columns ? b->first * b->columns + s.cell + k : -1);
        }
    }
}

DEVICE void reduce_short(const struct reduce_parameters *p)
{
    DYNAMIC_SHARED(struct vector16, room);
    const struct block b = block_open(p, room);
    struct walk w = walk_begin(&b);
    uint32_t failed = 0;
    int32_t all = 0;
    int64_t first = b.first * b.columns;
    char *out = (char *)p->out + first * RESULT_SIZE, *to = out + w.group * RESULT_SIZE;
#pragma unroll 1
    for (int32_t done = 0; done < b.all; done += GROUPS_AT_ONCE, walk_on(&w), all += SIDE) {
        const struct spot s = spot_of(&b, &w);
        __align__(16) char results[SIDE * RESULT_SIZE];
        uint32_t columns = reduce_columns(p, &b, s.at, first + s.cell, results) & ((1u << b.side) - 1);
        int stores = s.is_there && member_of_team() == 0;
        failed |= __funnelshift_l(columns, columns, all);
        if (SIDE == 1 && stores) store_result(to, results);
        to += GROUPS_AT_ONCE * RESULT_SIZE;
#if SIDE > 1
#pragma unroll
        for (int k = 0; k < SIDE && stores; k++)
            if (k < b.side) store_result(result_at(p, out, room, s.cell + k), results + k * RESULT_SIZE);
#endif
    }
#if SIDE > 1
    __syncthreads();
    copy_results(p, out, room, b.matrices * b.columns);
    if (!__syncthreads_or(failed != 0)) return;
#else
    if (!__any_sync(FULL_WARP, failed != 0)) return;
#endif
    redo_columns(p, &b, failed);
}
