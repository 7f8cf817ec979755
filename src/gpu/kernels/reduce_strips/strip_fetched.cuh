/* SPDX-License-Identifier: MIT
 *
 * strip_fetched.cuh - how threads go through rows that begin anywhere: one warp of a block copies bundles of rows of
 * its tile to shared memory, FETCH_STAGES of them one after the other, by the vectors that they lie in, and the others
 * take their units from there. So much is under way all the time, in no registers, and nothing is read twice. No
 * include guard. */
#include "strip_unit.cuh"

#include "signal.cuh"
#include "stage_vector.cuh"

static_assert(ROW_BUNDLES, "a stage has a bundle of rows");

enum {
    LINE_BYTES = 128,                /* copies that begin inside of one are slow */
    TAKERS = THREADS / 32 - 1,       /* warps that take what the last one fetches */
    STAGE_ROWS = DEPTH * ROW_GROUPS, /* of a bundle */
    ROW_BYTES = LANES * UNIT_BYTES + LINE_BYTES,
    STAGE_BYTES = STAGE_ROWS * ROW_BYTES
};

static_assert(TAKERS * 32 == LANES * ROW_GROUPS, "threads have columns, but for one warp");
static_assert(FETCH_STAGES * STAGE_BYTES <= FETCH_BYTES, "a block has its stages");

/* Of each stage: whether it is full, and whether it is free again. */
struct stages {
    struct signal full[FETCH_STAGES], free[FETCH_STAGES];
};

/* The stage that a warp comes to next, and how often it has been through all of them. */
struct turn_of_stage {
    int32_t stage;
    uint32_t round;
};

DEVICE void next_stage(struct turn_of_stage *turn)
{
    turn->stage = turn->stage + 1 == FETCH_STAGES ? 0 : turn->stage + 1;
    turn->round += turn->stage == 0;
}

/* By all threads; stages hold nothing strange where rows do not reach. */
DEVICE void open_stages(struct stages *stages, struct vector16 *room)
{
    const struct vector16 nothing = {{0, 0, 0, 0}};
    for (int32_t i = (int32_t)threadIdx.x; i < FETCH_STAGES; i += THREADS) {
        signal_open(&stages->full[i], STAGE_ROWS);
        signal_open(&stages->free[i], TAKERS);
    }
    for (int32_t i = (int32_t)threadIdx.x; i < FETCH_STAGES * STAGE_BYTES / 16; i += THREADS) room[i] = nothing;
    signal_written();
    __syncthreads();
}

/* Vectors of which the operand has only a part, at the ends of a row, by one thread. */
DEVICE_CALL void fetch_ends(const struct reduce_parameters *p, char *to, const char *from, int32_t begin, int32_t end,
                            int32_t bytes)
{
    if (begin > 0) stage_end((struct vector16 *)(to + begin - 16), from + begin - 16, p->low, p->high);
    if (end < bytes) stage_end((struct vector16 *)(to + end), from + end, p->low, p->high);
    signal_written();
}

/* Starts to copy a row of the tile; the stage is full when all have come. */
DEVICE void fetch_row(const struct walk *w, const char *row, char *to, struct signal *full)
{
    int32_t ahead = (int32_t)((uintptr_t)row & (LINE_BYTES - 1)), bytes = ahead + w->bytes + 15 & ~15;
    const char *from = row - ahead;
    int64_t missing = w->p->low - from, rest = w->p->high - from;
    int32_t begin = missing > 0 ? (int32_t)missing + 15 & ~15 : 0, end = rest < bytes ? (int32_t)rest & ~15 : bytes;
    if (begin > 0 || end < bytes) fetch_ends(w->p, to, from, begin, end, bytes);
    if (end > begin) signal_raise_by_copy(full, to + begin, from + begin, (uint32_t)(end - begin));
    else signal_raise(full);
}

