/* SPDX-License-Identifier: MIT
 *
 * ordered_blocks.cuh - what scan_ordered.cu and scan_chain.cu share: the blocks of docs/semantics.md, and their sums.
 * No include guard. */
#include "scan_step.cuh"

#include "ordered_left.cuh"
#include "shuffle.cuh"

enum { GROUP_RUNS = 32, BLOCK_ELEMENTS = 4096, GROUP_ELEMENTS = GROUP_RUNS * RUN };

#if defined(PICK_VALUE_ADD_POWERS)
#include "ordered_sums_powers.cuh"
#else
#include "ordered_sums.cuh"
#endif
