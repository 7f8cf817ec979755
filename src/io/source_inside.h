/* SPDX-License-Identifier: MIT
 *
 * source_inside.h - what the kinds of sources fill in for source.c. Each kind is one file source_*.c with one
 * io_open_* function, which sets type, shape and reader, and leaves the rest to source.c. */
#ifndef TALLY_IO_SOURCE_INSIDE_H
#define TALLY_IO_SOURCE_INSIDE_H

#include "map.h"
#include "source.h"
#include "stream.h"

typedef struct io_reader {
    /* Up to count next elements, in the file's order and this machine's byte order; *got is 0 at the end only. */
    bool (*read)(io_source *source, void *elements, int64_t count, int64_t *got);
    void (*close)(io_source *source); /* frees source->state */
} io_reader;

struct io_source {
    char *name;
    tally_type type;
    int32_t rank;
    int64_t shape[TALLY_MAX_RANK];
    bool length_known;
    bool fortran_order; /* only when rank is above 1 */
    bool swapped;

    io_stream stream;   /* files read in order; unused by HDF5 */
    io_map map;         /* the whole file, when mapped */
    bool mapped;        /* elements lie in the map, in this machine's byte order */
    size_t data_offset; /* of the first element in the map */

    int64_t unread; /* elements that a byte stream must still give; -1 while unknown */

    const io_reader *reader;
    void *state;

    int64_t position; /* elements handed out by io_source_next */
    size_t forgotten; /* bytes of the map already let go */
    void *buffer;     /* of io_source_next, or the loaded whole */
    int64_t buffer_elements;
};

/* Elements in the shape. */
int64_t io_source_count(const io_source *source);

bool io_open_npy(io_source *source, int64_t file_bytes);
bool io_open_raw(io_source *source, const io_request *request, int64_t file_bytes);
bool io_open_text(io_source *source, const io_request *request);

/* dataset is the part of the path behind the colon. */
bool io_open_hdf5(io_source *source, const char *file, const char *dataset);

/* Reverses the bytes of each element; the two parts of a complex element each. */
void io_swap_bytes(void *elements, int64_t count, tally_type type);

#endif
