/* SPDX-License-Identifier: MIT
 *
 * ordered_rows_powers.cuh - the names of ordered_rows_steps.cuh for logsumexp. No include guard. */
enum { BY_RUN, IN_ROOM };
#define OUT_WAY IN_ROOM /* results are written to shared memory, all of a run */

#include "ordered_sums_powers.cuh"

static_assert(!OUT_LINEAR, "results are written one by one");

struct taken {
    element x[RUN];
    uint32_t present;
    struct local local;
};

DEVICE struct sum take_run(const struct run *run, int32_t count, struct taken *taken)
{
    taken->present = (1u << count) - 1;
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        taken->x[i] = run_element(run, i);
        if (SKIP_NAN && element_is_nan(taken->x[i])) taken->present &= ~(1u << i);
    }
    return enter_run(taken->x, taken->present, &taken->local);
}

DEVICE void leave_in_units(struct taken *taken, const struct standing *base, int32_t count, struct vector16 *to)
{
    char *first = (char *)to + (OUT_BACKWARD ? (RUN - 1) * RESULT_SIZE : 0);
    write_results(taken->x, taken->present, &taken->local, base, first, OUT_BACKWARD ? -RESULT_SIZE : RESULT_SIZE,
                  count);
}
