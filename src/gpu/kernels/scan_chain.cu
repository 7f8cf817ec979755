/* SPDX-License-Identifier: MIT
 *
 * scan_chain.cu - carries the totals of blocks along the axis, for ordered folds whose blocks others go through
 * (scan_ordered.cu, and scan_columns.cu where threads have blocks of columns). */
#include "ordered_blocks.cuh"

#if defined(PICK_VALUE_ADD_POWERS)
#include "ordered_chain_powers.cuh"
#else
#include "ordered_chain.cuh"
#endif
