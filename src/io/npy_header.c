/* SPDX-License-Identifier: MIT
 *
 * npy_header.c - a strict parser of the one Python dict literal that .npy files carry, and its writer. Every read is
 * bounds-checked against the header's end: the bytes come from anywhere. */
#include "error.h"
#include "npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const unsigned char magic[IO_NPY_MAGIC] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

/* The letters of each type behind the byte order, as NumPy writes them. */
static const struct {
    tally_type type;
    const char *code;
} codes[] = {{TALLY_BOOL, "b1"}, {TALLY_I8, "i1"},  {TALLY_I16, "i2"}, {TALLY_I32, "i4"},  {TALLY_I64, "i8"},
             {TALLY_U8, "u1"},   {TALLY_U16, "u2"}, {TALLY_U32, "u4"}, {TALLY_U64, "u8"},  {TALLY_F16, "f2"},
             {TALLY_F32, "f4"},  {TALLY_F64, "f8"}, {TALLY_C64, "c8"}, {TALLY_C128, "c16"}};

typedef struct cursor {
    const char *name;
    const char *at;
    const char *end;
} cursor;

bool io_npy_has_magic(const unsigned char *bytes, size_t size)
{
    return size >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

bool io_npy_data_offset(const char *name, const unsigned char *bytes, size_t size, size_t *data_offset)
{
    if (!io_npy_has_magic(bytes, size)) {
        return io_fail("%s: not a .npy file: it does not begin with \\x93NUMPY", name);
    }
    if (size < IO_NPY_PREFIX) {
        return io_fail("%s: the .npy header is truncated after %zu bytes", name, size);
    }
    if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0) {
        return io_fail("%s: .npy version %d.%d is unknown; 1.0, 2.0 and 3.0 can be read", name, bytes[6], bytes[7]);
    }
    size_t length = (size_t)bytes[8] | (size_t)bytes[9] << 8;
    if (bytes[6] > 1) {
        length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    }
    if (length > IO_NPY_HEADER_LIMIT) {
        return io_fail("%s: the .npy header claims to be %zu bytes long; that is not the header of a plain array", name,
                       length);
    }
    *data_offset = length + (bytes[6] == 1 ? 10 : 12);
    if (*data_offset < IO_NPY_PREFIX) {
        return io_fail("%s: the .npy header is too short: %zu bytes", name, length);
    }
    return true;
}

static void skip_space(cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r')) {
        c->at++;
    }
}

/* Skips space, then takes the character when it is the next one. */
static bool take(cursor *c, char wanted)
{
    skip_space(c);
    bool is_next = c->at < c->end && *c->at == wanted;
    c->at += is_next;
    return is_next;
}

static bool expect(cursor *c, char wanted, const char *where)
{
    return take(c, wanted) || io_fail("%s: damaged .npy header: expected %c %s", c->name, wanted, where);
}

/* A quoted string without escapes, which none of the dict's own words needs. */
static bool parse_string(cursor *c, const char **text, size_t *length)
{
    skip_space(c);
    char quote = c->at < c->end ? *c->at : '\0';
    if (quote != '\'' && quote != '"') {
        return io_fail("%s: damaged .npy header: expected a quoted string", c->name);
    }
    const char *begin = ++c->at;
    while (c->at < c->end && *c->at != quote && *c->at != '\\' && *c->at != '\n') {
        c->at++;
    }
    if (c->at == c->end || *c->at != quote) {
        return io_fail("%s: damaged .npy header: a string does not end", c->name);
    }
    *text = begin;
    *length = (size_t)(c->at++ - begin);
    return true;
}

static bool refuse_type(const char *name, const char *code, size_t length)
{
    const char *kind = memchr(code, 'O', length) ? "object arrays hold Python pickles, which tally never opens"
                       : memchr(code, 'V', length)
                           ? "bytes without a type (.npy cannot say bf16); convert, or use a raw file and --raw bf16"
                           : "tally reads bool, i1 to i8, u1 to u8, f2, f4, f8, c8 and c16";
    return io_fail("%s: element type '%.*s' is not supported: %s", name, (int)(length < 40 ? length : 40), code, kind);
}

