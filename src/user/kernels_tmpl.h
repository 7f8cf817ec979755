/* SPDX-License-Identifier: MIT
 *
 * kernels_tmpl.h - the functions of struct user_kernels, of an operator's steps. The end of a compiled text, and
 * included by functions.c. No include guard.
 *
 *   STATE_TYPE                       what a pointer to states points to
 *   STATE_AT(states, k)              state number k
 *   STATE_BYTES_MOST                 no state is larger
 *   STATE_ROOM(name)                 declares the variable `name`, which points to room for one state
 *   STATE_COPY(to, from)             *to = *from
 *   LIFT(s, inputs, k, index)        *s from element k of the inputs
 *   COMBINE(a, b)                    *a = *a . *b
 *   FINISH(s, count, results, k)     result number k
 *   IDENTITY(s)                      *s = the identity, if HAS_IDENTITY
 *   HAS_IDENTITY, COMMUTATIVE        1 or 0
 *   STATE_IS_NUMBER                  1, or 0: a state is a struct, or bytes
 * Each may use the variable op. Functions are named user_..., out of the way of the names of a user's helpers. */

/* ---- reductions: lanes of a leaf ---- */

#define LANE_OF(element) ((COMMUTATIVE) ? (element) % USER_LANES : (element) / USER_LANE_ELEMENTS)

/* One element after the other from the given one on, wherever it belongs. */
static void user_run_elements(const struct user_op *op, STATE_TYPE *lanes, unsigned char *has, long long offset,
                              const struct user_run *run, long long first)
{
    (void)op;
    for (long long k = first; k < run->n; k++) {
        long long lane = LANE_OF(offset + k);
        STATE_ROOM(value);
        if (run->present && !run->present[k]) continue;
        LIFT(value, run->inputs, k, run->index + k);
        if (has[lane]) COMBINE(STATE_AT(lanes, lane), value);
        else STATE_COPY(STATE_AT(lanes, lane), value);
        has[lane] = 1;
    }
}

/* The first rows of a leaf, one element for each lane, into fresh lanes. */
static void user_run_rows(const struct user_op *op, STATE_TYPE *restrict lanes, const struct user_run *run,
                          long long rows)
{
    (void)op;
    for (int l = 0; l < USER_LANES && rows > 0; l++) LIFT(STATE_AT(lanes, l), run->inputs, l, run->index + l);
    for (long long k = USER_LANES; k < rows * USER_LANES; k += USER_LANES) {
        for (int l = 0; l < USER_LANES; l++) {
            STATE_ROOM(value);
            LIFT(value, run->inputs, k + l, run->index + k + l);
            COMBINE(STATE_AT(lanes, l), value);
        }
    }
}

/* n elements from the first on, in order. Runs do not wait for each other, so that processors work on several. */
static void user_fold_elements(const struct user_op *op, STATE_TYPE *total, const struct user_run *run, long long first,
                               int n)
{
    STATE_ROOM(folded);
    (void)op;
    LIFT(folded, run->inputs, first, run->index + first);
    for (int k = 1; k < n; k++) {
        STATE_ROOM(value);
        LIFT(value, run->inputs, first + k, run->index + first + k);
        COMBINE(folded, value);
    }
    STATE_COPY(total, folded);
}

static void user_kernel_run(const struct user_op *op, void *memory, unsigned char *has, long long offset,
                            const struct user_run *run)
{
    STATE_TYPE *lanes = memory;
    if (offset != 0 || run->present) {
        user_run_elements(op, lanes, has, offset, run, 0);
    } else if (COMMUTATIVE) {
        long long rows = run->n / USER_LANES;
        user_run_rows(op, lanes, run, rows);
        memset(has, rows > 0, USER_LANES);
        user_run_elements(op, lanes, has, 0, run, rows * USER_LANES);
    } else {
        long long whole = run->n / USER_LANE_ELEMENTS;
        for (long long l = 0; l < whole; l++)
            user_fold_elements(op, STATE_AT(lanes, l), run, l * USER_LANE_ELEMENTS, USER_LANE_ELEMENTS);
        memset(has, 1, (size_t)whole);
        user_run_elements(op, lanes, has, 0, run, whole * USER_LANE_ELEMENTS);
    }
}

#include "cells_tmpl.h"

/* Lanes l and l + distance, l being a multiple of step, to lane l. */
static void user_close_level(const struct user_op *op, STATE_TYPE *lanes, unsigned char *has, int count, int distance,
                             int step)
{
    (void)op;
    for (int l = 0; l < count; l += step) {
        if (!has[l + distance]) continue;
        if (has[l]) COMBINE(STATE_AT(lanes, l), STATE_AT(lanes, l + distance));
        else STATE_COPY(STATE_AT(lanes, l), STATE_AT(lanes, l + distance));
        has[l] = 1;
    }
}

