/* SPDX-License-Identifier: MIT
 *
 * dense.h - a reduction's results one after the other, as C order has its kept loops, and from there to where the
 * caller wants them. */
#ifndef TALLY_GPU_DENSE_H
#define TALLY_GPU_DENSE_H

#include "gpu.h"

int64_t dense_values(const struct reduction *reduction); /* of a cell */
size_t dense_bytes(const struct reduction *reduction);

/* Whether the caller wants them so anyway. */
int dense_is(const struct reduction *reduction);

void dense_make(struct reduction *reduction, void *out);

/* From a dense copy in host memory to an output there, or to one on the device; the latter returns when done. */
void dense_scatter(const struct reduction *reduction, const char *dense);
tally_status dense_upload(struct tally_context *context, const struct reduction *reduction, const char *dense);

#endif
