/* SPDX-License-Identifier: MIT
 *
 * partial_pack.c - partials as portable bytes: a header that rebuilds the calculation, the states, a checksum. */
#define _POSIX_C_SOURCE 200809L
#include "bytes.h"
#include "partial.h"
#include "user/operator.h"

#include <ctype.h>
#include <fenv.h>
#include <stdlib.h>
#include <string.h>

static const char magic[8] = {'T', 'A', 'L', 'L', 'Y', 'P', 'R', 'T'};
#define PACK_VERSION 3 /* version 1 had no modulus, and up to 2 logsumexp kept other sums */

/* FNV-1a, 64 bits. */
static uint64_t checksum(const unsigned char *bytes, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325ull;
    for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 0x100000001b3ull;
    return hash;
}

static void put_operator(struct writer *writer, const struct user_op *op)
{
    put_bytes(writer, op->name, sizeof op->name);
    put_integer(writer, op->hash.high, 8);
    put_integer(writer, op->hash.low, 8);
}

static void put_header(struct writer *writer, const tally_partial *partial)
{
    const struct calculation *calculation = &partial->calculation;
    put_bytes(writer, magic, sizeof magic);
    put_integer(writer, PACK_VERSION, 4);
    put_integer(writer, calculation->user ? USER_FIRST_HANDLE : calculation->op->op, 8);
    if (calculation->user) put_operator(writer, calculation->user);
    put_integer(writer, (uint64_t)calculation->type, 4);
    put_integer(writer, (uint64_t)calculation->result, 4);
    put_integer(writer, calculation->flags, 4);
    put_real(writer, calculation->correction);
    put_integer(writer, calculation->modulus.p, 8);
    put_integer(writer, (uint64_t)partial->position, 8);
    put_integer(writer, (uint64_t)partial->count, 8);
    put_integer(writer, (uint64_t)partial->rank, 4);
    for (int32_t d = 0; d < partial->rank; d++) put_integer(writer, (uint64_t)partial->shape[d], 8);
    put_integer(writer, (uint64_t)partial->has_axes, 4);
    put_integer(writer, (uint64_t)partial->axis_count, 4);
    for (int32_t i = 0; i < partial->axis_count; i++) put_integer(writer, (uint64_t)(int64_t)partial->axes[i], 4);
    put_integer(writer, calculation->initial != NULL, 4);
    if (calculation->user && calculation->initial)
        put_bytes(writer, calculation->initial, state_initial_size(calculation));
    else if (calculation->initial) put_element(writer, calculation->result, calculation->initial);
}

static tally_status pack(const tally_partial *partial, void *bytes, size_t *size)
{
    struct writer writer = {NULL, 0};
    for (int writing = 0; writing <= (bytes != NULL); writing++) {
        if (writing && *size < writer.used + 8)
            FAIL(TALLY_INVALID_ARGUMENT, "*size is %zu: expected room for %zu bytes", *size, writer.used + 8);
        writer.used = 0;
        writer.bytes = writing ? bytes : NULL;
        put_header(&writer, partial);
        for (int64_t i = 0; i < partial->cells; i++) {
            struct state *state = state_at(&partial->calculation, partial->states, i);
            writer.used += state_pack(&partial->calculation, state, writing ? writer.bytes + writer.used : NULL);
        }
    }
    if (bytes) put_integer(&writer, checksum(bytes, writer.used), 8);
    *size = writer.used + (bytes ? 0 : 8);
    return TALLY_OK;
}

tally_status tally_partial_pack(const tally_partial *partial, void *bytes, size_t *size)
{
    fenv_t saved;
    if (!partial || !size) FAIL(TALLY_INVALID_ARGUMENT, "%s is NULL", partial ? "size" : "partial");
    fegetenv(&saved);
    fesetenv(FE_DFL_ENV); /* subnormal lanes are packed as doubles, which must not flush them */
    tally_status status = pack(partial, bytes, size);
    fesetenv(&saved);
    return status;
}

