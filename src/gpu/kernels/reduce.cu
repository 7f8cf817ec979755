/* SPDX-License-Identifier: MIT
 *
 * reduce.cu - reductions whose bits do not depend on the order of elements: all but the fixed-shape tree
 * (reduce_ordered.cu).
 *
 * A block takes a group of cells and, of each, one split of its elements; a team of threads shares a split. Teams merge
 * their states in shared memory; where cells have several splits, the last block of a group to finish merges those. So
 * one launch does all. CONTIGUOUS 1: the innermost reduced axis has stride 1 and is read by aligned vectors, with single
 * elements at the ends; 0: element by element. */
#include "team.cuh"

/* Elements of a vector, vectors of a tile. Doubles in exact sums allow 16 to a tile (exact_tile.cuh), lanes 32. */
enum {
    VECTOR = CONTIGUOUS ? 16 / ELEMENT_SIZE : 1,
    VECTORS = TILE_VECTORS,
    TILE = VECTOR * VECTORS
};

#if defined(METHOD_EXACT)
#include "method_exact.cuh"
#elif defined(METHOD_INDEX)
#include "method_index.cuh"
#else
#include "method_fold.cuh"
#endif

#if defined(OUTPUT_STATES)
#include "output_state.cuh"
#endif

#define FULL_TILE (TILE == 32 ? 0xffffffffu : (1u << (TILE & 31)) - 1)

/* One vector: where its first element lies, and which elements of it belong to the cell. */
struct unit {
    const char *x, *y;
    const unsigned char *where;
    int64_t place;    /* of its first element among those of the cell */
    int64_t from, to; /* in elements of the vector */
};

/* Elements read at once, and which of them count. */
struct tile {
    element x[TILE];
#if WITH_SECOND
    element y[TILE];
#endif
    int64_t place[VECTORS];
    uint32_t present;
    int32_t absent;
};

#if CONTIGUOUS
#define WHERE_STRIDE(p) ((p)->reduced[(p)->reduced_count - 1].where)
#else
#define WHERE_STRIDE(p) 0
#endif

DEVICE struct unit unit_of(const struct reduce_parameters *p, const struct cell *c, int64_t u)
{
    struct offsets at = {0, 0, 0, 0};
    struct unit unit;
#if CONTIGUOUS
    const struct kernel_loop *inner = &p->reduced[p->reduced_count - 1];
    int64_t outer = 0;
#if REDUCED_NEST
    outer = u / p->row_units;
    at = nest_offsets(p->reduced, p->reduced_count - 1, outer);
#endif
    uintptr_t misaligned = (uintptr_t)(c->x + at.x * ELEMENT_SIZE) & 15;
    int64_t first = (u - outer * p->row_units) * VECTOR - (misaligned % ELEMENT_SIZE ? 0 : misaligned / ELEMENT_SIZE);
    at.x += first;
    at.y += first;
    at.where += first * inner->where;
    unit.place = outer * inner->extent + first;
    unit.from = first < 0 ? -first : 0;
    unit.to = inner->extent - first < VECTOR ? inner->extent - first : VECTOR;
#else
#if REDUCED_NEST
    at = nest_offsets(p->reduced, p->reduced_count, u);
#else
    offsets_move(&at, &p->reduced[0], u);
#endif
    unit.place = u;
    unit.from = 0;
    unit.to = 1;
#endif
    unit.x = c->x + at.x * ELEMENT_SIZE;
    unit.y = WITH_SECOND ? c->y + at.y * ELEMENT_SIZE : 0;
    unit.where = WITH_WHERE ? c->where + at.where : 0;
    return unit;
}

DEVICE int unit_is_full(const struct unit *unit)
{
#if CONTIGUOUS
    uintptr_t address = (uintptr_t)unit->x | (WITH_SECOND ? (uintptr_t)unit->y : 0);
    return unit->from == 0 && unit->to == VECTOR && (address & 15) == 0;
#else
    return 1;
#endif
}

/* Whether element i counts: neither masked nor a NaN to be skipped. */
DEVICE int is_present(const struct tile *tile, int i, const unsigned char *where)
{
    if (WITH_WHERE && !*where) return 0;
    if (SKIP_NAN && element_is_nan(tile->x[i])) return 0;
#if WITH_SECOND
    if (SKIP_NAN && element_is_nan(tile->y[i])) return 0;
#endif
    return 1;
}

DEVICE struct tile load_full(const struct reduce_parameters *p, const struct unit *units)
{
    struct tile tile;
#if CONTIGUOUS
    struct vector16 v[VECTORS];
#pragma unroll
    for (int j = 0; j < VECTORS; j++) v[j] = load_vector(units[j].x);
#pragma unroll
    for (int i = 0; i < TILE; i++) tile.x[i] = vector_element(&v[i / VECTOR], i % VECTOR);
#if WITH_SECOND
#pragma unroll
    for (int j = 0; j < VECTORS; j++) v[j] = load_vector(units[j].y);
#pragma unroll
    for (int i = 0; i < TILE; i++) tile.y[i] = vector_element(&v[i / VECTOR], i % VECTOR);
#endif
#else
#pragma unroll
    for (int i = 0; i < TILE; i++) tile.x[i] = load_element(units[i].x, 0);
#if WITH_SECOND
#pragma unroll
    for (int i = 0; i < TILE; i++) tile.y[i] = load_element(units[i].y, 0);
#endif
#endif
#pragma unroll
    for (int j = 0; j < VECTORS; j++) tile.place[j] = units[j].place;
    tile.present = FULL_TILE;
    tile.absent = 0;
#if WITH_WHERE || SKIP_NAN
    tile.present = 0;
#pragma unroll
    for (int i = 0; i < TILE; i++)
        tile.present |= (uint32_t)is_present(&tile, i, units[i / VECTOR].where + i % VECTOR * WHERE_STRIDE(p)) << i;
    tile.absent = TILE - __popc(tile.present);
#endif
    return tile;
}