static int user_kernel_close(const struct user_op *op, void *memory, unsigned char *has)
{
    if ((COMMUTATIVE) && !memchr(has, 0, USER_LANES)) {
        STATE_TYPE *lanes = memory;
        for (int width = USER_LANES / 2; width > 0; width /= 2)
            user_join_states(op, lanes, STATE_AT(lanes, width), width);
        return 1;
    }
    for (int width = USER_LANES / 2; (COMMUTATIVE) && width > 0; width /= 2)
        user_close_level(op, memory, has, width, width, 1);
    for (int distance = 1; !(COMMUTATIVE) && distance < USER_LANES; distance *= 2)
        user_close_level(op, memory, has, USER_LANES, distance, 2 * distance);
    return has[0];
}

/* ---- scans: the block scheme ---- */

/* a = left . a, either of which may be missing. */
static void user_prepend(const struct user_op *op, const STATE_TYPE *left, int has_left, STATE_TYPE *a,
                         unsigned char *has)
{
    STATE_ROOM(value);
    (void)op;
    if (!has_left) return;
    STATE_COPY(value, left);
    if (*has) COMBINE(value, a);
    STATE_COPY(a, value);
    *has = 1;
}

/* a = a . right, either of which may be missing. */
static void user_append(const struct user_op *op, STATE_TYPE *a, unsigned char *has, const STATE_TYPE *right,
                        int has_right)
{
    (void)op;
    if (!has_right) return;
    if (*has) COMBINE(a, right);
    else STATE_COPY(a, right);
    *has = 1;
}

/* Run totals to the totals of all runs up to each: Kogge and Stone (1973). */
static void user_scan_runs(const struct user_op *op, STATE_TYPE *runs, unsigned char *has, int count)
{
    for (int distance = 1; distance < count; distance *= 2) {
        for (int r = count - 1; r >= distance; r--)
            user_prepend(op, STATE_AT(runs, r - distance), has[r - distance], STATE_AT(runs, r), &has[r]);
    }
    (void)op;
}

/* Ends a block with its total: nodes of as many blocks are combined, as digits carry when one is counted on. */
static void user_close_block(const struct user_op *op, struct user_line *line, STATE_TYPE *states,
                             const STATE_TYPE *total, int has_total)
{
    STATE_ROOM(node);
    unsigned char has = (unsigned char)(has_total != 0);
    int level = 0;
    if (has) STATE_COPY(node, total);
    for (; line->blocks >> level & 1; level++)
        user_prepend(op, STATE_AT(states, USER_LINE_NODES + level), line->has[USER_LINE_NODES + level], node, &has);
    line->based = 0;
    line->position = 0;
    line->blocks++;
    if (line->blocks < USER_SECTION_BLOCKS) {
        line->has[USER_LINE_NODES + level] = has;
        if (has) STATE_COPY(STATE_AT(states, USER_LINE_NODES + level), node);
        return;
    }
    user_append(op, STATE_AT(states, USER_LINE_CARRY), &line->has[USER_LINE_CARRY], node, has);
    line->blocks = 0;
}

/* What stands left of the open group, into the base. */
static void user_group_base(const struct user_op *op, struct user_line *line, STATE_TYPE *states)
{
    STATE_TYPE *base = STATE_AT(states, USER_LINE_BASE);
    (void)op;
    line->has[USER_LINE_BASE] = line->has[USER_LINE_CARRY];
    if (line->has[USER_LINE_CARRY]) STATE_COPY(base, STATE_AT(states, USER_LINE_CARRY));
    for (int level = USER_SECTION_LEVELS - 1; level >= 0; level--) {
        if (line->blocks >> level & 1)
            user_append(op, base, &line->has[USER_LINE_BASE], STATE_AT(states, USER_LINE_NODES + level),
                        line->has[USER_LINE_NODES + level]);
    }
    if (line->position >= USER_GROUP)
        user_append(op, base, &line->has[USER_LINE_BASE], STATE_AT(states, USER_LINE_GROUPS),
                    line->has[USER_LINE_GROUPS]);
}

