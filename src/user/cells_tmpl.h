/* SPDX-License-Identifier: MIT
 *
 * cells_tmpl.h - the part of kernels_tmpl.h that reduces cells side by side: the same lanes as those of one cell after
 * the other, so that the same steps are taken for several cells at once. No include guard. */

/* a = a . b for n states each that lie side by side. */
static void user_join_states(const struct user_op *op, STATE_TYPE *restrict a, const STATE_TYPE *restrict b, int n)
{
    (void)op;
    for (int k = 0; k < n; k++) COMBINE(STATE_AT(a, k), STATE_AT(b, k));
}

/* One element of each cell. A constant step of 1 makes the loop one over vectors. */
static inline __attribute__((always_inline)) void user_run_cells(const struct user_op *op, STATE_TYPE *restrict lanes,
                                                                 const struct user_cells *cells, long long offset,
                                                                 long long step, long long index, int fresh)
{
    (void)op;
    for (int c = 0; c < cells->count; c++) {
        STATE_ROOM(value);
        LIFT(value, cells->inputs, offset + c * step, index);
        if (fresh) STATE_COPY(STATE_AT(lanes, c), value);
        else COMBINE(STATE_AT(lanes, c), value);
    }
}

static void user_kernel_run_cells(const struct user_op *op, void *memory, const struct user_cells *cells, int first,
                                  int n, long long index)
{
    for (int r = 0; r < n; r++) {
        const int element = first + r, fresh = (COMMUTATIVE) ? element < USER_LANES : element % USER_LANE_ELEMENTS == 0;
        STATE_TYPE *lanes = STATE_AT((STATE_TYPE *)memory, LANE_OF(element) * cells->count);
        if (cells->step == 1) user_run_cells(op, lanes, cells, cells->offsets[r], 1, index + r, fresh);
        else user_run_cells(op, lanes, cells, cells->offsets[r], cells->step, index + r, fresh);
    }
}

static void user_kernel_close_cells(const struct user_op *op, void *memory, int n, int count)
{
    STATE_TYPE *lanes = memory;
    const int filled = (COMMUTATIVE) ? n : LANE_OF(n - 1) + 1;
    for (int width = USER_LANES / 2; (COMMUTATIVE) && width > 0; width /= 2) {
        for (int l = 0; l < width && l + width < filled; l++)
            user_join_states(op, STATE_AT(lanes, l * count), STATE_AT(lanes, (l + width) * count), count);
    }
    for (int distance = 1; !(COMMUTATIVE) && distance < filled; distance *= 2) {
        for (int l = 0; l + distance < filled; l += 2 * distance)
            user_join_states(op, STATE_AT(lanes, l * count), STATE_AT(lanes, (l + distance) * count), count);
    }
}
