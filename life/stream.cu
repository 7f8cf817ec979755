/* SPDX-License-Identifier: MIT
 *
 * stream.cu - several generations in one pass over the world, in registers. A warp owns a strip of columns and walks
 * down it. It reads a row, and generation after generation each takes a row from the one before and gives the row
 * above it to the next: to make a row, a generation needs no more than what it knows of the last two. The last
 * generation's rows are written. Warps have nothing to do with each other: no shared memory, no barriers.
 *
 * What is read twice: above and below its part of a strip a warp reads as many rows more as there are generations, and
 * of its 32 lanes the last holds no group of its own. It has the two half groups beside the strip, the right one in its
 * lower bits, and the lanes are a ring. What is wrong where the halves meet spreads by a column with each generation,
 * and has 64 columns to go. The last strip may have fewer groups: its warps are several rings, each with rows of its
 * own. Toruses of 1, 2, 4, ... 32 groups are rings by themselves and have no such lane.
 *
 * There is a kernel for each number of generations that a pass may make, the most being DEEPEST. With WITH_DEAD_EDGES,
 * cells beyond the edges are cleared in each generation. WITH_RINGS, the last strip may have fewer lanes. */
#include "group.cuh"

/* Rows of a round of the loop. With four, what was pending becomes what is above without a move between registers. */
#define UNROLLED 4

/* One pass. A row has `stride` bytes; its group g is number g + 1 there. */
struct pass {
    const group *from;
    group *to;
    long long width, groups;
    unsigned height, stride;
    unsigned strips, segments; /* of rows. Strips but the last: a warp for each segment, of one strip after the other */
    int ring;                  /* lanes of the last strip: 32, or WITH_RINGS 1 to 32 */
    int closed;                /* whether these are whole rows of a torus: a ring without a lane for what is beside */
    int wrapped;               /* whether group -1 is the last; else it is in memory, before the first */
};

/* A generation at work: the sums of the row before the pending one, and the pending one itself. */
struct stage {
    word above_odd[GROUP], above_two[GROUP], odd[GROUP], two[GROUP];
    group own;
    seams beside;
};

/* Takes a row; gives the next generation of the row above it. */
DEVICE group feed(stage &s, const group &row, int lane_left, int lane_right)
{
    const seams beside = seams_of(row, lane_left, lane_right);
    group next;
#pragma unroll
    for (int k = 0; k < GROUP; k++) {
        const sum above = {s.above_odd[k], s.above_two[k]};
        const sum below = sum_of(left_of(row, beside, k), row.x[k], right_of(row, beside, k));
        next.x[k] = next_of(above, left_of(s.own, s.beside, k), s.own.x[k], right_of(s.own, s.beside, k), below);
        s.above_odd[k] = s.odd[k], s.above_two[k] = s.two[k];
        s.odd[k] = below.odd, s.two[k] = below.two;
    }
    s.own = row;
    s.beside = beside;
    return next;
}

/* What a lane has of a strip. */
struct lane_part {
    int left, right; /* the lanes beside it */
    long long first; /* group of the strip */
    int number;      /* in its ring: which group from there */
    int beside;      /* the number that has the half groups at either side of the strip, if any */
    unsigned segment;
};

#if WITH_RINGS
/* Of the last strip a warp has as many segments as it has rings; those from the last on are not stored. */
DEVICE lane_part part_of(const pass &p)
{
    const int lane = threadIdx.x;
    const unsigned others = p.strips - 1, before = others * p.segments;
    const bool last = blockIdx.x >= before;
    const int ring = last ? p.ring : 32;
    lane_part part;
    part.number = lane & (ring - 1);
    part.left = lane - part.number + ((part.number - 1) & (ring - 1));
    part.right = lane - part.number + ((part.number + 1) & (ring - 1));
    part.first = 31ll * (last ? others : blockIdx.x % others);
    part.beside = last && p.closed ? ring : ring - 1;
    part.segment = last ? ((blockIdx.x - before) * 32 + lane) / ring : blockIdx.x / others;
    return part;
}
#else
/* Most of this is the same for all lanes, which makes passes faster. */
DEVICE lane_part part_of(const pass &p)
{
    const int lane = threadIdx.x;
    lane_part part;
    part.number = lane;
    part.left = (lane + 31) % 32;
    part.right = (lane + 1) % 32;
    part.first = 31ll * (blockIdx.x % p.strips);
    part.beside = p.closed ? 32 : 31;
    part.segment = blockIdx.x / p.strips;
    return part;
}
#endif

/* Where a lane finds its groups in row 0. */
struct lane_place {
    const group *at, *other;
    word upper; /* the bits that come from `other` */
};

/* A product of 32 bits each: one multiplication, which the unit for logic has no part in. */
DEVICE const group *in_row(const group *first, unsigned y, unsigned stride)
{
    return (const group *)((const char *)first + (unsigned long long)y * stride);
}

