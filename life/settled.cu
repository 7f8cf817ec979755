/* SPDX-License-Identifier: MIT
 *
 * settled.cu - passes that leave out what stands still or repeats. A world is tiles: a group wide, up to TILE_ROWS
 * high. What is in a tile, and as far around it as a pass reaches, may be the same as a pass ago; then it is the same
 * after the next pass, too, and the buffer that this would be written to has it already. The other tiles are on a list.
 * A warp takes a tile, keeps it in registers for all generations of the pass, and puts on the next list the tiles that
 * its changes reach. So a pass takes the time of what moves, however large the world is.
 *
 * A tile has two lanes for ROWS of its rows: one for the group, one for the half groups beside it (as in stream.cu, the
 * right one in the lower bits), which are a ring. Lanes give each other the sums of their first and last rows. */
#include "group.cuh"

#define GENERATIONS 8 /* of a pass; also the rows and columns that it reaches */
#define ROWS 5        /* of a lane */
#define TILE_ROWS (16 * ROWS - 2 * GENERATIONS)
#define BLOCK 128

/* As in gpu_settled.c. Lists are numbered through all passes: list n is in half n % 2, its length is counts[n % 3]. */
struct tiles {
    const group *from;
    group *to;
    long long width;
    unsigned height, stride, groups, down; /* tiles: groups * down */
    unsigned *marks;                       /* of each tile: the last list that it was on */
    unsigned *lists, *counts;
    unsigned list;
    int wrapped; /* as in stream.cu */
};

struct tile {
    unsigned group, down;
    unsigned top, rows;
};

DEVICE tile tile_of(const tiles &t, unsigned number)
{
    tile found;
    found.group = number % t.groups;
    found.down = number / t.groups;
    found.top = (unsigned)((unsigned long long)found.down * t.height / t.down);
    found.rows = (unsigned)((found.down + 1ull) * t.height / t.down) - found.top;
    return found;
}

DEVICE group *row_of(const group *world, const tiles &t, unsigned y, long long number)
{
    return (group *)((char *)world + (unsigned long long)y * t.stride) + number + 1;
}

/* ---- what has changed ---- */

/* Bit 3 y + x: changes that the tile at x - 1, y - 1 from here must know of; y is the row of a tile of `rows`. */
DEVICE unsigned changes_of(const group &before, const group &after, int y, int rows)
{
    word any = 0;
#pragma unroll
    for (int k = 0; k < GROUP; k++) any |= before.x[k] ^ after.x[k];
    const unsigned edge = GENERATIONS / GROUP, lowest = (1u << edge) - 1;
    const unsigned columns = (any & lowest ? 1 : 0) | (any ? 2 : 0) | (any >> (32 - edge) ? 4 : 0);
    return columns << 3 | (y < GENERATIONS ? columns : 0) | (y >= rows - GENERATIONS ? columns << 6 : 0);
}

/* Puts tiles on the next list, each once. All lanes of a warp call it. */
DEVICE void append(const tiles &t, bool wanted, unsigned number)
{
    const unsigned next = t.list + 1, lane = threadIdx.x % 32;
    const bool fresh = wanted && atomicExch(&t.marks[number], next) != next;
    const unsigned lanes = __ballot_sync(ALL_LANES, fresh);
    if (lanes == 0) return;
    unsigned at = 0;
    if (lane == 0) at = atomicAdd(&t.counts[next % 3], (unsigned)__popc(lanes));
    at = __shfl_sync(ALL_LANES, at, 0) + (unsigned)__popc(lanes & ((1u << lane) - 1));
    if (fresh) t.lists[(unsigned long long)(next % 2) * t.groups * t.down + at] = number;
}

/* Puts the tile at that place on the next list, around the world or nowhere. */
DEVICE void append_at(const tiles &t, bool wanted, long long group, long long down)
{
#if WITH_DEAD_EDGES
    if (group < 0 || group >= t.groups || down < 0 || down >= t.down) wanted = false;
#else
    group = group < 0 ? group + t.groups : group >= t.groups ? group - t.groups : group;
    down = down < 0 ? down + t.down : down >= t.down ? down - t.down : down;
#endif
    append(t, wanted, wanted ? (unsigned)(down * t.groups + group) : 0);
}