/* What the header says, as the arguments of tally_partial_new. */
struct header {
    tally_op op;
    tally_type type;
    tally_options options;
    int32_t axes[TALLY_MAX_RANK];
    int32_t rank;
    int64_t shape[TALLY_MAX_RANK];
    int64_t count;
    _Alignas(16) unsigned char initial[TALLY_OP_MOST_STATE];
};

/* As tally_op_compile takes them. */
static int is_name(const char *name, size_t room)
{
    size_t length = strnlen(name, room);
    for (size_t i = 0; i < length; i++) {
        if (!isalnum((unsigned char)name[i]) && name[i] != '_') return 0;
    }
    return length > 0 && length < room;
}

/* A user's operator is found by its name and what it was made of: handles differ from process to process. */
static tally_status get_operator(struct reader *reader, struct header *header)
{
    char name[sizeof((struct user_op *)NULL)->name];
    header->op = get_integer(reader, 8);
    if (header->op < USER_FIRST_HANDLE) return TALLY_OK;
    get_bytes(reader, name, sizeof name);
    uint64_t high = get_integer(reader, 8);
    struct hash hash = {high, get_integer(reader, 8)};
    if (header->op != USER_FIRST_HANDLE || reader->failed || !is_name(name, sizeof name))
        FAIL(TALLY_CORRUPT, "packed partial is of no operator that there can be");
    const struct user_op *op = user_op_find_same(name, hash);
    if (!op)
        FAIL(TALLY_INVALID_ARGUMENT,
             "packed partial is of operator \"%.*s\", %s: compile the one it was made with first", (int)sizeof name,
             name,
             user_op_find_name(name) ? "of which this process has only another one of the name"
                                     : "which this process does not have");
    header->op = op->row.op;
    return TALLY_OK;
}

static tally_status get_initial(struct reader *reader, struct header *header, tally_type result)
{
    const struct user_op *op = user_op_find(header->op);
    if (op) {
        TRY(user_op_compile(op));
        get_bytes(reader, header->initial, user_kernels(op)->state_bytes);
        return TALLY_OK;
    }
    if (!type_row(result)) FAIL(TALLY_CORRUPT, "packed partial has result type %d", (int)result);
    get_element(reader, result, header->initial);
    return TALLY_OK;
}

static tally_status get_header(struct reader *reader, struct header *header)
{
    char found[sizeof magic];
    tally_options options = TALLY_OPTIONS_INIT;
    get_bytes(reader, found, sizeof found);
    if (reader->failed || memcmp(found, magic, sizeof magic) != 0)
        FAIL(TALLY_CORRUPT, "bytes do not begin with TALLYPRT: expected what tally_partial_pack wrote");
    uint64_t version = get_integer(reader, 4);
    if (version < 1 || version > PACK_VERSION)
        FAIL(TALLY_CORRUPT, "packed partial has version %llu: expected 1 to %d", (unsigned long long)version,
             PACK_VERSION);
    TRY(get_operator(reader, header));
    if (version < 3 && header->op == TALLY_LOGSUMEXP)
        FAIL(TALLY_CORRUPT, "packed partial of logsumexp has version %llu, whose sums were others: expected %d",
             (unsigned long long)version, PACK_VERSION);
    header->type = (tally_type)get_integer(reader, 4);
    options.type = (tally_type)get_integer(reader, 4);
    options.flags = (uint32_t)get_integer(reader, 4);
    options.correction = get_real(reader);
    if (version >= 2) options.modulus = get_integer(reader, 8);
    options.position = (int64_t)get_integer(reader, 8);
    header->count = (int64_t)get_integer(reader, 8);
    header->rank = (int32_t)get_integer(reader, 4);
    if (header->rank < 0 || header->rank > TALLY_MAX_RANK)
        FAIL(TALLY_CORRUPT, "packed partial has rank %d", (int)header->rank);
    for (int32_t d = 0; d < header->rank; d++) header->shape[d] = (int64_t)get_integer(reader, 8);
    int has_axes = get_integer(reader, 4) != 0;
    options.axis_count = (int32_t)get_integer(reader, 4);
    if (options.axis_count < 0 || options.axis_count > TALLY_MAX_RANK)
        FAIL(TALLY_CORRUPT, "packed partial has %d axes", (int)options.axis_count);
    for (int32_t i = 0; i < options.axis_count; i++) header->axes[i] = (int32_t)get_integer(reader, 4);
    options.axes = has_axes ? header->axes : NULL;
    if (get_integer(reader, 4) != 0) {
        TRY(get_initial(reader, header, options.type));
        options.initial = header->initial;
    }
    if (reader->failed) FAIL(TALLY_CORRUPT, "packed partial ends after %zu bytes, inside its header", reader->size);
    header->options = options;
    return TALLY_OK;
}

