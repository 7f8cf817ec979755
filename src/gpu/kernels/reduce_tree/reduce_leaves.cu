/* SPDX-License-Identifier: MIT
 *
 * reduce_leaves.cu - the values of complete leaves of the fixed-shape tree, for the host to put into a state's tree.
 * Each crew of a block takes one leaf of one cell. */
#include "ordered_leaf.cuh"

#include "leaves_parameters.h"
#include "output_state.h"

enum { CREWS = THREADS / CREW };

KERNEL(reduce_leaves, struct leaves_parameters, given)
{
    __shared__ int64_t absent[THREADS];
    const struct reduce_parameters *p = &given.reduce;
    int32_t crew = (int32_t)threadIdx.x / CREW, member = (int32_t)threadIdx.x % CREW;
    int64_t index = (int64_t)blockIdx.x * CREWS + crew, cell = index / given.leaves;
    int64_t first = given.first + (index - cell * given.leaves) * TREE_LEAF;
    int some = cell < p->cells;
    struct cell c = cell_of(p, some ? cell : 0);
    int aligned = address_is_aligned(c.x + first * ELEMENT_SIZE) &&
                  (!WITH_SECOND || address_is_aligned(c.y + first * ELEMENT_SIZE));
    struct lanes lanes;
    lanes_open(&lanes);
    absorb_leaf(p, &c, some ? first : p->length, member, 1, aligned, &lanes);
    struct FOLD(wide) value = FOLD(widen)(join_lanes_of_warp(&lanes, member));
    absent[threadIdx.x] = lanes.absent;
    __syncthreads();
    if (member != 0 || !some) return;
    uint64_t *out = (uint64_t *)p->out + index * (1 + FOLD(parts));
    out[0] = 0;
    for (int i = 0; i < CREW; i++) out[0] += (uint64_t)absent[(int32_t)threadIdx.x + i];
    for (int i = 0; i < FOLD(parts); i++) out[1 + i] = double_bits((double)value.part[i]);
}
