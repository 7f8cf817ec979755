/* SPDX-License-Identifier: MIT
 *
 * leaves_parameters.h - what the host tells reduce_leaves.cu. Read by the C compiler and by NVRTC. */
#ifndef TALLY_LEAVES_PARAMETERS_H
#define TALLY_LEAVES_PARAMETERS_H

#include "reduce_parameters.h"

struct leaves_parameters {
    /* x, y, where, loops and cells as in a reduction; length is where the last leaf ends. out: a state as
     * output_state.h says for each leaf of each cell. */
    struct reduce_parameters reduce;
    int64_t first; /* element of a cell where its first leaf begins */
    int64_t leaves;
};

#endif