/* What stands left of the open run, into the base. */
static void user_line_base(const struct user_op *op, struct user_line *line, STATE_TYPE *states)
{
    int runs = line->position % USER_GROUP / USER_RUN;
    if (line->based) return;
    line->based = 1;
    user_group_base(op, line, states);
    if (runs == 0) return;
    _Alignas(64) unsigned char room[USER_GROUP_RUNS * STATE_BYTES_MOST];
    unsigned char has[USER_GROUP_RUNS];
    STATE_TYPE *copy = (STATE_TYPE *)(void *)room;
    for (int r = 0; r < runs; r++) {
        has[r] = line->has[USER_LINE_RUNS + r];
        if (has[r]) STATE_COPY(STATE_AT(copy, r), STATE_AT(states, USER_LINE_RUNS + r));
    }
    user_scan_runs(op, copy, has, runs);
    user_append(op, STATE_AT(states, USER_LINE_BASE), &line->has[USER_LINE_BASE], STATE_AT(copy, runs - 1),
                has[runs - 1]);
}

/* Ends a group with the total of its runs, and with it maybe the block. The position is already after the group. */
static void user_close_group(const struct user_op *op, struct user_line *line, STATE_TYPE *states,
                             const STATE_TYPE *total, int has_total)
{
    if (line->position == USER_GROUP) line->has[USER_LINE_GROUPS] = 0;
    user_append(op, STATE_AT(states, USER_LINE_GROUPS), &line->has[USER_LINE_GROUPS], total, has_total);
    line->based = 0;
    if (line->position == USER_BLOCK)
        user_close_block(op, line, states, STATE_AT(states, USER_LINE_GROUPS), line->has[USER_LINE_GROUPS]);
}

/* The result of base . local; what has neither is the identity. */
static void user_put_result(const struct user_op *op, const struct user_line *line, const STATE_TYPE *states,
                            int has_local, void *results, long long k)
{
    STATE_ROOM(value);
    unsigned char has = line->has[USER_LINE_BASE];
    if (has) STATE_COPY(value, STATE_AT(states, USER_LINE_BASE));
    user_append(op, value, &has, STATE_AT(states, USER_LINE_LOCAL), has_local);
    if (!has && HAS_IDENTITY) IDENTITY(value);
    FINISH(value, line->count, results, k);
}

/* One element after the other. */
static void user_scan_elements(const struct user_op *op, struct user_line *line, STATE_TYPE *states,
                               const struct user_run *run, long long first, long long end, int exclusive, void *results)
{
    for (long long k = first; k < end; k++) {
        int inside = line->position % USER_RUN, at = line->position % USER_GROUP / USER_RUN;
        int present = !run->present || run->present[k];
        if (inside == 0) line->has[USER_LINE_LOCAL] = 0;
        if (results) user_line_base(op, line, states);
        if (results && exclusive) user_put_result(op, line, states, line->has[USER_LINE_LOCAL], results, k);
        if (present) {
            STATE_ROOM(value);
            LIFT(value, run->inputs, k, run->index + k);
            user_append(op, STATE_AT(states, USER_LINE_LOCAL), &line->has[USER_LINE_LOCAL], value, 1);
            line->count++;
        }
        if (results && !exclusive) user_put_result(op, line, states, line->has[USER_LINE_LOCAL], results, k);
        line->position++;
        if (inside < USER_RUN - 1) continue;
        line->based = 0;
        line->has[USER_LINE_RUNS + at] = line->has[USER_LINE_LOCAL];
        if (line->has[USER_LINE_LOCAL])
            STATE_COPY(STATE_AT(states, USER_LINE_RUNS + at), STATE_AT(states, USER_LINE_LOCAL));
        if (line->position % USER_GROUP > 0) continue;
        user_scan_runs(op, STATE_AT(states, USER_LINE_RUNS), line->has + USER_LINE_RUNS, USER_GROUP_RUNS);
        user_close_group(op, line, states, STATE_AT(states, USER_LINE_RUNS + USER_GROUP_RUNS - 1),
                         line->has[USER_LINE_RUNS + USER_GROUP_RUNS - 1]);
    }
}

#include "group_tmpl.h"

static void user_kernel_scan(const struct user_op *op, struct user_line *line, void *memory, const struct user_run *run,
                             int exclusive, void *results)
{
    STATE_TYPE *states = memory;
    for (long long k = 0; k < run->n;) {
        long long n = USER_GROUP - line->position % USER_GROUP;
        if (n > run->n - k) n = run->n - k;
        if (n == USER_GROUP && !run->present) user_scan_group(op, line, states, run, k, exclusive, results);
        else user_scan_elements(op, line, states, run, k, k + n, exclusive, results);
        k += n;
    }
    line->elements += run->n;
}

static void user_kernel_append(const struct user_op *op, struct user_line *line, void *states, const void *total,
                               int has_total)
{
    user_close_block(op, line, states, total, has_total);
}
