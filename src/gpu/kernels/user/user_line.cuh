/* SPDX-License-Identifier: MIT
 *
 * user_line.cuh - scans that go on: the lines that user/line.c keeps on the host, as they lie in memory. */
#ifndef TALLY_USER_LINE_CUH
#define TALLY_USER_LINE_CUH

#include "user_operator.cuh"

DEVICE const struct user_line *line_of(const struct user_parameters *p, int64_t cell)
{
    return (const struct user_line *)((const char *)p->lines + cell * (int64_t)USER_LINE_BYTES(STATE_BYTES));
}

DEVICE struct user_line *line_left_behind(const struct user_parameters *p, int64_t cell)
{
    return (struct user_line *)((char *)p->lines_out + cell * (int64_t)USER_LINE_BYTES(STATE_BYTES));
}

/* State number k, of enum user_line_state. */
DEVICE const state *line_state(const struct user_line *line, int32_t k)
{
    return (const state *)((const char *)line + USER_LINE_STATES_AT) + k;
}

DEVICE void line_put(struct user_line *line, int32_t k, const state *value, int some)
{
    line->has[k] = (unsigned char)some;
    if (some) ((state *)((char *)line + USER_LINE_STATES_AT))[k] = *value;
}

/* Where, among the blocks of an open section, the node of level `level` ends, if there is one: it counts as its last
 * block. */
DEVICE int32_t node_place(int32_t blocks, int32_t level)
{
    return blocks >> level & 1 ? (blocks >> level << level) - 1 : -1;
}

#endif
