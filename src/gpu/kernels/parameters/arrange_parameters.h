/* SPDX-License-Identifier: MIT
 *
 * arrange_parameters.h - what the host tells arrange.cu. Read by the C compiler and by NVRTC. */
#ifndef TALLY_ARRANGE_PARAMETERS_H
#define TALLY_ARRANGE_PARAMETERS_H

#define ARRANGE_LOOPS 8
#define ARRANGE_TILED 4 /* loops of which a tile has more than one step, at most */

/* Strides count parts of elements; a mask's count its bytes. */
struct arrange_loop {
    int64_t extent, x, where, out;
    int64_t tiles; /* that cover it */
};

struct arrange_parameters {
    const void *x, *low, *high; /* all parts lie from low on, below high */
    const unsigned char *where;
    void *out;
    uint64_t fill; /* what stands in for absent elements */
    struct arrange_loop loops[ARRANGE_LOOPS];
    int32_t count;
};

#endif
