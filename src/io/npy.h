/* SPDX-License-Identifier: MIT
 *
 * npy.h - the header of a .npy file (numpy.lib.format, versions 1.0, 2.0 and 3.0): parse one, write one.
 * source_npy.c reads the data behind it. */
#ifndef TALLY_IO_NPY_H
#define TALLY_IO_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tally.h>

enum {
    IO_NPY_MAGIC = 6,            /* bytes that tell a .npy file */
    IO_NPY_PREFIX = 12,          /* bytes that tell how long the header is */
    IO_NPY_HEADER_LIMIT = 65536, /* no header of a plain array comes near */
    IO_NPY_HEADER_ROOM = 320     /* enough for every header that io_npy_header_write makes */
};

typedef struct io_npy_header {
    tally_type type;
    int32_t rank;
    int64_t shape[TALLY_MAX_RANK];
    int64_t count; /* the product of shape */
    bool fortran_order;
    bool swapped;       /* the file's byte order is not this machine's */
    size_t data_offset; /* where the elements begin */
} io_npy_header;

bool io_npy_has_magic(const unsigned char *bytes, size_t size);

/* The bytes before the elements, from the first IO_NPY_PREFIX bytes (fewer are "truncated"). */
bool io_npy_data_offset(const char *name, const unsigned char *bytes, size_t size, size_t *data_offset);

/* Parses a whole header; bytes holds at least *data_offset bytes of the file, else it is "truncated". */
bool io_npy_header_parse(const char *name, const unsigned char *bytes, size_t size, io_npy_header *header);

/* Writes a version 1.0 header in C order whose length does not depend on the first axis, so that it can be filled in
 * when the rest is known. Returns its length, or 0 with io_error() for bf16, which .npy cannot express. */
size_t io_npy_header_write(const char *name, tally_type type, int32_t rank, const int64_t *shape,
                           char bytes[IO_NPY_HEADER_ROOM]);

#endif
