/* SPDX-License-Identifier: MIT
 *
 * accumulate.c - partials on a GPU. */
#include "gpu.h"

tally_status gpu_accumulate(struct tally_context *context, const struct reduction *reduction,
                            const struct calculation *calculations, struct state *const *states, int32_t count)
{
    (void)reduction, (void)calculations, (void)states, (void)count;
    FAIL(TALLY_UNSUPPORTED, "partials on the device %s are not in this version: use cpu", context->engine->name);
}
