/* SPDX-License-Identifier: MIT
 *
 * source.h - one input array, whatever it lies in: .npy, raw, text or HDF5; a file or standard input.
 * A source has a type and a shape, hands out its elements in chunks in C order, and can give the whole as one view. */
#ifndef TALLY_IO_SOURCE_H
#define TALLY_IO_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <tally.h>

/* How to read what does not describe itself. Start from zeros. */
typedef struct io_request {
    tally_type raw_type;  /* not 0: the bytes are raw elements of this type */
    tally_type text_type; /* 0: f64 */
    int32_t raw_rank;     /* not 0: raw_shape is the shape of raw elements */
    int64_t raw_shape[TALLY_MAX_RANK];
    const char *column; /* of text: a number from 1, or a name in the first line; NULL: every number is an element */
} io_request;

typedef struct io_source io_source;

/* Opens a path, "-" (standard input) or "file.h5:/group/set". What the file holds is told by its first bytes: .npy by
 * its magic, else raw when asked for, else text. Every size is checked against the file before anything is read. */
bool io_source_open(const char *path, const io_request *request, io_source **source);

const char *io_source_name(const io_source *source);
tally_type io_source_type(const io_source *source);

/* The shape; false when the length (of a vector, then) is known only at the end. */
bool io_source_shape(const io_source *source, int32_t *rank, int64_t *shape);

/* Whether io_source_next gives flat pieces of a C-order array (else the whole at once, as an N-d view). */
bool io_source_is_flat(const io_source *source);

/* Whether io_source_load gives a view of a mapped file, which costs no memory. */
bool io_source_is_mapped(const io_source *source);

/* The next elements, at most limit of them when the source is flat; shape[0] is 0 at the end. Valid until the next
 * call. */
bool io_source_next(io_source *source, int64_t limit, tally_array *chunk);

/* The whole array as one view, read into memory unless it is mapped. Valid until the source is closed. Not after
 * io_source_next. */
bool io_source_load(io_source *source, tally_array *array);

/* False, with a message, when the file lost bytes while it was read, so that what was computed is void. Ask after the
 * last use of its elements. */
bool io_source_check(const io_source *source);

/* NULL is allowed. */
void io_source_close(io_source *source);

/* The version of the HDF5 library in this build, or NULL. */
const char *io_hdf5_version(void);

#endif
