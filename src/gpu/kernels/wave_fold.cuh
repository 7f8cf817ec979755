/* SPDX-License-Identifier: MIT
 *
 * wave_fold.cuh - runs of folds. Part of wave_run.cuh. No include guard. */

DEVICE int counts(element x)
{
    return !(SKIP_NAN && element_is_nan(x));
}

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

/* What stands left of a thread's run in its warp, of the same row. */
struct position {
    struct state before;
};

/* Every lane of the warp calls it. *warp_total gets what stands left of lane 32. */
DEVICE struct position enter_warp(const struct vector16 *run, const struct starts *starts, struct state *warp_total)
{
    struct state upto = warp_scan(run_total(run, starts), starts->reach, 32);
    struct position position = {state_up(upto, 1)};
    if ((threadIdx.x & 31) == 31) *warp_total = upto;
    if ((threadIdx.x & 31) == 0) position.before = state_identity();
    return position;
}

/* What runs along a run. RESULTS_ARE_LANES 1: results are values of the elements' type, and nothing on the way is
 * wider. */
#if RESULTS_ARE_LANES
typedef struct FOLD(lane) runner;

DEVICE runner runner_of(const struct state *before)
{
    struct vector16 v = {{0}};
    finish_value(before->total, (char *)&v);
    element x = vector_element(&v, 0);
    return FOLD(lift)(x, x);
}

DEVICE void runner_move(runner *r, element x)
{
    if (counts(x)) FOLD(lane_combine)(r, FOLD(lift)(x, x));
}

#if defined(TALLY_SIMT)
#define NARROWED_F16(v) f32_to_f16(v)
#else
#define NARROWED_F16(v) f32_to_f16_native(v)
#endif

/* What narrow types hold as floats needs no rounding. */
DEVICE void runner_store(const runner *r, char *out)
{
#if defined(ONLY_TYPE_f32)
    float v = r->part[0] + 0.0f;
    *(uint32_t *)out = v != v ? 0x7fc00000u : __float_as_uint(v);
#elif defined(ONLY_TYPE_f16)
    float v = r->part[0] + 0.0f;
    *(uint16_t *)out = v != v ? 0x7e00u : NARROWED_F16(v);
#elif defined(ONLY_TYPE_bf16)
    float v = r->part[0] + 0.0f;
    *(uint16_t *)out = v != v ? 0x7fc0u : (uint16_t)(__float_as_uint(v) >> 16);
#else
    finish_value(FOLD(widen)(*r), out);
#endif
}
#else
typedef struct FOLD(wide) runner;

DEVICE runner runner_of(const struct state *before)
{
    return before->total;
}

DEVICE void runner_move(runner *r, element x)
{
    if (counts(x)) FOLD(wide_combine)(r, FOLD(widen)(FOLD(lift)(x, x)));
}

DEVICE void runner_store(const runner *r, char *out)
{
    finish_value(*r, out);
}
#endif

/* What stands left of a warp. */
struct left {
    struct state state;
};

DEVICE void left_open(struct left *left, struct state state)
{
    left->state = state;
}

/* The results of a run to `to`, which may be the run itself. `left` stands left of what the position knows, `first` of
 * every row that begins in the run. */
DEVICE void run_results(const struct scan_parameters *given, const struct vector16 *run, struct vector16 *to,
                        int32_t share, const struct left *left, const struct left *first,
                        const struct position *position, const struct starts *starts)
{
    struct vector16 results = {{0}};
    (void)given, (void)share;
    struct state before = left->state;
    state_append(&before, &position->before);
    runner r = runner_of(&before), at_start = runner_of(&first->state);
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        int at = IN_ORDER(i) % RESULTS_PER_VECTOR;
        if (BEGINS_ROW(starts, i)) r = at_start;
        runner next = r;
        runner_move(&next, run_element(run, i));
        runner_store(EXCLUSIVE ? &r : &next, (char *)&results + at * RESULT_SIZE);
        r = next;
        if (at == (BACKWARD ? 0 : RESULTS_PER_VECTOR - 1)) to[IN_ORDER(i) / RESULTS_PER_VECTOR] = results;
    }
}
