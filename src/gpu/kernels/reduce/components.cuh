/* SPDX-License-Identifier: MIT
 *
 * components.cuh - a float element's numbers: itself, or the parts of a complex one. */
#ifndef TALLY_COMPONENTS_CUH
#define TALLY_COMPONENTS_CUH

#include "program.cuh"
#include "sums.cuh"

#define COMPONENTS (1 + IS_COMPLEX)

DEVICE_UNUSED double component(element x, int i)
{
#if IS_COMPLEX
    return (double)(i ? x.im : x.re);
#else
    (void)i;
    return (double)x.v;
#endif
}

#endif
