/* SPDX-License-Identifier: MIT
 *
 * scan_ordered_rows.cu - running results of folds that are not associative in floating point, along many rows, in the
 * runs, groups and blocks of docs/semantics.md. A warp takes a span of whole rows and goes through it in tiles of 32
 * runs, a run of a lane, with the next tiles under way. Tiles know no rows: a group of 32 runs may begin in one and end
 * in the next, for which each lane keeps what it had at each distance of the group's scan. Warps never wait for each
 * other. Where rows are few and long, the warps of a block go through one together, each with a group of a block.
 *   p->split_units  rows of a span
 *   TEAM            warps that go through a row together: 1, or 8
 *   RUN             elements of a run: 16, or fewer if no row is longer
 *   LEVELS          distances of the scan of a group, 1, 2, 4 and so on, that rows have runs for
 *   HAS_GROUPS      1: rows have more than one group
 *   CROSSES         1: tiles may end inside of a group
 *   TOGETHER        rows that are a run together, LENGTH elements each, or 0
 *   IN_LINEAR       1: rows lie behind each other (ordered_rows_linear.cuh: IN_SHIFTS); DESCENDING: the last one first
 *   IN_BACKWARD     1: elements of a row lie behind each other, the last one first
 *   IN_UNIT         bytes of which other rows are copied at once
 *   IN_APART        1: elements lie p->reduced[0].x elements apart
 *   OUT_...         the same of results */
#include "loops.cuh"
#include "program.cuh"

#include "copy_async.cuh"
#include "ordered_left.cuh"
#include "shuffle.cuh"

enum { WARPS = THREADS / 32, GROUP_RUNS = 32, BLOCK_GROUPS = 8 };

#include "ordered_rows_lanes.cuh"

#include "ordered_rows_units.cuh"

#include "ordered_rows_linear.cuh"

#if defined(PICK_VALUE_ADD_POWERS)
#include "ordered_rows_powers.cuh"
#else
#include "ordered_rows_steps.cuh"
#endif

SHUFFLE(sum)

/* The totals that a lane of the tile before had, of as many runs as each distance says, and of all of its group. */
struct trail {
    struct sum at[LEVELS > 0 ? LEVELS : 1];
    struct sum last;
};

/* What the lane so many places before has, maybe in the tile before. */
DEVICE struct sum from_before(struct sum mine, struct sum *trail, int32_t distance)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
    struct sum given = CROSSES && lane >= 32 - distance ? *trail : mine;
    if (CROSSES) *trail = mine;
    return sum_from(given, (uint32_t)(lane - distance) & 31);
}

/* Kogge and Stone over the runs of the groups that lanes are in, of which the lane has run number `run`. */
DEVICE struct sum scan_groups(struct sum total, int32_t run, struct trail *trail)
{
#pragma unroll
    for (int level = 0; level < LEVELS; level++) {
        struct sum left = from_before(total, &trail->at[level], 1 << level);
        if (run < 1 << level) continue;
        sum_append(&left, total);
        total = left;
    }
    return total;
}

/* What stands left of the row that a tile's first lane has, which warps know as a whole. */
struct carried {
    struct standing blocks, groups, both; /* complete blocks, complete groups of a block, and one after the other */
};

DEVICE struct carried carried_first(const struct standing *first)
{
    struct carried carried = {*first, nothing_left(), *first};
    return carried;
}

#if TEAM > 1
static_assert(TEAM == BLOCK_GROUPS, "a block of the axis is a team's tile");

/* What stands left of the warp's group, the other warps' totals at hand; moves on to the next block. Every thread calls
 * it, with `turn` from 0 on. */