static bool parse_type(cursor *c, io_npy_header *header)
{
    const char *code = NULL;
    size_t length = 0;
    skip_space(c);
    if (c->at < c->end && (*c->at == '[' || *c->at == '(')) {
        return io_fail("%s: structured element types are not supported; save one field as a plain array", c->name);
    }
    if (!parse_string(c, &code, &length)) {
        return false;
    }
    const char *letters = code;
    size_t count = length;
    char order = '=';
    if (length > 0 && strchr("<>=|", code[0]) != NULL) {
        order = code[0];
        letters++;
        count--;
    }
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        if (strlen(codes[i].code) == count && memcmp(codes[i].code, letters, count) == 0) {
            bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
            header->type = codes[i].type;
            header->swapped = (order == '<' && !little) || (order == '>' && little);
            header->swapped = header->swapped && tally_type_size(header->type) > 1;
            return order != '|' || tally_type_size(header->type) == 1 || refuse_type(c->name, code, length);
        }
    }
    return refuse_type(c->name, code, length);
}

static bool parse_boolean(cursor *c, bool *value)
{
    static const char *const words[] = {"False", "True"};
    skip_space(c);
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(c->end - c->at) >= length && memcmp(c->at, words[i], length) == 0) {
            c->at += length;
            *value = i != 0;
            return true;
        }
    }
    return io_fail("%s: damaged .npy header: fortran_order is neither True nor False", c->name);
}

static bool parse_length(cursor *c, int64_t *length)
{
    if (take(c, '-')) {
        return io_fail("%s: damaged .npy header: a negative axis length", c->name);
    }
    if (c->at == c->end || *c->at < '0' || *c->at > '9') {
        return io_fail("%s: damaged .npy header: expected a number in shape", c->name);
    }
    *length = 0;
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
        if (__builtin_mul_overflow(*length, 10, length) || __builtin_add_overflow(*length, *c->at - '0', length)) {
            return io_fail("%s: an axis is longer than 2^63 - 1", c->name);
        }
    }
    c->at += c->at < c->end && *c->at == 'L'; /* Python 2 wrote its long integers that way */
    return true;
}

static bool parse_shape(cursor *c, io_npy_header *header)
{
    if (!expect(c, '(', "where shape begins")) {
        return false;
    }
    bool comma = true;
    header->rank = 0;
    while (!take(c, ')')) {
        if (!comma) {
            return io_fail("%s: damaged .npy header: expected a comma in shape", c->name);
        }
        int64_t length = 0;
        if (!parse_length(c, &length)) {
            return false;
        }
        if (header->rank == TALLY_MAX_RANK) {
            return io_fail("%s: the array has more than %d axes", c->name, TALLY_MAX_RANK);
        }
        header->shape[header->rank++] = length;
        comma = take(c, ',');
    }
    if (header->rank == 1 && !comma) {
        return io_fail("%s: damaged .npy header: shape is a number in parentheses, not a tuple", c->name);
    }
    return true;
}

enum { KEY_TYPE = 1, KEY_ORDER = 2, KEY_SHAPE = 4, KEY_ALL = 7 };

static bool parse_entry(cursor *c, io_npy_header *header, int *seen)
{
    const char *key = NULL;
    size_t length = 0;
    if (!parse_string(c, &key, &length)) {
        return false;
    }
    int which = length == 5 && memcmp(key, "descr", 5) == 0             ? KEY_TYPE
                : length == 13 && memcmp(key, "fortran_order", 13) == 0 ? KEY_ORDER
                : length == 5 && memcmp(key, "shape", 5) == 0           ? KEY_SHAPE
                                                                        : 0;
    if (which == 0 || (*seen & which) != 0) {
        return io_fail("%s: damaged .npy header: %s key '%.*s'", c->name, which == 0 ? "unknown" : "repeated",
                       (int)(length < 40 ? length : 40), key);
    }
    *seen |= which;
    if (!expect(c, ':', "after a key")) {
        return false;
    }
    return which == KEY_TYPE    ? parse_type(c, header)
           : which == KEY_ORDER ? parse_boolean(c, &header->fortran_order)
                                : parse_shape(c, header);
}

