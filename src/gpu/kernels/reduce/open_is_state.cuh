/* SPDX-License-Identifier: MIT
 *
 * open_is_state.cuh - for methods whose state takes tiles as it is. No include guard. */

#define open_state state

DEVICE void open_begin(struct state *open)
{
    state_open(open);
}

DEVICE void open_absorb(struct state *open, const element *x, const element *y, const int64_t *place, tile_mask present)
{
    state_absorb(open, x, y, place, present);
}

DEVICE struct state open_close(const struct state *open)
{
    return *open;
}

DEVICE int64_t *open_absent(struct state *open)
{
    return &open->absent;
}
