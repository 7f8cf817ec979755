/* SPDX-License-Identifier: MIT
 *
 * full_leaf.cuh - a whole leaf whose elements lie side by side, by a warp whose threads have 4 lanes each; the bits are
 * those of lane_combine. No include guard.
 *   FULL_LEAVES  1: all fours of elements are aligned; 2: those of some leaves may not be */

/* Rows that are gone through at once, while as many are loaded. */
enum { FULL_ROWS = ELEMENT_SIZE < 16 ? 16 / ELEMENT_SIZE : 1 };

struct full_rows {
    struct stored_row row[FULL_ROWS];
};

#if FULL_LEAVES == 2
/* Four elements at any address. */
DEVICE struct stored_row load_elements(const storage *x)
{
    struct stored_row row;
#if ELEMENT_BYTES == 1
    uint32_t word = 0;
#pragma unroll
    for (int q = 0; q < LANES; q++) word |= (uint32_t)(uint8_t)x[q] << 8 * q;
    memcpy(row.stored, &word, sizeof row.stored);
#else
#pragma unroll
    for (uint32_t q = 0; q < sizeof row.stored / sizeof(storage); q++) row.stored[q] = x[q];
#endif
    return row;
}
#endif

/* Those from `row` on, if there are any. */
DEVICE struct full_rows load_rows(const char *x, int row)
{
    struct full_rows rows;
#if FULL_LEAVES == 2
    if (!address_is_aligned(x)) {
#pragma unroll
        for (int r = 0; r < FULL_ROWS && row < ROWS; r++)
            rows.row[r] = load_elements((const storage *)(x + (row + r) * TREE_LANES * ELEMENT_SIZE));
        return rows;
    }
#endif
#pragma unroll
    for (int r = 0; r < FULL_ROWS && row < ROWS; r++) rows.row[r] = load_row(x + (row + r) * TREE_LANES * ELEMENT_SIZE);
    return rows;
}

#if defined(PICK_VALUE_ADD_POWERS)
#if !POWERS_ARE_FLOATS && !defined(ONLY_TYPE_f64)
#include "full_integer_powers.cuh"
#else
DEVICE void full_prepare(const struct reduce_parameters *p)
{
    (void)p;
}
#include "full_powers.cuh"
#endif

#else

DEVICE void full_prepare(const struct reduce_parameters *p)
{
    (void)p;
}

struct full_lanes {
    struct FOLD(lane) lane[LANES];
};

/* Out of line, where nothing else takes registers. */
DEVICE_CALL struct full_lanes fold_full_leaf(const char *x)
{
    struct full_lanes full;
#pragma unroll
    for (int q = 0; q < LANES; q++) full.lane[q] = FOLD(lane_identity)();
    struct full_rows ahead = load_rows(x, 0);
#pragma unroll 2
    for (int row = 0; row < ROWS; row += FULL_ROWS) {
        struct full_rows rows = ahead;
        ahead = load_rows(x, row + FULL_ROWS);
#pragma unroll
        for (int r = 0; r < FULL_ROWS; r++) {
#pragma unroll
            for (int q = 0; q < LANES; q++) {
                element v = of_row(rows.row[r], q);
                FOLD(lane_combine)(&full.lane[q], FOLD(lift)(v, v));
            }
        }
    }
    return full;
}

/* Brings the leaf into the thread's lanes; x is the thread's first element, `begin` the leaf's. */
DEVICE int absorb_full_leaf(const char *x, const char *begin, struct lanes *lanes)
{
    struct full_lanes full = fold_full_leaf(x);
    (void)begin;
    memcpy(lanes->lane, full.lane, sizeof full.lane);
    return 1;
}
#endif
