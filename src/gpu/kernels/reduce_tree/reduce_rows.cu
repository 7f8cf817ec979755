/* SPDX-License-Identifier: MIT
 *
 * reduce_rows.cu - logsumexp of floats in the fixed-shape tree of docs/semantics.md, of cells that are no longer than a
 * leaf. A warp takes EACH cells one after the other and keeps the total of each in
 * a thread of its own, so that their results are found at once. ROWS_ALIGNED  1: all fours of elements are, and there
 * are no others */
#define ROWS_OF_DOUBLES 4
#include "ordered_leaf.cuh"

struct total {
    power_real largest, sum;
};

/* Of a cell whose elements have no exponent in common. */
DEVICE_CALL struct total total_by_steps(const struct reduce_parameters *p, const struct cell *c, int32_t member)
{
    struct lanes lanes;
    lanes_open(&lanes);
    lanes.together = 0;
    struct some_lanes some = absorb_some(p, c, LANES * member, ROWS_ALIGNED);
#pragma unroll
    for (int q = 0; q < LANES; q++) lanes.lane[q] = lane_close(some.own[q]);
    struct FOLD(lane) value = join_lanes_of_warp(&lanes, member);
    struct total total = {value.part[0], value.part[1]};
    return total;
}

DEVICE struct total total_of(const struct reduce_parameters *p, const struct cell *c, int32_t member)
{
    struct row row = row_of(p, c, 0, ROWS_ALIGNED);
    struct row_sums sums = sums_of_row(&row, (int32_t)p->length, member);
    if (!sums.fits) return total_by_steps(p, c, member);
    struct total total = {sums.largest + 0, join_sums_of_warp(sums.sum, member)};
    total.sum *= scaled(1, POWER_INTEGER - (OF_POWERS(power_exponent)(sums.largest) - sums.exponent));
    return total;
}

KERNEL(reduce, struct reduce_parameters, p)
{
    int32_t member = (int32_t)threadIdx.x % 32;
    int64_t first = ((p.first_block + blockIdx.x) * (THREADS / 32) + (int32_t)threadIdx.x / 32) * EACH;
    struct total mine = {0, 1};
#pragma unroll 1
    for (int32_t k = 0; k < EACH && first + k < p.cells; k++) {
        struct cell c = cell_of(&p, first + k);
        struct total total = total_of(&p, &c, member);
        if (k == member) mine = total;
    }
    if (member >= EACH || first + member >= p.cells) return;
    struct FOLD(lane) value = {{mine.largest, mine.sum}};
    struct offsets at = cell_offsets(&p, first + member);
    finish_fold(&p, FOLD(widen)(value), p.length, (char *)p.out + at.out * RESULT_SIZE);
}
