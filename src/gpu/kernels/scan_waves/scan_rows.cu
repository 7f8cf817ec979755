/* SPDX-License-Identifier: MIT
 *
 * scan_rows.cu - running results along many rows that lie behind each other, of any length. A warp takes a span of
 * whole rows and goes through its memory in tiles, whatever the rows' length is, with the next tiles under way: where
 * rows begin follows from the place, and a row that a tile ends inside is carried to the next one. Warps never wait
 * for each other.
 *   p->split_units   elements of a span, a multiple of the length
 *   IN_UNIT          0: rows of x lie behind each other; else they are p->kept[0].x elements apart, and are copied in
 *                    units of so many bytes
 *   TURNED           1: rows of x run against those of results; units are vectors then, or single elements
 *   APART            1: so are the elements of a row, p->reduced[0].x; units are elements
 *   OUT_UNIT         the same of out
 *   OUT_ACROSS       1: what lies at one place of a vector of x has its results at another, or x is copied in units */
#include "team.cuh"

#include "again.cuh"
#include "bulk.cuh"
#include "copy_async.cuh"
#include "scan_parameters.h"
#include "turned.cuh"

#define SEGMENTED 1
#include "wave_run.cuh"

enum { WARPS = THREADS / 32, TILE_ELEMENTS = 32 * RUN, STAGE = 32 * VECTORS /* vectors */ };

#include "rows_tile.cuh"

#include "rows_gaps.cuh"

#include "rows_mask.cuh"

/* Whether more than one row may begin in a run. */
#define HAS_MORE (!BY_VECTORS && !ONE_START)

#if !RUNS_OF_PAIRS
static_assert(!ONE_START, "bits of struct starts");
#endif

/* What the lanes of a warp share. */
struct warp_room {
    struct left first, carried; /* what stands left of every row's beginning, and of the tile */
    struct amount total;        /* of the row that the tile ends inside, as far as it is in the tile */
    struct state beside_first, beside_carried, beside_total;
    struct bulk_barrier arrived[STAGES];
};

/* Where the runs of a lane stand in their rows. */
struct walk {
    int32_t length;
    int32_t in_row; /* place in its row of the run's first element */
    int32_t step;   /* from tile to tile */
    uint64_t rows;  /* the bits of a run whose first element begins a row */
};

DEVICE struct walk walk_of(const struct reduce_parameters *p, int32_t pad)
{
    struct walk w = {(int32_t)p->length, 0, 0, 0};
    int32_t place = ((int32_t)threadIdx.x & 31) * RUN - pad;
    w.in_row = (place % w.length + w.length) % w.length;
    w.step = TILE_ELEMENTS % w.length;
    for (int32_t i = 0; i < RUN; i += w.length) w.rows |= 1ull << i;
    return w;
}

DEVICE void walk_on(struct walk *w)
{
    w->in_row += w->step;
    if (w->in_row >= w->length) w->in_row -= w->length;
}

/* Every lane of the warp calls it; *is_inside gets whether no row begins in the tile. */
DEVICE struct starts starts_of(const struct walk *w, struct specials *specials, struct giants *giants,
                               int32_t *is_inside)
{
    int32_t lane = (int32_t)threadIdx.x & 31, first = w->in_row ? w->length - w->in_row : 0;
    struct starts starts = {0, 0, 0, 0, 0, specials, giants};
    if (first < RUN && HAS_MORE) starts.inside = w->rows << first & ((1ull << RUN % 64) - 1);
    else if (first < RUN) starts.inside = ONE_START ? 1 : 1ull << first;
#if BY_VECTORS
    starts.vectors = warp_union(first < RUN ? 1u << first / PER_VECTOR : 0);
#endif
    uint32_t lanes = __ballot_sync(FULL_WARP, starts.inside != 0), left = lanes & ((1u << lane) - 1);
    starts.open = left == 0 && w->in_row != 0;
    if (starts.inside) starts.last = HAS_MORE ? 63 - __clzll((long long)starts.inside) : first;
    else starts.reach = lane - (left ? 31 - __clz((int)left) : 0);
    *is_inside = lanes == 0;
    return starts;
}