static tally_status get_states(struct reader *reader, tally_partial *partial, int64_t count)
{
    if (count < 0 || count > INT64_MAX - partial->position)
        FAIL(TALLY_CORRUPT, "packed partial counts %lld elements", (long long)count);
    for (int64_t i = 0; i < partial->cells; i++) {
        struct state *state = state_at(&partial->calculation, partial->states, i);
        size_t used =
            state_unpack(&partial->calculation, state, reader->bytes + reader->used, reader->size - reader->used);
        if (used == 0 || state->count != count || state->start != partial->position)
            FAIL(TALLY_CORRUPT, "packed partial has a malformed state for cell %lld", (long long)i);
        reader->used += used;
    }
    if (reader->used != reader->size)
        FAIL(TALLY_CORRUPT, "packed partial has %zu bytes too many", reader->size - reader->used);
    partial->count = count;
    return TALLY_OK;
}

tally_status tally_partial_unpack(tally_context *context, const void *bytes, size_t size, tally_partial **partial)
{
    if (!context || !bytes || !partial)
        FAIL(TALLY_INVALID_ARGUMENT, "%s is NULL", !context ? "context" : bytes ? "partial" : "bytes");
    if (size < sizeof magic + 8) FAIL(TALLY_CORRUPT, "packed partial has %zu bytes: expected more", size);
    struct reader end = {(const unsigned char *)bytes + size - 8, 8, 0, 0};
    struct reader reader = {bytes, size - 8, 0, 0};
    struct header header;
    memset(&header, 0, sizeof header);
    tally_status status = get_header(&reader, &header);
    if (status == TALLY_CORRUPT) return status;
    if (get_integer(&end, 8) != checksum(bytes, size - 8)) /* first of all: a changed name is nobody's operator */
        FAIL(TALLY_CORRUPT, "packed partial has a wrong checksum: its bytes were changed or cut");
    TRY(status);
    tally_partial *made = NULL;
    int64_t cells = 1;
    for (int32_t d = 0; d < header.rank; d++) {
        if (header.shape[d] < 0 || __builtin_mul_overflow(cells, header.shape[d], &cells) || cells > (int64_t)size)
            FAIL(TALLY_CORRUPT, "packed partial has more cells than bytes");
    }
    status = tally_partial_new(context, header.op, header.type, header.rank, header.shape, &header.options, &made);
    if (status == TALLY_INVALID_ARGUMENT || status == TALLY_UNSUPPORTED)
        FAIL(TALLY_CORRUPT, "packed partial has an impossible header");
    TRY(status);
    fenv_t saved;
    fegetenv(&saved);
    fesetenv(FE_DFL_ENV);
    status = get_states(&reader, made, header.count);
    fesetenv(&saved);
    if (status != TALLY_OK) {
        tally_partial_free(made);
        return status;
    }
    *partial = made;
    return TALLY_OK;
}
