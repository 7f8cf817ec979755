/* SPDX-License-Identifier: MIT
 *
 * staging.c - operands in host memory: device copies of them for the length of a call. A copy has the strides of the
 * original, so it is the whole range of memory that the view walks over. */
#include "staging.h"
#include "dense.h"
#include "transfer.h"
#include "user/operator.h"

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

/* The type of an operand's elements; a mask's is bool. */
int64_t staging_element_bytes(const struct calculation *calculation, int operand)
{
    if (operand == OPERAND_WHERE) return 1;
    if (!calculation->user || operand == OPERAND_X) return type_row(calculation->type)->size;
    return type_row(calculation->user->inputs[operand == OPERAND_Y ? 1 : 2])->size;
}

size_t staging_bytes(const struct reduction *reduction, const int host[OPERAND_COUNT])
{
    size_t bytes = 0;
    for (int o = 0; o < OPERAND_COUNT && reduction->length > 0; o++) {
        struct range range = {0, 0};
        if (o == OPERAND_OUT || !host[o]) continue;
        range_add(&range, reduction->kept, reduction->kept_count, (enum operand)o);
        range_add(&range, reduction->reduced, reduction->reduced_count, (enum operand)o);
        bytes += (size_t)((range.last - range.first + 1) * staging_element_bytes(&reduction->calculation, o)) + 16;
    }
    return host[OPERAND_OUT] ? bytes + dense_bytes(reduction) : bytes;
}

size_t staging_host_operands(struct tally_context *context, const struct reduction *reduction, int host[OPERAND_COUNT])
{
    struct machine *machine = gpu_device(context)->machine;
    uint32_t flags = reduction->calculation.op->flags;
    const void *data[OPERAND_COUNT] = {[OPERAND_X] = reduction->x,
                                       [OPERAND_Y] = flags & OP_SECOND ? reduction->y : NULL,
                                       [OPERAND_WHERE] = reduction->where,
                                       [OPERAND_OUT] = reduction->out,
                                       [OPERAND_Z] = flags & OP_THIRD ? reduction->z : NULL};
    for (int o = 0; o < OPERAND_COUNT; o++) host[o] = data[o] && machine->table->place(machine, data[o]) == PLACE_HOST;
    return staging_bytes(reduction, host);
}

static tally_status upload_all(struct tally_context *context, const struct reduction *reduction,
                               const void *data[OPERAND_COUNT], struct staging *staging)
{
    static const char *const names[] = {
        [OPERAND_X] = "input",
        [OPERAND_Y] = "options.second",
        [OPERAND_WHERE] = "options.where",
        [OPERAND_Z] = "options.third",
    };
    for (int o = 0; o < OPERAND_COUNT; o++) {
        struct range range = {0, 0};
        if (o == OPERAND_OUT || !data[o]) continue;
        range_add(&range, reduction->kept, reduction->kept_count, (enum operand)o);
        range_add(&range, reduction->reduced, reduction->reduced_count, (enum operand)o);
        TRY(upload(context, &data[o], staging_element_bytes(&reduction->calculation, o), range, (enum operand)o,
                   names[o], staging));
    }
    return TALLY_OK;
}

static tally_status staging_open(struct tally_context *context, const void *out, struct staging *staging)
{
    memset(staging, 0, sizeof *staging);
    TRY(staging_check_place(context, out, "output", &staging->host_output));
    staging->waits = staging->host_output;
    return TALLY_OK;
}

tally_status staging_upload_reduction(struct tally_context *context, struct reduction *reduction,
                                      struct staging *staging)
{
    uint32_t flags = reduction->calculation.op->flags;
    const void *data[OPERAND_COUNT] = {[OPERAND_X] = reduction->x,
                                       [OPERAND_Y] = flags & OP_SECOND ? reduction->y : NULL,
                                       [OPERAND_Z] = flags & OP_THIRD ? reduction->z : NULL,
                                       [OPERAND_WHERE] = reduction->where};
    TRY(staging_open(context, reduction->out, staging));
    if (reduction->length > 0) TRY(upload_all(context, reduction, data, staging));
    reduction->x = data[OPERAND_X];
    if (data[OPERAND_Y]) reduction->y = data[OPERAND_Y];
    if (data[OPERAND_Z]) reduction->z = data[OPERAND_Z];
    reduction->where = data[OPERAND_WHERE];
    return TALLY_OK;
}

tally_status staging_upload_scan(struct tally_context *context, struct scan *scan, struct staging *staging)
{
    const void *data[OPERAND_COUNT] = {
        [OPERAND_X] = scan->x, [OPERAND_Y] = scan->y, [OPERAND_Z] = scan->z, [OPERAND_WHERE] = scan->where};
    struct reduction inputs = {.calculation = scan->calculation, .kept_count = scan->kept_count, .reduced_count = 1};
    memcpy(inputs.kept, scan->kept, sizeof inputs.kept);
    inputs.reduced[0] = scan->axis;
    TRY(staging_open(context, scan->out, staging));
    TRY(upload_all(context, &inputs, data, staging));
    scan->x = data[OPERAND_X];
    scan->y = data[OPERAND_Y];
    scan->z = data[OPERAND_Z];
    scan->where = data[OPERAND_WHERE];
    return TALLY_OK;
}

static struct range range_of_input(const struct map *map, int32_t c)
{
    struct range range = {0, 0};
    range_add(&range, map->loops, map->count, map_operands[c]);
    return range;
}

size_t staging_map_bytes(struct tally_context *context, const struct map *map)
{
    struct machine *machine = gpu_device(context)->machine;
    size_t bytes = 0;
    for (int32_t c = 0; c < map->user->input_count; c++) {
        struct range range = range_of_input(map, c);
        if (machine->table->place(machine, map->inputs[c]) != PLACE_HOST) continue;
        bytes += (size_t)((range.last - range.first + 1) * type_row(map->user->inputs[c])->size) + 16;
    }
    if (machine->table->place(machine, map->out) != PLACE_HOST) return bytes;
    return bytes + (size_t)(map->elements * type_row(map->result)->size);
}

tally_status staging_upload_map(struct tally_context *context, struct map *map, struct staging *staging)
{
    static const char *const names[] = {"inputs[0]", "inputs[1]", "inputs[2]", "inputs[3]"};
    TRY(staging_open(context, map->out, staging));
    for (int32_t c = 0; c < map->user->input_count; c++) {
        TRY(upload(context, &map->inputs[c], type_row(map->user->inputs[c])->size, range_of_input(map, c),
                   map_operands[c], names[c], staging));
    }
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