/* The thread's run in shared memory that has a run every `stride` vectors. */
DEVICE struct vector16 *run_of(struct vector16 *memory, int32_t stride)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
    return memory + (BACKWARD ? 31 - lane : lane) * stride;
}

/* By all lanes, in the order of the tiles, also for those beyond the last. */
DEVICE void begin_tile(const struct reduce_parameters *p, const struct span *s, int32_t number, struct vector16 *stage,
                       struct bulk_barrier *arrived)
{
    struct tile t = tile_of(s, number);
#if WITH_WHERE
    prefetch_masks(p, s, number);
#endif
#if IN_UNIT
    (void)arrived;
    if (number < s->tiles) begin_copying(p, s, &t, stage);
    copy_group();
#else
    (void)p;
    if (number < s->tiles && (threadIdx.x & 31) == 0) begin_loading(s, &t, stage, arrived);
#endif
}

/* Waits until a tile is there; *phases has a bit for each stage. */
DEVICE void await_tile(const struct span *s, const struct tile *t, struct vector16 *memory,
                       struct bulk_barrier *arrived, uint32_t *phases, int32_t stage)
{
#if IN_UNIT
    (void)s, (void)t, (void)memory, (void)arrived, (void)phases, (void)stage;
    COPY_AWAIT_BUT(1);
    __syncwarp();
#else
    if (tile_has_bulk(t)) bulk_await(arrived, *phases >> stage & 1);
    *phases ^= (uint32_t)tile_has_bulk(t) << stage;
    if (tile_has_edges(t)) load_edges(s, *t, memory);
#endif
}

/* Results of a tile, in its own stage or beside all of them, to memory. */
DEVICE void store_tile(const struct reduce_parameters *p, const struct span *s, const struct tile *t,
                       struct vector16 *stage, struct vector16 *beside)
{
#if OUT_UNIT
    store_units(p, s, t, IN_PLACE ? stage : beside, IN_PLACE ? VECTORS : RESULT_STRIDE);
#elif OUT_ACROSS
    (void)p;
    store_across(s->out + t->at * RESULT_SIZE, IN_PLACE ? stage : beside, IN_PLACE ? VECTORS : RESULT_STRIDE, t->low,
                 t->high);
#else
    (void)p;
    if (!IN_PLACE) store_vectors(s, t, beside);
    else if (tile_has_bulk(t) && (threadIdx.x & 31) == 0)
        bulk_store(s->out + (t->at + t->bulk_low) * RESULT_SIZE, (char *)stage + t->bulk_low * RESULT_SIZE,
                   (uint32_t)(t->bulk_high - t->bulk_low) * RESULT_SIZE);
    if (tile_has_edges(t)) store_edges(s, *t, IN_PLACE ? stage : beside, IN_PLACE ? VECTORS : RESULT_STRIDE);
#endif
}

/* By lane 0, where the next tile does not begin a row: what stands left of it. */
DEVICE void carry_on(struct warp_room *room, int is_inside)
{
    const struct left *left = is_inside ? &room->carried : &room->first;
    room->carried = left_and(left, &room->total, &room->beside_total, &room->beside_carried);
}

#if HAS_GIANTS
/* By all lanes: CARRIES_GIANTS if some stand left of the next tile, or 0. `in_row`: lane 0's place there. */
DEVICE int32_t giants_left(struct warp_room *room, struct giants *giants, int32_t which, int is_inside, int32_t in_row)
{
    if (!is_inside) which &= ~CARRIES_GIANTS;
    if (!which || __shfl_sync(FULL_WARP, in_row, 0) == 0) return 0;
    int are_there = carry_giants(giants, which, &room->carried, &room->beside_carried);
    __syncwarp();
    return are_there ? CARRIES_GIANTS : 0;
}
#endif

/* By lane 0. */
DEVICE void open_room(const struct scan_parameters *given, struct warp_room *room)
{
    struct amount first = amount_first(given, 0, &room->beside_first);
    room->first = room->carried = left_of(&first, &room->beside_first);
    bulk_open(room->arrived, STAGES);
}

