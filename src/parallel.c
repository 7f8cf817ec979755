/* SPDX-License-Identifier: MIT
 *
 * parallel.c - tasks of the caller's on a context's threads. */
#include "engine.h"

tally_status tally_parallel_for(tally_context *context, int64_t count,
                                void (*task)(void *argument, int64_t index, int32_t worker), void *argument)
{
    if (!context || !task) FAIL(TALLY_INVALID_ARGUMENT, "%s is NULL", context ? "task" : "context");
    if (count < 0) FAIL(TALLY_INVALID_ARGUMENT, "count is %lld: expected 0 or more", (long long)count);
    if (!context->engine->parallel_for)
        FAIL(TALLY_UNSUPPORTED, "device %s has no threads of the host: expected cpu or reference",
             context->engine->name);
    context->engine->parallel_for(context, count, task, argument);
    return TALLY_OK;
}
