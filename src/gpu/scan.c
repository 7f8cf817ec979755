/* SPDX-License-Identifier: MIT
 *
 * scan.c - scans on a GPU. */
#include "gpu.h"

tally_status gpu_scan(struct tally_context *context, const struct scan *scan)
{
    (void)scan;
    FAIL(TALLY_UNSUPPORTED, "scans on the device %s are not in this version: use cpu", context->engine->name);
}
