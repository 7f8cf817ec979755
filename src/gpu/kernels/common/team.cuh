/* SPDX-License-Identifier: MIT
 *
 * team.cuh - how a reduction's work is dealt out: a block takes a group of cells and one split of each; a team of its
 * threads shares a split. */
#ifndef TALLY_TEAM_CUH
#define TALLY_TEAM_CUH

#include "loops.cuh"
#include "program.cuh"

/* What a team works on: addresses of the cell's first element. */
struct cell {
    const char *x, *y;
    const unsigned char *where;
};

DEVICE struct cell cell_of(const struct reduce_parameters *p, int64_t index)
{
    struct offsets at = cell_offsets(p, index);
    struct cell c;
    c.x = (const char *)p->x + at.x * ELEMENT_SIZE;
    c.y = WITH_SECOND ? (const char *)p->y + at.y * ELEMENT_SIZE : 0;
    c.where = WITH_WHERE ? p->where + at.where : 0;
    return c;
}

/* Where a thread stands: member of a team of the group's cells. */
struct seat {
    int32_t cells; /* of a group */
    int32_t cell, member;
};

DEVICE struct seat seat_of(const struct reduce_parameters *p)
{
    struct seat seat;
    int32_t thread = (int32_t)threadIdx.x;
    seat.cells = THREADS / p->team;
    seat.cell = p->cells_first ? thread % seat.cells : thread / p->team;
    seat.member = p->cells_first ? thread / seat.cells : thread % p->team;
    return seat;
}

/* What a block takes. Consecutive blocks read consecutive memory, so that a range of blocks reads a range of it. */
struct share {
    int64_t group, split;
};

DEVICE struct share share_of(const struct reduce_parameters *p, const struct seat *seat)
{
    int64_t block = p->first_block + blockIdx.x;
    int64_t groups = (p->cells + seat->cells - 1) / seat->cells;
    struct share share;
    share.group = p->cells_first ? block % groups : block / p->splits;
    share.split = p->cells_first ? block / groups : block % p->splits;
    return share;
}

#endif
