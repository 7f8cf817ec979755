/* SPDX-License-Identifier: MIT
 *
 * nvrtc_find.h - opens libnvrtc from the first place of nvrtc.h's list that has it. */
#ifndef TALLY_GPU_NVRTC_FIND_H
#define TALLY_GPU_NVRTC_FIND_H

#include <stddef.h>

/* A handle of dlopen, or NULL with the reason. */
void *nvrtc_find(char *why, size_t size);

#endif
