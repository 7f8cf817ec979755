/* SPDX-License-Identifier: MIT
 *
 * group_tmpl.h - the part of kernels_tmpl.h that scans whole groups of present elements. The runs of a group lie side
 * by side, element j of run r at j * USER_GROUP_RUNS + r, so that each step is one of all runs at once: compilers make
 * vectors of that, without a branch. No include guard. */

/* Cards in two halves, one from each in turn: the bits of an element's number are rotated left by one. */
static __attribute__((noinline)) void user_shuffle(const struct user_op *op, STATE_TYPE *restrict to,
                                                   const STATE_TYPE *restrict from)
{
    (void)op;
    for (int i = 0; i < USER_GROUP / 2; i++) {
        STATE_COPY(STATE_AT(to, 2 * i), STATE_AT(from, i));
        STATE_COPY(STATE_AT(to, 2 * i + 1), STATE_AT(from, i + USER_GROUP / 2));
    }
}

static __attribute__((noinline)) void user_unshuffle(const struct user_op *op, STATE_TYPE *restrict to,
                                                     const STATE_TYPE *restrict from)
{
    (void)op;
    for (int i = 0; i < USER_GROUP / 2; i++) {
        STATE_COPY(STATE_AT(to, i), STATE_AT(from, 2 * i));
        STATE_COPY(STATE_AT(to, i + USER_GROUP / 2), STATE_AT(from, 2 * i + 1));
    }
}

/* Numbers are turned around by shuffles, which are ones of vectors; structs are put where they belong one by one. */
static void user_lift_group(const struct user_op *op, STATE_TYPE *restrict group, STATE_TYPE *restrict spare,
                            const struct user_run *run, long long first)
{
    (void)op;
    if (STATE_IS_NUMBER) {
        for (int k = 0; k < USER_GROUP; k++) LIFT(STATE_AT(group, k), run->inputs, first + k, run->index + first + k);
        for (int bits = USER_RUN; bits > 1; bits /= 4) {
            user_unshuffle(op, spare, group);
            user_unshuffle(op, group, spare);
        }
        return;
    }
    for (int j = 0; j < USER_RUN; j++) {
        for (int r = 0; r < USER_GROUP_RUNS; r++) {
            long long k = first + r * USER_RUN + j;
            LIFT(STATE_AT(group, j * USER_GROUP_RUNS + r), run->inputs, k, run->index + k);
        }
    }
}

/* Each run's elements to the totals of all up to each. */
static void user_scan_inside_runs(const struct user_op *op, STATE_TYPE *group)
{
    (void)op;
    for (int k = USER_GROUP_RUNS; k < USER_GROUP; k++) {
        STATE_ROOM(value);
        STATE_COPY(value, STATE_AT(group, k - USER_GROUP_RUNS));
        COMBINE(value, STATE_AT(group, k));
        STATE_COPY(STATE_AT(group, k), value);
    }
}

static inline __attribute__((always_inline)) void user_scan_step(const struct user_op *op, STATE_TYPE *restrict to,
                                                                 const STATE_TYPE *restrict from, int distance)
{
    (void)op;
    for (int r = 0; r < distance; r++) STATE_COPY(STATE_AT(to, r), STATE_AT(from, r));
    for (int r = distance; r < USER_GROUP_RUNS; r++) {
        STATE_ROOM(value);
        STATE_COPY(value, STATE_AT(from, r - distance));
        COMBINE(value, STATE_AT(from, r));
        STATE_COPY(STATE_AT(to, r), value);
    }
}

/* As user_scan_runs, where all runs have a total. */
static void user_scan_totals(const struct user_op *op, STATE_TYPE *restrict runs, STATE_TYPE *restrict spare)
{
    _Static_assert(USER_GROUP_RUNS == 32, "steps");
    user_scan_step(op, spare, runs, 1);
    user_scan_step(op, runs, spare, 2);
    user_scan_step(op, spare, runs, 4);
    user_scan_step(op, runs, spare, 8);
    user_scan_step(op, spare, runs, 16);
    memcpy(runs, spare, (size_t)((const char *)STATE_AT(spare, USER_GROUP_RUNS) - (const char *)spare));
}

