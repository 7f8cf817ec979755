/* SPDX-License-Identifier: MIT
 *
 * method_exact.cuh - exact sums: a thread's tiles into its words (exact_tile.cuh); words merge in any order. The last
 * of several sums takes the squares of LIFT_MOMENTS, the second the imaginary part where there is one, as in state.h.
 */
#ifndef TALLY_METHOD_CUH
#define TALLY_METHOD_CUH

#include "sums.cuh"

#include "words_of_type.cuh"

#include "exact_tile.cuh"
#include "finish_exact.cuh"

/* Where the working space of finishing lies: in shared memory where one thread of a block finishes. */
#if !defined(FINISH_ROOM)
#define FINISH_ROOM
#endif

struct state {
    int64_t absent;
    struct words sum[SUMS];
};

DEVICE void state_open(struct state *s)
{
    s->absent = 0;
    for (int i = 0; i < SUMS; i++) {
        words_clear(&s->sum[i]);
#if defined(LONG_WORDS)
        s->sum[i].special = (uint32_t)i << SUM_NUMBER_SHIFT;
#endif
    }
}

#if !IS_FLOAT
#include "exact_integer_tile.cuh"
#include "open_is_state.cuh"
#else
#include "exact_float_tile.cuh"
#endif

#if IS_FLOAT
#define MERGE_FUNCTION DEVICE_CALL /* long, and only for what threads and blocks have at their end */
#else
#define MERGE_FUNCTION DEVICE
#endif
MERGE_FUNCTION struct words words_merged(struct words a, struct words b)
{
    words_merge(&a, b);
    return a;
}

DEVICE void state_merge(struct state *a, const struct state *b)
{
    a->absent += b->absent;
    for (int i = 0; i < SUMS; i++) a->sum[i] = words_merged(a->sum[i], b->sum[i]);
}

/* An initial value of a total is one more number. */
DEVICE void state_add_initial(const struct reduce_parameters *p, struct state *s)
{
    if (!p->has_initial || FINISH_NUMBER != FINISH_TOTAL) return;
#if IS_FLOAT
    for (int i = 0; i < SUMS; i++) s->sum[i] = words_add_double(s->sum[i], initial_real(p, i), 0);
#else
    if (RESULT_KIND & KIND_FLOAT) {
        s->sum[0] = words_add_double(s->sum[0], initial_real(p, 0), 0);
    } else {
        uint64_t bits = initial_integer(p);
        int negative = RESULT_KIND == KIND_SIGNED && (int64_t)bits < 0;
        add_wide(&s->sum[0], negative ? 0 - bits : bits, 0, negative);
    }
#endif
}

DEVICE int state_failed(const struct state *s)
{
    uint32_t special = 0;
    for (int i = 0; i < SUMS; i++) special |= s->sum[i].special;
    return (special & EXACT_FAILED) != 0;
}

DEVICE uint32_t state_finish(const struct reduce_parameters *p, const struct state *s, int64_t n, int64_t cell,
                             char *out)
{
    struct state total = *s;
    (void)cell;
    state_add_initial(p, &total);
    if (state_failed(&total)) return FAILED_WINDOW;
    if (RESULT_KIND & KIND_FLOAT && FINISH_NUMBER != FINISH_VARIANCE && FINISH_NUMBER != FINISH_DEVIATION) {
        finish_words(FINISH_NUMBER == FINISH_ROOT ? &total.sum[SUMS - 1] : total.sum, n, out);
        return 0;
    }
    FINISH_ROOM struct exact_sum sum[SUMS];
    FINISH_ROOM struct natural square;
    for (int i = 0; i < SUMS; i++) words_read(&total.sum[i], &sum[i]);
    return finish_exact(p, sum, SUMS, &square, n, out);
}

#endif
