/* SPDX-License-Identifier: MIT
 *
 * ordered_leaf.cuh - a leaf of the fixed-shape tree, by a crew of threads: each has 4 neighbouring lanes, so that 32
 * (or as many as a short cell needs) hold all 128 and read a row of 128 elements at once. CONTIGUOUS as in reduce.cu.
 */
#ifndef TALLY_ORDERED_LEAF_CUH
#define TALLY_ORDERED_LEAF_CUH

#include "team.cuh"

#include "ordered_steps.cuh"

#include "shuffle.cuh"

enum { LANES = 4, CREW = TREE_LANES / LANES, ROWS = TREE_LEAF / TREE_LANES };

/* Four neighbouring elements. */
struct four {
    element x[LANES], y[LANES];
    uint32_t present;
};

DEVICE int address_is_aligned(const void *address)
{
    return ((uintptr_t)address & (ELEMENT_SIZE * LANES < 16 ? ELEMENT_SIZE * LANES - 1 : 15)) == 0;
}

/* Four neighbouring elements as they lie in memory. */
struct stored_row {
    storage stored[LANES * ELEMENT_SIZE / sizeof(storage)];
};

DEVICE struct stored_row load_row(const char *from)
{
    struct stored_row row;
    storage *stored = row.stored;
    if (ELEMENT_SIZE * LANES >= 16) {
#pragma unroll
        for (int i = 0; i < ELEMENT_SIZE * LANES / 16; i++) {
            struct vector16 v = load_vector(from + 16 * i);
            memcpy((char *)stored + 16 * i, &v, 16);
        }
    } else if (ELEMENT_SIZE == 2) {
        uint64_t v = *(const uint64_t *)from;
        memcpy(stored, &v, sizeof row.stored);
    } else {
        uint32_t v = *(const uint32_t *)from;
        memcpy(stored, &v, sizeof row.stored);
    }
    return row;
}

DEVICE element of_row(struct stored_row row, int q)
{
    return OF_ELEMENT(load)(row.stored, (size_t)q);
}

DEVICE void load_aligned(element *to, const char *from)
{
    struct stored_row row = load_row(from);
#pragma unroll
    for (int i = 0; i < LANES; i++) to[i] = of_row(row, i);
}

#if defined(PICK_VALUE_ADD_POWERS)
enum { SOME_ROWS = 4 }; /* at once */
#else
enum { SOME_ROWS = ELEMENT_SIZE > 8 ? 4 : 8 };
#endif

#include "ordered_lane.cuh"

#if defined(PICK_VALUE_ADD_POWERS)
#define SUMS_TOGETHER 1

/* What is known from the leaves before. */
struct power_memory {
    power_real exponent; /* of two, that sums are divided by: guessed, where it is known */
    int32_t known, rest;
};
#else
#define SUMS_TOGETHER 0
#endif

struct lanes {
    struct FOLD(lane) lane[LANES];
    int64_t absent;
#if SUMS_TOGETHER
    int together;     /* the lanes share a largest element, and their sums are to be multiplied by */
    power_real scale; /* this power of two */
    struct power_memory memory;
#endif
};

DEVICE void lanes_open(struct lanes *lanes)
{
    lanes->absent = 0;
#if SUMS_TOGETHER
    lanes->memory.exponent = 0;
    lanes->memory.known = lanes->memory.rest = 0;
#endif
}

DEVICE struct offsets element_offsets(const struct reduce_parameters *p, int64_t i)
{
    struct offsets at = {0, 0, 0, 0};
#if REDUCED_NEST
    at = offsets_of(p->reduced, p->reduced_count, i);
#else
    offsets_move(&at, &p->reduced[0], i);
#endif
    return at;
}

/* Elements i to i + 3 of a cell, as far as it has them. */
DEVICE void load_four(const struct reduce_parameters *p, const struct cell *c, int64_t i, int aligned,
                      struct four *four)
{
#if CONTIGUOUS && !REDUCED_NEST
    if (aligned && i + LANES <= p->length && !WITH_WHERE) {
        load_aligned(four->x, c->x + i * ELEMENT_SIZE);
        if (WITH_SECOND) load_aligned(four->y, c->y + i * ELEMENT_SIZE);
        four->present = 15;
    } else
#endif
    {
        four->present = 0;
#pragma unroll
        for (int q = 0; q < LANES; q++) {
            if (i + q >= p->length) continue;
            struct offsets at = element_offsets(p, i + q);
            four->x[q] = load_element(c->x + at.x * ELEMENT_SIZE, 0);
            if (WITH_SECOND) four->y[q] = load_element(c->y + at.y * ELEMENT_SIZE, 0);
            four->present |= (uint32_t)(!WITH_WHERE || c->where[at.where]) << q;
        }
    }
#pragma unroll
    for (int q = 0; q < LANES && SKIP_NAN; q++) {
        if (!(four->present >> q & 1)) continue;
        int nan = element_is_nan(four->x[q]) || (WITH_SECOND && element_is_nan(four->y[q]));
        four->present &= ~((uint32_t)nan << q);
    }
}

