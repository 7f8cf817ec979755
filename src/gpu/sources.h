/* SPDX-License-Identifier: MIT
 *
 * sources.h - the kernels' source text: what the build embedded, or with TALLY_KERNEL_DIR the files of that folder in
 * place of the embedded ones of the same names. */
#ifndef TALLY_GPU_SOURCES_H
#define TALLY_GPU_SOURCES_H

#include "machine.h"

struct sources {
    struct embedded_file *files;
    size_t count;
    char hash[33]; /* of all names and bytes: two sources with the same hash compile to the same kernels */
    int owned;     /* the bytes came from a folder */
    int with_text; /* a user's operator is among them; the list is this structure's own, that text is not */
};

tally_status sources_open(struct sources *sources);
void sources_close(struct sources *sources);
/* Puts a user's operator in the place of the file user_text.h; the hash does not follow. */
tally_status sources_take_text(struct sources *sources, const char *text);
/* NULL when there is no such file. */
const struct embedded_file *sources_find(const struct sources *sources, const char *name);

/* Of names and bytes, as in sources.hash. */
void sources_hash(const struct embedded_file *files, size_t count, char text[33]);

#endif
