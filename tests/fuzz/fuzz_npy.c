/* SPDX-License-Identifier: MIT
 *
 * fuzz_npy.c - any bytes as a .npy file: the header parser alone, then the reader through a mapped file and through a
 * pipe, which must agree on every byte. */
#define _GNU_SOURCE
#include "io/error.h"
#include "io/npy.h"
#include "io/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { READ_LIMIT = 1 << 14, PIPE_ROOM = 1 << 15 };

static void require(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fuzz_npy: %s (%s)\n", what, io_error());
        abort();
    }
}

/* What the header says is what a header written from it says. */
static void check_header(const uint8_t *data, size_t size)
{
    io_npy_header header;
    io_npy_header again;
    char bytes[IO_NPY_HEADER_ROOM];
    if (!io_npy_header_parse("input", data, size, &header)) return;
    size_t length = io_npy_header_write("output", header.type, header.rank, header.shape, bytes);
    require(length > 0 && length % 64 == 0, "the header cannot be written");
    require(io_npy_header_parse("output", (const unsigned char *)bytes, length, &again), "a written header is refused");
    require(again.type == header.type && again.rank == header.rank && again.count == header.count, "another array");
    require(memcmp(again.shape, header.shape, sizeof *header.shape * (size_t)header.rank) == 0, "another shape");
}

/* Reads up to READ_LIMIT bytes of elements; -1 when the input is refused anywhere on the way. */
static int64_t read_all(const char *path, unsigned char *elements)
{
    static const io_request request;
    io_source *source = NULL;
    tally_array chunk;
    int64_t bytes = 0;
    if (!io_source_open(path, &request, &source)) return -1;
    int64_t element = (int64_t)tally_type_size(io_source_type(source));
    while (bytes >= 0 && io_source_is_flat(source)) {
        if (!io_source_next(source, 64, &chunk)) {
            bytes = -1;
        } else if (chunk.shape[0] == 0 || bytes + chunk.shape[0] * element > READ_LIMIT) {
            break;
        } else {
            memcpy(elements + bytes, chunk.data, (size_t)(chunk.shape[0] * element));
            bytes += chunk.shape[0] * element;
        }
    }
    if (bytes >= 0 && !io_source_check(source)) bytes = -1;
    io_source_close(source);
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned char mapped[READ_LIMIT];
    static unsigned char piped[READ_LIMIT];
    char path[64];
    int ends[2];
    check_header(data, size);
    if (size > PIPE_ROOM || !io_npy_has_magic(data, size)) return 0;

    int file = memfd_create("fuzz", 0);
    require(file >= 0 && write(file, data, size) == (ssize_t)size, "no memory file");
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    int64_t mapped_bytes = read_all(path, mapped);
    close(file);

    require(pipe(ends) == 0 && write(ends[1], data, size) == (ssize_t)size, "no pipe");
    close(ends[1]);
    require(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO, "no standard input");
    close(ends[0]);
    int64_t piped_bytes = read_all("-", piped);

    /* A file is measured before anything is read; a pipe that is too short shows it at its end, which may lie behind
     * the limit of this comparison. */
    if (mapped_bytes >= 0 || piped_bytes < 0) require(mapped_bytes == piped_bytes, "file and pipe differ");
    if (mapped_bytes > 0) require(memcmp(mapped, piped, (size_t)mapped_bytes) == 0, "file and pipe differ in a byte");
    return 0;
}