#if SUMS_TOGETHER
#include "near_powers.cuh"
#endif

/* Leaves of floats are rows of a warp, where loads need not look at each element, unless they have a shorter way. WALK
 * as in row_walk.cuh; 0: elements lie side by side. */
#if !defined(WALK)
#define WALK 0
#endif
#if SUMS_TOGETHER && (POWERS_ARE_FLOATS || defined(ONLY_TYPE_f64))
#include "seen_powers.cuh"
#define ROWS_OF_POWERS (!FULL_LEAVES && !WITH_WHERE && !SKIP_NAN && (WALK || (CONTIGUOUS && !REDUCED_NEST)))
#else
#define ROWS_OF_POWERS 0
#endif
#if ROWS_OF_POWERS
#include "row_powers.cuh"
#endif

struct some_lanes {
    lane own[LANES];
    int64_t absent; /* elements */
};

/* The thread's lanes of a leaf whose elements lie anywhere, from element i on; out of the way of whole leaves. */
#if FULL_LEAVES || SUMS_TOGETHER
DEVICE_CALL
#else
DEVICE
#endif
struct some_lanes absorb_some(const struct reduce_parameters *p, const struct cell *c, int64_t i, int aligned)
{
    struct some_lanes some;
    some.absent = 0;
#pragma unroll
    for (int q = 0; q < LANES; q++) some.own[q] = lane_none();
    for (int row = 0; row < ROWS && i < p->length; row += SOME_ROWS, i += SOME_ROWS * TREE_LANES) {
        struct four four[SOME_ROWS];
#pragma unroll
        for (int r = 0; r < SOME_ROWS; r++) {
            four[r].present = 0;
            if (i + r * TREE_LANES < p->length) load_four(p, c, i + r * TREE_LANES, aligned, &four[r]);
        }
#pragma unroll
        for (int r = 0; r < SOME_ROWS; r++) {
#pragma unroll
            for (int q = 0; q < LANES; q++) {
                if (four[r].present >> q & 1) {
                    lane_append(&some.own[q], lane_of(four[r].x[q], WITH_SECOND ? four[r].y[q] : four[r].x[q]));
                } else if ((WITH_WHERE || SKIP_NAN) && i + r * TREE_LANES + q < p->length) {
                    some.absent++;
                }
            }
        }
    }
    return some;
}

/* The thread's lanes of the leaf that begins at element `first`; `alone`: the crew is a warp, and waits for no other.
 */
DEVICE void absorb_leaf(const struct reduce_parameters *p, const struct cell *c, int64_t first, int32_t crew_member,
                        int alone, int aligned, struct lanes *lanes)
{
    int64_t i = first + LANES * crew_member;
#if SUMS_TOGETHER
    lanes->together = 0;
#endif
#if ROWS_OF_POWERS
    if (alone && absorb_row(p, c, first, crew_member, aligned, lanes)) return;
    if (!alone)
#endif
#if SUMS_TOGETHER
        if (absorb_near(p, c, first, i, aligned, alone, lanes)) return;
#endif
    (void)alone;
    struct some_lanes some = absorb_some(p, c, i, aligned);
#pragma unroll
    for (int q = 0; q < LANES; q++) lanes->lane[q] = lane_close(some.own[q]);
    lanes->absent += some.absent;
}

/* The lanes of a crew combined in halves, l with l + 64, l + 32, ... l + 1; the first member gets the total. `room` has
 * a place for each thread's lanes, `at` is the thread's own and `stride` leads to the next member's. */
