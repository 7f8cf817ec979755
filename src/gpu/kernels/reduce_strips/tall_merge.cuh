/* SPDX-License-Identifier: MIT
 *
 * tall_merge.cuh - how reduce_tall.cu merges the totals of threads, and of splits: `fan` splits by the last of them to
 * come, and where there are more, what became of these by the last again. No include guard. */
#if !HAS_LAID
struct laid {
    struct total total;
};

DEVICE struct laid laid_of(const struct total *total)
{
    struct laid laid = {*total};
    return laid;
}

DEVICE struct total total_of_laid(const struct laid *laid)
{
    return laid->total;
}
#endif

enum { PITCH = THREADS + 1, PARTS = PITCH * IN_VECTOR, AT_ONCE = 256 / sizeof(struct total) };
#if HAS_WORDS
enum { WORDS_ROOM = (MOST_WIDTH * sizeof(struct words) + sizeof(struct laid) - 1) / sizeof(struct laid) };
#else
enum { WORDS_ROOM = 0 };
#endif
enum { ROOM = (int)PARTS > (int)WORDS_ROOM ? (int)PARTS : (int)WORDS_ROOM };
#if FETCH_STAGES && !WHOLE_COLUMNS
enum { DONE_AT = (ROOM * sizeof(struct laid) + 15) / 16 }; /* vectors */
static_assert(DONE_AT * 16 + MOST_WIDTH * sizeof(struct total) <= FETCH_BYTES, "totals have the stages' place");
#endif

#if LAID_APART
/* How many elements a thread left out, of fewer than 2^16. */
DEVICE uint16_t *laid_absences(void)
{
    __shared__ uint16_t room[PARTS];
    return room;
}
#endif

/* What becomes of a thread's total of a column in the block's room, and back. */
DEVICE void lay(struct laid *room, int32_t at, const struct total *total)
{
    room[at] = laid_of(total);
#if LAID_APART
    laid_absences()[at] = (uint16_t)ABSENT(*total);
#endif
}

DEVICE struct total total_at(const struct laid *room, int32_t at)
{
    struct total total = total_of_laid(&room[at]);
#if LAID_APART
    ABSENT(total) = laid_absences()[at];
#endif
    return total;
}

/* What splits publish of the block's cells: rows of totals, one for each split and then for each fan of them. */
struct published {
    struct total *totals; /* of the first cell, in the first row */
    int64_t pitch;
#if HAS_WORDS
    struct words *words; /* of totals that are lost */
#endif
};

DEVICE int32_t fans_of(const struct reduce_parameters *p)
{
    return ((int32_t)p->splits + p->fan - 1) / p->fan;
}

/* Of columns, cells: where a cell has several, their totals are merged when the block's threads' are. */
DEVICE int32_t cells_of(const struct place *place)
{
    return place->width / COLUMNS_OF_CELL;
}

DEVICE struct published published_of(const struct reduce_parameters *p, const struct place *place)
{
    struct published published;
    int64_t width = p->width / COLUMNS_OF_CELL, pitch = p->tiles * width, rows = p->splits + fans_of(p);
    int64_t first = place->item * rows * pitch + place->tile * width;
    struct total *totals = (struct total *)p->states;
    published.totals = totals + first;
    published.pitch = pitch;
#if HAS_WORDS
    published.words = (struct words *)(totals + p->totals) + first;
#endif
    return published;
}

/* The block's cells are counted from its first one, as its columns are, which they mostly are. */
DEVICE int64_t cell_of_column(const struct reduce_parameters *p, const struct place *place, int32_t column)
{
    return (place->item * p->columns + place->tile * p->width) / COLUMNS_OF_CELL + column;
}

#if HAS_WORDS
#include "tall_words.cuh"
#endif

