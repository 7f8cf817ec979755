/* SPDX-License-Identifier: MIT
 *
 * tiles_carried.cuh - results of tiles whose columns are several lanes', or several tiles': what stands above a run
 * comes from the totals of runs, by shuffles, and from the tile before. Part of columns_tiles.cuh. No include guard. */

/* ---- a lane's place ---- */

/* SIDE columns of a run, in a pass. Where matrices are one run each, lanes take their columns in turn. */
struct seat_in_tile {
    int32_t matrix, run, side;
};

DEVICE struct seat_in_tile seat_of_lane(const struct reduce_parameters *p, int32_t pass)
{
    int32_t lane = (int32_t)threadIdx.x & 31, group = lane / SIDES;
    struct seat_in_tile seat = {0, 0, pass * 32 + lane};
    if (p->team > 1) {
        seat.matrix = group / p->team;
        seat.run = group - seat.matrix * p->team;
        seat.side = lane - group * SIDES;
    } else {
        seat.matrix = seat.side / ROW_SIDES;
        seat.side -= seat.matrix * ROW_SIDES;
    }
    return seat;
}

/* Rows of the run that are there, or less than 1. */
DEVICE int32_t rows_present(const struct reduce_parameters *p, const struct tile *t, const struct seat_in_tile *seat)
{
    int32_t run = (int32_t)p->run_units, left = t->rows - seat->run * run;
    if (seat->matrix >= t->matrices || seat->run >= p->team) return 0;
    return left < run ? left : run;
}

/* The run's first row among those of the tile. */
DEVICE int32_t first_row(const struct reduce_parameters *p, const struct tile *t, const struct seat_in_tile *seat)
{
    int32_t row = seat->run * (int32_t)p->run_units;
    return seat->matrix * t->rows + (BACKWARD ? t->rows - 1 - row : row);
}

/* ---- what stands above ---- */

/* What a matrix has above a tile, in a pass's columns. */
struct carried {
    struct total total[PACKS];
};

/* The same of those that are lost, in memory. */
struct carried_words {
#if HAS_WORDS
    struct state state[SIDE];
#else
    uint32_t none;
#endif
};

/* The lane that has a column's last run, where a tile is of one matrix. */
DEVICE uint32_t last_of_column(const struct reduce_parameters *p)
{
    uint32_t lane = threadIdx.x & 31;
    return p->team > 1 ? (uint32_t)((p->team - 1) * SIDES) + lane % SIDES : lane;
}

#if HAS_WORDS
/* What pairs do not hold. */
struct opened {
    struct column columns[SIDE];
    struct carried next;
};

/* As columns_above. `words` become the next ones. Every lane of the warp calls it. */
DEVICE_CALL void open_words(const struct reduce_parameters *p, struct seat_in_tile seat, const char *from,
                            int32_t present, const struct carried *carried, struct carried_words *words,
                            struct opened *opened, struct strays *strays)
{
#pragma unroll 1
    for (int k = 0; k < SIDE; k++) {
        struct state upto = state_identity(), above = state_of_total(&carried->total[k], &words->state[k]);
        struct state next = above;
#pragma unroll 1
        for (int32_t row = 0; row < present; row++)
            upto.sum[0] = words_add_double(upto.sum[0], column_number(load_element(from + row * IN_PITCH, k)), 0);
#pragma unroll 1
        for (int32_t distance = 1; distance < p->team; distance *= 2) {
            struct state left = state_up(upto, (uint32_t)(distance * SIDES));
            if (seat.run < distance) continue;
            state_append(&left, &upto);
            upto = left;
        }
        struct state left = state_up(upto, SIDES), whole = state_from(upto, last_of_column(p));
        if (seat.run > 0) state_append(&above, &left);
        state_append(&next, &whole);
        opened->columns[k] = column_open(&above, strays, k);
        opened->next.total[k] = total_of_state(&next);
        words->state[k] = next;
    }
}
#endif

/* What stands above a lane's run, and below the tile, by way of the totals of runs. Every lane of the warp calls it.
 * Returns whether some are lost. */
