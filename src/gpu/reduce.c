/* SPDX-License-Identifier: MIT
 *
 * reduce.c - reductions on a GPU. */
#include "gpu.h"

tally_status gpu_reduce(struct tally_context *context, const struct reduction *reduction)
{
    (void)reduction;
    FAIL(TALLY_UNSUPPORTED, "reductions on the device %s are not in this version: use cpu", context->engine->name);
}
