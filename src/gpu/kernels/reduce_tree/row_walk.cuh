/* SPDX-License-Identifier: MIT
 *
 * row_walk.cuh - rows of row_powers.cuh whose elements lie apart, or are those of two loops: four from a multiple
 * of four on are of two rounds of the inner one at most. No include guard.
 *   WALK  1: elements lie anywhere; 2: fours of them side by side, aligned, and there are no others */

struct row {
    const struct reduce_parameters *p;
    const char *cell;
    int64_t first; /* element of it */
};

/* Where the thread is, and what leads on by a row of 128. */
struct walk {
    const char *x;
    int64_t pitch, on, round; /* bytes to the next element, to the next row, and where the inner loop begins again */
    int32_t inner, step, extent;
};

DEVICE struct row row_of(const struct reduce_parameters *p, const struct cell *c, int64_t first, int aligned)
{
    struct row row = {p, c->x, first};
    (void)aligned;
    return row;
}

#if REDUCED_NEST
DEVICE struct walk walk_at(const struct row *from, int32_t i)
{
    const struct kernel_loop *outer = &from->p->reduced[0], *inner = &from->p->reduced[1];
    struct walk walk;
    int64_t at = from->first + i;
    walk.extent = (int32_t)inner->extent;
    int64_t round = at >> 32 ? at / walk.extent : (int64_t)((uint32_t)at / (uint32_t)walk.extent);
    int32_t rounds = TREE_LANES / walk.extent;
    walk.inner = (int32_t)(at - round * walk.extent);
    walk.step = TREE_LANES - rounds * walk.extent;
    walk.pitch = inner->x * ELEMENT_SIZE;
    walk.on = rounds * outer->x * ELEMENT_SIZE + walk.step * walk.pitch;
    walk.round = outer->x * ELEMENT_SIZE - walk.extent * walk.pitch;
    walk.x = from->cell + round * outer->x * ELEMENT_SIZE + walk.inner * walk.pitch;
    return walk;
}

DEVICE void walk_on(struct walk *walk)
{
    walk->x += walk->on;
    walk->inner += walk->step;
    if (walk->inner < walk->extent) return;
    walk->inner -= walk->extent;
    walk->x += walk->round;
}

DEVICE const char *walk_element(const struct walk *walk, int32_t q)
{
    return walk->x + q * walk->pitch + (walk->inner + q >= walk->extent ? walk->round : 0);
}
#else
DEVICE struct walk walk_at(const struct row *from, int32_t i)
{
    struct walk walk;
    walk.pitch = from->p->reduced[0].x * ELEMENT_SIZE;
    walk.on = TREE_LANES * walk.pitch;
    walk.x = from->cell + (from->first + i) * walk.pitch;
    walk.round = walk.inner = walk.step = walk.extent = 0;
    return walk;
}

DEVICE void walk_on(struct walk *walk)
{
    walk->x += walk->on;
}

DEVICE const char *walk_element(const struct walk *walk, int32_t q)
{
    return walk->x + q * walk->pitch;
}
#endif

/* Four elements, as of load_row; behind the last one, that one again. */
DEVICE struct stored_row load_four_of(const struct walk *walk, int32_t last)
{
#if WALK == 2
    (void)last;
    return load_row(walk->x);
#else
    struct stored_row row;
#pragma unroll
    for (int q = 0; q < LANES; q++) row.stored[q] = *(const storage *)walk_element(walk, min(q, last));
    return row;
#endif
}

/* The thread's part of rows from `row` on, where it is, of as many whole ones; behind the last one, of that one again.
 */
DEVICE struct batch load_batch(struct walk *walk, int32_t row, int32_t rows)
{
    struct batch batch;
#pragma unroll
    for (int r = 0; r < BATCH; r++) {
        batch.row[r] = load_four_of(walk, LANES - 1);
        if (row + r + 1 < rows) walk_on(walk);
    }
    return batch;
}

/* The thread's part of a row from element i on, of which not all may be there: else it has others. */
DEVICE struct stored_row load_last(const struct row *from, int32_t i, int32_t length)
{
    int32_t begin = min(i, length - (WALK == 2 ? LANES : 1));
    struct walk walk = walk_at(from, begin);
    return load_four_of(&walk, length - 1 - begin);
}
