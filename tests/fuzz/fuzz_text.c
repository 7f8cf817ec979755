/* SPDX-License-Identifier: MIT
 *
 * fuzz_text.c - any bytes as text: the number parser and printer, and the reader in chunks of different lengths.
 * The first byte chooses the element type, the second a column. */
#define _GNU_SOURCE
#include "io/error.h"
#include "io/number.h"
#include "io/source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { READ_LIMIT = 1 << 16 };

static void require(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fuzz_text: %s (%s)\n", what, io_error());
        abort();
    }
}

static int is_nan(tally_type type, const void *element)
{
    if (io_type_is_complex(type)) {
        tally_type part = type == TALLY_C64 ? TALLY_F32 : TALLY_F64;
        const char *imaginary = (const char *)element + tally_type_size(part);
        return isnan(io_float_value(part, element)) || isnan(io_float_value(part, imaginary));
    }
    return io_type_is_float(type) && isnan(io_float_value(type, element));
}

/* Printing and parsing are inverse; and parsing a float agrees with the C library's. */
static void check_number(const char *text, size_t length, tally_type type)
{
    unsigned char element[16];
    unsigned char back[16];
    char printed[IO_NUMBER_ROOM];
    if (io_number_parse(text, length, type, element) != IO_NUMBER_OK || is_nan(type, element)) return;
    size_t printed_length = io_number_print(type, element, printed);
    require(printed_length == strlen(printed), "a printed number has another length");
    require(io_number_parse(printed, printed_length, type, back) == IO_NUMBER_OK, "a printed number is refused");
    require(memcmp(element, back, tally_type_size(type)) == 0, "a printed number reads back differently");
    require(io_number_print_json(type, element, printed) == strlen(printed), "JSON has another length");
    if (type == TALLY_F32) {
        float value = strtof(text, NULL);
        require(memcmp(element, &value, sizeof value) == 0, "f32 differs from strtof");
    }
    if (type == TALLY_F64) {
        double value = strtod(text, NULL);
        require(memcmp(element, &value, sizeof value) == 0, "f64 differs from strtod");
    }
}

static int64_t read_all(const char *path, const io_request *request, int64_t limit, unsigned char *elements)
{
    io_source *source = NULL;
    tally_array chunk;
    int64_t bytes = 0;
    if (!io_source_open(path, request, &source)) return -1;
    int64_t element = (int64_t)tally_type_size(io_source_type(source));
    for (;;) {
        if (!io_source_next(source, limit, &chunk)) {
            bytes = -1;
            break;
        }
        if (chunk.shape[0] == 0 || bytes + chunk.shape[0] * element > READ_LIMIT) break;
        memcpy(elements + bytes, chunk.data, (size_t)(chunk.shape[0] * element));
        bytes += chunk.shape[0] * element;
    }
    io_source_close(source);
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const columns[] = {NULL, NULL, "1", "2", "x"};
    static unsigned char one[READ_LIMIT];
    static unsigned char many[READ_LIMIT];
    char path[64];
    if (size < 2 || size > READ_LIMIT / 16) return 0;
    tally_type type = TALLY_BOOL + data[0] % TALLY_C128;
    io_request request = {.text_type = type, .column = columns[data[1] % 5]};

    char *text = malloc(size - 1);
    require(text != NULL, "out of memory");
    memcpy(text, data + 2, size - 2);
    text[size - 2] = '\0';
    check_number(text, strlen(text), type);

    int file = memfd_create("fuzz", 0);
    require(file >= 0 && write(file, text, size - 2) == (ssize_t)(size - 2), "no memory file");
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    int64_t one_bytes = read_all(path, &request, 1, one);
    int64_t many_bytes = read_all(path, &request, 1000, many);
    require(one_bytes == many_bytes, "chunks change the result");
    require(one_bytes <= 0 || memcmp(one, many, (size_t)one_bytes) == 0, "chunks change an element");
    close(file);
    free(text);
    return 0;
}
