/* SPDX-License-Identifier: MIT
 *
 * program.h - a calculation as the definitions that kernels are compiled with. */
#ifndef TALLY_GPU_PROGRAM_H
#define TALLY_GPU_PROGRAM_H

#include "gpu.h"

/* Lines of "NAME=VALUE\n". */
struct definitions {
    char text[1024];
    size_t length;
};

void definitions_add(struct definitions *definitions, const char *name, const char *value);
void definitions_add_number(struct definitions *definitions, const char *name, int64_t value);

/* What kernels/program.cuh asks for. */
void program_definitions(const struct calculation *calculation, int with_where, struct definitions *definitions);

/* Parts of a fold's state, at most; and exact sums of a calculation. */
int program_parts(const struct calculation *calculation);

#endif
