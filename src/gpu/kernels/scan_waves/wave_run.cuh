/* SPDX-License-Identifier: MIT
 *
 * wave_run.cuh - a thread's run of neighbouring elements in shared memory, and what the runs of a warp are to each
 * other: for scan_wave.cu and scan_rows.cu. No include guard.
 *   VECTORS       of a run, odd, which keeps banks apart
 *   SEGMENTED     1: rows may begin inside of a warp's runs; if these have 64 elements or more, rows have as many
 *   BY_VECTORS    1: exact sums of rows that are no shorter than a run: vectors that no row begins in are gone through
 *                 without looking for one */

enum {
    PER_VECTOR = 16 / ELEMENT_SIZE,
    RESULTS_PER_VECTOR = 16 / RESULT_SIZE,
    RUN = VECTORS * PER_VECTOR, /* elements of a thread */
    ONE_START = RUN >= 64,      /* at most one row begins in a run */
    IN_PLACE = RESULT_SIZE <= ELEMENT_SIZE,
    NARROWS = RESULT_SIZE < ELEMENT_SIZE, /* a warp's results lie behind each other where its elements did */
    RESULT_VECTORS = (RUN + RESULTS_PER_VECTOR - 1) / RESULTS_PER_VECTOR,
    RESULT_STRIDE = RESULT_VECTORS | 1
};

#include "pairs_of_bytes.cuh"
#include "pairs_of_halves.cuh"

/* Minima and maxima that are elements of theirs, and that one instruction compares two of; RUNS_OF_TRUTH: of whether
 * bytes are not zero; RUNS_OF_BITS: bits, of which an instruction combines a word. */
#if RUNS_OF_TRUTH && defined(BETTER_OF_16)
#define RUNS_OF_PAIRS 1
#elif defined(METHOD_FOLD) && RESULTS_ARE_LANES && (defined(PICK_VALUE_MAXIMUM) || defined(PICK_VALUE_MINIMUM))
#if (defined(ONLY_TYPE_i8) || defined(ONLY_TYPE_u8)) && defined(BETTER_OF_16)
#define RUNS_OF_PAIRS 1
#elif ELEMENT_BYTES == 2 && HAS_BETTER_HALVES && !SKIP_NAN
#define RUNS_OF_PAIRS 1
#endif
#elif defined(METHOD_FOLD) && RESULTS_ARE_LANES && ELEMENT_BYTES <= 2 && \
    (defined(PICK_VALUE_AND) || defined(PICK_VALUE_OR) || defined(PICK_VALUE_XOR))
#define RUNS_OF_PAIRS 1
#define RUNS_OF_BITS 1
#endif

#if defined(METHOD_EXACT)
#define TILE RUN
#include "scan_method_exact.cuh"
#elif RUNS_OF_PAIRS
#include "scan_method_pair.cuh"
#else
#include "scan_method_fold.cuh"
#endif

/* Exact sums of rows whose numbers may lie further apart than these know. */
#if SEGMENTED && defined(METHOD_EXACT) && IS_FLOAT && !defined(ONLY_TYPE_f16)
#define HAS_GIANTS 1
#else
#define HAS_GIANTS 0
#endif

#include "shuffle.cuh"

SHUFFLE(state)

/* Element i of a run, in the order of the scan, lies there in memory. */
#define IN_ORDER(i) (BACKWARD ? RUN - 1 - (i) : (i))

DEVICE element run_element(const struct vector16 *run, int i)
{
    struct vector16 v = run[IN_ORDER(i) / PER_VECTOR];
    return vector_element(&v, IN_ORDER(i) % PER_VECTOR);
}

/* Where a run of exact sums has NaN, +infinity and -infinity: a bit for each element, in the order of the scan. */
struct specials {
    uint64_t at[3];
};

/* Where rows begin, in the order of the scan. */
struct starts {
    uint64_t inside;           /* bit i: at element i of the thread's run; ONE_START: whether there is one */
    int32_t last;              /* the last of these, or 0 */
    int32_t reach;             /* so many lanes to the left have a part of the row that is there when the run ends */
    uint32_t vectors;          /* bit k: in vector k of the run of some lane of the warp */
    int32_t open;              /* the row that is there when the run begins was there before the warp's first run */
    struct specials *specials; /* where those of the thread's run are kept from its entering to its results; or NULL */
    struct giants *giants;     /* the same of these */
};

#define BEGINS_ROW(starts, i) (SEGMENTED && ((starts)->inside >> (i)&1))

/* Whether vector k of a run, in the order of the scan, may need to look. All lanes of a warp have one answer. */
#define BEGINS_ROWS(starts, k) (SEGMENTED && (!BY_VECTORS || ((starts)->vectors >> (k)&1)))

DEVICE_UNUSED struct starts no_starts(void)
{
    struct starts starts = {0, 0, (int32_t)threadIdx.x & 31, 0, 1, 0, 0};
    return starts;
}

/* Inclusive, over the first `count` lanes, as far as each one reaches to the left. */
DEVICE struct state warp_scan(struct state s, int32_t reach, int32_t count)
{
    if (!SEGMENTED) reach = (int32_t)threadIdx.x & 31;
    ROUNDS_UNROLL
    for (int32_t distance = 1; distance < count; distance *= 2) {
        struct state left = state_up(s, (uint32_t)distance);
        if (reach < distance) continue;
        state_append(&left, &s);
        s = left;
    }
    return s;
}

#if defined(METHOD_EXACT)
#include "wave_exact.cuh"
#include "wave_exact_results.cuh"
#else
#include "wave_fold.cuh"
#endif
