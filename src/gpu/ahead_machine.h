/* SPDX-License-Identifier: MIT
 *
 * ahead_machine.h - a machine that runs nothing: it has the limits of a GPU that need not be there, its memory are
 * addresses of nothing, its launches do nothing, what is copied from it is zero; and of the kernels that it is asked
 * for it keeps a list, to be compiled. */
#ifndef TALLY_GPU_AHEAD_MACHINE_H
#define TALLY_GPU_AHEAD_MACHINE_H

#include "machine.h"

/* In this machine a kernel is a request. */
struct kernel {
    char *file, *entry, *definitions;
};

struct ahead_machine {
    struct machine machine;
    char *memory; /* reserved addresses, of which none may be touched */
    size_t used;
    struct kernel **kernels;
    int64_t count, room;
};

/* options of open: "sm_90" and so on; TALLY_INVALID_ARGUMENT names those that it knows. */
extern const struct machine_table ahead_machine;

#endif
