/* SPDX-License-Identifier: MIT
 *
 * short_columns.cuh - a thread takes GROUPS groups of SIDE neighbouring cells, which one aligned access reads, and
 * goes down the reduced axis with DEPTH accesses to each under way; IN_ONE_PASS: that is all of it. No include guard.
 */

#include "side.cuh"

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
    struct offsets at = {cell, 0, 0, cell * p->kept[0].out};
    return at;
}

/* Element i of a column lies in access i % DEPTH. */
DEVICE void load_sides(struct side *v, const char *x, int64_t pitch, int32_t count)
{
#pragma unroll
    for (int d = 0; d < DEPTH; d++, x += pitch) {
        if (d < count) v[d] = load_side(x);
    }
}

DEVICE void add_sides(struct quick *q, struct watch *watch, const origin *from, const struct side *v, int32_t count)
{
#pragma unroll
    for (int d = 0; d < DEPTH; d++) {
#pragma unroll
        for (int k = 0; k < SIDE && d < count; k++) number_add(&q[k], watch, from[k], side_element(&v[d], k));
    }
}

/* Of a group whose first access this is. */
DEVICE void origins_of(origin *from, const struct side *first)
{
#pragma unroll
    for (int k = 0; k < SIDE; k++) from[k] = origin_of_team(side_element(first, k), 0);
}

/* Writes the results of a group that begins at `cell`; returns whether they are not exact. */
DEVICE int finish_sides(const struct reduce_parameters *p, const struct quick *q, const struct watch *watch,
                        int64_t cell)
{
    __align__(16) char results[SIDE * RESULT_SIZE];
    int failed = watch_failed(watch, p->length);
    if (cell >= p->cells) return 0;
#pragma unroll
    for (int k = 0; k < SIDE; k++) failed |= !quick_finish(p, &q[k], cell + k, results + k * RESULT_SIZE);
    store_results(p, (char *)p->out + column_offsets(p, cell).out * RESULT_SIZE, results, SIDE);
    return failed;
}

DEVICE void reduce_short(const struct reduce_parameters *p)
{
    struct side v[GROUPS][DEPTH];
    uint32_t failed = 0;
    int32_t length = (int32_t)p->length;
    int64_t pitch = p->reduced[0].x * ELEMENT_SIZE;
    int64_t first = ((p->first_block + blockIdx.x) * GROUPS * THREADS + threadIdx.x) * SIDE;
    const char *x[GROUPS];
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
        int64_t cell = first + g * THREADS * SIDE;
        x[g] = (const char *)p->x + column_offsets(p, cell < p->cells ? cell : 0).x * ELEMENT_SIZE;
    }
#if IN_ONE_PASS
#pragma unroll
    for (int g = 0; g < GROUPS; g++) load_sides(v[g], x[g], pitch, length);
#else
    struct quick sums[GROUPS][SIDE];
    struct watch watches[GROUPS];
    origin from[GROUPS][SIDE];
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
        struct side near = load_side(x[g]);
        origins_of(from[g], &near);
        watches[g] = watch_begin();
#pragma unroll
        for (int k = 0; k < SIDE; k++) sums[g][k] = quick_begin();
    }
    for (int32_t i = 0; i < length; i += DEPTH) {
        int32_t count = length - i;
#pragma unroll
        for (int g = 0; g < GROUPS; g++) {
            if (count >= DEPTH) load_sides(v[g], x[g], pitch, DEPTH);
            else load_sides(v[g], x[g], pitch, count);
            x[g] += DEPTH * pitch;
        }
#pragma unroll
        for (int g = 0; g < GROUPS; g++) {
            if (count >= DEPTH) add_sides(sums[g], &watches[g], from[g], v[g], DEPTH);
            else add_sides(sums[g], &watches[g], from[g], v[g], count);
        }
    }
#endif
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
#if IN_ONE_PASS
        struct quick q[SIDE];
        struct watch watch = watch_begin();
        origin from[SIDE];
        origins_of(from, &v[g][0]);
#pragma unroll
        for (int k = 0; k < SIDE; k++) q[k] = quick_begin();
        if (length == DEPTH) add_sides(q, &watch, from, v[g], DEPTH);
        else add_sides(q, &watch, from, v[g], length);
        failed |= (uint32_t)finish_sides(p, q, &watch, first + g * THREADS * SIDE) << g;
#else
        failed |= (uint32_t)finish_sides(p, sums[g], &watches[g], first + g * THREADS * SIDE) << g;
#endif
    }
    if (!__any_sync(FULL_WARP, failed != 0)) return;
    /* each lane its next group, until none has any */
    for (; __any_sync(FULL_WARP, failed != 0); failed &= failed - 1) {
        int g = failed ? __ffs((int)failed) - 1 : 0;
#pragma unroll 1
        for (int k = 0; k < SIDE; k++) {
            int64_t cell = first + g * THREADS * SIDE + k;
            struct offsets here = column_offsets(p, failed ? cell : 0);
            redo_cell(p, (const char *)p->x + here.x * ELEMENT_SIZE, pitch, failed ? cell : -1, 1);
        }
    }
}
