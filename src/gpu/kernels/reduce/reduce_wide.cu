/* SPDX-License-Identifier: MIT
 *
 * reduce_wide.cu - exact sums of the cells that reduce.cu could not finish, because their numbers lie too far apart for
 * a thread's words. Blocks add to a number as long as the type needs, in digits of 16 bits that 32-bit words hold, so
 * that threads add by the fast atomics of shared memory; the digits move to 64-bit words before they can overflow. */
#include "output_state.h"

#include "wide.cuh"

#include "wide_result.cuh"

/* Cells that all blocks share out, when there are few. */
#define SHARED_CELLS 32

/* Variances and norms of doubles are tried by warps first. */
#if IS_FLOAT && !IS_NARROW && (defined(PICK_MOMENTS) || defined(PICK_SQUARE)) && !defined(OUTPUT_STATES)
#define HAS_SCALED 1
#include "scaled_spread.cuh"
#else
#define HAS_SCALED 0
#endif

#if defined(OUTPUT_STATES)
#if DIGITS != OUTPUT_DIGITS || DIGIT_LOWEST != OUTPUT_DIGIT_LOWEST
#error "the host reads other digits"
#endif
/* For the cell of this place in the list. */
DEVICE void wide_output(const struct reduce_parameters *p, const struct wide *w, int64_t place)
{
    uint64_t *out = (uint64_t *)p->out + place * SUMS * (1 + DIGITS);
    for (int s = 0; s < SUMS; s++, out += 1 + DIGITS) {
        if (threadIdx.x == 0) out[0] = w->special[s];
        for (int i = (int)threadIdx.x; i < DIGITS; i += THREADS) out[1 + i] = (uint64_t)w->sum[s].total[i];
    }
}
#endif

DEVICE void wide_finish(const struct reduce_parameters *p, struct wide *w, int64_t cell, int64_t place)
{
    __syncthreads();
#if defined(OUTPUT_STATES)
    (void)cell;
    wide_output(p, w, place);
#else
    (void)place;
    if (threadIdx.x == 0) wide_result(p, w, cell);
#endif
    __syncthreads();
}

/* Adds a block's sums to the cell's in global memory; the last block gets them all back and leaves zeros. */
DEVICE int wide_gather(struct wide *w, struct wide *all, uint32_t *ticket)
{
    for (int s = 0; s < SUMS; s++) {
        for (int i = (int)threadIdx.x; i < DIGITS; i += THREADS) {
            int64_t v = w->sum[s].total[i];
            if (v) atomicAdd((unsigned long long *)&all->sum[s].total[i], (unsigned long long)v);
        }
        if (threadIdx.x == 0 && w->special[s]) atomicOr(&all->special[s], w->special[s]);
    }
    if (threadIdx.x == 0 && w->absent) atomicAdd(&all->absent, w->absent);
    if (!last_to_arrive(ticket, gridDim.x)) return 0;
    for (int i = (int)threadIdx.x; i < (int)(sizeof *w / 4); i += THREADS) {
        ((uint32_t *)w)[i] = ((volatile uint32_t *)all)[i];
        ((uint32_t *)all)[i] = 0;
    }
    __syncthreads();
    return 1;
}

/* A cell by a block, which no other block has a part of. */
DEVICE void wide_cell(const struct reduce_parameters *p, struct wide *w, int64_t cell, int64_t place)
{
    struct cell c = cell_of(p, cell);
    wide_clear(w);
    wide_absorb(p, &c, 0, p->length, w);
    wide_finish(p, w, cell, place);
}

#if HAS_SCALED
/* The cells of a block's warps, and then by all of it those that are left: neighbours, unless there are so few that
 * some blocks would have none. */
DEVICE void scaled_cells(const struct reduce_parameters *p, struct wide *w, int all, int64_t count)
{
    enum { WARPS = THREADS / 32 };
    __shared__ int left[WARPS];
    int32_t warp = (int32_t)threadIdx.x >> 5;
    int64_t together = (int64_t)gridDim.x * WARPS, step = count < together ? gridDim.x : 1;
    for (int64_t first = step == 1 ? (int64_t)blockIdx.x * WARPS : blockIdx.x; first < count; first += together) {
        int64_t k = first + warp * step;
        left[warp] = k < count && !scaled_spread(p, all ? k : p->wide_cells[k]);
        __syncthreads();
        for (k = first; k < first + WARPS * step; k += step)
            if (left[(k - first) / step]) wide_cell(p, w, all ? k : p->wide_cells[k], k);
        __syncthreads();
    }
}
#endif

/* p.states: SHARED_CELLS zeroed struct wide. p.tickets: SHARED_CELLS + 1 zeros. */
KERNEL(reduce_wide, struct reduce_parameters, p)
{
    DYNAMIC_SHARED(struct wide, w);
    __shared__ int64_t listed;
    if (threadIdx.x == 0) listed = *(volatile uint32_t *)p.wide_count;
    __syncthreads();
    int64_t count = listed, all = count > p.wide_capacity;
    if (count == 0) return;
    if (all) count = p.cells;
    if (count <= SHARED_CELLS) {
        int64_t part = (p.length + gridDim.x - 1) / gridDim.x;
        for (int64_t k = 0; k < count; k++) {
            int64_t cell = all ? k : p.wide_cells[k], begin = part * blockIdx.x, end = begin + part;
            struct cell c = cell_of(&p, cell);
            wide_clear(w);
            wide_absorb(&p, &c, begin, end < p.length ? end : p.length, w);
            if (wide_gather(w, (struct wide *)p.states + k, &p.tickets[k])) wide_finish(&p, w, cell, k);
        }
#if HAS_SCALED
    } else if (p.length <= SCALED_MOST) {
        scaled_cells(&p, w, all != 0, count);
#endif
    } else {
        for (int64_t k = blockIdx.x; k < count; k += gridDim.x) wide_cell(&p, w, all ? k : p.wide_cells[k], k);
    }
    if (last_to_arrive(&p.tickets[SHARED_CELLS], gridDim.x) && threadIdx.x == 0) *p.wide_count = 0;
}