DEVICE struct standing left_of_team(struct sum upto, int32_t turn, struct carried *carried)
{
    __shared__ struct sum totals[2][TEAM];
    int32_t warp = (int32_t)threadIdx.x >> 5, end = GROUP_RUNS - 1;
    struct sum total = sum_from(upto, (uint32_t)end);
    struct standing left = carried->blocks, groups = nothing_left();
    if ((threadIdx.x & 31) == 0) totals[turn & 1][warp] = total;
    __syncthreads();
#pragma unroll
    for (int32_t i = 0; i < TEAM; i++) {
        if (i == warp && groups.some) standing_append(&left, groups.value);
        standing_append(&groups, totals[turn & 1][i]);
    }
    standing_append(&carried->blocks, groups.value);
    return left;
}
#else
/* Behind a group of the row, whose number and total are given. */
DEVICE struct carried behind_group(struct carried carried, int32_t group, struct sum total)
{
    standing_append(&carried.groups, total);
    if (group % BLOCK_GROUPS == BLOCK_GROUPS - 1) {
        standing_append(&carried.blocks, carried.groups.value);
        carried.groups = nothing_left();
        carried.both = carried.blocks;
    } else {
        carried.both = carried.blocks;
        standing_append(&carried.both, carried.groups.value);
    }
    return carried;
}

/* What stands left of the lane's group, given the group's runs up to each of them; moves on to the next tile. */
DEVICE struct standing left_of_group(const struct stride *s, int32_t run, struct sum upto, const struct standing *first,
                                     struct carried *carried)
{
    int32_t lane = (int32_t)threadIdx.x & 31, own = __shfl_sync(FULL_WARP, run, 0);
    int32_t end = GROUP_RUNS - 1 - own % GROUP_RUNS; /* the lane that has the last run of the first one's group */
    struct carried behind = behind_group(*carried, own / GROUP_RUNS, sum_from(upto, (uint32_t)end));
    struct standing left = lane >= s->runs - own ? *first : lane > end ? behind.both : carried->both;
    *carried = own + 32 < s->runs ? behind : carried_first(first);
    return left;
}
#endif

/* Of each of the tile's runs; its sum goes in. */
DEVICE struct standing left_of_runs(const struct stride *s, int32_t run, struct sum total, const struct standing *first,
                                    struct trail *trail, struct carried *carried)
{
    struct standing base = *first;
    if (LEVELS == 0) return base;
    struct sum upto = scan_groups(total, run % GROUP_RUNS, trail), before = from_before(upto, &trail->last, 1);
#if TEAM > 1
    base = left_of_team(upto, run / (TEAM * GROUP_RUNS), carried);
#else
    if (HAS_GROUPS) base = left_of_group(s, run, upto, first, carried);
#endif
    if (run % GROUP_RUNS > 0) standing_append(&base, before);
    return base;
}

enum {
    IN_STAGE = IN_LINEAR ? FRAME : 32 * PITCH, /* vectors */
    OUT_STAGE = OUT_LINEAR ? RESULT_FRAME : 32 * RESULT_PITCH,
    STAGE = IN_PLACE && OUT_STAGE > IN_STAGE ? OUT_STAGE : IN_STAGE,
    BESIDE = IN_PLACE ? 0 : OUT_STAGE /* of results that do not go where elements were */
};

/* The walks of a warp's lanes: through x, with the tiles that are under way, and through results, with the tile at
 * hand. What lies as it is gone through has the place of its span. */
struct walks {
    struct stride in, out;
    struct walk ahead, result;
    char *x_span, *result_span;
};

DEVICE struct walks walks_begin(const struct reduce_parameters *p, const struct stride *in, const struct span *span)
{
    struct walks w;
    w.in = *in;
    w.out = stride_of(p, p->kept[0].out, p->reduced[0].out);
    w.ahead = walk_from(p, span, &w.in, p->kept[0].x, p->reduced[0].x);
    w.result = walk_from(p, span, &w.out, p->kept[0].out, p->reduced[0].out);
    w.x_span = (char *)p->x + span->first * ELEMENT_SIZE;
    w.result_span = (char *)p->out + span->first * RESULT_SIZE;
    return w;
}