DEVICE struct FOLD(lane) join_lanes(struct lanes *lanes, struct FOLD(lane) * room, int32_t at, int32_t stride,
                                    int32_t crew_member, int32_t crew)
{
    if (IDENTITY_SHOWS) {
        for (int32_t half = TREE_LANES / 2; half >= crew * LANES; half /= 2)
            for (int q = 0; q < LANES; q++) lanes->lane[q] = lane_sum(lanes->lane[q], FOLD(lane_identity)());
    }
    for (int32_t half = crew / 2; half > 0; half /= 2) {
        __syncthreads();
        if (crew_member >= half && crew_member < 2 * half)
            for (int q = 0; q < LANES; q++) room[q * THREADS + at] = lanes->lane[q];
        __syncthreads();
        if (crew_member < half)
            for (int q = 0; q < LANES; q++)
                lanes->lane[q] = lane_sum(lanes->lane[q], room[q * THREADS + at + half * stride]);
    }
    lanes->lane[0] = lane_sum(lanes->lane[0], lanes->lane[2]);
    lanes->lane[1] = lane_sum(lanes->lane[1], lanes->lane[3]);
    lanes->lane[0] = lane_sum(lanes->lane[0], lanes->lane[1]);
    return lanes->lane[0];
}

struct one_lane {
    struct FOLD(lane) lane;
};

SHUFFLE(one_lane)

/* Combines with the other lane of the warp that `distance` tells apart, the upper one on the right. */
DEVICE struct FOLD(lane) combine_across(struct FOLD(lane) mine, struct FOLD(lane) given, int32_t distance, int upper)
{
    struct one_lane own = {given}, other = one_lane_xor(own, (uint32_t)distance);
    return lane_sum(upper ? other.lane : mine, upper ? mine : other.lane);
}

#if SUMS_TOGETHER
/* The same of sums that are added as they are, and of a warp's lanes of them, as below. */
DEVICE power_real add_across(power_real mine, power_real given, int32_t distance)
{
    return mine + __shfl_xor_sync(FULL_WARP, given, distance);
}

DEVICE power_real join_sums_of_warp(const power_real *sum, int32_t member)
{
    int upper = (member & 16) != 0;
    power_real first = add_across(upper ? sum[2] : sum[0], upper ? sum[0] : sum[2], 16);
    power_real second = add_across(upper ? sum[3] : sum[1], upper ? sum[1] : sum[3], 16);
    upper = (member & 8) != 0;
    power_real one = add_across(upper ? second : first, upper ? first : second, 8);
#pragma unroll
    for (int32_t distance = 4; distance > 0; distance /= 2) one = add_across(one, one, distance);
    one = add_across(one, one, 16);
    return add_across(one, one, 8);
}

/* Sums of a warp's lanes, divided by two to `exponent`, as a leaf with this largest element. */
DEVICE struct FOLD(lane) leaf_of_sums(const power_real *sums, power_real largest, power_real exponent, int32_t member)
{
    struct FOLD(lane) leaf;
    power_real scale = scaled(1, POWER_INTEGER - (OF_POWERS(power_exponent)(largest) - exponent));
    leaf.part[0] = largest + 0; /* as lifted: of zeros, the positive one */
    leaf.part[1] = join_sums_of_warp(sums, member) * scale;
    return leaf;
}
#endif

/* The same for a crew that is a warp; every member gets the total. Of what the first halves leave, each thread has a
 * part, so that few combinations follow one another. */
DEVICE struct FOLD(lane) join_lanes_of_warp(const struct lanes *lanes, int32_t member)
{
    struct FOLD(lane) two[2];
#if SUMS_TOGETHER
    if (lanes->together) {
        power_real sum[LANES];
#pragma unroll
        for (int q = 0; q < LANES; q++) sum[q] = lanes->lane[q].part[1];
        two[0].part[0] = lanes->lane[0].part[0];
        two[0].part[1] = join_sums_of_warp(sum, member) * lanes->scale;
        return two[0];
    }
#endif
    int upper = (member & 16) != 0;
#pragma unroll
    for (int i = 0; i < 2; i++)
        two[i] = combine_across(upper ? lanes->lane[2 + i] : lanes->lane[i],
                                upper ? lanes->lane[i] : lanes->lane[2 + i], 16, upper);
    upper = (member & 8) != 0;
    struct FOLD(lane) one = combine_across(upper ? two[1] : two[0], upper ? two[0] : two[1], 8, upper);
    one = combine_across(one, one, 4, (member & 4) != 0);
    one = combine_across(one, one, 2, (member & 2) != 0);
    one = combine_across(one, one, 1, (member & 1) != 0);
    one = combine_across(one, one, 16, (member & 16) != 0);
    return combine_across(one, one, 8, (member & 8) != 0);
}

#endif
