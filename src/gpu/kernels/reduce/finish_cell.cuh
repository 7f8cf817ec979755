/* SPDX-License-Identifier: MIT
 *
 * finish_cell.cuh - what becomes of a cell's last state: its result, a place in the list of reduce_wide.cu, or a state
 * for the host. Included after the method. No include guard. */
#include "failed_cells.cuh"

#if defined(OUTPUT_STATES)
#include "output_state.cuh"
#endif

DEVICE void finish_cell(const struct reduce_parameters *p, const struct state *s, int64_t cell)
{
#if defined(OUTPUT_STATES)
    output_state(p, s, cell);
#else
    int64_t n = p->length - s->absent;
    uint32_t failure = state_finish(p, s, n, cell, (char *)p->out + out_of_cell(p, cell) * RESULT_SIZE);
    if (failure == FAILED_WINDOW) {
        list_failed(p, cell);
        return;
    }
    if (failure && p->failures) atomicOr(p->failures, failure);
#endif
}
