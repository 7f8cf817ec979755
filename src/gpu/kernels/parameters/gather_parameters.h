/* SPDX-License-Identifier: MIT
 *
 * gather_parameters.h - what the host tells gather.cu. Read by the C compiler and by NVRTC. */
#ifndef TALLY_GATHER_PARAMETERS_H
#define TALLY_GATHER_PARAMETERS_H

#include "reduce_parameters.h"

struct gather_parameters {
    void *view;  /* strides in elements are the loops' x */
    void *dense; /* `each` elements of every cell, one after the other */
    struct kernel_loop kept[KERNEL_LOOPS], reduced[KERNEL_LOOPS];
    int32_t kept_count, reduced_count;
    int64_t cells, each;
    int64_t head; /* of each cell the elements before this one, */
    int64_t skip; /* and then those that lie so many further on */
};

#endif
