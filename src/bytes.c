/* SPDX-License-Identifier: MIT
 *
 * bytes.c - portable bytes: little-endian whatever the machine. */
#include "bytes.h"
#include "narrow.h"

#include <string.h>

void put_integer(struct writer *writer, uint64_t value, int size)
{
    for (int i = 0; i < size; i++, value >>= 8, writer->used++) {
        if (writer->bytes) writer->bytes[writer->used] = (unsigned char)value;
    }
}

void put_real(struct writer *writer, double value)
{
    put_integer(writer, double_bits(value), 8);
}

void put_bytes(struct writer *writer, const void *bytes, size_t size)
{
    if (writer->bytes) memcpy(writer->bytes + writer->used, bytes, size);
    writer->used += size;
}

uint64_t get_integer(struct reader *reader, int size)
{
    uint64_t value = 0;
    if (reader->failed || reader->size - reader->used < (size_t)size) {
        reader->failed = 1;
        return 0;
    }
    for (int i = 0; i < size; i++) value |= (uint64_t)reader->bytes[reader->used++] << 8 * i;
    return value;
}

double get_real(struct reader *reader)
{
    return double_from_bits(get_integer(reader, 8));
}

void get_bytes(struct reader *reader, void *bytes, size_t size)
{
    if (reader->failed || reader->size - reader->used < size) {
        reader->failed = 1;
        memset(bytes, 0, size);
        return;
    }
    memcpy(bytes, reader->bytes + reader->used, size);
    reader->used += size;
}

static int parts_of(const struct type_row *row)
{
    return row->kind == KIND_COMPLEX ? 2 : 1;
}

void put_element(struct writer *writer, tally_type type, const void *element)
{
    const struct type_row *row = type_row(type);
    int parts = parts_of(row), size = row->size / parts;
    for (int p = 0; p < parts; p++) {
        const char *from = (const char *)element + p * size;
        uint8_t as8;
        uint16_t as16;
        uint32_t as32;
        uint64_t as64;
        switch (size) {
        case 1:
            memcpy(&as8, from, 1);
            put_integer(writer, as8, 1);
            break;
        case 2:
            memcpy(&as16, from, 2);
            put_integer(writer, as16, 2);
            break;
        case 4:
            memcpy(&as32, from, 4);
            put_integer(writer, as32, 4);
            break;
        default:
            memcpy(&as64, from, 8);
            put_integer(writer, as64, 8);
            break;
        }
    }
}

void get_element(struct reader *reader, tally_type type, void *element)
{
    const struct type_row *row = type_row(type);
    int parts = parts_of(row), size = row->size / parts;
    for (int p = 0; p < parts; p++) {
        char *to = (char *)element + p * size;
        uint64_t as64 = get_integer(reader, size);
        uint8_t as8 = (uint8_t)as64;
        uint16_t as16 = (uint16_t)as64;
        uint32_t as32 = (uint32_t)as64;
        switch (size) {
        case 1: memcpy(to, &as8, 1); break;
        case 2: memcpy(to, &as16, 2); break;
        case 4: memcpy(to, &as32, 4); break;
        default: memcpy(to, &as64, 8); break;
        }
    }
}
