/* SPDX-License-Identifier: MIT
 *
 * short_columns.cuh - a thread takes GROUPS groups of neighbouring cells, of which one aligned access reads SIDE
 * elements, and goes down the reduced axes with DEPTH accesses to each under way; IN_ONE_PASS: that is all of it.
 * IN_ROW elements of a cell lie side by side, in p.all_units rows. No include guard. */

#include "side.cuh"

enum { CELLS = SIDE / IN_ROW }; /* of a group */

/* No one writes to what is read here. */
DEVICE struct side load_side(const char *address)
{
#if SIDE * ELEMENT_BYTES == 16
    struct vector16 v = load_vector(address);
    struct side side;
    memcpy(&side, &v, sizeof side);
    return side;
#else
    return *(const struct side *)address;
#endif
}

/* As cell_offsets, which a single loop of kept axes can do without. */
DEVICE struct offsets column_offsets(const struct reduce_parameters *p, int64_t cell)
{
    if (p->kept_count > 1) return cell_offsets(p, cell);
    struct offsets at = {cell * p->kept[0].x, 0, 0, cell * p->kept[0].out};
    return at;
}

/* Goes from group to group of a thread, which lie STRIDE cells apart. In two loops of which the inner one is as long,
 * only the first group needs a division. */
enum { STRIDE = THREADS * CELLS };
struct stroll {
    int64_t cell, outer, inner;
    int by_steps;
};

DEVICE struct stroll stroll_from(const struct reduce_parameters *p, int64_t cell)
{
    struct stroll s = {cell, 0, 0, p->kept_count == 2 && p->kept[1].extent >= STRIDE};
    if (!s.by_steps) return s;
    int64_t extent = p->kept[1].extent;
    s.outer = (uint64_t)(cell | extent) >> 32 ? cell / extent : (int64_t)((uint32_t)cell / (uint32_t)extent);
    s.inner = cell - s.outer * extent;
    return s;
}

DEVICE void stroll_on(const struct reduce_parameters *p, struct stroll *s)
{
    s->cell += STRIDE;
    s->inner += STRIDE;
    if (!s->by_steps || s->inner < p->kept[1].extent) return;
    s->inner -= p->kept[1].extent;
    s->outer++;
}

/* Of the group's first cell; if there is none, of another. */
DEVICE struct offsets stroll_offsets(const struct reduce_parameters *p, const struct stroll *s)
{
    struct offsets at = {0, 0, 0, 0};
    if (s->cell >= p->cells) return at;
    if (!s->by_steps) return column_offsets(p, s->cell);
    offsets_move(&at, &p->kept[0], s->outer);
    offsets_move(&at, &p->kept[1], s->inner);
    return at;
}

/* A row, of the loops outside of it: the same one in all threads. */
struct row {
    int64_t offset; /* bytes from a column's first element */
#if REDUCED_NEST
    int32_t at[ROW_LOOPS];
#endif
};

DEVICE struct row row_first(void)
{
    struct row row;
    memset(&row, 0, sizeof row);
    return row;
}

DEVICE void row_next(const struct reduce_parameters *p, struct row *row)
{
#if REDUCED_NEST
#pragma unroll
    for (int d = ROW_LOOPS - 1; d >= 0; d--) {
        int64_t stride = p->reduced[d].x * ELEMENT_SIZE;
        row->offset += stride;
        row->at[d]++;
        if (d == 0 || row->at[d] < p->reduced[d].extent) break;
        row->offset -= p->reduced[d].extent * stride;
        row->at[d] = 0;
    }
#else
    row->offset += p->reduced[0].x * ELEMENT_SIZE;
#endif
}

/* Row i of a column lies in access i % DEPTH. */
DEVICE void load_sides(const struct reduce_parameters *p, struct side *v, const char *x, struct row row, int32_t count)
{
#pragma unroll
    for (int d = 0; d < DEPTH; d++, row_next(p, &row)) {
        if (d < count) v[d] = load_side(x + row.offset);
    }
}

DEVICE_UNUSED void load_groups(const struct reduce_parameters *p, struct side (*v)[DEPTH], const char *const *x,
                               int32_t count)
{
#pragma unroll
    for (int g = 0; g < GROUPS; g++) load_sides(p, v[g], x[g], row_first(), count);
}

#if HAS_EXTREMES && SIDE * ELEMENT_BYTES >= 4
/* The best of each column, two elements to an instruction. */
DEVICE struct side best_side(const struct side *v, int32_t count)
{
    struct side best = v[0];
#pragma unroll
    for (int i = 0; i < SIDE_BYTES / 4; i++) {
#if ELEMENT_BYTES == 1
        uint32_t even = v[0].word[i] << 8, odd = v[0].word[i];
#pragma unroll
        for (int d = 1; d < DEPTH; d++) {
            if (d < count) even = BETTER_PAIR(even, v[d].word[i] << 8), odd = BETTER_PAIR(odd, v[d].word[i]);
        }
        best.word[i] = (even >> 8 & 0x00ff00ffu) | (odd & 0xff00ff00u);
#else
#pragma unroll
        for (int d = 1; d < DEPTH; d++) {
            if (d < count) best.word[i] = BETTER_PAIR(best.word[i], v[d].word[i]);
        }
#endif
    }
    return best;
}

