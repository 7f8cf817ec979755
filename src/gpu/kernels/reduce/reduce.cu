/* SPDX-License-Identifier: MIT
 *
 * reduce.cu - reductions whose bits do not depend on the order of elements: all but the fixed-shape tree
 * (reduce_ordered.cu).
 *
 * A block takes a group of cells and, of each, one split of its elements; a team of threads shares a split. Teams merge
 * their states in shared memory; where cells have several splits, the last block of a group to finish merges those. So
 * one launch does all. CONTIGUOUS 1: the innermost reduced axis has stride 1 and is read by aligned vectors, with
 * single elements at the ends; 0: element by element. REDUCED_NEST: how many loops are reduced, where it is not one. */
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

/* Where a unit of a cell is: its number, that of its row, and its index in each loop. */
struct walk {
    int64_t number;
#if REDUCED_NEST
    int64_t row, at[REDUCED_NEST];
#endif
};

/* Units of a loop of the nest. */
#define LOOP_UNITS(p, d) (CONTIGUOUS && (d) == REDUCED_NEST - 1 ? (p)->row_units : (p)->reduced[d].extent)

DEVICE struct walk walk_of(const struct reduce_parameters *p, int64_t number)
{
    struct walk walk;
    walk.number = number;
#if REDUCED_NEST
    int64_t rest = number;
#pragma unroll
    for (int d = REDUCED_NEST - 1; d > 0; d--) {
        int64_t outer = rest / LOOP_UNITS(p, d);
        walk.at[d] = rest - outer * LOOP_UNITS(p, d);
        if (d == REDUCED_NEST - 1) walk.row = outer;
        rest = outer;
    }
    walk.at[0] = rest;
#endif
    (void)p;
    return walk;
}

/* By as many units as lie before `step`: additions only, as a division for each unit takes longer than its memory. */
DEVICE void walk_on(const struct reduce_parameters *p, struct walk *walk, const struct walk *step)
{
    walk->number += step->number;
#if REDUCED_NEST
    int64_t carry = 0;
#pragma unroll
    for (int d = REDUCED_NEST - 1; d > 0; d--) {
        walk->at[d] += step->at[d] + carry;
        carry = walk->at[d] >= LOOP_UNITS(p, d);
        if (carry) walk->at[d] -= LOOP_UNITS(p, d);
        if (d == REDUCED_NEST - 1) walk->row += step->row + carry;
    }
    walk->at[0] += step->at[0] + carry;
#endif
    (void)p;
}

