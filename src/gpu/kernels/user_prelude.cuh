/* SPDX-License-Identifier: MIT
 *
 * user_prelude.cuh - what stands before a user's text in a kernel. */
#ifndef TALLY_USER_PRELUDE_CUH
#define TALLY_USER_PRELUDE_CUH

#include "device.cuh"

#if defined(TALLY_SIMT)
#pragma GCC diagnostic ignored "-Wnarrowing" /* members of a state convert as in C */
#else
#pragma nv_diag_suppress 177  /* a helper that is not called */
#pragma nv_diag_suppress 2361 /* members of a state convert as in C */
#endif

#include "narrow.h"
#include "prelude.h"
#include "values.h"

#include "kernels.h"

#endif