DEVICE void begin_tile(const struct reduce_parameters *p, const struct span *span, struct walks *w,
                       struct vector16 *stage)
{
    int32_t count = run_count(span, &w->in, &w->ahead);
    if (IN_LINEAR) {
        struct tile tile = tile_of(span, &w->ahead, count);
        struct frame frame = frame_of(w->x_span, ELEMENT_SIZE, IN_SHIFTS, &tile);
        begin_frame(p, &frame, stage);
    } else {
        begin_units((const char *)p->x, p->reduced[0].x, &w->ahead, count, stage);
    }
    copy_group();
    walk_on(&w->in, &w->ahead);
}

/* The lane's run. */
DEVICE struct run read_tile(const struct walks *w, const struct tile *tile, const struct vector16 *stage)
{
    if (!IN_LINEAR) return run_of_units(stage);
    struct frame frame = frame_of(w->x_span, ELEMENT_SIZE, IN_SHIFTS, tile);
    return run_of_frame(&frame, stage);
}

/* Its results to shared memory, and those of all lanes to the array. */
DEVICE void write_tile(const struct reduce_parameters *p, const struct tile *tile, const struct walks *w, int32_t count,
                       struct taken *taken, const struct standing *base, struct vector16 *to)
{
#if OUT_LINEAR
    struct frame frame = frame_of(w->result_span, RESULT_SIZE, OUT_SHIFTS, tile);
    struct results results = results_of(taken, base);
    (void)p;
    __syncwarp(); /* all have their runs */
    if (OUT_SHIFTS) leave_shifted(&results, frame.own, count, to);
    else leave_whole(&results, frame.own, count, to);
    __syncwarp();
    store_frame(&frame, to);
#else
    (void)tile;
    if (IN_LINEAR) __syncwarp();
    leave_in_units(taken, base, count, units_of_results(to));
    __syncwarp();
    store_units((char *)p->out, p->reduced[0].out, &w->result, count, to);
#endif
}

KERNEL(scan, struct scan_parameters, given)
{
    DYNAMIC_SHARED(struct vector16, shared); /* of each warp: stages, and results that do not go there */
    const struct reduce_parameters *p = &given.reduce;
    struct vector16 *stages = shared + (threadIdx.x >> 5) * (STAGES * STAGE + BESIDE),
                    *beside = stages + STAGES * STAGE;
    struct stride in = stride_of(p, p->kept[0].x, p->reduced[0].x);
    struct span span = span_of(p, &in);
    struct walks w = walks_begin(p, &in, &span);
    struct standing first = standing_of(first_left(&given, 0));
    struct carried carried = carried_first(&first);
    struct trail trail;
    memset(&trail, 0, sizeof trail);
    prepare_results();
#pragma unroll 1
    for (int32_t k = 0; k + 1 < STAGES; k++) begin_tile(p, &span, &w, stages + k * STAGE);
#pragma unroll 1
    for (int32_t k = 0, stage = 0, spare = STAGES - 1; k < span.tiles; k++) {
        struct vector16 *memory = stages + stage * STAGE;
        int32_t count = run_count(&span, &w.out, &w.result);
        struct tile tile = tile_of(&span, &w.result, count);
        struct taken taken;
        begin_tile(p, &span, &w, stages + spare * STAGE);
        COPY_AWAIT_BUT(STAGES - 1);
        __syncwarp();
        struct run run = read_tile(&w, &tile, memory);
        struct sum total = take_run(&run, count, &taken);
        struct standing base = left_of_runs(&w.out, w.result.run, total, &first, &trail, &carried);
        write_tile(p, &tile, &w, count, &taken, &base, IN_PLACE ? memory : beside);
        walk_on(&w.out, &w.result);
        __syncwarp();
        spare = stage;
        stage = stage + 1 < STAGES ? stage + 1 : 0;
    }
}