DEVICE long long slot_of(const pass &p, long long number)
{
    if (p.wrapped) number = (number + p.groups) % p.groups;
    else if (number > p.groups) number = p.groups; /* nobody looks at it */
    return number + 1;
}

DEVICE lane_place place_of(const pass &p, const lane_part &part)
{
    const lane_place place = {p.from + slot_of(p, part.first + part.number), p.from + slot_of(p, part.first - 1),
                              part.number == part.beside ? 0xffff0000u : 0};
    return place;
}

/* What was read of a row: a group, and the one whose upper half the last lane takes. */
struct reading {
    group row, other;
};

/* Row y and the next one's number: around the world, or with dead edges on and on, with nothing alive beyond the
 * height. Nothing waits here: what is read is looked at four rows later. */
DEVICE void read_next(reading &coming, const lane_place &place, unsigned &y, const pass &p)
{
#if WITH_DEAD_EDGES
    coming.row = coming.other = group();
    if (y < p.height) {
#endif
        coming.row = *in_row(place.at, y, p.stride);
        if (place.upper) coming.other = *in_row(place.other, y, p.stride);
#if WITH_DEAD_EDGES
    }
    y++;
#else
    y = y + 1 == p.height ? 0 : y + 1;
#endif
}

DEVICE group merged(const reading &read, const lane_place &place)
{
    group row;
#pragma unroll
    for (int k = 0; k < GROUP; k++) row.x[k] = lop3<PICK>(place.upper, read.other.x[k], read.row.x[k]);
    return row;
}

#if WITH_DEAD_EDGES
/* Which of a lane's cells are in the world. */
DEVICE group alive_mask(const pass &p, const lane_part &part)
{
    group mask = mask_of((part.first + part.number) * GROUP_COLUMNS, p.width);
    if (part.number == part.beside) {
        const group other = mask_of((part.first - 1) * GROUP_COLUMNS, p.width);
        for (int k = 0; k < GROUP; k++) mask.x[k] = lop3<PICK>(0xffff0000u, other.x[k], mask.x[k]);
    }
    return mask;
}
#endif

DEVICE unsigned begin_of(const pass &p, unsigned segment)
{
    return (unsigned)((unsigned long long)segment * p.height / p.segments);
}

/* Rows are numbered around the world; with dead edges those from the height on are dead. */
template <int GENERATIONS> DEVICE void stream(const pass &p)
{
    const lane_part part = part_of(p);
    const unsigned segment = part.segment < p.segments ? part.segment : p.segments - 1;
    const unsigned begin = begin_of(p, segment), own = begin_of(p, segment + 1) - begin;
    const bool is_own = part.number < part.beside && part.first + part.number < p.groups;
    const unsigned rows_stored = is_own && part.segment == segment ? own : 0;
#if WITH_RINGS
    const int rows = (int)((p.height - 1) / p.segments + 1); /* the most of a segment */
#else
    const int rows = (int)own;
#endif
    const lane_place place = place_of(p, part);
    group *const to = p.to + (part.first + part.number + 1);
    stage stages[GENERATIONS] = {};
    reading coming[UNROLLED] = {}; /* rows are read as many ahead */
#if WITH_DEAD_EDGES
    const group mask = alive_mask(p, part);
    unsigned y = begin - GENERATIONS;
#else
    unsigned y = (begin + p.height - GENERATIONS % p.height) % p.height;
#endif
    for (int i = 0; i < UNROLLED; i++) read_next(coming[i], place, y, p);
    for (int done = -2 * GENERATIONS; done < rows; done += UNROLLED) {
#pragma unroll
        for (int i = 0; i < UNROLLED; i++) {
            group row = merged(coming[i], place);
            read_next(coming[i], place, y, p);
#pragma unroll
            for (int g = 0; g < GENERATIONS; g++) {
                row = feed(stages[g], row, part.left, part.right);
#if WITH_DEAD_EDGES
                const word inside = y - (UNROLLED + 2 + g) < p.height ? ~0u : 0;
                for (int k = 0; k < GROUP; k++) row.x[k] = lop3<0x80>(row.x[k], mask.x[k], inside);
#endif
            }
            if ((unsigned)(done + i) < rows_stored) *(group *)in_row(to, begin + done + i, p.stride) = row;
        }
    }
}

extern "C" __global__ void __launch_bounds__(32, 16) life_stream_1(const struct pass p)
{
    stream<1>(p);
}

extern "C" __global__ void __launch_bounds__(32, 16) life_stream_2(const struct pass p)
{
    stream<2>(p);
}

extern "C" __global__ void __launch_bounds__(32, 12) life_stream_4(const struct pass p)
{
    stream<4>(p);
}

/* As many as the registers take. */
extern "C" __global__ void __launch_bounds__(32, 8) life_stream_deepest(const struct pass p)
{
    stream<DEEPEST>(p);
}
