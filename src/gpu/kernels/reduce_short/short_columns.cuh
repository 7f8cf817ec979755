/* SPDX-License-Identifier: MIT
 *
 * short_columns.cuh - a thread takes GROUPS groups of neighbouring cells, of which one aligned access reads SIDE
 * elements, and goes down the reduced axes with DEPTH accesses to each under way; IN_ONE_PASS: that is all of it.
 * IN_ROW elements of a cell lie side by side, in p.all_units rows. SHIFTED: accesses begin at any element, and are two
 * aligned ones of 8 bytes. KEPT_NEST: kept loops, 3 for more. No include guard. */

#include "short_sides.cuh"

#if SHIFTED
#include "short_shifted.cuh"
#else
#include "short_aligned.cuh"
#endif

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
DEVICE void load_accesses(struct loaded *to, const struct reduce_parameters *p, const char *x, int inside,
                          struct row row, int32_t count)
{
#pragma unroll
    for (int d = 0; d < DEPTH; d++, row_next(p, &row)) {
        if (d < count) to[d] = load_access(x + row.offset, inside);
    }
}

/* The same of all groups. Without conditions all are under way before the first is waited for. */
DEVICE void load_groups(struct loaded (*to)[DEPTH], const struct reduce_parameters *p, const char *const *x, int inside,
                        struct row row, int32_t count)
{
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
        if (inside && count >= DEPTH) load_accesses(to[g], p, x[g], 1, row, DEPTH);
        else load_accesses(to[g], p, x[g], inside, row, count);
    }
}

DEVICE void sides_of_groups(struct side (*v)[DEPTH], const struct reduce_parameters *p,
                            const struct loaded (*from)[DEPTH], const char *const *x, int inside, struct row row)
{
#pragma unroll
    for (int d = 0; d < DEPTH; d++, row_next(p, &row)) {
#pragma unroll
        for (int g = 0; g < GROUPS; g++) v[g][d] = side_of(&from[g][d], x[g] + row.offset, inside);
    }
}

/* Writes the results of a group; returns whether they are not exact. By all lanes of a warp, those without one too. */
DEVICE int finish_sides(const struct reduce_parameters *p, const struct quick *q, const struct watch *watch,
                        const struct stroll *stroll)
{
    int64_t cell = stroll_cell(p, stroll);
    __align__(16) char results[CELLS * STORED_SIZE];
    int failed = 0, is_there = stroll_is_there(p, stroll);
    if (!SHIFTED && !is_there) return 0;
#pragma unroll
    for (int k = 0; k < CELLS; k++) {
        if (!SHIFTED || is_there)
            failed |= !quick_settle(p, &q[k], watch, p->length, cell + k, results + k * STORED_SIZE);
    }
    char *out = (char *)p->out + stroll_offsets(p, stroll).out * RESULT_SIZE;
#if SHIFTED
    if (p->kept[p->kept_count - 1].out == 1) {
        store_shifted(out, results, is_there);
        return failed;
    }
#endif
    if (is_there) store_results(p, out, results, CELLS);
    return failed;
}

DEVICE int64_t thread_of_grid(const struct reduce_parameters *p)
{
    return (p->first_block + blockIdx.x) * THREADS + threadIdx.x;
}

/* The groups of each lane's bits, one after the other. */
DEVICE void redo_groups(const struct reduce_parameters *p, int64_t thread, uint32_t groups)
{
    for (; __any_sync(FULL_WARP, groups != 0); groups &= groups - 1) {
        struct stroll stroll = stroll_from(p, thread);
        for (int g = groups ? __ffs((int)groups) - 1 : 0; g > 0; g--) stroll_on(p, &stroll);
        int64_t cell = stroll_cell(p, &stroll), apart = p->kept[p->kept_count - 1].x * ELEMENT_SIZE;
        const char *x = (const char *)p->x + stroll_offsets(p, &stroll).x * ELEMENT_SIZE;
#pragma unroll 1
        for (int k = 0; k < CELLS; k++, x += apart)
            redo_cell(p, x, p->reduced[0].x * ELEMENT_SIZE, groups ? cell + k : -1, 1);
    }
}

#if HAS_SPREAD
/* Where registers are few, and the thread's number, kept until here, would take some in all threads. */
DEVICE_CALL void redo_few(const struct reduce_parameters *p, uint32_t groups)
{
    redo_groups(p, thread_of_grid(p), groups);
}
#define REDO_GROUPS(p, thread, groups) redo_few(p, groups)
#else
#define REDO_GROUPS redo_groups
#endif

DEVICE void reduce_short(const struct reduce_parameters *p)
{
    struct loaded loaded[GROUPS][DEPTH];
    struct side v[GROUPS][DEPTH];
    struct row row = row_first();
    uint32_t failed = 0;
    int32_t length = (int32_t)p->all_units;
    int64_t thread = thread_of_grid(p);
    const char *x[GROUPS];
    struct stroll stroll = stroll_from(p, thread);
    int inside = 1;
#pragma unroll
    for (int g = 0; g < GROUPS; g++, stroll_on(p, &stroll)) {
        x[g] = (const char *)p->x + stroll_offsets(p, &stroll).x * ELEMENT_SIZE;
        inside &= sides_are_inside(p, x[g]);
    }
    load_groups(loaded, p, x, inside, row, length);
#if IN_ONE_PASS
    sides_of_groups(v, p, loaded, x, inside, row);
#else
    struct quick sums[GROUPS][CELLS];
    struct watch watches[GROUPS];
    origin from[GROUPS][CELLS];
    sides_of_groups(v, p, loaded, x, inside, row);
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
        origins_of(from[g], &v[g][0]);
        watches[g] = watch_begin();
#pragma unroll
        for (int k = 0; k < CELLS; k++) sums[g][k] = quick_begin();
    }
    for (int32_t i = 0; i < length; i += DEPTH) {
        int32_t count = length - i;
        if (i > 0) {
            load_groups(loaded, p, x, inside, row, count);
            sides_of_groups(v, p, loaded, x, inside, row);
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
    stroll = stroll_from(p, thread);
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
    __syncwarp(); /* another lane may have stored what is written over */
    REDO_GROUPS(p, thread, failed);
}