/* On a torus that is not made of whole groups, what lies beyond an edge comes from the last two groups at the other
 * one: four groups in all. */
DEVICE long long end_group(const tiles &t, int n)
{
    const long long group = n < 2 ? n : (long long)t.groups - 4 + n;
    return group < 0 || group >= t.groups ? 0 : group;
}

DEVICE bool reaches_over(const tiles &t, unsigned group)
{
#if WITH_DEAD_EDGES
    return false;
#else
    return !t.wrapped && (group < 2 || group + 2 >= t.groups);
#endif
}

/* ---- generations ---- */

struct tile_sums {
    group odd[ROWS + 2], two[ROWS + 2]; /* of the row above, the lane's own, and the row below */
    seams beside[ROWS];
};

DEVICE void next_generation(group *rows)
{
    const int lane = threadIdx.x % 32;
    tile_sums s;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        s.beside[r] = seams_of(rows[r], lane ^ 1, lane ^ 1);
#pragma unroll
        for (int k = 0; k < GROUP; k++) {
            const sum own = sum_of(left_of(rows[r], s.beside[r], k), rows[r].x[k], right_of(rows[r], s.beside[r], k));
            s.odd[r + 1].x[k] = own.odd;
            s.two[r + 1].x[k] = own.two;
        }
    }
#pragma unroll
    for (int k = 0; k < GROUP; k++) {
        s.odd[0].x[k] = __shfl_up_sync(ALL_LANES, s.odd[ROWS].x[k], 2);
        s.two[0].x[k] = __shfl_up_sync(ALL_LANES, s.two[ROWS].x[k], 2);
        s.odd[ROWS + 1].x[k] = __shfl_down_sync(ALL_LANES, s.odd[1].x[k], 2);
        s.two[ROWS + 1].x[k] = __shfl_down_sync(ALL_LANES, s.two[1].x[k], 2);
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        group next;
#pragma unroll
        for (int k = 0; k < GROUP; k++) {
            const sum above = {s.odd[r].x[k], s.two[r].x[k]}, below = {s.odd[r + 2].x[k], s.two[r + 2].x[k]};
            next.x[k] = next_of(above, left_of(rows[r], s.beside[r], k), rows[r].x[k],
                                right_of(rows[r], s.beside[r], k), below);
        }
        rows[r] = next;
    }
}

/* ---- a tile ---- */

/* Where a lane reads row y: its group, or the two beside. */
DEVICE group read_row(const tiles &t, unsigned group_number, unsigned y, int side)
{
    const long long number = group_number;
    const bool around = t.wrapped;
    if (side == 0) return *row_of(t.from, t, y, number);
    const long long right = around && number + 1 == t.groups ? 0 : number + 1;
    const long long left = around && number == 0 ? t.groups - 1ll : number - 1;
    const group lower = *row_of(t.from, t, y, right), upper = *row_of(t.from, t, y, left);
    group row;
#pragma unroll
    for (int k = 0; k < GROUP; k++) row.x[k] = lop3<PICK>(0xffff0000u, upper.x[k], lower.x[k]);
    return row;
}

#if WITH_DEAD_EDGES
/* Which of a lane's cells are in the world. */
DEVICE group alive_mask(const tiles &t, unsigned group_number, int side)
{
    const long long first = (long long)group_number * GROUP_COLUMNS;
    if (side == 0) return mask_of(first, t.width);
    const group lower = mask_of(first + GROUP_COLUMNS, t.width), upper = mask_of(first - GROUP_COLUMNS, t.width);
    group mask;
    for (int k = 0; k < GROUP; k++) mask.x[k] = lop3<PICK>(0xffff0000u, upper.x[k], lower.x[k]);
    return mask;
}

DEVICE void clear_outside(group *rows, const group &mask, long long y, unsigned height)
{
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const word inside = y + r >= 0 && y + r < height ? ~0u : 0;
        for (int k = 0; k < GROUP; k++) rows[r].x[k] = lop3<0x80>(rows[r].x[k], mask.x[k], inside);
    }
}
#endif

