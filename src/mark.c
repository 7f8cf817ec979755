/* SPDX-License-Identifier: MIT
 *
 * mark.c - points in a context's work, and the time between two of them. */
#define _POSIX_C_SOURCE 200809L
#include "engine.h"

#include <time.h>

static tally_status check_slot(const char *name, int32_t slot)
{
    if (slot < 0 || slot >= TALLY_MARKS)
        FAIL(TALLY_INVALID_ARGUMENT, "%s is %d: expected 0 to %d", name, (int)slot, TALLY_MARKS - 1);
    return TALLY_OK;
}

/* Every mark notes the host's time, if only to tell that it was set. */
tally_status tally_mark(tally_context *context, int32_t slot)
{
    struct timespec now;
    if (!context) FAIL(TALLY_INVALID_ARGUMENT, "context is NULL");
    TRY(check_slot("slot", slot));
    if (context->engine->mark) TRY(context->engine->mark(context, slot));
    clock_gettime(CLOCK_MONOTONIC, &now);
    context->marks[slot] = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec + 1;
    return TALLY_OK;
}

tally_status tally_elapsed(tally_context *context, int32_t from, int32_t to, double *milliseconds)
{
    if (!context || !milliseconds) FAIL(TALLY_INVALID_ARGUMENT, "%s is NULL", context ? "milliseconds" : "context");
    TRY(check_slot("from", from));
    TRY(check_slot("to", to));
    if (!context->marks[from] || !context->marks[to])
        FAIL(TALLY_INVALID_ARGUMENT, "mark %d was never set: expected a tally_mark before",
             (int)(context->marks[from] ? to : from));
    if (context->engine->elapsed) return context->engine->elapsed(context, from, to, milliseconds);
    *milliseconds = 1e-6 * (double)(context->marks[to] - context->marks[from]);
    return TALLY_OK;
}
