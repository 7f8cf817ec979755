/* SPDX-License-Identifier: MIT
 *
 * full_rows.cuh - rows of a whole leaf whose elements lie side by side, as a warp reads them, 4 elements a thread. They
 * stay in the words that they were read in, as compilers take arrays of narrow numbers apart. No include guard.
 *   FULL_LEAVES  1: all fours of elements are aligned; 2: those of some leaves may not be */

/* Rows that are gone through at once, while as many are loaded: few leaves of doubles want more under way. */
#if defined(ONLY_TYPE_f64) && !SUMS_TOGETHER
enum { FULL_ROWS = 4 };
#else
enum { FULL_ROWS = ELEMENT_SIZE < 16 ? 16 / ELEMENT_SIZE : 1 };
#endif

enum { ROW_BYTES = TREE_LANES * ELEMENT_SIZE };

/* A warp without a next leaf loads rows of its own again, where that is faster than to ask. */
#if defined(ONLY_TYPE_f16)
enum { ALWAYS_LOADS = 1 };
#else
enum { ALWAYS_LOADS = 0 };
#endif

/* Four neighbouring elements. */
struct full_row {
#if ELEMENT_BYTES < 4
    uint32_t word[LANES * ELEMENT_SIZE / 4];
#else
    storage stored[LANES * ELEMENT_SIZE / sizeof(storage)];
#endif
};

struct full_rows {
    struct full_row row[FULL_ROWS];
};

DEVICE element of_full_row(struct full_row row, int q)
{
#if ELEMENT_BYTES == 1
    const storage stored = (storage)(row.word[0] >> 8 * q);
    return OF_ELEMENT(load)(&stored, 0);
#elif defined(ONLY_TYPE_f16) && !defined(TALLY_SIMT)
    element half[2];
    asm("{.reg .b16 low, high;\n"
        "mov.b32 {low, high}, %2;\n"
        "cvt.f32.f16 %0, low;\n"
        "cvt.f32.f16 %1, high;}"
        : "=f"(half[0].v), "=f"(half[1].v)
        : "r"(row.word[q / 2]));
    return half[q % 2];
#elif ELEMENT_BYTES == 2
    const storage stored = (storage)(row.word[q / 2] >> 16 * (q % 2));
    return OF_ELEMENT(load)(&stored, 0);
#else
    return OF_ELEMENT(load)(row.stored, (size_t)q);
#endif
}

DEVICE struct full_row load_full_row(const char *from)
{
    struct full_row row;
#if ELEMENT_BYTES == 1
    row.word[0] = *(const uint32_t *)from;
#elif ELEMENT_BYTES == 2
    const uint64_t pair = *(const uint64_t *)from;
    row.word[0] = (uint32_t)pair, row.word[1] = (uint32_t)(pair >> 32);
#else
#pragma unroll
    for (int i = 0; i < ELEMENT_SIZE * LANES / 16; i++) {
        struct vector16 v = load_vector(from + 16 * i);
        memcpy((char *)row.stored + 16 * i, &v, 16);
    }
#endif
    return row;
}

#if FULL_LEAVES == 2
/* Four elements at any address. */
DEVICE struct full_row load_elements(const storage *x)
{
    struct full_row row;
#if ELEMENT_BYTES == 1
    row.word[0] = 0;
#pragma unroll
    for (int q = 0; q < LANES; q++) row.word[0] |= (uint32_t)(uint8_t)x[q] << 8 * q;
#elif ELEMENT_BYTES == 2
#pragma unroll
    for (int i = 0; i < LANES / 2; i++)
        row.word[i] = (uint32_t)(uint16_t)x[2 * i] | (uint32_t)(uint16_t)x[2 * i + 1] << 16;
#else
#pragma unroll
    for (uint32_t q = 0; q < sizeof row / sizeof(storage); q++) row.stored[q] = x[q];
#endif
    return row;
}
#endif

/* FULL_ROWS of a leaf; x is the thread's first element of them. */
DEVICE struct full_rows load_rows(const char *x)
{
    struct full_rows rows;
#if FULL_LEAVES == 2
    if (!address_is_aligned(x)) {
#pragma unroll
        for (int r = 0; r < FULL_ROWS; r++) rows.row[r] = load_elements((const storage *)(x + r * ROW_BYTES));
        return rows;
    }
#endif
#pragma unroll
    for (int r = 0; r < FULL_ROWS; r++) rows.row[r] = load_full_row(x + r * ROW_BYTES);
    return rows;
}

/* Where a warp is: the thread's first elements of its leaf and of the next one, if there is one, and the first rows of
 * its leaf, which were loaded while it was at the one before. */
struct full_walk {
    const char *x, *next;
    struct full_rows ahead;
};

/* The rows from `row` on, while those behind them are loaded. */
DEVICE struct full_rows next_rows(struct full_walk *walk, int row)
{
    struct full_rows rows = walk->ahead;
    row += FULL_ROWS;
    if (row < ROWS) walk->ahead = load_rows(walk->x + row * ROW_BYTES);
    else if (ALWAYS_LOADS || walk->next) walk->ahead = load_rows(walk->next);
    return rows;
}

/* Back to the leaf's first row. */
DEVICE void walk_again(struct full_walk *walk)
{
    walk->ahead = load_rows(walk->x);
}