/* Fails when the array cannot exist in 64-bit sizes, even if an empty axis hides that. */
static bool count_elements(const char *name, io_npy_header *header)
{
    int64_t bytes = (int64_t)tally_type_size(header->type);
    header->count = 1;
    for (int32_t i = 0; i < header->rank; i++) {
        if (header->shape[i] != 0 && !io_multiply(bytes, header->shape[i], &bytes)) {
            return io_fail("%s: the shape in the .npy header asks for more than 2^63 bytes", name);
        }
    }
    for (int32_t i = 0; i < header->rank; i++) {
        header->count = header->shape[i] == 0 ? 0 : header->count * header->shape[i];
    }
    return true;
}

bool io_npy_header_parse(const char *name, const unsigned char *bytes, size_t size, io_npy_header *header)
{
    io_npy_header result = {.rank = 0};
    if (!io_npy_data_offset(name, bytes, size, &result.data_offset)) {
        return false;
    }
    if (size < result.data_offset) {
        return io_fail("%s: the .npy header is truncated: %zu of %zu bytes", name, size, result.data_offset);
    }
    cursor c = {name, (const char *)bytes + (bytes[6] == 1 ? 10 : 12), (const char *)bytes + result.data_offset};
    int seen = 0;
    if (!expect(&c, '{', "at its begin")) {
        return false;
    }
    bool comma = true;
    while (!take(&c, '}')) {
        if (!comma) {
            return io_fail("%s: damaged .npy header: expected a comma or } between entries", name);
        }
        if (!parse_entry(&c, &result, &seen)) {
            return false;
        }
        comma = take(&c, ',');
    }
    skip_space(&c);
    if (c.at != c.end) {
        return io_fail("%s: damaged .npy header: something follows the }", name);
    }
    if (seen != KEY_ALL) {
        return io_fail("%s: damaged .npy header: it lacks %s", name,
                       !(seen & KEY_TYPE)    ? "'descr'"
                       : !(seen & KEY_ORDER) ? "'fortran_order'"
                                             : "'shape'");
    }
    if (!count_elements(name, &result)) {
        return false;
    }
    *header = result;
    return true;
}

size_t io_npy_header_write(const char *name, tally_type type, int32_t rank, const int64_t *shape,
                           char bytes[IO_NPY_HEADER_ROOM])
{
    const char *code = NULL;
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        code = codes[i].type == type ? codes[i].code : code;
    }
    if (code == NULL) {
        io_fail("%s: .npy cannot express %s; write .raw instead, or ask for another type with --dtype", name,
                tally_type_name(type));
        return 0;
    }
    char order = tally_type_size(type) == 1 ? '|' : __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
    char text[IO_NPY_HEADER_ROOM];
    int at = snprintf(text, sizeof text, "{'descr': '%c%s', 'fortran_order': False, 'shape': (", order, code);
    int digits = 0;
    for (int32_t i = 0; i < rank; i++) {
        int begin = at;
        at += snprintf(text + at, sizeof text - (size_t)at, "%" PRId64, shape[i]);
        digits = i == 0 ? at - begin : digits;
        at += snprintf(text + at, sizeof text - (size_t)at, "%s", rank == 1 ? "," : i + 1 < rank ? ", " : "");
    }
    at += snprintf(text + at, sizeof text - (size_t)at, "), }");
    /* Room for the longest first axis, then up to the multiple of 64 that the format asks for. */
    enum { LONGEST = 19, PREFIX = 10 };
    size_t total = ((size_t)(PREFIX + at + LONGEST - digits + 1) + 63) / 64 * 64;
    memcpy(bytes, magic, sizeof magic);
    memcpy(bytes + sizeof magic, "\x01\x00", 2);
    bytes[8] = (char)(unsigned char)((total - PREFIX) & 0xff);
    bytes[9] = (char)(unsigned char)((total - PREFIX) >> 8);
    memcpy(bytes + PREFIX, text, (size_t)at);
    memset(bytes + PREFIX + at, ' ', total - PREFIX - (size_t)at - 1);
    bytes[total - 1] = '\n';
    return total;
}
