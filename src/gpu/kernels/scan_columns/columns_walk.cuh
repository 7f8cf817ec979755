/* SPDX-License-Identifier: MIT
 *
 * columns_walk.cuh - a thread for SIDE neighbouring columns, DEPTH rows at a time. No include guard.
 *   LOADS_AHEAD   whether the next rows are under way meanwhile
 *   OVERLAPS      1: neighbouring warps have some columns together, so that each sector of results is written at once
 *   SPLITS        1: of folds whose order shows, a thread has a block of the axis, or a group of one
 *                 (column_ordered.cuh); what stands left of it comes from a kernel before
 *   WITH_WHERE    1: absent elements give way to one that changes no total; SIDE of a mask's bytes are one word */

/* Rows from `x` on, as many of DEPTH as there are, and zeros behind them. Results may go where elements lie, so these
 * are ordinary loads. */
DEVICE void load_rows(struct side *v, const char *x, int64_t pitch, int32_t count)
{
    memset(v, 0, DEPTH * sizeof *v);
#pragma unroll
    for (int d = 0; d < DEPTH; d++, x += pitch) {
        if (d < count) v[d] = *(const struct side *)x;
    }
}

#if WITH_WHERE
#if SIDE == 1
typedef uint8_t mask_word;
#elif SIDE == 2
typedef uint16_t mask_word;
#elif SIDE == 4
typedef uint32_t mask_word;
#else
typedef uint64_t mask_word;
#endif

static_assert(sizeof(mask_word) == SIDE, "a mask's bytes are one word");

/* The masks of rows; what is not there is present. */
DEVICE void load_masks(mask_word *masks, const unsigned char *where, int64_t pitch, int32_t count)
{
    memset(masks, 1, DEPTH * sizeof *masks);
#pragma unroll
    for (int d = 0; d < DEPTH; d++, where += pitch) {
        if (d < count) masks[d] = *(const mask_word *)where;
    }
}

DEVICE void mask_rows(struct side *v, const mask_word *masks, uint64_t fill)
{
    storage filling;
    memcpy(&filling, &fill, sizeof filling);
#pragma unroll
    for (int d = 0; d < DEPTH; d++) {
        storage stored[SIDE];
        memcpy(stored, &v[d], sizeof stored);
#pragma unroll
        for (int k = 0; k < SIDE; k++)
            if (!((uint64_t)masks[d] >> 8 * k & 255)) stored[k] = filling;
        memcpy(&v[d], stored, sizeof stored);
    }
}
#endif

/* Rows of a batch, of those that are left. */
DEVICE int32_t batch_of(int64_t left)
{
    return left < DEPTH ? (int32_t)left : DEPTH;
}

/* The part of the axis that a block of threads has, and its number among those that have it. */
#if SPLITS
DEVICE int64_t split_of_block(const struct reduce_parameters *p)
{
    return (int64_t)blockIdx.x * p->splits / gridDim.x;
}

DEVICE int64_t block_of_split(const struct reduce_parameters *p)
{
    return (int64_t)blockIdx.x % (gridDim.x / p->splits);
}
#else
DEVICE int64_t block_of_split(const struct reduce_parameters *p)
{
    (void)p;
    return (int64_t)blockIdx.x;
}
#endif

/* The thread's first column, if it has one. A matrix's first warp begins as many columns before it as its first sector
 * may; what stands there is another row's. */
#if OVERLAPS
DEVICE int64_t cell_of_thread(const struct reduce_parameters *p)
{
    int64_t inner = p->kept[p->kept_count - 1].extent, warp = block_of_split(p) * (THREADS / 32) + threadIdx.x / 32;
    int64_t warps = (inner + PER_SECTOR - 1 + OWN_COLUMNS - 1) / OWN_COLUMNS, matrix = warp / warps;
    int64_t column = (warp - matrix * warps) * OWN_COLUMNS + (threadIdx.x & 31) - (PER_SECTOR - 1);
    return column < 0 || column >= inner ? -1 : matrix * inner + column;
}
#else
DEVICE int64_t cell_of_thread(const struct reduce_parameters *p)
{
    return (block_of_split(p) * THREADS + threadIdx.x) * SIDE;
}
#endif

DEVICE void scan_columns(const struct scan_parameters *given)
{
    const struct reduce_parameters *p = &given->reduce;
    int64_t cell = cell_of_thread(p), rows = p->length;
    int64_t pitch = p->reduced[0].x * ELEMENT_SIZE, out_pitch = p->reduced[0].out * RESULT_SIZE;
    struct column columns[PACKS];
    struct strays strays;
    struct side ahead[DEPTH];
    if (cell < 0 || cell >= p->cells) return;
    struct offsets at = cell_offsets(p, cell);
    const char *x = (const char *)p->x + at.x * ELEMENT_SIZE;
    char *out = (char *)p->out + at.out * RESULT_SIZE;
#if SPLITS
    int64_t split = split_of_block(p), first = split * p->split_units;
    rows = rows - first < p->split_units ? rows - first : p->split_units;
    x += first * pitch;
    out += first * out_pitch;
#endif
    if (LOADS_AHEAD) load_rows(ahead, x, pitch, batch_of(rows));
#if WITH_WHERE
    const unsigned char *where = p->where + at.where;
    mask_word masks[DEPTH], masks_ahead[DEPTH];
    int64_t mask_pitch = p->reduced[0].where;
    load_masks(masks_ahead, where, mask_pitch, batch_of(p->length));
#endif
    strays_begin(given, &strays);
    struct trail trail = columns_first(given, cell, columns, &strays);
#if SPLITS
    columns_go_on(given, split, cell, columns);
#endif
    for (int64_t left = rows; left > 0; left -= DEPTH, x += DEPTH * pitch, out += DEPTH * out_pitch) {
        struct side v[DEPTH];
        if (LOADS_AHEAD) {
            memcpy(v, ahead, sizeof v);
            load_rows(ahead, x + DEPTH * pitch, pitch, batch_of(left - DEPTH));
        } else {
            load_rows(v, x, pitch, batch_of(left));
        }
#if WITH_WHERE
        memcpy(masks, masks_ahead, sizeof masks);
        where += DEPTH * mask_pitch;
        load_masks(masks_ahead, where, mask_pitch, batch_of(left - DEPTH));
        mask_rows(v, masks, given->fill);
#endif
        step_rows(columns, &strays, &trail, v, batch_of(left), out, out_pitch);
    }
}

#if SPLITS
/* The totals of all blocks, or groups, but those that none stands right of. */
DEVICE void total_columns(const struct scan_parameters *given)
{
    const struct reduce_parameters *p = &given->reduce;
    int64_t cell = cell_of_thread(p), split = split_of_block(p), pitch = p->reduced[0].x * ELEMENT_SIZE;
    struct column columns[PACKS];
    struct strays strays;
    struct side ahead[DEPTH];
    if (cell < 0 || cell >= p->cells || split + 1 == p->splits) return;
    const char *x = (const char *)p->x + cell_offsets(p, cell).x * ELEMENT_SIZE + split * p->split_units * pitch;
    struct trail trail = columns_first(given, cell, columns, &strays);
    columns_none(columns);
    load_rows(ahead, x, pitch, DEPTH);
    for (int64_t left = p->split_units; left > 0; left -= DEPTH, x += DEPTH * pitch) {
        struct side v[DEPTH];
        memcpy(v, ahead, sizeof v);
        load_rows(ahead, x + DEPTH * pitch, pitch, batch_of(left - DEPTH));
        total_rows(columns, &trail, v);
    }
    columns_leave(given, split, cell, columns, &trail);
}
#endif