/* Where all results are written again, the tiles that are under way are the last. Now and then, as it takes long to
 * look for that; by all lanes. */
DEVICE void end_if_again(const struct scan_parameters *given, struct span *span, int32_t k)
{
#if defined(METHOD_EXACT) && !defined(FIXED_LOW)
    if (k % 8 == 0 && span->tiles > k + STAGES - 1 && warp_comes_again(given)) span->tiles = k + STAGES - 1;
#else
    (void)given, (void)span, (void)k;
#endif
}

KERNEL(scan, struct scan_parameters, given)
{
    DYNAMIC_SHARED(struct vector16,
                   shared); /* of each warp: stages, then results, where they are wider than elements */
    __shared__ struct warp_room rooms[WARPS];
    int32_t lane = (int32_t)threadIdx.x & 31, warp = (int32_t)threadIdx.x >> 5;
    struct vector16 *stages = shared + warp * (STAGES * STAGE + (IN_PLACE ? 0 : 32 * RESULT_STRIDE));
    struct vector16 *beside = stages + STAGES * STAGE;
    struct warp_room *room = &rooms[warp];
    struct span span = span_of(&given.reduce, (int64_t)blockIdx.x * WARPS + warp);
    struct walk walk = walk_of(&given.reduce, span.pad);
    uint32_t phases = 0; /* a bit for each stage */
#if HAS_GIANTS
    struct giants giants[1];
    int32_t which_giants = 0; /* HAD_GIANTS, CARRIES_GIANTS */
    giants->skip = 0;
#else
    struct giants *giants = NULL;
#endif
    if (span.tiles == 0) return;
    if (lane == 0) open_room(&given, room);
    for (int32_t k = 0; k + 1 < STAGES; k++) begin_tile(&given.reduce, &span, k, stages + k * STAGE, &room->arrived[k]);
    __syncwarp();
    for (int32_t k = 0, stage = 0, spare = STAGES - 1; k < span.tiles; k++) {
        struct vector16 *memory = stages + stage * STAGE, *run = run_of(memory, VECTORS);
        struct tile tile = tile_of(&span, k);
        int32_t is_inside;
        struct specials specials;
        struct starts starts = starts_of(&walk, &specials, giants, &is_inside);
        walk_on(&walk);
#if WITH_WHERE
        struct masks masks;
        load_masks(&given.reduce, &span, &tile, &masks);
        await_tile(&span, &tile, memory, &room->arrived[stage], &phases, stage);
        mask_tile(&given, &span, tile, &masks, memory);
#else
        await_tile(&span, &tile, memory, &room->arrived[stage], &phases, stage);
#endif
        struct vector16 *to = IN_PLACE ? run : run_of(beside, RESULT_STRIDE);
        int is_nan = is_inside && left_is_nan(&room->carried);
        if (is_nan) {
            results_all_nan(to);
        } else {
            struct position position = enter_warp(run, &starts, &room->total, &room->beside_total);
#if HAS_GIANTS
            position.by_words |= which_giants;
            which_giants = position.by_words & (HAD_GIANTS | CARRIES_GIANTS);
            if (which_giants) giants->others = position.top;
#endif
            run_results(&given, run, to, RUN, starts.open ? &room->carried : &room->first, &room->first, &position,
                        &starts);
        }
        bulk_written();
        __syncwarp();
        end_if_again(&given, &span, k);
        if (lane == 0 && k + STAGES - 1 < span.tiles) bulk_stores_have_read();
        if (IN_UNIT) __syncwarp();
        begin_tile(&given.reduce, &span, k + STAGES - 1, stages + spare * STAGE, &room->arrived[spare]);
        store_tile(&given.reduce, &span, &tile, memory, beside);
        if (lane == 0 && walk.in_row != 0 && !is_nan) carry_on(room, is_inside);
        __syncwarp();
#if HAS_GIANTS
        if (which_giants) which_giants = giants_left(room, giants, which_giants, is_inside, is_nan ? 0 : walk.in_row);
#endif
        spare = stage;
        stage = stage + 1 < STAGES ? stage + 1 : 0;
    }
    if (lane == 0) bulk_finish();
}
