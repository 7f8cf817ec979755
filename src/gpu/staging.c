/* SPDX-License-Identifier: MIT
 *
 * staging.c - operands in host memory: device copies of them for the length of a call. A copy has the strides of the
 * original, so it is the whole range of memory that the view walks over. */
#include "staging.h"
#include "dense.h"
#include "transfer.h"

#include <string.h>

/* An operand's range of elements, relative to its address. */
struct range {
    int64_t first, last;
};

static void range_add(struct range *range, const struct loop *loops, int32_t count, enum operand operand)
{
    for (int32_t d = 0; d < count; d++) {
        int64_t reach = (loops[d].extent - 1) * loops[d].stride[operand];
        if (loops[d].extent == 0) continue;
        if (reach < 0) range->first += reach;
        else range->last += reach;
    }
}

tally_status staging_check_place(struct tally_context *context, const void *memory, const char *name, int *host)
{
    struct machine *machine = gpu_device(context)->machine;
    enum place place = memory ? machine->table->place(machine, memory) : PLACE_DEVICE;
    if (place == PLACE_LOST) return TALLY_DEVICE_ERROR;
    if (place == PLACE_OTHER)
        FAIL(TALLY_INVALID_ARGUMENT,
             "%s lies at %p, in memory of another device: expected host memory or the context's "
             "own device",
             name, memory);
    *host = place == PLACE_HOST;
    return TALLY_OK;
}

static tally_status upload(struct tally_context *context, const void **data, int64_t size, struct range range,
                           enum operand operand, const char *name, struct staging *staging)
{
    int host = 0;
    TRY(staging_check_place(context, *data, name, &host));
    if (!host) return TALLY_OK;
    staging->waits = 1;
    size_t bytes = (size_t)((range.last - range.first + 1) * size);
    const char *from = (const char *)*data + range.first * size;
    TRY(gpu_allocate(context, bytes + 16, &staging->memory[operand]));
    staging->bytes[operand] = bytes + 16;
    TRY(transfer_in(context, staging->memory[operand], from, bytes));
    *data = (const char *)staging->memory[operand] - range.first * size;
    return TALLY_OK;
}

size_t staging_bytes(const struct reduction *reduction, const int host[OPERAND_COUNT])
{
    size_t bytes = 0, size = (size_t)type_row(reduction->calculation.type)->size;
    for (int o = OPERAND_X; o <= OPERAND_WHERE && reduction->length > 0; o++) {
        struct range range = {0, 0};
        if (!host[o]) continue;
        range_add(&range, reduction->kept, reduction->kept_count, (enum operand)o);
        range_add(&range, reduction->reduced, reduction->reduced_count, (enum operand)o);
        bytes += (size_t)(range.last - range.first + 1) * (o == OPERAND_WHERE ? 1 : size) + 16;
    }
    return host[OPERAND_OUT] ? bytes + dense_bytes(reduction) : bytes;
}

size_t staging_host_operands(struct tally_context *context, const struct reduction *reduction, int host[OPERAND_COUNT])
{
    struct machine *machine = gpu_device(context)->machine;
    const void *data[OPERAND_COUNT] = {reduction->x, reduction->calculation.op->flags & OP_SECOND ? reduction->y : NULL,
                                       reduction->where, reduction->out};
    for (int o = 0; o < OPERAND_COUNT; o++) host[o] = data[o] && machine->table->place(machine, data[o]) == PLACE_HOST;
    return staging_bytes(reduction, host);
}

tally_status staging_upload_reduction(struct tally_context *context, struct reduction *reduction,
                                      struct staging *staging)
{
    static const char *const names[] = {"input", "options.second", "options.where"};
    const void *data[] = {reduction->x, reduction->calculation.op->flags & OP_SECOND ? reduction->y : NULL,
                          reduction->where};
    int64_t size = type_row(reduction->calculation.type)->size;
    memset(staging, 0, sizeof *staging);
    TRY(staging_check_place(context, reduction->out, "output", &staging->host_output));
    staging->waits = staging->host_output;
    for (int o = OPERAND_X; o <= OPERAND_WHERE; o++) {
        struct range range = {0, 0};
        range_add(&range, reduction->kept, reduction->kept_count, (enum operand)o);
        range_add(&range, reduction->reduced, reduction->reduced_count, (enum operand)o);
        if (!data[o] || reduction->length == 0) continue;
        TRY(upload(context, &data[o], o == OPERAND_WHERE ? 1 : size, range, (enum operand)o, names[o], staging));
    }
    reduction->x = data[0];
    if (data[1]) reduction->y = data[1];
    reduction->where = data[2];
    return TALLY_OK;
}

tally_status staging_upload_scan(struct tally_context *context, struct scan *scan, struct staging *staging)
{
    static const char *const names[] = {"input", "options.second", "options.where"};
    const void *data[] = {scan->x, NULL, scan->where};
    int64_t size = type_row(scan->calculation.type)->size;
    memset(staging, 0, sizeof *staging);
    TRY(staging_check_place(context, scan->out, "output", &staging->host_output));
    staging->waits = staging->host_output;
    for (int o = OPERAND_X; o <= OPERAND_WHERE; o++) {
        struct range range = {0, 0};
        if (!data[o]) continue;
        range_add(&range, scan->kept, scan->kept_count, (enum operand)o);
        range_add(&range, &scan->axis, 1, (enum operand)o);
        TRY(upload(context, &data[o], o == OPERAND_WHERE ? 1 : size, range, (enum operand)o, names[o], staging));
    }
    scan->x = data[0];
    scan->where = data[2];
    return TALLY_OK;
}

tally_status staging_download(struct tally_context *context, void *to, const void *from, size_t bytes)
{
    return transfer_out(context, to, from, bytes);
}

tally_status staging_end(struct tally_context *context, struct staging *staging)
{
    struct machine *machine = gpu_device(context)->machine;
    for (int o = 0; o < OPERAND_COUNT; o++) {
        if (staging->memory[o]) gpu_release(context, staging->memory[o], staging->bytes[o]);
    }
    return staging->waits ? machine->table->synchronize(machine, LANE_MAIN) : TALLY_OK;
}
