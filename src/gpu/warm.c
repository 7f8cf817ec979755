/* SPDX-License-Identifier: MIT
 *
 * warm.c - compiles ahead of use. */
#include "gpu.h"

tally_status gpu_warm(struct tally_context *context)
{
    (void)context;
    return TALLY_OK;
}
