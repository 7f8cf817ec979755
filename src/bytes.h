/* SPDX-License-Identifier: MIT
 *
 * bytes.h - portable bytes: little-endian whatever the machine. A writer with no room only counts; a reader that ran
 * out of bytes gives zeros from then on and says so. */
#ifndef TALLY_BYTES_H
#define TALLY_BYTES_H

#include "tables.h"

struct writer {
    unsigned char *bytes; /* NULL: only counts */
    size_t used;
};

struct reader {
    const unsigned char *bytes;
    size_t size, used;
    int failed;
};

void put_integer(struct writer *writer, uint64_t value, int size);
void put_real(struct writer *writer, double value);
void put_element(struct writer *writer, tally_type type, const void *element);
void put_bytes(struct writer *writer, const void *bytes, size_t size);

uint64_t get_integer(struct reader *reader, int size);
double get_real(struct reader *reader);
void get_element(struct reader *reader, tally_type type, void *element);
void get_bytes(struct reader *reader, void *bytes, size_t size);

#endif
