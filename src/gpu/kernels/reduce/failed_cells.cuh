/* SPDX-License-Identifier: MIT
 *
 * failed_cells.cuh - the list of cells that reduce_wide.cu sums again. */
#ifndef TALLY_FAILED_CELLS_CUH
#define TALLY_FAILED_CELLS_CUH

#include "device.cuh"
#include "reduce_parameters.h"

/* Once there are more than the list takes, all cells are summed again; then no more are counted, in 32 bits. */
DEVICE_UNUSED void list_failed(const struct reduce_parameters *p, int64_t cell)
{
    if (*(volatile uint32_t *)p->wide_count > p->wide_capacity) return;
    uint32_t place = atomicAdd(p->wide_count, 1u);
    if (place < p->wide_capacity) p->wide_cells[place] = cell;
}

#endif