/* Writes a column's result; returns whether that is still open, and leaves it in `done`. */
DEVICE int settle_column(const struct reduce_parameters *p, const struct place *place, const struct total *total,
                         int32_t column, struct total *done)
{
#if HAS_WORDS
    int open = !total_settle(p, *total, cell_of_column(p, place, column));
    done[column].off = open;
#if HAS_ABSENT
    done[column].absent = total->absent;
#endif
    return open;
#else
    (void)done;
    total_finish(p, total, cell_of_column(p, place, column));
    return 0;
#endif
}

#if HAS_WORDS
/* The same of one whose sum words have. */
DEVICE void settle_with_words(const struct reduce_parameters *p, const struct place *place, const struct words *words,
                              int64_t absent, int32_t column, struct total *done)
{
    finish_with_words(p, *words, absent, cell_of_column(p, place, column));
    done[column].off = 0;
}
#endif

/* The threads' totals in shared memory: neighbouring threads' of one lane lie side by side. */
DEVICE int32_t room_of(int32_t thread, int32_t lane)
{
    return lane * PITCH + thread;
}

/* How many totals a column has there, and where the i-th lies. */
DEVICE int32_t parts_of(const struct reduce_parameters *p, const struct place *place)
{
    return TALL_FLAT ? place->groups * p->period * IN_VECTOR / (int32_t)p->columns : place->groups;
}

DEVICE int32_t part_of(const struct reduce_parameters *p, const struct place *place, int32_t column, int32_t i)
{
#if TALL_FLAT
    int32_t at = (column + elements_ahead(place->x)) % (int32_t)p->columns + i * (int32_t)p->columns;
    return room_of(at / IN_VECTOR, at % IN_VECTOR);
#else
    (void)p, (void)place;
#if FETCH_STAGES
    int32_t warp = column / WARP_COLUMNS, at = column % WARP_COLUMNS, word = at / IN_WORD;
    return room_of(i * LANES + warp * 32 + word % 32, word / 32 * IN_WORD + at % IN_WORD);
#else
    return room_of(i * LANES + column / IN_VECTOR, column % IN_VECTOR);
#endif
#endif
}

#if HAS_UNITS && ROW_BUNDLES
/* The row that a unit of strip_nest.cuh means: of bundles behind each other, each as far as a run goes. */
DEVICE int64_t row_of_unit(const struct reduce_parameters *p, const struct place *place, int64_t unit)
{
    int64_t bundle = unit / DEPTH, run = bundle / p->run_units;
    int64_t row = ((bundle - run * p->run_units) * DEPTH + unit % DEPTH) * ROW_GROUPS + place->group;
    return run * row_loop(p)->extent + row;
}
#endif

/* All parts of the block's columns into `room`. */
DEVICE void lay_out(const struct reduce_parameters *p, const struct place *place, const struct walk *walk,
                    const struct strip *strip, struct laid *room)
{
    struct total totals[IN_VECTOR];
    strip_end(strip, totals);
#pragma unroll
    for (int k = 0; k < IN_VECTOR; k++) {
#if TALL_FLAT
        (void)walk;
#if HAS_UNITS
        int64_t at = totals[k].index * IN_VECTOR + k - elements_ahead(place->x);
        if (totals[k].index >= 0) totals[k].index = at / p->columns;
#endif
        (void)p;
        lay(room, room_of(place->thread, k), &totals[k]);
#else
        int32_t column = lane_column(p, place, walk, k);
#if HAS_UNITS && ROW_BUNDLES
        if (totals[k].index >= 0) totals[k].index = row_of_unit(p, place, totals[k].index);
#endif
        if (column >= 0) lay(room, part_of(p, place, column, place->group), &totals[k]);
#endif
    }
    __syncthreads();
}

/* Totals of groups of `size` neighbouring threads: the members' of all groups, in those of group 0. */
DEVICE struct total merge_groups(struct total total, int32_t groups, int32_t size)
{
    __shared__ struct total room[THREADS / 2];
    int32_t thread = (int32_t)threadIdx.x;
#pragma unroll 1
    for (int32_t half; groups > 1; groups = half) {
        half = (groups + 1) / 2;
        int32_t upper = thread - half * size, rest = (groups - half) * size;
        __syncthreads();
        if (upper >= 0 && upper < rest) room[upper] = total;
        __syncthreads();
        if (thread < rest) total_merge(&total, &room[thread]);
    }
    return total;
}

