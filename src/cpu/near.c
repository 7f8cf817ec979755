/* SPDX-License-Identifier: MIT
 *
 * near.c - sums of floats that need not be exact, since the result shows it. Leaves whose numbers lie too far apart for
 * sums that are exact at the same speed go into near sums (exact_near.h); when both ends of what the whole can be are
 * rounded to one result, that is the exact sum's. Otherwise everything is added again, exactly. */
#include "near.h"
#include "../narrow.h"

#include <math.h>
#include <string.h>

int near_applies(const struct calculation *calculation)
{
    const enum lift lift = calculation->op->lift;
    const enum finish finish = calculation->op->finish;
    return calculation->method == METHOD_EXACT && (finish == FINISH_TOTAL || finish == FINISH_MEAN) &&
           (lift == LIFT_VALUE || lift == LIFT_MAGNITUDE || lift == LIFT_PRODUCT) &&
           type_row(calculation->type)->kind == KIND_REAL && type_row(calculation->result)->kind == KIND_REAL;
}

/* Those that are at work on a cell. */
struct crew {
    struct worker *first, *end;
};

static struct crew crew_of(const struct job *job, struct worker *worker)
{
    if (!worker) return (struct crew){job->worker, job->worker + job->workers};
    return (struct crew){worker, worker + 1};
}

static void append(const struct job *job, struct worker *worker, int near, const struct cell *cell, struct state *state)
{
    struct crew crew = crew_of(job, worker);
    for (struct worker *w = crew.first; near && w < crew.end; w++) w->scratch->windows[0].near = w->scratch->near;
    state_open(&job->calculations[0], state, 0);
    if (worker) job_append(job, worker->scratch, cell, 0, job->reduction->length, &state);
    else job_append_cell(job, cell, &state);
    append_close(job->kernels, &job->calculations[0], state);
    for (struct worker *w = crew.first; near && w < crew.end; w++) w->scratch->windows[0].near = NULL;
}

static int is_empty(const struct exact_near *near)
{
    return near->high == 0 && near->low == 0 && near->off == 0;
}

/* Takes the near sums out of the workers' scratch. Whether there are any. */
static int collect(struct crew crew, struct exact_near near[NEAR_SUMS])
{
    int any = 0;
    for (struct worker *w = crew.first; w < crew.end; w++) {
        for (int k = 0; k < NEAR_SUMS; k++) {
            struct exact_near *part = &w->scratch->near[k];
            if (is_empty(part)) continue;
            if (!any) memset(near, 0, NEAR_SUMS * sizeof *near);
            any = 1;
            near_add(&near[k], part->high);
            near_add(&near[k], part->low);
            near[k].off = near_up(near[k].off + part->off);
            *part = (struct exact_near){0, 0, 0};
        }
    }
    return any;
}

static void add_off(struct state *state, const struct exact_near near[NEAR_SUMS], double factor)
{
    for (int k = 0; k < NEAR_SUMS; k++)
        exact_add_scaled_double_bits(&state->as.exact[0], double_bits(factor * near[k].off), k * NEAR_DOWN);
}

int near_settles(const struct job *job, struct state *state, const struct exact_near near[NEAR_SUMS], int64_t out)
{
    const struct calculation *calculation = &job->calculations[0];
    const size_t size = (size_t)type_row(calculation->result)->size;
    unsigned char ends[2][16];
    for (int k = 0; k < NEAR_SUMS; k++) {
        if (!isfinite(2 * near[k].off)) return 0;
        exact_add_scaled_double_bits(&state->as.exact[0], double_bits(near[k].high), k * NEAR_DOWN);
        exact_add_scaled_double_bits(&state->as.exact[0], double_bits(near[k].low), k * NEAR_DOWN);
    }
    add_off(state, near, -1);
    if (state_finish(calculation, state, ends[0], (ptrdiff_t)size) != TALLY_OK) return 0;
    add_off(state, near, 2);
    if (state_finish(calculation, state, ends[1], (ptrdiff_t)size) != TALLY_OK) return 0;
    if (memcmp(ends[0], ends[1], size) != 0) return 0;
    memcpy((char *)job->reduction->out + out * (ptrdiff_t)size, ends[0], size);
    return 1;
}

tally_status near_reduce_cell(const struct job *job, struct worker *worker, const struct cell *cell,
                              struct state *state)
{
    struct exact_near near[NEAR_SUMS];
    /* Doubles have a place for whatever near sums of narrower numbers are off. */
    const int is_double = job->calculations[0].type == TALLY_F64;
    const int tries = job->near && (is_double || job->calculations[0].result != TALLY_F64);
    append(job, worker, tries, cell, state);
    if (!tries || !collect(crew_of(job, worker), near)) return job_finish(job->reduction, state, cell->out);
    if (near_settles(job, state, near, cell->out)) return TALLY_OK;
    append(job, worker, 0, cell, state);
    return job_finish(job->reduction, state, cell->out);
}