/* What one warp does: lanes have a row each. */
DEVICE void fetch_bundles(const struct walk *w, struct stages *stages, char *room, struct turn_of_stage *turn)
{
    int32_t lane = (int32_t)threadIdx.x & 31, extent = (int32_t)w->p->reduced[w->p->reduced_count - 1].extent;
    const int64_t pitch = w->apart / ROW_GROUPS;
    const struct spot step = spot_of(w, w->step);
    struct spot spot = spot_of(w, w->first);
#pragma unroll 1
    for (; spot.unit < w->p->all_units; next_stage(turn)) {
        int32_t bundle = SPOT_LOOPS > 1 ? spot.at[SPOT_LOOPS - 1] : (int32_t)spot.unit;
        int32_t rows = extent - bundle * STAGE_ROWS;
        if (turn->round > 0) signal_await(&stages->free[turn->stage], turn->round - 1 & 1);
#pragma unroll
        for (int32_t r = lane; r < STAGE_ROWS; r += 32) {
            char *to = room + turn->stage * STAGE_BYTES + r * ROW_BYTES;
            if (r < rows) fetch_row(w, w->tile + spot.x + r * pitch, to, &stages->full[turn->stage]);
            else signal_raise(&stages->full[turn->stage]);
        }
        spot_move(w, &spot, &step);
    }
}

/* A thread's unit of a row whose first byte for the warp lies `ahead` bytes inside of a vector. */
DEVICE struct vector16 unit_of_row(const char *row, uint32_t ahead)
{
    struct vector16 unit;
    memset(&unit, 0, sizeof unit);
#if ELEMENT_BYTES == 8
    const uint64_t *word = (const uint64_t *)row + ahead / 8;
#pragma unroll
    for (int i = 0; i < UNIT_BYTES / 8; i++) {
        unit.word[2 * i] = (uint32_t)word[32 * i];
        unit.word[2 * i + 1] = (uint32_t)(word[32 * i] >> 32);
    }
#else
    const uint32_t *word = (const uint32_t *)row + ahead / 4;
#pragma unroll
    for (int i = 0; i < UNIT_BYTES / 4; i++) {
        unit.word[i] = word[32 * i];
        if (FETCH_SHIFTS) unit.word[i] = __funnelshift_r(unit.word[i], word[32 * i + 1], ahead * 8);
    }
#endif
    return unit;
}

/* The units of the bundle at a spot; returns whether any are there. The first one stands in for those that are not,
 * where zeros and ones count. */
DEVICE int take_bundle(const struct walk *w, const struct spot *spot, const char *first, struct vector16 *v)
{
    int32_t count = rows_in_bundle(w, spot);
    uint32_t at = (uint32_t)(uintptr_t)(w->row + spot->x);
    if (count <= 0) return 0;
#pragma unroll
    for (int d = 0; d < DEPTH; d++)
        v[d] = unit_of_row(first + d * ROW_GROUPS * ROW_BYTES, at + d * (uint32_t)w->apart & (LINE_BYTES - 1));
    if (count == DEPTH) return 1;
#pragma unroll
    for (int d = 1; d < DEPTH; d++) {
        if (d >= count) v[d] = nothing_or(&v[0]);
    }
    return 1;
}

/* What the others do. Nothing changes NaN, which need not be added to, but what is fetched must be taken. */
DEVICE void take_bundles(const struct walk *w, struct strip *strip, struct stages *stages, const char *room,
                         struct turn_of_stage *turn)
{
    const struct spot step = spot_of(w, w->step);
    struct spot spot = spot_of(w, w->first);
    const char *first = room + w->from;
#pragma unroll 1
    for (; spot.unit < w->p->all_units; next_stage(turn)) {
        struct vector16 v[DEPTH];
        signal_await(&stages->full[turn->stage], turn->round & 1);
        int there = take_bundle(w, &spot, first + turn->stage * STAGE_BYTES, v);
        __syncwarp();
        if (threadIdx.x % 32 == 0) signal_raise(&stages->free[turn->stage]);
        if (there && w->units) strip_add(strip, v, spot.unit * DEPTH, 1);
        spot_move(w, &spot, &step);
    }
}

#if !WHOLE_COLUMNS
DEVICE void walk_down(const struct walk *w, struct strip *strip)
{
    DYNAMIC_SHARED_LINES(struct vector16, room);
    __shared__ struct stages stages;
    struct turn_of_stage turn = {0, 0};
    if (w->first >= w->p->all_units) return; /* loops may be empty, and nothing is divided by that */
    open_stages(&stages, room);
    if (threadIdx.x / 32 == TAKERS) fetch_bundles(w, &stages, (char *)room, &turn);
    else take_bundles(w, strip, &stages, (const char *)room, &turn);
}
#endif