DEVICE struct unit unit_of(const struct reduce_parameters *p, const struct cell *c, const struct walk *walk)
{
    struct offsets at = {0, 0, 0, 0};
    struct unit unit;
#if REDUCED_NEST
#pragma unroll
    for (int d = 0; d < REDUCED_NEST - CONTIGUOUS; d++) offsets_move(&at, &p->reduced[d], walk->at[d]);
#elif !CONTIGUOUS
    offsets_move(&at, &p->reduced[0], walk->number);
#endif
#if CONTIGUOUS
    const struct kernel_loop *inner = &p->reduced[p->reduced_count - 1];
#if REDUCED_NEST
    int64_t row = walk->row, in_row = walk->at[REDUCED_NEST - 1];
#else
    int64_t row = 0, in_row = walk->number;
#endif
    uintptr_t misaligned = (uintptr_t)(c->x + at.x * ELEMENT_SIZE) & 15;
    int64_t first = in_row * VECTOR - (misaligned % ELEMENT_SIZE ? 0 : misaligned / ELEMENT_SIZE);
    at.x += first;
    at.y += first;
    at.where += first * inner->where;
    unit.place = row * inner->extent + first;
    unit.from = first < 0 ? -first : 0;
    unit.to = inner->extent - first < VECTOR ? inner->extent - first : VECTOR;
#else
    unit.place = walk->number;
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

#if !MASK_IS_WORDS
DEVICE tile_mask allowed_bits(const struct reduce_parameters *p, const struct unit *unit, int j)
{
    tile_mask allowed = 0;
#pragma unroll
    for (int k = 0; k < VECTOR; k++) {
        int here = k >= unit->from && k < unit->to && unit->where[k * WHERE_STRIDE(p)] != 0;
        allowed |= (tile_mask)here << (j * VECTOR + k);
    }
    return allowed;
}
#endif

/* A plain row or column has an interior of whole units. */
#define HAS_INTERIOR (!REDUCED_NEST && (!WITH_WHERE || MASK_IS_WORDS))

/* Units from a place on that may lie over an end, or be none at all. */
DEVICE_CALL struct tile load_edge(const struct reduce_parameters *p, struct cell c, struct walk walk, struct walk step,
                                  int64_t end)
{
    struct tile tile;
    memset(&tile, 0, sizeof tile);
#pragma unroll
    for (int j = 0; j < VECTORS; j++, walk_on(p, &walk, &step)) {
        if (walk.number >= end) continue;
        struct unit unit = unit_of(p, &c, &walk);
        tile.place[j] = unit.place;
        int whole = unit_is_full(&unit);
        tile.x[j] = whole ? load_chunk(unit.x) : load_part(unit.x, unit.from, unit.to);
#if WITH_SECOND
        tile.y[j] = whole ? load_chunk(unit.y) : load_part(unit.y, unit.from, unit.to);
#endif
        int64_t to = unit.to > 0 ? unit.to : 0; /* a unit may lie behind a row's end */
        tile.inside |= (((tile_mask)1 << to) - ((tile_mask)1 << unit.from)) << j * VECTOR;
#if MASK_IS_WORDS
        tile.mask[j] = load_mask_part(unit.where, (int32_t)unit.from, (int32_t)to);
#else
        if (WITH_WHERE) tile.allowed |= allowed_bits(p, &unit, j);
#endif
    }
    if (!WITH_WHERE) tile.allowed = tile.inside;
    return tile;
}

#if !HAS_INTERIOR
DEVICE void load_unit(const struct reduce_parameters *p, const struct unit *unit, int j, struct tile *tile)
{
    tile->x[j] = load_chunk(unit->x);
#if WITH_SECOND
    tile->y[j] = load_chunk(unit->y);
#endif
    tile->place[j] = unit->place;
#if MASK_IS_WORDS
    tile->mask[j] = load_mask(unit->where);
#else
    if (WITH_WHERE) tile->allowed |= allowed_bits(p, unit, j);
#endif
}

/* The units from the walk on; it goes on behind them. Whole ones are read as soon as they are known to be: their places
 * would take more registers than there are. */
DEVICE struct tile load_units(const struct reduce_parameters *p, const struct cell *c, struct walk *walk,
                              const struct walk *step, int64_t end)
{
    const struct walk first = *walk;
    struct tile tile;
    int full = first.number + (VECTORS - 1) * step->number < end;
    tile.inside = FULL_TILE;
    tile.allowed = WITH_WHERE ? 0 : tile.inside;
#if CONTIGUOUS
    struct unit units[VECTORS];
#pragma unroll
    for (int j = 0; j < VECTORS; j++, walk_on(p, walk, step)) {
        units[j] = unit_of(p, c, walk);
        full &= unit_is_full(&units[j]);
    }
    if (!full) return load_edge(p, *c, first, *step, end);
#pragma unroll
    for (int j = 0; j < VECTORS; j++) {
        units[j].from = 0;
        units[j].to = VECTOR;
        load_unit(p, &units[j], j, &tile);
    }
#else
    if (!full) return load_edge(p, *c, first, *step, end);
#pragma unroll
    for (int j = 0; j < VECTORS; j++, walk_on(p, walk, step)) {
        struct unit unit = unit_of(p, c, walk);
        load_unit(p, &unit, j, &tile);
    }
#endif
    return tile;
}
#endif

/* A plain row or column: the units [begin, end) of it are whole and lie `stride` bytes apart. */
struct interior {
    const char *x, *y; /* of unit 0 */
    const unsigned char *where;
    int64_t stride, place; /* place: of unit 0's first element, for contiguous rows */
    int64_t begin, end;
};

#if HAS_INTERIOR
DEVICE struct interior interior_of(const struct reduce_parameters *p, const struct cell *c)
{
    struct interior in;
    struct walk begin = walk_of(p, 0);
    struct unit first = unit_of(p, c, &begin);
    in.x = first.x;
    in.y = first.y;
    in.where = first.where;
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
#if MASK_IS_WORDS
        tile.mask[j] = load_mask(in->where + (u + j * step) * VECTOR);
#endif
        tile.place[j] = in->place + (u + j * step) * VECTOR;
    }
    tile.inside = tile.allowed = (tile_mask)FULL_TILE;
    return tile;
}
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
    if (begin >= end) return open_close(&open); /* loops may be empty, and nothing is divided by that */
#if HAS_INTERIOR
    struct interior in = interior_of(p, c);
    int64_t last = (in.end < end ? in.end : end) - (VECTORS - 1) * step; /* tiles that begin before it are whole */
#else
    struct walk walk = walk_of(p, begin);
#endif
    const struct walk on = walk_of(p, step);
#if LOOKS_AHEAD
    struct tile next;
    int ahead = begin >= in.begin && begin < last;
    if (ahead) next = load_interior(&in, begin, step);
#endif
    for (int64_t u = begin; u < end; u += VECTORS * step) {
        struct tile tile;
#if LOOKS_AHEAD
        if (ahead) tile = next;
        else tile = load_edge(p, *c, walk_of(p, u), on, end);
        ahead = u + VECTORS * step < last;
        if (ahead) next = load_interior(&in, u + VECTORS * step, step);
#elif HAS_INTERIOR
        if (u >= in.begin && u < last) tile = load_interior(&in, u, step);
        else tile = load_edge(p, *c, walk_of(p, u), on, end);
#else
        tile = load_units(p, c, &walk, &on, end);
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

/* A cell's last state; two places have one. */
DEVICE_CALL void finish(const struct reduce_parameters *p, struct state s, int64_t cell)
{
    finish_cell(p, &s, cell);
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
        if (cell < p.cells) finish(&p, s, cell);
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
    if (leader) finish(&p, room[threadIdx.x], group * seat.cells + threadIdx.x);
}
