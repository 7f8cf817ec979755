/* SPDX-License-Identifier: MIT
 *
 * tree_rows_steps.cuh - lanes of the rows of reduce_ordered_rows.cu that are combined step by step. No include guard.
 */

/* Counts, means and deviations of real numbers none of which is absent: all lanes that have an element in a step have
 * had as many before, so that a thread divides once for all of its own. */
#if defined(PICK_MOMENTS_ADD) && !HAS_ABSENT && !defined(ONLY_TYPE_c64) && !defined(ONLY_TYPE_c128)
#define COUNTS_ALIKE 1
#if defined(ONLY_TYPE_f64)
typedef double lane_number;
#else
typedef float lane_number;
#endif
#else
#define COUNTS_ALIKE 0
#endif

/* A thread's lanes of a row; elements of it that are absent. */
struct lanes_of_row {
    struct FOLD(lane) lane[HELD][PACK];
    int32_t absent;
#if COUNTS_ALIKE
    lane_number count, share, weight; /* of a step: elements of a lane, 1 / count, and the rest of them times that */
#endif
};

/* The pack of lanes that is left of them. */
struct total {
    struct FOLD(lane) lane[PACK];
#if HAS_ABSENT
    int32_t absent;
#endif
};

SHUFFLE(total)

/* Lanes that a row does not reach are joined by halves from here on. Of counts, means and deviations the identity
 * changes at most those whose squares leave the range, and the sign of zero: more often changes nothing more. */
#if defined(PICK_MOMENTS_ADD)
#define IDENTITY_JOINS (LANES_OF_ROW < TREE_LANES ? LANES_OF_ROW : 0)
#else
#define IDENTITY_JOINS (TREE_LANES / 2)
#endif

DEVICE void lanes_begin(const struct row *row, int pass, struct lanes_of_row *lanes)
{
    (void)row, (void)pass;
    lanes->absent = 0;
#if COUNTS_ALIKE
    lanes->count = 0;
#endif
#pragma unroll
    for (int h = 0; h < HELD; h++) {
#pragma unroll
        for (int q = 0; q < PACK; q++) lanes->lane[h][q] = FOLD(lane_identity)();
    }
}

#if COUNTS_ALIKE
/* Adds a pack to its lanes, as moments_float and moments_double do. A step begins with the first of a thread's packs,
 * which a row has if it has others. */
DEVICE void lanes_add(struct lanes_of_row *lanes, int pass, int h, const struct pack *x, const struct pack *y,
                      uint32_t present)
{
    (void)pass, (void)y, (void)present;
    if (h == 0) {
        lane_number before = lanes->count;
        lanes->count = before + 1;
        lanes->share = 1 / lanes->count;
        lanes->weight = before * lanes->share;
    }
#pragma unroll
    for (int q = 0; q < PACK; q++) {
        struct FOLD(lane) *lane = &lanes->lane[h][q];
        lane_number d = OF_ELEMENT(load)(x->stored, (size_t)q).v - lane->part[1];
        lane->part[2] = lane->part[2] + (d * d) * lanes->weight;
        lane->part[1] = lane->part[1] + d * lanes->share;
        lane->part[0] = lanes->count;
    }
}
#else
/* Adds those elements of a pack that are present to the lanes they belong to. */
DEVICE void lanes_add(struct lanes_of_row *lanes, int pass, int h, const struct pack *x, const struct pack *y,
                      uint32_t present)
{
    (void)pass;
#pragma unroll
    for (int q = 0; q < PACK; q++) {
        if (!(present >> q & 1)) {
            lanes->absent += WITH_WHERE;
            continue;
        }
        element a = OF_ELEMENT(load)(x->stored, (size_t)q), b = OF_ELEMENT(load)(y->stored, (size_t)q);
        if (SKIP_NAN && (element_is_nan(a) || (WITH_SECOND && element_is_nan(b)))) {
            lanes->absent++;
            continue;
        }
        FOLD(lane_combine)(&lanes->lane[h][q], FOLD(lift)(a, b));
    }
}
#endif

/* The first one or the other, without an address. */
DEVICE struct total total_of_two(int first, struct total a, struct total b)
{
#pragma unroll
    for (int i = 0; i < PACK * FOLD(parts); i++) {
        int q = i / FOLD(parts), k = i % FOLD(parts);
        a.lane[q].part[k] = first ? a.lane[q].part[k] : b.lane[q].part[k];
    }
#if HAS_ABSENT
    a.absent = first ? a.absent : b.absent;
#endif
    return a;
}

DEVICE struct total total_join(struct total a, struct total b)
{
#pragma unroll
    for (int q = 0; q < PACK; q++) a.lane[q] = lane_sum(a.lane[q], b.lane[q]);
#if HAS_ABSENT
    a.absent += b.absent;
#endif
    return a;
}

/* The thread's lanes of the row, joined in halves until it has one pack. */
DEVICE struct total total_of_lanes(struct lanes_of_row *lanes, int pass)
{
    struct total total;
    (void)pass;
#pragma unroll
    for (int half = IDENTITY_JOINS; IDENTITY_SHOWS && half >= LANES_OF_ROW; half /= 2) {
#pragma unroll
        for (int i = 0; i < HELD * PACK; i++)
            lanes->lane[i / PACK][i % PACK] = lane_sum(lanes->lane[i / PACK][i % PACK], FOLD(lane_identity)());
    }
#pragma unroll
    for (int half = HELD / 2; half > 0; half /= 2) {
#pragma unroll
        for (int i = 0; i < HELD / 2 * PACK; i++) {
            int h = i / PACK, q = i % PACK;
            if (h < half) lanes->lane[h][q] = lane_sum(lanes->lane[h][q], lanes->lane[h + half][q]);
        }
    }
#pragma unroll
    for (int q = 0; q < PACK; q++) total.lane[q] = lanes->lane[0][q];
#if HAS_ABSENT
    total.absent = lanes->absent;
#endif
    return total;
}

/* Joins what is left of the lanes. */
DEVICE struct FOLD(lane)
    total_value(const struct reduce_parameters *p, int64_t number, int writes, int pass, struct total total)
{
    (void)p, (void)number, (void)writes, (void)pass;
#pragma unroll
    for (int half = PACK / 2; half > 0; half /= 2) {
#pragma unroll
        for (int q = 0; q < PACK / 2; q++)
            if (q < half) total.lane[q] = lane_sum(total.lane[q], total.lane[q + half]);
    }
    return total.lane[0];
}

DEVICE int32_t total_absent(const struct total *total)
{
#if HAS_ABSENT
    return total->absent;
#else
    (void)total;
    return 0;
#endif
}
