/* SPDX-License-Identifier: MIT
 *
 * ahead.h - which kernels are worth compiling before anybody calls for them. */
#ifndef TALLY_GPU_AHEAD_H
#define TALLY_GPU_AHEAD_H

#include "gpu.h"

/* Makes the calls that most programs make, on a context whose machine runs nothing: everyday operations on whole
 * arrays, in one call and in chunks, and along rows and down columns of the usual shapes. */
tally_status ahead_call(tally_context *context);

#endif
