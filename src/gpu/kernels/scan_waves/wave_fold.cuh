/* SPDX-License-Identifier: MIT
 *
 * wave_fold.cuh - runs of folds. Part of wave_run.cuh. No include guard. */

#if RUNS_OF_PAIRS
#include "wave_pairs.cuh"
#else
#include "runner_fold.cuh"

/* Since the last row began. */
DEVICE struct state run_total(const struct vector16 *run, const struct starts *starts)
{
    struct FOLD(lane) lane = FOLD(lane_identity)();
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        element x = run_element(run, i);
        if (BEGINS_ROW(starts, i)) lane = FOLD(lane_identity)();
        if (counts(x)) FOLD(lane_combine)(&lane, FOLD(lift)(x, x));
    }
    struct state total = {FOLD(widen)(lane)};
    return total;
}
#endif

/* A sum on its way between lanes, warps and blocks. Those of exact sums may need a state beside; folds leave it
 * alone. */
struct amount {
    struct state state;
};

SHUFFLE(amount)

DEVICE struct amount amount_none(void)
{
    struct amount none = {state_identity()};
    return none;
}

/* What stands left of a cell. By one thread. */
DEVICE struct amount amount_first(const struct scan_parameters *given, int64_t cell, struct state *beside)
{
    struct amount first = {state_first(given, cell)};
    (void)beside;
    return first;
}

/* What stands left of a thread's run in its warp, of the same row. */
struct position {
    struct state before;
};

/* Every lane of the warp calls it. *total gets what stands left of lane 32. */
DEVICE struct position enter_warp(const struct vector16 *run, const struct starts *starts, struct amount *total,
                                  struct state *beside)
{
    struct state upto = warp_scan(run_total(run, starts), starts->reach, 32);
    struct position position = {state_up(upto, 1)};
    (void)beside;
    if ((threadIdx.x & 31) == 31) total->state = upto;
    if ((threadIdx.x & 31) == 0) position.before = state_identity();
    return position;
}

/* What stands left of a warp. */
struct left {
    struct amount sum;
};

DEVICE struct left left_of(const struct amount *sum, const struct state *beside)
{
    struct left left = {*sum};
    (void)beside;
    return left;
}

/* Folds have nothing that all results would follow from. */
DEVICE_UNUSED int left_is_nan(const struct left *left)
{
    (void)left;
    return 0;
}

DEVICE_UNUSED void results_all_nan(struct vector16 *to)
{
    (void)to;
}

/* What stands left, and more behind it. By one thread; the states are beside `more` and beside the result. */
DEVICE struct left left_and(const struct left *left, const struct amount *more, const struct state *beside_more,
                            struct state *beside)
{
    struct left sum = *left;
    (void)beside_more, (void)beside;
    state_append(&sum.sum.state, &more->state);
    return sum;
}

#if !RUNS_OF_PAIRS
/* Results that are narrower than elements wait until no lane needs those in whose place they go; so many bytes of a
 * run's go at once. */
#define RUN_BYTES (RUN * RESULT_SIZE)
#define NARROW_BYTES (RUN_BYTES % 4 == 0 ? 4 : RUN_BYTES % 2 == 0 ? 2 : 1)

static_assert(!NARROWS || RESULT_SIZE <= NARROW_BYTES, "whole results");

struct narrow {
    uint32_t part[NARROWS ? RUN_BYTES / NARROW_BYTES : 1];
};

/* Every lane of the warp calls it, with its elements' place. */
DEVICE void narrow_store(const struct narrow *results, struct vector16 *run)
{
    int32_t lane = BACKWARD ? 31 - ((int32_t)threadIdx.x & 31) : (int32_t)threadIdx.x & 31;
    char *to = (char *)(run - lane * VECTORS) + lane * RUN_BYTES;
    __syncwarp();
#pragma unroll
    for (int k = 0; k < RUN_BYTES / NARROW_BYTES; k++) {
        if (NARROW_BYTES == 4) ((uint32_t *)to)[k] = results->part[k];
        else if (NARROW_BYTES == 2) ((uint16_t *)to)[k] = (uint16_t)results->part[k];
        else ((uint8_t *)to)[k] = (uint8_t)results->part[k];
    }
}
#endif

/* The results of a run to `to`, which may be the run itself. `left` stands left of what the position knows, `first` of
 * every row that begins in the run. */
DEVICE void run_results(const struct scan_parameters *given, const struct vector16 *run, struct vector16 *to,
                        int32_t share, const struct left *left, const struct left *first,
                        const struct position *position, const struct starts *starts)
{
    struct state before = left->sum.state;
    (void)given, (void)share;
    state_append(&before, &position->before);
#if RUNS_OF_PAIRS
    pair_results(run, to, &before, &first->sum.state, starts);
#else
    enum { PER = NARROWS ? NARROW_BYTES / RESULT_SIZE : RESULTS_PER_VECTOR };
    struct vector16 results = {{0}};
    struct narrow narrow;
    runner r = runner_of(&before), at_start = runner_of(&first->sum.state);
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        int at = IN_ORDER(i) % PER;
        if (BEGINS_ROW(starts, i)) r = at_start;
        runner next = r;
        runner_move(&next, run_element(run, i));
        runner_store(EXCLUSIVE ? &r : &next, (char *)&results + at * RESULT_SIZE);
        r = next;
        if (at != (BACKWARD ? 0 : PER - 1)) continue;
        if (NARROWS) narrow.part[NARROWS ? IN_ORDER(i) / PER : 0] = results.word[0];
        else to[IN_ORDER(i) / PER] = results;
    }
    if (NARROWS) narrow_store(&narrow, to);
#endif
}