/* The accesses from row `place` on. */
DEVICE void add_sides(struct quick *q, struct watch *watch, const origin *from, const struct side *v, int32_t place,
                      int32_t count)
{
    struct side best = best_side(v, count);
#pragma unroll
    for (int k = 0; k < SIDE; k++) number_add(&q[k / IN_ROW], watch, from[k / IN_ROW], side_element(&best, k), place);
}
#else
/* The accesses from row `place` on. */
DEVICE void add_sides(struct quick *q, struct watch *watch, const origin *from, const struct side *v, int32_t place,
                      int32_t count)
{
#pragma unroll
    for (int d = 0; d < DEPTH; d++) {
#pragma unroll
        for (int k = 0; k < SIDE && d < count; k++)
            number_add(&q[k / IN_ROW], watch, from[k / IN_ROW], side_element(&v[d], k),
                       (place + d) * IN_ROW + k % IN_ROW);
    }
}
#endif

/* Of a group whose first access this is. */
DEVICE void origins_of(origin *from, const struct side *first)
{
#pragma unroll
    for (int k = 0; k < CELLS; k++) from[k] = origin_of_team(side_element(first, k * IN_ROW), 0);
}

/* Writes the results of a group that begins at `cell`; returns whether they are not exact. */
DEVICE int finish_sides(const struct reduce_parameters *p, const struct quick *q, const struct watch *watch,
                        const struct stroll *stroll)
{
    int64_t cell = stroll->cell;
    __align__(16) char results[CELLS * RESULT_SIZE];
    int failed = 0;
    if (cell >= p->cells) return 0;
#pragma unroll
    for (int k = 0; k < CELLS; k++)
        failed |= !quick_settle(p, &q[k], watch, p->length, cell + k, results + k * RESULT_SIZE);
    store_results(p, (char *)p->out + stroll_offsets(p, stroll).out * RESULT_SIZE, results, CELLS);
    return failed;
}

DEVICE void reduce_short(const struct reduce_parameters *p)
{
    struct side v[GROUPS][DEPTH];
    uint32_t failed = 0;
    int32_t length = (int32_t)p->all_units;
    int64_t first = ((p->first_block + blockIdx.x) * GROUPS * THREADS + threadIdx.x) * CELLS;
    const char *x[GROUPS];
    struct stroll stroll = stroll_from(p, first);
#pragma unroll
    for (int g = 0; g < GROUPS; g++, stroll_on(p, &stroll))
        x[g] = (const char *)p->x + stroll_offsets(p, &stroll).x * ELEMENT_SIZE;
#if IN_ONE_PASS
    /* Without conditions all are under way before the first is waited for. */
    if (length == DEPTH) load_groups(p, v, x, DEPTH);
    else load_groups(p, v, x, length);
#else
    struct quick sums[GROUPS][CELLS];
    struct watch watches[GROUPS];
    origin from[GROUPS][CELLS];
    struct row row = row_first();
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
        struct side near = load_side(x[g]);
        origins_of(from[g], &near);
        watches[g] = watch_begin();
#pragma unroll
        for (int k = 0; k < CELLS; k++) sums[g][k] = quick_begin();
    }
    for (int32_t i = 0; i < length; i += DEPTH) {
        int32_t count = length - i;
#pragma unroll
        for (int g = 0; g < GROUPS; g++) {
            if (count >= DEPTH) load_sides(p, v[g], x[g], row, DEPTH);
            else load_sides(p, v[g], x[g], row, count);
        }
#pragma unroll
        for (int d = 0; d < DEPTH; d++) row_next(p, &row);
#pragma unroll
        for (int g = 0; g < GROUPS; g++) {
            if (count >= DEPTH) add_sides(sums[g], &watches[g], from[g], v[g], i, DEPTH);
            else add_sides(sums[g], &watches[g], from[g], v[g], i, count);
        }
    }
#endif
    stroll = stroll_from(p, first);
#pragma unroll
    for (int g = 0; g < GROUPS; g++, stroll_on(p, &stroll)) {
#if IN_ONE_PASS
        struct quick q[CELLS];
        struct watch watch = watch_begin();
        origin from[CELLS];
        origins_of(from, &v[g][0]);
#pragma unroll
        for (int k = 0; k < CELLS; k++) q[k] = quick_begin();
        if (length == DEPTH) add_sides(q, &watch, from, v[g], 0, DEPTH);
        else add_sides(q, &watch, from, v[g], 0, length);
        failed |= (uint32_t)finish_sides(p, q, &watch, &stroll) << g;
#else
        failed |= (uint32_t)finish_sides(p, sums[g], &watches[g], &stroll) << g;
#endif
    }
    if (!__any_sync(FULL_WARP, failed != 0)) return;
    /* each lane its next group, until none has any */
    for (; __any_sync(FULL_WARP, failed != 0); failed &= failed - 1) {
        int g = failed ? __ffs((int)failed) - 1 : 0;
#pragma unroll 1
        for (int k = 0; k < CELLS; k++) {
            int64_t cell = first + g * THREADS * CELLS + k;
            struct offsets here = column_offsets(p, failed ? cell : 0);
            redo_cell(p, (const char *)p->x + here.x * ELEMENT_SIZE, p->reduced[0].x * ELEMENT_SIZE, failed ? cell : -1,
                      1);
        }
    }
}
