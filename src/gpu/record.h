/* SPDX-License-Identifier: MIT
 *
 * record.h - a machine that notes what a verb asks of the real one, to be done again and again: launches, and copies
 * and clearings of device memory. A prepared call is such a list, with the memory that the verb took. */
#ifndef TALLY_GPU_RECORD_H
#define TALLY_GPU_RECORD_H

#include "gpu.h"

struct command {
    enum { COMMAND_LAUNCH, COMMAND_COPY, COMMAND_CLEAR } kind;
    struct launch launch; /* its parameters are the command's own */
    void *to;
    const void *from;
    size_t bytes;
};

struct recorded_memory {
    void *memory;
    size_t bytes;
};

struct prepared {
    struct command *commands;
    struct recorded_memory *memory;
    int32_t command_count, memory_count;
};

struct recorder {
    struct machine machine; /* first: what the verb sees */
    struct machine *real;
    struct tally_context *context; /* whose memory is taken */
    struct prepared *prepared;
    int recording; /* 0: commands go to the real machine */
};

void record_open(struct recorder *recorder, struct tally_context *context, struct prepared *prepared);

#endif
