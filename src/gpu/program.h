/* SPDX-License-Identifier: MIT
 *
 * program.h - a calculation as the definitions that kernels are compiled with. */
#ifndef TALLY_GPU_PROGRAM_H
#define TALLY_GPU_PROGRAM_H

#include "gpu.h"

#include <string.h>

/* Lines of "NAME=VALUE\n". */
struct definitions {
    char text[1024];
    size_t length;
};

/* Inline, as those below, since most names are literals: every call writes some thirty definitions, and a call on a
 * small array takes little longer than that. */
static inline void definitions_append(struct definitions *definitions, const char *text)
{
    size_t length = strlen(text);
    memcpy(definitions->text + definitions->length, text, length + 1);
    definitions->length += length;
}

static inline void definitions_add(struct definitions *definitions, const char *name, const char *value)
{
    definitions_append(definitions, name);
    definitions_append(definitions, "=");
    definitions_append(definitions, value);
    definitions_append(definitions, "\n");
}

/* The number and the end of its line. */
void definitions_append_number(struct definitions *definitions, int64_t value);

static inline void definitions_add_number(struct definitions *definitions, const char *name, int64_t value)
{
    definitions_append(definitions, name);
    definitions_append(definitions, "=");
    definitions_append_number(definitions, value);
}

/* What kernels/common/program.cuh asks for. */
void program_definitions(const struct calculation *calculation, int with_where, struct definitions *definitions);

/* Parts of a fold's state, at most; and exact sums of a calculation. */
int program_parts(const struct calculation *calculation);

#endif
