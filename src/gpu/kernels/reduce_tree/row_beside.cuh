/* SPDX-License-Identifier: MIT
 *
 * row_beside.cuh - rows of row_powers.cuh whose elements lie side by side, at any address. No include guard. */

struct row {
    const char *begin;
    int32_t aligned; /* all fours of elements are, and there are no others */
};

/* Where the thread is. */
struct walk {
    const char *x;
    int32_t aligned;
};

DEVICE_UNUSED struct row row_of(const struct reduce_parameters *p, const struct cell *c, int64_t first, int aligned)
{
    struct row row = {c->x + first * ELEMENT_SIZE, aligned};
    (void)p;
    return row;
}

DEVICE struct walk walk_at(const struct row *from, int32_t i)
{
    struct walk walk = {from->begin + i * ELEMENT_SIZE, from->aligned};
    return walk;
}

/* Four neighbouring elements at any address, as of load_row. */
DEVICE struct stored_row load_elements(const storage *x, const int32_t *place)
{
    struct stored_row row;
#if ELEMENT_BYTES == 2
    uint64_t v = 0;
#pragma unroll
    for (int q = 0; q < LANES; q++) v |= (uint64_t)x[place[q]] << 16 * q;
    memcpy(row.stored, &v, sizeof row.stored);
#else
#pragma unroll
    for (int q = 0; q < LANES; q++) row.stored[q] = x[place[q]];
#endif
    return row;
}

/* The thread's part of rows from `row` on, of as many whole ones; behind the last one, of that one again. */
DEVICE struct batch load_batch(const struct walk *walk, int32_t row, int32_t rows)
{
    struct batch batch;
    const char *x = walk->x;
    if (walk->aligned) {
#pragma unroll
        for (int r = 0; r < BATCH; r++)
            batch.row[r] = load_row(x + min(row + r, rows - 1) * (TREE_LANES * ELEMENT_SIZE));
    } else {
        const int32_t place[LANES] = {0, 1, 2, 3};
#pragma unroll
        for (int r = 0; r < BATCH; r++)
            batch.row[r] = load_elements((const storage *)x + min(row + r, rows - 1) * TREE_LANES, place);
    }
    return batch;
}

/* The thread's part of a row from element i on, of which not all may be there: else it has others. */
DEVICE struct stored_row load_last(const struct row *from, int32_t i, int32_t length)
{
    if (from->aligned) return load_row(from->begin + min(i, length - LANES) * ELEMENT_SIZE);
    int32_t place[LANES];
#pragma unroll
    for (int q = 0; q < LANES; q++) place[q] = min(i + q, length - 1);
    return load_elements((const storage *)from->begin, place);
}
