/* SPDX-License-Identifier: MIT
 *
 * reduce_long.cu - reductions along long rows, or (REDUCED_NEST) many shorter ones of a cell: a TEAM of threads, a warp
 * or a block, goes through a cell, or a split of one, by aligned vectors. Their totals are merged by shuffles, those of
 * splits by the last block to come. */
#define ONE_COLUMN 1
#include "strip.cuh"

#include "long_merge.cuh"

KERNEL(reduce, struct reduce_parameters, p)
{
    enum { TEAMS = THREADS / TEAM };
    int64_t team = (p.first_block + blockIdx.x) * TEAMS + threadIdx.x / TEAM;
    struct place place = {team / p.splits, team % p.splits};
    struct walk walk = {0};
    const char *x = (const char *)p.x;
    if (place.cell < p.cells) x += cell_offsets(&p, place.cell).x * ELEMENT_SIZE;
#if REDUCED_NEST
    walk.x = x;
    walk.runs = place.cell < p.cells ? p.all_units : 0;
    walk.first_run = place.split * (TEAM / LANES) + threadIdx.x % TEAM / LANES;
    walk.run_step = p.splits * (TEAM / LANES);
    walk.first = threadIdx.x % LANES;
    walk.step = LANES;
#else
    if (place.cell < p.cells) walk = walk_along(x, p.length);
    walk.step = p.splits * TEAM;
    walk.first = place.split * TEAM + threadIdx.x % TEAM;
    walk.far = DEPTH * walk.step;
#endif
    walk.p = &p;
    struct strip strip;
    strip_begin(&strip);
#if HAS_ORIGINS
    if (place.cell < p.cells) strip_set_origin(&p, &strip, x);
#endif
    walk_down(&walk, &strip);
    merge_and_finish(&p, &place, &walk, &strip);
}
