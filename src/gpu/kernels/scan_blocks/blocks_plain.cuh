/* SPDX-License-Identifier: MIT
 *
 * blocks_plain.cuh - groups of scan_blocks.cu whose elements are combined one after the other, all of them. No include
 * guard. */

#define STEPS_FUNCTION DEVICE
#include "blocks_by_steps.cuh"

/* Of a group, from its entering to its results; and what a warp has learnt from its groups. */
struct entered {
    int32_t none;
};

struct learnt {
    int32_t none;
};

struct logarithms {
    int32_t none;
};

DEVICE void logarithms_open(struct logarithms *logarithms)
{
    (void)logarithms;
}

DEVICE void learnt_open(struct learnt *learnt)
{
    (void)learnt;
}

#define groups_before groups_by_steps

/* What stands left of the lane's run in its group. */
typedef struct state lane_kept;

/* Leaves the group's total. */
DEVICE lane_kept enter_group(const struct reduce_parameters *p, struct vector16 *memory, struct learnt *learnt,
                             struct entered *entered, struct state *total)
{
    struct run run = run_settle(p, memory);
    struct state upto = upto_of_run(&run);
    (void)learnt, (void)entered;
    if ((threadIdx.x & 31) == 31) *total = upto;
    return state_up(upto, 1);
}

DEVICE void group_results(struct vector16 *memory, struct learnt *learnt, const struct entered *entered,
                          struct left left, lane_kept run, const struct logarithms *logarithms)
{
    (void)learnt, (void)entered, (void)logarithms;
    if ((threadIdx.x & 31) > 0) left_append(&left, run.total);
    results_by_steps(memory, left);
}
