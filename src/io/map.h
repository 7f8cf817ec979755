/* SPDX-License-Identifier: MIT
 *
 * map.h - memory-mapped files that survive losing their pages: when a file shrinks while it is mapped, the kernel
 * raises SIGBUS; the handler here puts a page of zeros there and remembers it, and io_map_lost() reports it. */
#ifndef TALLY_IO_MAP_H
#define TALLY_IO_MAP_H

#include <stdbool.h>
#include <stddef.h>

typedef struct io_map {
    unsigned char *bytes; /* NULL when size is 0 */
    size_t size;
    int slot;
} io_map;

/* Maps the first size bytes of a file, read-only or shared for writing. name is for messages. */
bool io_map_open(io_map *map, int file, size_t size, bool writable, const char *name);

/* Whether a page of the map could not be read or written since io_map_open. */
bool io_map_lost(const io_map *map);

/* Lets go of the resident pages of bytes [from, to): they come back from the file when touched again. */
void io_map_forget(const io_map *map, size_t from, size_t to);

/* Begins to read bytes [from, to) from the disk, without waiting for them. */
void io_map_prepare(const io_map *map, size_t from, size_t to);

void io_map_close(io_map *map);

#endif