/* The same for units that may lie over an end, or be none at all. Unrolled, so that all loads are under way at once. */
DEVICE_CALL struct tile load_edge(const struct reduce_parameters *p, struct cell c, int64_t u, int64_t end, int64_t step)
{
    struct tile tile;
    memset(&tile, 0, sizeof tile);
#pragma unroll
    for (int j = 0; j < VECTORS; j++) {
        if (u + j * step >= end) continue;
        struct unit unit = unit_of(p, &c, u + j * step);
        tile.place[j] = unit.place;
#pragma unroll
        for (int k = 0; k < VECTOR; k++) {
            int i = j * VECTOR + k;
            if (k < unit.from || k >= unit.to) continue;
            tile.x[i] = load_element(unit.x, k);
#if WITH_SECOND
            tile.y[i] = load_element(unit.y, k);
#endif
            int here = is_present(&tile, i, unit.where + k * WHERE_STRIDE(p));
            tile.present |= (uint32_t)here << i;
            tile.absent += !here;
        }
    }
    return tile;
}

#if WITH_SECOND
#define TILE_SECOND(tile) (tile).y
#else
#define TILE_SECOND(tile) (tile).x
#endif

DEVICE void absorb_split(const struct reduce_parameters *p, struct state *s, const struct cell *c, int64_t begin,
                         int64_t end, int64_t step)
{
    for (int64_t u = begin; u < end; u += VECTORS * step) {
        struct unit units[VECTORS];
        struct tile tile;
        int full = u + (VECTORS - 1) * step < end;
#pragma unroll
        for (int j = 0; j < VECTORS; j++) {
            units[j] = unit_of(p, c, u + j * step);
            full &= unit_is_full(&units[j]);
        }
        if (full) tile = load_full(p, units);
        else tile = load_edge(p, *c, u, end, step);
        s->absent += tile.absent;
        state_absorb(s, tile.x, TILE_SECOND(tile), tile.place, tile.present);
    }
}

/* Merges the states of every team; afterwards room[c] is the state of cell c. */
DEVICE void merge_teams(const struct reduce_parameters *p, const struct seat *seat, struct state *s, struct state *room)
{
    __syncthreads();
    for (int32_t half = p->team / 2; half > 0; half /= 2) {
        if (seat->member >= half && seat->member < 2 * half) room[(seat->member - half) * seat->cells + seat->cell] = *s;
        __syncthreads();
        if (seat->member < half) state_merge(s, &room[seat->member * seat->cells + seat->cell]);
        __syncthreads();
    }
    if (seat->member == 0) room[seat->cell] = *s;
    __syncthreads();
}

DEVICE void finish_cell(const struct reduce_parameters *p, const struct state *s, int64_t cell)
{
#if defined(OUTPUT_STATES)
    output_state(p, s, cell);
#else
    struct offsets at = cell_offsets(p, cell);
    int64_t n = p->length - s->absent;
    uint32_t failure = state_finish(p, s, n, cell, (char *)p->out + at.out * RESULT_SIZE);
    if (failure == FAILED_WINDOW) {
        uint32_t place = atomicAdd(p->wide_count, 1u);
        if (place < p->wide_capacity) p->wide_cells[place] = cell;
        return;
    }
    if (failure && p->failures) atomicOr(p->failures, failure);
#endif
}

KERNEL(reduce, struct reduce_parameters, p)
{
    DYNAMIC_SHARED(struct state, room);
    struct seat seat = seat_of(&p);
    struct share share = share_of(&p, &seat);
    int64_t group = share.group, split = share.split, cell = group * seat.cells + seat.cell;
    struct state s;
    state_open(&s);
    if (cell < p.cells) {
        struct cell c = cell_of(&p, cell);
        int64_t end = (split + 1) * p.split_units;
        absorb_split(&p, &s, &c, split * p.split_units + seat.member, end < p.units ? end : p.units, p.team);
    }
    merge_teams(&p, &seat, &s, room);
    int leader = (int32_t)threadIdx.x < seat.cells && group * seat.cells + threadIdx.x < p.cells;
    if (p.splits > 1) {
        struct state *states = (struct state *)p.states + group * p.splits * seat.cells;
        if (leader) states[split * seat.cells + threadIdx.x] = room[threadIdx.x];
        if (!last_to_arrive(&p.tickets[group], (uint32_t)p.splits)) return;
        state_open(&s);
        for (int64_t i = seat.member; i < p.splits && cell < p.cells; i += p.team)
            state_merge(&s, &states[i * seat.cells + seat.cell]);
        merge_teams(&p, &seat, &s, room);
    }
    if (leader) finish_cell(&p, &room[threadIdx.x], group * seat.cells + threadIdx.x);
}
