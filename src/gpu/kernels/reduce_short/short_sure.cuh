/* SPDX-License-Identifier: MIT
 *
 * short_sure.cuh - for what succeeds always: nothing to watch, and no cell to be done again. No include guard. */
#include "short_unwatched.cuh"

DEVICE int watch_failed(const struct watch *w, int64_t n)
{
    (void)w;
    (void)n;
    return 0;
}

DEVICE void redo_cell(const struct reduce_parameters *p, const char *x, int64_t stride, int64_t cell, int32_t lanes)
{
    (void)p;
    (void)x;
    (void)stride;
    (void)cell;
    (void)lanes;
}
