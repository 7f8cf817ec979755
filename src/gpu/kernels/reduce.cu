/* SPDX-License-Identifier: MIT
 *
 * reduce.cu - reductions whose bits do not depend on the order of elements: all but the fixed-shape tree
 * (reduce_ordered.cu).
 *
 * A block takes a group of cells and, of each, one split of its elements; a team of threads shares a split. Teams merge
 * their states in shared memory; where cells have several splits, the last block of a group to finish merges those. So
 * one launch does all. CONTIGUOUS 1: the innermost reduced axis has stride 1 and is read by aligned vectors, with
 * single elements at the ends; 0: element by element. */
#include "tile.cuh"

#include "finish_cell.cuh"
#include "shuffle.cuh"

SHUFFLE(state)

/* One vector: where its first element lies, and which elements of it belong to the cell. */
struct unit {
    const char *x, *y;
    const unsigned char *where;
    int64_t place;    /* of its first element among those of the cell */
    int64_t from, to; /* in elements of the vector */
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
    at = offsets_of(p->reduced, p->reduced_count - 1, outer);
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
    at = offsets_of(p->reduced, p->reduced_count, u);
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

DEVICE tile_mask allowed_bits(const struct reduce_parameters *p, const struct unit *unit, int j, int64_t from,
                              int64_t to)
{
    tile_mask allowed = 0;
#pragma unroll
    for (int k = 0; k < VECTOR; k++) {
        int here = k >= from && k < to && unit->where[k * WHERE_STRIDE(p)] != 0;
        allowed |= (tile_mask)here << (j * VECTOR + k);
    }
    return allowed;
}

#if REDUCED_NEST || WITH_WHERE
DEVICE struct tile load_full(const struct reduce_parameters *p, const struct unit *units)
{
    struct tile tile;
#pragma unroll
    for (int j = 0; j < VECTORS; j++) {
        tile.x[j] = load_chunk(units[j].x);
#if WITH_SECOND
        tile.y[j] = load_chunk(units[j].y);
#endif
        tile.place[j] = units[j].place;
    }
    tile.inside = tile.allowed = (tile_mask)FULL_TILE;
#if WITH_WHERE
    tile.allowed = 0;
#pragma unroll
    for (int j = 0; j < VECTORS; j++) tile.allowed |= allowed_bits(p, &units[j], j, 0, VECTOR);
#endif
    return tile;
}
#endif

/* The same for units that may lie over an end, or be none at all. */
DEVICE_CALL struct tile load_edge(const struct reduce_parameters *p, struct cell c, int64_t u, int64_t end,
                                  int64_t step)
{
    struct tile tile;
    memset(&tile, 0, sizeof tile);
#pragma unroll
    for (int j = 0; j < VECTORS; j++) {
        if (u + j * step >= end) continue;
        struct unit unit = unit_of(p, &c, u + j * step);
        tile.place[j] = unit.place;
        int whole = unit_is_full(&unit);
        tile.x[j] = whole ? load_chunk(unit.x) : load_part(unit.x, unit.from, unit.to);
#if WITH_SECOND
        tile.y[j] = whole ? load_chunk(unit.y) : load_part(unit.y, unit.from, unit.to);
#endif
#pragma unroll
        for (int k = 0; k < VECTOR; k++) tile.inside |= (tile_mask)(k >= unit.from && k < unit.to) << (j * VECTOR + k);
        if (WITH_WHERE) tile.allowed |= allowed_bits(p, &unit, j, unit.from, unit.to);
    }
    if (!WITH_WHERE) tile.allowed = tile.inside;
    return tile;
}

/* A plain row or column: the units [begin, end) of it are whole and lie `stride` bytes apart. */
struct interior {
    const char *x, *y;     /* of unit 0 */
    int64_t stride, place; /* place: of unit 0's first element, for contiguous rows */
    int64_t begin, end;
};

#if !REDUCED_NEST && !WITH_WHERE
#define HAS_INTERIOR 1
DEVICE struct interior interior_of(const struct reduce_parameters *p, const struct cell *c)
{
    struct interior in;
    struct unit first = unit_of(p, c, 0);
    in.x = first.x;
    in.y = first.y;
    in.place = first.place;
#if CONTIGUOUS
    uintptr_t address = (uintptr_t)first.x | (WITH_SECOND ? (uintptr_t)first.y : 0);
    in.stride = 16;
    in.begin = first.from > 0;
    in.end = (address & 15) == 0 ? (p->length - first.place) / VECTOR : 0;
#else
    in.stride = p->reduced[0].x * ELEMENT_SIZE;
    in.begin = 0;
    in.end = WITH_SECOND ? 0 : p->units;
#endif
    return in;
}

DEVICE struct tile load_interior(const struct interior *in, int64_t u, int64_t step)
{
    struct tile tile;
    const char *x = in->x + u * in->stride, *y = WITH_SECOND ? in->y + u * in->stride : 0;
    int64_t stride = step * in->stride;
    (void)y;
#pragma unroll
    for (int j = 0; j < VECTORS; j++) {
        tile.x[j] = load_chunk(x + j * stride);
#if WITH_SECOND
        tile.y[j] = load_chunk(y + j * stride);
#endif
        tile.place[j] = in->place + (u + j * step) * VECTOR;
    }
    tile.inside = tile.allowed = (tile_mask)FULL_TILE;
    return tile;
}
#else
#define HAS_INTERIOR 0
#endif

/* Exact sums take longer over a tile: the next one is under way meanwhile. Elsewhere more blocks at once do better. */
#if HAS_INTERIOR && CONTIGUOUS && defined(METHOD_EXACT) && IS_FLOAT
#define LOOKS_AHEAD 1
#else
#define LOOKS_AHEAD 0
#endif

/* Units of a split, VECTORS of them at a time. */
DEVICE struct state absorb_split(const struct reduce_parameters *p, const struct cell *c, int64_t begin, int64_t end,
                                 int64_t step)
{
    struct open_state open;
    open_begin(&open);
#if HAS_INTERIOR
    struct interior in = interior_of(p, c);
    int64_t last = (in.end < end ? in.end : end) - (VECTORS - 1) * step; /* tiles that begin before it are whole */
#endif
#if LOOKS_AHEAD
    struct tile next;
    int ahead = begin >= in.begin && begin < last;
    if (ahead) next = load_interior(&in, begin, step);
#endif
    for (int64_t u = begin; u < end; u += VECTORS * step) {
        struct tile tile;
#if LOOKS_AHEAD
        if (ahead) tile = next;
        else tile = load_edge(p, *c, u, end, step);
        ahead = u + VECTORS * step < last;
        if (ahead) next = load_interior(&in, u + VECTORS * step, step);
#elif HAS_INTERIOR
        if (u >= in.begin && u < last) tile = load_interior(&in, u, step);
        else tile = load_edge(p, *c, u, end, step);
#else
        struct unit units[VECTORS];
        int full = u + (VECTORS - 1) * step < end;
#pragma unroll
        for (int j = 0; j < VECTORS; j++) {
            units[j] = unit_of(p, c, u + j * step);
            full &= unit_is_full(&units[j]);
        }
        if (full) tile = load_full(p, units);
        else tile = load_edge(p, *c, u, end, step);
#endif
        absorb(&open, &tile);
    }
    return open_close(&open);
}

/* Merges the states of every team; afterwards room[c] is the state of cell c. */
DEVICE_CALL void merge_teams(const struct reduce_parameters *p, struct seat seat, struct state s, struct state *room)
{
    int32_t lane = (int32_t)threadIdx.x & 31, warp = (int32_t)threadIdx.x >> 5, stride = seat.cells;
    __syncthreads();
    if (!p->cells_first) {
        for (int32_t half = p->team < 32 ? p->team / 2 : 16; half > 0; half /= 2) {
            struct state other = state_down(s, (uint32_t)half);
            if (lane + half < 32) state_merge(&s, &other);
        }
        if (p->team > 32) {
            if (lane == 0) room[warp] = s;
            __syncthreads();
            for (int32_t w = 1; w < p->team / 32 && seat.member == 0; w++) state_merge(&s, &room[warp + w]);
            __syncthreads();
        }
    }
    for (int32_t half = p->cells_first ? p->team / 2 : 0; half > 0; half /= 2) {
        if (seat.member >= half && seat.member < 2 * half) room[(seat.member - half) * stride + seat.cell] = s;
        __syncthreads();
        if (seat.member < half) state_merge(&s, &room[seat.member * stride + seat.cell]);
        __syncthreads();
    }
    if (seat.member == 0) room[seat.cell] = s;
    __syncthreads();
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
        s = absorb_split(&p, &c, split * p.split_units + seat.member, end < p.units ? end : p.units, p.team);
    }
    if (p.team == 1 && p.splits == 1) {
        if (cell < p.cells) finish_cell(&p, &s, cell);
        return;
    }
    merge_teams(&p, seat, s, room);
    int leader = (int32_t)threadIdx.x < seat.cells && group * seat.cells + threadIdx.x < p.cells;
    if (p.splits > 1) {
        struct state *states = (struct state *)p.states + group * p.splits * seat.cells;
        if (leader) states[split * seat.cells + threadIdx.x] = room[threadIdx.x];
        if (!last_to_arrive(&p.tickets[group], (uint32_t)p.splits)) return;
        state_open(&s);
        for (int64_t i = seat.member; i < p.splits && cell < p.cells; i += p.team)
            state_merge(&s, &states[i * seat.cells + seat.cell]);
        merge_teams(&p, seat, s, room);
    }
    if (leader) finish_cell(&p, &room[threadIdx.x], group * seat.cells + threadIdx.x);
}
