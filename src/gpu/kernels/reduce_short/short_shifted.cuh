/* SPDX-License-Identifier: MIT
 *
 * short_shifted.cuh - where the columns of short_columns.cuh lie whose rows begin anywhere: p.row_units groups of SIDE
 * columns in each row of cells, of which the last one begins so early that the row has all of it. Their results are
 * written twice where it overlaps the one before. No include guard. */
#include "shifted.cuh"

/* Goes from group to group of a thread, which lie THREADS groups apart. */
struct stroll {
    int64_t group, outer;
    int64_t inner; /* groups before it in its row of cells */
};

DEVICE struct stroll stroll_at(const struct reduce_parameters *p, int64_t group)
{
    int64_t all = p->row_units;
    struct stroll s = {group, 0, group};
    if (KEPT_NEST == 1) return s;
    s.outer = (uint64_t)(group | all) >> 32 ? group / all : (int64_t)((uint32_t)group / (uint32_t)all);
    s.inner = group - s.outer * all;
    return s;
}

/* From a thread's first group on. */
DEVICE struct stroll stroll_from(const struct reduce_parameters *p, int64_t thread)
{
    return stroll_at(p, (thread / THREADS * GROUPS) * THREADS + thread % THREADS);
}

DEVICE void stroll_on(const struct reduce_parameters *p, struct stroll *s)
{
    *s = stroll_at(p, s->group + THREADS);
}

DEVICE int stroll_is_there(const struct reduce_parameters *p, const struct stroll *s)
{
    return s->group < p->units;
}

DEVICE int64_t stroll_column(const struct reduce_parameters *p, const struct stroll *s)
{
    int64_t last = p->kept[p->kept_count - 1].extent - SIDE, column = s->inner * SIDE;
    return column < last ? column : last;
}

/* The group's first cell. */
DEVICE int64_t stroll_cell(const struct reduce_parameters *p, const struct stroll *s)
{
    return s->outer * p->kept[p->kept_count - 1].extent + stroll_column(p, s);
}

/* Of that cell; if there is none, of another. */
DEVICE struct offsets stroll_offsets(const struct reduce_parameters *p, const struct stroll *s)
{
    struct offsets at = {0, 0, 0, 0};
    if (!stroll_is_there(p, s)) return at;
    if (KEPT_NEST == 2) offsets_move(&at, &p->kept[0], s->outer);
    if (KEPT_NEST > 2) at = offsets_of(p->kept, p->kept_count - 1, s->outer);
    offsets_move(&at, &p->kept[p->kept_count - 1], stroll_column(p, s));
    return at;
}

enum { REDUCED_LOOPS = REDUCED_NEST ? REDUCED_NEST : 1 };

/* Whether the operand has all that is read beside a column's elements. */
DEVICE int sides_are_inside(const struct reduce_parameters *p, const char *x)
{
    int64_t low = 0, high = 0; /* the same in all threads */
#pragma unroll
    for (int32_t d = 0; d < REDUCED_LOOPS; d++) {
        int64_t reach = p->reduced[d].x * (p->reduced[d].extent - 1) * ELEMENT_SIZE;
        if (reach < 0) low += reach;
        else high += reach;
    }
    return aligned_eight(x + low) >= p->low && aligned_eight(x + high) + 16 <= p->high;
}

DEVICE_CALL uint64_t load_elements_of_eight(const char *x)
{
    storage stored[8 / sizeof(storage)];
    uint64_t eight;
    for (int i = 0; i < (int)(8 / sizeof(storage)); i++) stored[i] = ((const storage *)x)[i];
    memcpy(&eight, stored, sizeof eight);
    return eight;
}

/* What is read of an access: two aligned ones, or if the operand has not all of these its own bytes. */
struct loaded {
    uint64_t low, high;
};

DEVICE struct loaded load_access(const char *x, int inside)
{
    struct loaded loaded = {0, 0};
    if (inside) loaded.low = load_eight(aligned_eight(x)), loaded.high = load_eight(aligned_eight(x) + 8);
    else loaded.low = load_elements_of_eight(x);
    return loaded;
}

DEVICE struct side side_of(const struct loaded *loaded, const char *x, int inside)
{
    struct side side;
    uint64_t eight = shift_eight(loaded->low, loaded->high, inside ? (uint32_t)(uintptr_t)x : 0);
    memcpy(&side, &eight, sizeof side);
    return side;
}

/* Results of a group at an address, by all lanes of a warp, those without one too: by way of shared memory, so that
 * neighbouring lanes write neighbouring ones, several groups at once. */
DEVICE void store_shifted(char *out, const char *results, int is_there)
{
    enum { APART = (SIDE + 1) * RESULT_SIZE };
    __shared__ __align__(16) char rooms[THREADS / 32][32 * APART];
    int32_t lane = (int32_t)threadIdx.x & 31;
    char *room = rooms[threadIdx.x / 32];
    unsigned long long at = is_there ? (uintptr_t)out : 0;
#pragma unroll
    for (int32_t k = 0; k < SIDE; k++) store_result(room + lane * APART + k * RESULT_SIZE, results + k * RESULT_SIZE);
    __syncwarp();
#pragma unroll
    for (int32_t j = 0; j < SIDE; j++) {
        int32_t group = (j * 32 + lane) / SIDE, k = lane % SIDE;
        char *to = (char *)__shfl_sync(FULL_WARP, at, group);
        if (to) store_result(to + k * RESULT_SIZE, room + group * APART + k * RESULT_SIZE);
    }
    __syncwarp();
}
