/* SPDX-License-Identifier: MIT
 *
 * ordered_chain_groups.cuh - scan_chain of scan_chain.cu for the groups of blocks: a thread for each of neighbouring
 * cells carries their totals along the axis. No include guard. */

enum { BLOCK_GROUPS = 8, AHEAD = 128 / (int)sizeof(struct FOLD(wide)) };

static_assert(AHEAD % BLOCK_GROUPS == 0, "whole blocks are loaded at once");

/* The totals of neighbouring groups, where there are so many. */
DEVICE void load_totals(struct FOLD(wide) * some, const struct left *totals, int64_t cells, int64_t first,
                        int64_t count)
{
#pragma unroll
    for (int k = 0; k < AHEAD; k++) {
        if (first + k < count) some[k] = totals[(first + k) * cells].value;
    }
}

/* Each total gives way to what stands left of it: complete blocks, and then complete groups of the block. */
KERNEL(scan_chain, struct scan_parameters, given)
{
    const struct reduce_parameters *p = &given.reduce;
    int64_t cell = (int64_t)blockIdx.x * THREADS + threadIdx.x, count = p->splits;
    if (cell >= p->cells) return;
    struct left *totals = (struct left *)given.totals + cell, blocks = first_left(&given, cell), groups = no_left();
    struct FOLD(wide) some[AHEAD], next[AHEAD];
    load_totals(next, totals, p->cells, 0, count);
    for (int64_t first = 0; first < count; first += AHEAD) {
#pragma unroll
        for (int k = 0; k < AHEAD; k++) some[k] = next[k];
        load_totals(next, totals, p->cells, first + AHEAD, count);
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            struct left left = blocks;
            if (first + k >= count) continue;
            if (groups.some) left_append(&left, groups.value);
            totals[(first + k) * p->cells] = left;
            left_append(&groups, some[k]);
            if (k % BLOCK_GROUPS < BLOCK_GROUPS - 1) continue;
            left_append(&blocks, groups.value);
            groups = no_left();
        }
    }
}