/* Totals of the rows [begin, end) of a column, every `step`-th of them. */
DEVICE struct total merge_rows(const struct published *published, int32_t column, int32_t begin, int32_t end,
                               int32_t step)
{
    struct total total = total_identity();
    const struct total *at = published->totals + begin * published->pitch + column;
    int64_t stride = step * published->pitch;
#pragma unroll 1
    for (int32_t row = begin; row < end;) {
        struct total some[AT_ONCE];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++, row += step, at += stride) {
            some[i] = total_identity();
            if (row < end) some[i] = *at;
        }
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) total_merge(&total, &some[i]);
    }
    return total;
}

/* Columns that threads merge at once: some threads share a column. */
struct turn {
    int32_t columns, groups; /* how many columns, and threads of each */
    int32_t column, group;   /* of the thread */
};

DEVICE struct turn turn_from(const struct place *place, int32_t all, int32_t from)
{
    struct turn turn;
    int32_t left = all - from;
    turn.columns = left < THREADS ? left : THREADS;
    turn.groups = THREADS / turn.columns;
    turn.group = place->thread / turn.columns;
    turn.column = from + place->thread - turn.group * turn.columns;
    return turn;
}

/* Merges `count` rows; the result is finished, or becomes row `to`, unless that is below 0. Returns whether a thread
 * left a result open. */
DEVICE int merge_splits(const struct reduce_parameters *p, const struct place *place, const struct published *published,
                        int32_t first, int32_t count, int32_t to, struct total *done)
{
    int open = 0, cells = cells_of(place);
#pragma unroll 1
    for (int32_t from = 0; from < cells; from += THREADS) {
        struct turn turn = turn_from(place, cells, from);
        struct total total = total_identity();
        int32_t column = turn.column;
        if (turn.group < turn.groups)
            total = merge_rows(published, column, first + turn.group, first + count, turn.groups);
        total = merge_groups(total, turn.groups, turn.columns);
        if (turn.group > 0) continue;
        int64_t at = to * published->pitch + column;
        if (to >= 0) published->totals[at] = total;
#if HAS_WORDS
        if (total_is_lost(&total)) {
            struct words words = gather_words(published, column, first, count);
            if (to >= 0) published->words[at] = words;
            else if (words_tell(&words)) settle_with_words(p, place, &words, ABSENT(total), column, done);
            else done[column].off = open = 1;
#if HAS_ABSENT
            done[column].absent = total.absent;
#endif
            continue;
        }
#endif
        if (to < 0) open |= settle_column(p, place, &total, column, done);
    }
    return open;
}

#if COLUMNS_OF_CELL > 1
/* Totals of neighbouring columns become their cells'; returns whether a thread's are lost. */
DEVICE int merge_columns(const struct place *place, struct total *done)
{
    int lost = 0;
#pragma unroll 1
    for (int32_t from = 0; from < cells_of(place); from += THREADS) {
        int32_t cell = from + place->thread;
        struct total total = total_identity();
        __syncthreads();
#pragma unroll 1
        for (int32_t k = 0; k < COLUMNS_OF_CELL && cell < cells_of(place); k++) {
            struct total other = done[cell * COLUMNS_OF_CELL + k];
#if HAS_UNITS
            if (other.index >= 0) other.index = other.index * COLUMNS_OF_CELL + k;
#endif
            total_merge(&total, &other);
        }
        __syncthreads();
        if (cell < cells_of(place)) done[cell] = total;
#if HAS_WORDS
        lost |= total_is_lost(&total);
#endif
    }
    return lost;
}
#endif

