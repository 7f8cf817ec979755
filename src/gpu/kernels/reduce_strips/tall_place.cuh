/* SPDX-License-Identifier: MIT
 *
 * tall_place.cuh - which rows and columns a thread of reduce_tall.cu reads: of the strip's lanes, those of TALL_FLAT
 * wrap around from the last column to the first; elsewhere lanes outside of the tile do not count. No include guard. */

/* What a block takes, and where a thread stands: member of a group, which all have the same columns. */
struct place {
    int64_t item;               /* which matrix */
    const char *x;              /* its first element */
    int32_t split, tile, width; /* which part of its rows, which columns, and how many */
    int32_t thread, group, groups, member;
};

/* How many loops go through rows, the innermost of these, and how many rows there are. */
DEVICE int32_t row_loops(const struct reduce_parameters *p)
{
    return p->reduced_count - (COLUMNS_OF_CELL > 1);
}

DEVICE const struct kernel_loop *row_loop(const struct reduce_parameters *p)
{
    return &p->reduced[row_loops(p) - 1];
}

DEVICE int64_t rows_of(const struct reduce_parameters *p)
{
    return p->length / COLUMNS_OF_CELL;
}

DEVICE struct place place_of(const struct reduce_parameters *p, int64_t piece)
{
    struct place place;
    uint32_t block = (uint32_t)piece, rest = block / (uint32_t)p->tiles;
    uint32_t item = rest / (uint32_t)p->splits;
    place.tile = (int32_t)(block - rest * (uint32_t)p->tiles);
    place.item = item;
    place.x = (const char *)p->x;
    if (p->kept_count > 1) place.x += offsets_of(p->kept, p->kept_count - 1, item).x * ELEMENT_SIZE;
    place.split = (int32_t)(rest - item * (uint32_t)p->splits);
    int64_t left = p->columns - place.tile * p->width;
    place.width = (int32_t)(left < p->width ? left : p->width);
    place.thread = (int32_t)threadIdx.x;
    int32_t size = TALL_FLAT ? p->period : LANES;
    place.group = place.thread / size;
    place.member = place.thread - place.group * size;
    place.groups = TALL_FLAT ? THREADS / size : ROW_GROUPS;
    return place;
}

#if FETCH_STAGES
enum { WARP_COLUMNS = 32 * IN_VECTOR };
#elif UNIT_BYTES < 16
/* Whether the operand has all aligned units that a walk's lie in. */
DEVICE int walk_is_inside(const struct reduce_parameters *p, const struct walk *w)
{
    const char *low = w->x, *high = w->x;
    for (int32_t d = 0; d < row_loops(p); d++) {
        int64_t reach = p->reduced[d].x * (p->reduced[d].extent - 1) * ELEMENT_SIZE;
        if (reach < 0) low += reach;
        else high += reach;
    }
    low -= (uintptr_t)low & (UNIT_BYTES - 1);
    high -= (uintptr_t)high & (UNIT_BYTES - 1);
    return low >= p->low && high + 2 * UNIT_BYTES <= p->high;
}
#endif

DEVICE struct walk walk_of(const struct reduce_parameters *p, const struct place *place)
{
    struct walk w;
    const char *x = place->x;
#if TALL_FLAT
    int32_t active = place->groups * p->period, columns = (int32_t)p->columns;
    w = walk_along(x, rows_of(p) * p->columns);
#if REDUCED_NEST
    w.units = p->all_units;
#endif
    if (place->thread >= active) w.units = 0;
    w.step = p->splits * active;
    w.first = (int64_t)place->split * active + place->thread;
    w.far = DEPTH * w.step;
    w.column = (w.column + place->member * IN_VECTOR) % columns;
    if (w.column < 0) w.column += columns;
#else
    int32_t begin = (int32_t)(place->tile * p->width), rows = p->period > place->groups ? p->period : place->groups;
    int32_t sides = rows / place->groups, side = place->split % sides;
    w.pitch = row_loop(p)->x * ELEMENT_SIZE;
    int64_t row = side * place->groups + place->group;
#if FETCH_STAGES
    w.column = begin + place->member / 32 * WARP_COLUMNS + place->member % 32 * IN_WORD;
    w.tile = x + (int64_t)begin * ELEMENT_SIZE;
    w.bytes = place->width * ELEMENT_SIZE;
    w.from = place->group * ROW_BYTES + (w.column - begin) * ELEMENT_SIZE;
#else
    int32_t ahead = UNIT_BYTES == 16 ? elements_ahead(x + row * w.pitch) : 0;
    w.column = begin - ahead + place->member * IN_VECTOR;
#endif
    w.x = x + (int64_t)w.column * ELEMENT_SIZE;
    w.step = (int64_t)((int32_t)p->splits / sides) * rows;
    w.first = (int64_t)(place->split / sides) * rows + row;
    w.far = DEPTH * w.step;
    w.head = w.column < 0 ? -w.column : 0;
    w.tail = w.column + IN_VECTOR > p->columns ? (int32_t)p->columns - w.column : IN_VECTOR;
#if ENDS_LAP
    int32_t pitch = (int32_t)row_loop(p)->x, over = w.column + IN_VECTOR - (int32_t)p->columns;
    w.begin = (w.head + pitch - 1) / pitch;
    w.end = rows_of(p) - (over > 0 ? (over + pitch - 1) / pitch : 0);
#else
    w.begin = w.head > 0;
    w.end = rows_of(p) - (w.tail < IN_VECTOR);
#endif
#if FETCH_STAGES
    w.units = place->member / 32 * WARP_COLUMNS < place->width ? rows_of(p) : 0;
#else
    w.units = w.column < begin + place->width && w.column + IN_VECTOR > begin ? rows_of(p) : 0;
#endif
    if (place->group >= place->groups) w.units = 0;
#endif
#if UNIT_BYTES < 16 && !FETCH_STAGES
    w.inside = walk_is_inside(p, &w);
#endif
#if FETCH_STAGES
    w.row = w.tile + place->group * w.pitch;
#endif
#if ROW_BUNDLES
    w.x += place->group * w.pitch;
    w.rows = (int32_t)row_loop(p)->extent - place->group;
    w.apart = ROW_GROUPS * w.pitch;
    w.pitch = DEPTH * w.apart;
    w.first = place->split;
    w.step = w.far = p->splits;
    if (w.units) w.units = p->all_units;
#endif
    w.p = p;
    return w;
}

/* The column of a lane, counted from the tile's first; -1: none. */
DEVICE int32_t lane_column(const struct reduce_parameters *p, const struct place *place, const struct walk *w, int k)
{
    if (w->units == 0) return -1;
#if TALL_FLAT
    return (w->column + k) % (int32_t)p->columns;
#else
    int32_t at = w->column + PLACE_OF(k) - (int32_t)(place->tile * p->width);
    return at >= 0 && at < place->width ? at : -1;
#endif
}

#if HAS_ORIGINS
/* The first row's elements of a thread's columns; of a cell's, its first one's. */
DEVICE void find_origins(const struct reduce_parameters *p, const struct place *place, const struct walk *w,
                         struct strip *strip)
{
    const struct kernel_loop *inner = row_loop(p);
    int32_t begin = TALL_FLAT ? 0 : (int32_t)(place->tile * p->width);
#pragma unroll
    for (int k = 0; k < IN_VECTOR; k++) {
        int32_t column = lane_column(p, place, w, k);
        if (column < 0) continue;
        int32_t first = begin + column - column % COLUMNS_OF_CELL;
        strip_set_lane(p, strip, k, place->x, first, inner->x, inner->extent);
    }
}
#endif
