/* SPDX-License-Identifier: MIT
 *
 * kernel_key.c - writes keys. */
#define _GNU_SOURCE
#include "kernel_key.h"

#include "nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *kernel_key(const struct kernel_request *request, int architecture, const char *compiler,
                 const struct sources *sources)
{
    const char *definitions = request->definitions ? request->definitions : "";
    char *key;
    int length =
        asprintf(&key, "%s %s %s sm_%d\nnvrtc %s\ntally %s\noptions %s\nsources %s\n", request->file, request->entry,
                 definitions, architecture, compiler, tally_version(), nvrtc_options, sources->hash);
    if (length < 0) return NULL;
    char *line = key + strlen(request->file) + strlen(request->entry) + 2;
    for (size_t i = strlen(definitions); i-- > 0;) {
        if (line[i] == '\n') line[i] = ' ';
    }
    return key;
}