DEVICE void run_tile(const tiles &t, unsigned number)
{
    const int lane = threadIdx.x % 32, side = lane % 2, first = lane / 2 * ROWS - GENERATIONS;
    const tile own = tile_of(t, number);
    const long long begin = (long long)own.top + first;
    group rows[ROWS] = {};
#if WITH_DEAD_EDGES
    const bool at_edge = own.group == 0 || own.group + 1 == t.groups || own.down == 0 || own.down + 1 == t.down;
    const group mask = at_edge ? alive_mask(t, own.group, side) : group();
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        if (begin + r >= 0 && begin + r < t.height) rows[r] = read_row(t, own.group, (unsigned)(begin + r), side);
#else
    long long y = begin;
    while (y < 0) y += t.height;
    while (y >= t.height) y -= t.height;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        rows[r] = read_row(t, own.group, (unsigned)y, side);
        y = y + 1 == t.height ? 0 : y + 1;
    }
#endif
#pragma unroll 1
    for (int g = 0; g < GENERATIONS; g++) {
        next_generation(rows);
#if WITH_DEAD_EDGES
        if (at_edge) clear_outside(rows, mask, begin, t.height);
#endif
    }
    unsigned changes = 0;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        if (side != 0 || first + r < 0 || first + r >= (int)own.rows) continue;
        changes |= changes_of(*row_of(t.from, t, (unsigned)(begin + r), own.group), rows[r], first + r, (int)own.rows);
        *row_of(t.to, t, (unsigned)(begin + r), own.group) = rows[r];
    }
    changes = __reduce_or_sync(ALL_LANES, changes);
    if (changes == 0) return;
    append_at(t, lane < 9 && changes >> lane & 1, own.group + lane % 3 - 1ll, own.down + lane / 3 - 1ll);
    if (!reaches_over(t, own.group)) return;
    append_at(t, lane < 12 && changes >> (lane / 4 * 3 + 1) & 1, end_group(t, lane % 4), own.down + lane / 4 - 1ll);
}

/* A pass over the tiles of a list. What is next is read ahead of its use. */
extern "C" __global__ void __launch_bounds__(BLOCK) life_settled(const struct tiles t)
{
    const unsigned all = t.groups * t.down, warps = gridDim.x * (BLOCK / 32);
    const unsigned *const list = t.lists + (unsigned long long)(t.list % 2) * all;
    unsigned i = (blockIdx.x * BLOCK + threadIdx.x) / 32, number = i < all ? list[i] : 0;
    const unsigned count = t.counts[t.list % 3];
    if (blockIdx.x == 0 && threadIdx.x == 0) t.counts[(t.list + 2) % 3] = 0;
    for (; i < count; i += warps) {
        const unsigned next = i + warps < count ? list[i + warps] : 0;
        run_tile(t, number);
        number = next;
    }
}

/* Makes the next list from two buffers that are some generations apart. One thread for each tile. */
extern "C" __global__ void __launch_bounds__(BLOCK) life_compare(const struct tiles t)
{
    const unsigned long long i = blockIdx.x * (unsigned long long)BLOCK + threadIdx.x;
    const tile own = tile_of(t, i < (unsigned long long)t.groups * t.down ? (unsigned)i : 0);
    unsigned changes = 0;
    for (unsigned y = 0; y < own.rows && i < (unsigned long long)t.groups * t.down; y++)
        changes |= changes_of(*row_of(t.from, t, own.top + y, own.group), *row_of(t.to, t, own.top + y, own.group),
                              (int)y, (int)own.rows);
    for (int n = 0; n < 9; n++) append_at(t, changes >> n & 1, own.group + n % 3 - 1ll, own.down + n / 3 - 1ll);
    if (!__any_sync(ALL_LANES, changes != 0 && reaches_over(t, own.group))) return;
    for (int n = 0; n < 12; n++)
        append_at(t, reaches_over(t, own.group) && changes >> (n / 4 * 3 + 1) & 1, end_group(t, n % 4),
                  own.down + n / 4 - 1ll);
}
