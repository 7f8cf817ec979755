/* SPDX-License-Identifier: MIT
 *
 * scan_chain.cu - carries the totals of blocks along the axis, for ordered folds whose blocks others go through
 * (scan_ordered.cu, and scan_columns.cu where threads have blocks of columns, or CHAINS_GROUPS: groups of blocks). */
#include "ordered_blocks.cuh"

#if defined(PICK_VALUE_ADD_POWERS)
#include "ordered_chain_powers.cuh"
#elif CHAINS_GROUPS
#include "ordered_chain_groups.cuh"
#else
#include "ordered_chain.cuh"
#endif
