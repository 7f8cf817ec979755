/* SPDX-License-Identifier: MIT
 *
 * method_index.cuh - operators that choose one element: argmin, argmax (the first NaN, else the first extreme), first
 * and last (the first or last that is present). The state is the element's place, and for the extremes its value. */
#ifndef TALLY_METHOD_CUH
#define TALLY_METHOD_CUH

#include "finish.cuh"

#define IS_LAST (COMBINE_NUMBER == COMBINE_LAST)
#define IS_END (COMBINE_NUMBER == COMBINE_FIRST || COMBINE_NUMBER == COMBINE_LAST)

struct state {
    int64_t absent;
    int64_t index; /* -1: none yet */
    element value;
};

DEVICE void state_open(struct state *s)
{
    s->absent = 0;
    s->index = -1;
    memset(&s->value, 0, sizeof s->value);
}

/* Whether x is strictly better than y. Ends and ties are decided by the index. */
DEVICE int index_beats(element x, element y)
{
#if defined(ONLY_TYPE_c64) || defined(ONLY_TYPE_c128)
    return 0;
#else
    if (IS_END) return 0;
    if (ELEMENT_KIND == KIND_BOOLEAN)
        return COMBINE_NUMBER == COMBINE_ARGMAX ? (x.v != 0) > (y.v != 0) : (x.v != 0) < (y.v != 0);
    if (ELEMENT_KIND == KIND_REAL) /* a NaN beats all but a NaN */
        return (y.v == y.v) & !(COMBINE_NUMBER == COMBINE_ARGMAX ? x.v <= y.v : x.v >= y.v);
    return COMBINE_NUMBER == COMBINE_ARGMAX ? x.v > y.v : x.v < y.v;
#endif
}

#if !defined(ONLY_TYPE_c64) && !defined(ONLY_TYPE_c128)
/* What every other element beats. */
DEVICE_UNUSED element index_worst(void)
{
    int lowest = COMBINE_NUMBER == COMBINE_ARGMAX;
    uint64_t highest = ELEMENT_KIND == KIND_BOOLEAN ? 1 : ~0ull >> (64 - 8 * ELEMENT_SIZE);
    element worst;
    if (ELEMENT_KIND == KIND_SIGNED) highest >>= 1;
    if (ELEMENT_KIND == KIND_REAL) worst.v = lowest ? -INFINITY : INFINITY;
    else if (ELEMENT_KIND == KIND_SIGNED) worst.v = (storage)(lowest ? ~highest : highest);
    else worst.v = (storage)(lowest ? 0 : highest);
    return worst;
}
#endif

DEVICE void index_take(struct state *s, element x, int64_t index)
{
    int earlier = IS_LAST ? index > s->index : index < s->index;
    if (s->index < 0 || index_beats(x, s->value) || (earlier && !index_beats(s->value, x))) {
        s->value = x;
        s->index = index;
    }
}

DEVICE void state_absorb(struct state *s, const element *x, const element *y, const int64_t *place, tile_mask present)
{
    (void)y;
#pragma unroll
    for (int i = 0; i < TILE; i++) {
        if (present >> i & 1) index_take(s, x[i], place[i / VECTOR] + i % VECTOR);
    }
}

#if defined(VALUES_FIRST)
#include "best_of_vectors.cuh"

/* While tiles pass by, only the best value so far and its tile are kept; where in the tile it stands is found
 * afterwards, once. Tiles come in the order of their places. */
struct open_state {
    struct state s;
    element best;
    int64_t tile;  /* place of its first element; NO_TILE: none yet */
    int64_t place; /* in a chunk that is the only one */
};

#define NO_TILE INT64_MIN

DEVICE void open_begin(struct open_state *open)
{
    state_open(&open->s);
    open->best = open->s.value;
    open->tile = NO_TILE;
    open->place = -1;
}

DEVICE int64_t *open_absent(struct open_state *open)
{
    return &open->s.absent;
}

/* A tile by its best element. */
DEVICE void open_take(struct open_state *open, element best, int64_t place)
{
    if (open->tile != NO_TILE && !index_beats(best, open->best)) return;
    open->best = best;
    open->tile = place;
}

DEVICE void open_absorb(struct open_state *open, const element *x, const element *y, const int64_t *place,
                        tile_mask present)
{
    element best = index_worst();
    (void)y;
#pragma unroll
    for (int i = 0; i < TILE; i++) {
        int better = (present >> i & 1) != 0 && index_beats(x[i], best);
        best.v = better ? x[i].v : best.v;
    }
    if (present) open_take(open, best, place[0]);
}

#if defined(BEST_OF_VECTORS)
#define ABSORB_FULL_VECTORS
DEVICE void open_absorb_full_vectors(struct open_state *open, const struct vector16 *v, const int64_t *place)
{
    uint32_t pair = best_pair(v, VECTORS);
    element upper = element_of_pair(pair, 1), lower = element_of_pair(pair, 0);
    open_take(open, index_beats(upper, lower) ? upper : lower, place[0]);
}
#endif
#else
#include "open_is_state.cuh"
#endif

DEVICE void state_merge(struct state *a, const struct state *b)
{
    a->absent += b->absent;
    if (b->index >= 0) index_take(a, b->value, b->index);
}

/* Writes the result of a cell of n present elements; FAILED_... or 0. */
DEVICE uint32_t state_finish(const struct reduce_parameters *p, const struct state *s, int64_t n, int64_t cell,
                             char *out)
{
    if (n == 0) return finish_empty(p, 0, out);
    if (!IS_END) {
        finish_integer((uint64_t)s->index, 1, out);
        return 0;
    }
    int64_t offset = cell_offsets(p, cell).x + offsets_of(p->reduced, p->reduced_count, s->index).x;
    finish_element((const char *)p->x + offset * ELEMENT_SIZE, out);
    return 0;
}

#endif