/* Merges what the threads laid out into `done`, in the order of the columns; returns whether any total is lost. */
DEVICE int merge_threads(const struct reduce_parameters *p, const struct place *place, const struct laid *room,
                         struct total *done)
{
    int lost = 0;
#pragma unroll 1
    for (int32_t from = 0; from < place->width; from += THREADS) {
        struct turn turn = turn_from(place, place->width, from);
        struct total total = total_identity();
        int32_t parts = parts_of(p, place);
#pragma unroll 4
        for (int32_t i = turn.group < turn.groups ? turn.group : parts; i < parts; i += turn.groups) {
            struct total other = total_at(room, part_of(p, place, turn.column, i));
            total_merge(&total, &other);
        }
        total = merge_groups(total, turn.groups, turn.columns);
        if (turn.group == 0) done[turn.column] = total;
#if HAS_WORDS
        lost |= turn.group == 0 && total_is_lost(&total);
#endif
    }
#if COLUMNS_OF_CELL > 1
    lost = merge_columns(place, done);
#endif
    return __syncthreads_or(lost);
}

/* The block's columns, from their totals, are finished or published. Returns whether a thread left a result open. */
DEVICE int pass_on(const struct reduce_parameters *p, const struct place *place, const struct published *published,
                   struct total *done, const struct laid *room)
{
    int open = 0;
    (void)room;
#pragma unroll 1
    for (int32_t j = place->thread; j < cells_of(place); j += THREADS) {
        struct total total = done[j];
        int64_t at = place->split * published->pitch + j;
        if (p->splits > 1) published->totals[at] = total;
#if HAS_WORDS
        const struct words *words = (const struct words *)room + j;
        if (total_is_lost(&total)) {
            if (p->splits > 1) published->words[at] = *words;
            else settle_with_words(p, place, words, ABSENT(total), j, done);
            continue;
        }
#endif
        if (p->splits == 1) open |= settle_column(p, place, &total, j, done);
    }
    return open;
}

/* Finishes what any thread left open. */
DEVICE void close_columns(const struct reduce_parameters *p, const struct place *place, const struct total *done,
                          struct laid *room, int open)
{
#if HAS_WORDS
    if (__syncthreads_or(open)) sum_alone(p, *place, done, (struct words *)room);
#else
    (void)p, (void)place, (void)done, (void)room, (void)open;
#endif
}

#if !WHOLE_COLUMNS
DEVICE void merge_and_finish(const struct reduce_parameters *p, const struct place *place, const struct walk *walk,
                             const struct strip *strip)
{
#if FETCH_STAGES
    DYNAMIC_SHARED_LINES(struct vector16, stages);
    struct laid *room = (struct laid *)stages; /* and then words of columns */
    struct total *done = (struct total *)(stages + DONE_AT);
    __syncthreads();
#else
    __shared__ struct laid room[ROOM]; /* and then words of columns */
    __shared__ struct total done[MOST_WIDTH];
#endif
    struct published published = published_of(p, place);
    lay_out(p, place, walk, strip, room);
    if (merge_threads(p, place, room, done)) {
#if HAS_WORDS
        sum_words(p, place, walk, (struct words *)room);
#endif
    }
    int open = pass_on(p, place, &published, done, room);
    if (p->splits == 1) {
        close_columns(p, place, done, room, open);
        return;
    }
    int32_t fans = fans_of(p), fan = place->split / p->fan;
    uint32_t *tickets = p->tickets + (place->item * p->tiles + place->tile) * (fans + 1);
    int32_t first = fan * p->fan, left = (int32_t)p->splits - first, count = left < p->fan ? left : p->fan;
#pragma unroll 1
    while (last_to_arrive(&tickets[fan], (uint32_t)count)) {
        int last = fan == fans || fans == 1;
        open = merge_splits(p, place, &published, first, count, last ? -1 : (int32_t)p->splits + fan, done);
        if (last) {
            close_columns(p, place, done, room, open);
            return;
        }
        fan = fans;
        first = (int32_t)p->splits;
        count = fans;
    }
}
#endif