DEVICE int columns_above(const struct reduce_parameters *p, const struct seat_in_tile *seat, const char *from,
                         int32_t present, const struct carried *carried, struct column *columns, struct carried *next)
{
    struct total totals[PACKS];
    int lost = 0, is_nan = 1;
#pragma unroll
    for (int k = 0; k < PACKS; k++) totals[k] = total_identity();
#pragma unroll
    for (int k = 0; k < PACKS; k++) is_nan &= total_is_nan(&carried->total[k]);
    if (present > 0 && !is_nan) total_rows(totals, from, present);
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        struct total above = carried->total[k];
#pragma unroll 1
        for (int32_t distance = 1; distance < p->team; distance *= 2) {
            struct total left = total_up(totals[k], (uint32_t)(distance * SIDES));
            if (seat->run >= distance) total_append(&left, &totals[k]);
            if (seat->run >= distance) totals[k] = left;
        }
        struct total left = total_up(totals[k], SIDES);
        if (seat->run > 0) total_append(&above, &left);
        left = total_from(totals[k], last_of_column(p));
        next->total[k] = carried->total[k];
        total_append(&next->total[k], &left);
        columns[k] = column_below(&above);
        lost |= total_is_lost(&above) | total_is_lost(&next->total[k]);
    }
    return __any_sync(FULL_WARP, lost);
}

/* ---- results ---- */

/* What a warp knows of what stands above: every matrix, and the tile that is next. */
struct above {
    struct carried first, carried[PASSES];
    struct carried_words first_words, words[PASSES];
};

DEVICE void above_begin(const struct scan_parameters *given, struct above *above)
{
    struct state first = state_first(given, 0);
    memset(above, 0, sizeof *above);
#pragma unroll
    for (int k = 0; k < PACKS; k++) above->first.total[k] = total_of_state(&first);
#if HAS_WORDS
    for (int k = 0; k < SIDE; k++) above->first_words.state[k] = first;
#endif
}

/* The results of a pass of a tile that is in shared memory. Only a tile that others follow or go before has no more
 * passes than there is something carried for. */
DEVICE void finish_pass(const struct scan_parameters *given, const struct tile *t, int32_t pass, char *stage,
                        char *results, struct above *above)
{
    const struct reduce_parameters *p = &given->reduce;
    struct seat_in_tile seat = seat_of_lane(p, pass);
    int32_t present = rows_present(p, t, &seat), row = present > 0 ? first_row(p, t, &seat) : 0;
    int is_carried = t->goes_on | !t->begins, lost, at = is_carried && PASSES > 1 ? pass : 0;
    char *from = stage + lead_of(t->input) + row * ROW + seat.side * SIDE_BYTES;
    char *to = results + lead_of(t->output) + row * RESULT_ROW + seat.side * (SIDE * RESULT_SIZE);
    struct carried carried = t->begins ? above->first : above->carried[at], next = carried;
    struct column columns[PACKS];
    struct strays strays;
    strays_begin(given, &strays);
    if (is_carried || p->team > 1) {
        lost = columns_above(p, &seat, from, present, &carried, columns, &next);
    } else {
        lost = 0;
#pragma unroll
        for (int k = 0; k < PACKS; k++) lost |= total_is_lost(&carried.total[k]);
#pragma unroll
        for (int k = 0; k < PACKS; k++) columns[k] = column_below(&carried.total[k]);
    }
#if HAS_WORDS
    if (lost) {
        struct opened opened;
        struct carried before = carried;
        struct carried_words words = t->begins ? above->first_words : above->words[at];
        open_words(p, seat, from, present, &before, &words, &opened, &strays);
        memcpy(columns, opened.columns, sizeof columns);
        next = opened.next;
        above->words[at] = words;
        lost = strays.mask != 0;
    }
#endif
    above->carried[at] = next;
#pragma unroll
    for (int k = 0; k < PACKS; k++) lost |= column_is_special(&columns[k]);
    if (present > 0) run_results(columns, &strays, lost, from, present, to);
}
