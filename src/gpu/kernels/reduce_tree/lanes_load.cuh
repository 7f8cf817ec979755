/* SPDX-License-Identifier: MIT
 *
 * lanes_load.cuh - the elements that a thread of reduce_lanes.cu reads: of SIDE neighbouring cells at once, which lie
 * at a multiple of their size everywhere, or (SHIFTED) are eight bytes that begin at any element. No include guard. */

#if SHIFTED
#include "shifted.cuh"

/* The two aligned words that eight bytes lie in, or these and 0; and where they begin. */
struct raw_side {
    uint64_t low, high;
    uint32_t at;
};

/* The word that has the last of the eight bytes. */
DEVICE const char *last_eight(const char *x)
{
    return aligned_eight(x + 7);
}

/* Whether the operand has all of both words. */
DEVICE int words_are_inside(const struct reduce_parameters *p, const char *x)
{
    return aligned_eight(x) >= p->low && last_eight(x) + 8 <= p->high;
}

DEVICE struct raw_side load_words(const char *x)
{
    struct raw_side raw = {load_eight(aligned_eight(x)), load_eight(last_eight(x)), (uint32_t)(uintptr_t)x};
    return raw;
}

DEVICE struct raw_side load_elements(const char *x)
{
    storage stored[8 / sizeof(storage)];
    struct raw_side raw = {0, 0, 0};
#pragma unroll
    for (int i = 0; i < (int)(8 / sizeof(storage)); i++) stored[i] = ((const storage *)x)[i];
    memcpy(&raw.low, stored, sizeof raw.low);
    return raw;
}

DEVICE struct side side_of_raw(const struct raw_side *raw)
{
    struct side side;
    uint64_t eight = shift_eight(raw->low, raw->high, raw->at);
    memcpy(&side, &eight, sizeof side);
    return side;
}
#endif

/* Elements of ROWS rows of a round's lanes, and bits of those that the leaf has. */
struct some {
#if SHIFTED
    struct raw_side x[ROWS * DEPTH];
#else
    struct side x[ROWS * DEPTH];
#endif
#if WITH_SECOND
    struct side y[ROWS * DEPTH];
#endif
#if WITH_WHERE
    uint32_t present[ROWS * DEPTH]; /* bytes of cells */
#endif
    uint32_t inside;
};

static_assert(ROWS == 1 || LEAF_LANES == TREE_LANES, "rows of a leaf are as far apart as all of its lanes");

/* Where an element of a cell lies, in bytes from the first one. */
struct spot {
    int64_t x, y, where;
};

DEVICE struct spot spot_of(const struct reduce_parameters *p, int64_t i)
{
    struct offsets at = {0, 0, 0, 0};
#if REDUCED_NEST
    at = offsets_of(p->reduced, p->reduced_count, i);
#else
    offsets_move(&at, &p->reduced[0], i);
#endif
    struct spot spot = {at.x * ELEMENT_SIZE, at.y * ELEMENT_SIZE, at.where};
    return spot;
}

/* From element i to the one APART behind it. */
DEVICE void spot_on(const struct reduce_parameters *p, struct spot *spot, int64_t i)
{
#if REDUCED_NEST
    *spot = spot_of(p, i + APART);
#else
    (void)i;
    spot->x += p->reduced[0].x * (APART * ELEMENT_SIZE);
    if (WITH_SECOND) spot->y += p->reduced[0].y * (APART * ELEMENT_SIZE);
    if (WITH_WHERE) spot->where += p->reduced[0].where * APART;
#endif
}

/* SIDE_IN_PARTS: complex elements lie at multiples of their parts alone. */
DEVICE struct side load_side(const char *x)
{
    check_aligned((uintptr_t)x, SIDE_IN_PARTS ? sizeof(storage) : sizeof(struct side));
#if SIDE_IN_PARTS
    storage stored[sizeof(struct side) / sizeof(storage)];
    struct side side;
#pragma unroll
    for (int i = 0; i < (int)(sizeof side / sizeof(storage)); i++) stored[i] = ((const storage *)x)[i];
    memcpy(&side, stored, sizeof side);
    return side;
#else
    return *(const struct side *)x;
#endif
}

#if WITH_WHERE
static_assert(SIDE <= 4, "a byte of a word for each cell");

DEVICE uint32_t load_present(const unsigned char *where)
{
    check_aligned((uintptr_t)where, SIDE);
    if (SIDE == 4) return *(const uint32_t *)where;
    return SIDE == 2 ? *(const uint16_t *)where : *where;
}
#endif

#if SHIFTED
/* Reads what lies at `spot` and behind; where that is at the ends of the operand, element by element. */
DEVICE void load_shifted(const struct reduce_parameters *p, const struct cell *c, const struct spot *spot, int32_t left,
                         int whole, struct some *some)
{
    const int64_t step = p->reduced[0].x * (APART * ELEMENT_SIZE);
    const char *x[ROWS * DEPTH];
    int inside = 1;
#pragma unroll
    for (int k = 0; k < ROWS * DEPTH; k++) {
        x[k] = whole || k * APART < left ? c->x + spot->x + k * step : c->x;
        if (!whole || k == 0 || k + 1 == ROWS * DEPTH) inside &= words_are_inside(p, x[k]);
    }
#pragma unroll
    for (int k = 0; k < ROWS * DEPTH && inside; k++) some->x[k] = load_words(x[k]);
#pragma unroll
    for (int k = 0; k < ROWS * DEPTH && !inside; k++) some->x[k] = load_elements(x[k]);
}
#endif

DEVICE struct side side_of_some(const struct some *some, int k)
{
#if SHIFTED
    return side_of_raw(&some->x[k]);
#else
    return some->x[k];
#endif
}

/* From element i of a cell on, of the `left` ones of its leaf from there on; `whole`: these are enough. What is not
 * there has the cell's first element in its place: where nothing branches, all are under way at once. */
DEVICE void load_some(const struct reduce_parameters *p, const struct cell *c, int64_t i, int32_t left, int whole,
                      struct some *some)
{
    struct spot spot = spot_of(p, i);
    some->inside = 0;
#if SHIFTED
    load_shifted(p, c, &spot, left, whole, some);
#endif
#pragma unroll
    for (int k = 0; k < ROWS * DEPTH; k++) {
        int inside = whole || k * APART < left;
        some->inside |= (uint32_t)inside << k;
#if !SHIFTED
        some->x[k] = load_side(c->x + (inside ? spot.x : 0));
#endif
#if WITH_SECOND
        some->y[k] = load_side(c->y + (inside ? spot.y : 0));
#endif
#if WITH_WHERE
        some->present[k] = load_present(c->where + (inside ? spot.where : 0));
#endif
        if (k + 1 < ROWS * DEPTH) spot_on(p, &spot, i + k * APART);
    }
}
