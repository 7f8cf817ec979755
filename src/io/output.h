/* SPDX-License-Identifier: MIT
 *
 * output.h - an output file that appears complete or not at all: bytes go to a temporary file in the same folder, which
 * takes the target's name only when everything was written. sink.c puts arrays into it. */
#ifndef TALLY_IO_OUTPUT_H
#define TALLY_IO_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct io_output {
    int file;
    char *name;      /* for messages */
    char *target;    /* NULL when file is written directly: standard output, a device, a pipe */
    char *temporary; /* removed by io_output_close unless committed */
    unsigned mode;
} io_output;

/* "-" is standard output. Targets that exist and are not regular files are written directly. */
bool io_output_open(io_output *output, const char *path);

/* Writes all bytes at the end, retrying short writes. */
bool io_output_write(io_output *output, const void *bytes, size_t size);

/* Writes bytes at an offset; only while there is a temporary file. */
bool io_output_write_at(io_output *output, const void *bytes, size_t size, int64_t offset);

/* Makes the temporary file this long with its disk space reserved, so that writing through a map cannot fail. */
bool io_output_reserve(io_output *output, size_t size);

/* Puts the file in place. */
bool io_output_commit(io_output *output);

void io_output_close(io_output *output);

#endif
