/* SPDX-License-Identifier: MIT
 *
 * map_parameters.h - what the host tells user_map.cu. Read by the C compiler and by NVRTC, so everything has one size
 * on both sides. */
#ifndef TALLY_MAP_PARAMETERS_H
#define TALLY_MAP_PARAMETERS_H

#include "reduce_parameters.h"

#define MAP_INPUTS 4

/* One dimension of the output; strides in elements. */
struct map_loop {
    int64_t extent;
    int64_t input[MAP_INPUTS], out;
};

struct map_parameters {
    const void *inputs[MAP_INPUTS];
    void *out;
    struct map_loop loops[KERNEL_LOOPS];
    int32_t count;    /* of loops; 0: there is one element */
    int64_t elements; /* in C order of the loops */
    int64_t first;    /* the number of the first one, as the text sees it */
};

#endif
