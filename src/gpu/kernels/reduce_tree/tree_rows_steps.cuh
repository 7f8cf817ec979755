/* SPDX-License-Identifier: MIT
 *
 * tree_rows_steps.cuh - lanes of the rows of reduce_ordered_rows.cu that are combined step by step. No include guard.
 */

/* A thread's lanes of a row; elements of it that are absent. */
struct lanes_of_row {
    struct FOLD(lane) lane[HELD][PACK];
    int32_t absent;
};

/* The pack of lanes that is left of them. */
struct total {
    struct FOLD(lane) lane[PACK];
#if HAS_ABSENT
    int32_t absent;
#endif
};

SHUFFLE(total)

DEVICE void lanes_begin(const struct row *row, int pass, struct lanes_of_row *lanes)
{
    (void)row, (void)pass;
    lanes->absent = 0;
#pragma unroll
    for (int h = 0; h < HELD; h++) {
#pragma unroll
        for (int q = 0; q < PACK; q++) lanes->lane[h][q] = FOLD(lane_identity)();
    }
}

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
    for (int half = TREE_LANES / 2; IDENTITY_SHOWS && half >= LANES_OF_ROW; half /= 2) {
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