/* Results of the runs from `from` on, each of what stands left of it and its own states. */
static void user_runs_results(const struct user_op *op, const STATE_TYPE *restrict left, STATE_TYPE *restrict group,
                              STATE_TYPE *restrict spare, int from, long long first, long long count, int exclusive,
                              void *restrict results)
{
    (void)op;
    for (int j = 0; j < USER_RUN; j++) {
        const STATE_TYPE *own = STATE_AT(group, (j > 0 ? j - exclusive : 0) * USER_GROUP_RUNS);
        for (int r = STATE_IS_NUMBER ? 0 : from; r < USER_GROUP_RUNS; r++) {
            STATE_ROOM(value);
            STATE_COPY(value, STATE_AT(left, r));
            if (!exclusive || j > 0) COMBINE(value, STATE_AT(own, r));
            if (STATE_IS_NUMBER) STATE_COPY(STATE_AT(spare, j * USER_GROUP_RUNS + r), value);
            else FINISH(value, count + r * USER_RUN + j + !exclusive, results, first + r * USER_RUN + j);
        }
    }
    if (!STATE_IS_NUMBER) return;
    for (int bits = USER_RUN; bits > 1; bits /= 4) {
        user_shuffle(op, group, spare);
        user_shuffle(op, spare, group);
    }
    for (int k = from * USER_RUN; k < USER_GROUP; k++)
        FINISH(STATE_AT(spare, k), count + k + !exclusive, results, first + k);
}

/* Results of a run with nothing to its left. */
static void user_first_run(const struct user_op *op, const struct user_line *line, STATE_TYPE *states,
                           const struct user_run *run, long long first, int exclusive, void *results)
{
    struct user_line alone = *line;
    user_scan_elements(op, &alone, states, run, first, first + USER_RUN, exclusive, results);
}

/* What stands left of each run, from the group's base and the totals of runs; of the first one maybe nothing: that
 * comes to be its own total, for want of something else. Returns the first run that has something to its left. */
static int user_runs_left(const struct user_op *op, const struct user_line *line, const STATE_TYPE *states,
                          const STATE_TYPE *runs, STATE_TYPE *restrict left)
{
    const STATE_TYPE *base = STATE_AT(states, USER_LINE_BASE);
    (void)op;
    STATE_COPY(left, line->has[USER_LINE_BASE] ? base : runs);
    for (int r = 1; r < USER_GROUP_RUNS; r++) STATE_COPY(STATE_AT(left, r), STATE_AT(runs, r - 1));
    if (!line->has[USER_LINE_BASE]) return 1;
    for (int r = 1; r < USER_GROUP_RUNS; r++) {
        STATE_ROOM(value);
        STATE_COPY(value, base);
        COMBINE(value, STATE_AT(left, r));
        STATE_COPY(STATE_AT(left, r), value);
    }
    return 0;
}

/* A whole group; the position is at its start. */
static void user_scan_group(const struct user_op *op, struct user_line *line, STATE_TYPE *states,
                            const struct user_run *run, long long first, int exclusive, void *results)
{
    _Alignas(64) unsigned char rooms[2][USER_GROUP * STATE_BYTES_MOST], more[USER_GROUP_RUNS * STATE_BYTES_MOST];
    STATE_TYPE *group = (STATE_TYPE *)(void *)rooms[0], *spare = (STATE_TYPE *)(void *)rooms[1];
    STATE_TYPE *left = (STATE_TYPE *)(void *)more, *runs = STATE_AT(states, USER_LINE_RUNS);
    user_lift_group(op, group, spare, run, first);
    user_scan_inside_runs(op, group);
    for (int r = 0; r < USER_GROUP_RUNS; r++)
        STATE_COPY(STATE_AT(runs, r), STATE_AT(group, (USER_RUN - 1) * USER_GROUP_RUNS + r));
    user_scan_totals(op, runs, left);
    if (results) {
        user_group_base(op, line, states);
        int from = user_runs_left(op, line, states, runs, left);
        user_runs_results(op, left, group, spare, from, first, line->count, exclusive, results);
        if (from > 0) user_first_run(op, line, states, run, first, exclusive, results);
    }
    line->count += USER_GROUP;
    line->position += USER_GROUP;
    user_close_group(op, line, states, STATE_AT(runs, USER_GROUP_RUNS - 1), 1);
}
