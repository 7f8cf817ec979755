/* SPDX-License-Identifier: MIT
 *
 * gather.c - elements of a view on the device to the host and back. */
#include "gather.h"
#include "program.h"

#include "kernels/parameters/gather_parameters.h"

#include <string.h>

#define THREADS 256
#define BLOCKS_PER_PROCESSOR 8

int64_t walk_offset(const struct loop *loops, int32_t count, enum operand operand, int64_t i)
{
    int64_t offset = 0;
    for (int32_t d = count - 1; d >= 0; d--) {
        offset += i % loops[d].extent * loops[d].stride[operand];
        i /= loops[d].extent;
    }
    return offset;
}

int64_t walk_each(const struct walk *walk)
{
    return walk->head + walk->length - walk->tail;
}

static void copy_loops(const struct loop *from, int32_t count, enum operand operand, struct kernel_loop *to)
{
    for (int32_t d = 0; d < count; d++)
        to[d] = (struct kernel_loop){.extent = from[d].extent, .x = from[d].stride[operand]};
}

static tally_status launch(struct tally_context *context, const struct walk *walk, enum operand operand,
                           tally_type type, const char *entry, void *view, void *dense)
{
    struct machine *machine = gpu_device(context)->machine;
    struct gather_parameters p = {.view = view, .dense = dense, .cells = walk->cells, .each = walk_each(walk)};
    struct definitions definitions = {.length = 0};
    const struct kernel *kernel;
    int parts = type_row(type)->kind == KIND_COMPLEX ? 2 : 1;
    copy_loops(walk->kept, walk->kept_count, operand, p.kept);
    copy_loops(walk->reduced, walk->reduced_count, operand, p.reduced);
    p.kept_count = walk->kept_count;
    p.reduced_count = walk->reduced_count;
    p.head = walk->head;
    p.skip = walk->tail - walk->head;
    definitions_add_number(&definitions, "THREADS", THREADS);
    definitions_add_number(&definitions, "PART", type_row(type)->size / parts);
    definitions_add_number(&definitions, "PARTS", parts);
    struct kernel_request request = {"gather.cu", entry, definitions.text, NULL};
    TRY(machine->table->kernel(machine, &request, &kernel));
    int64_t blocks = (p.cells * p.each + THREADS - 1) / THREADS,
            most = machine->limits.processors * BLOCKS_PER_PROCESSOR;
    struct launch launch = {kernel, (uint32_t)(blocks < most ? blocks : most), THREADS, 0, &p, sizeof p};
    return machine->table->launch(machine, &launch);
}

tally_status gather_from_device(struct tally_context *context, const struct walk *walk, enum operand operand,
                                tally_type type, const void *view, void *dense)
{
    struct machine *machine = gpu_device(context)->machine;
    size_t bytes = (size_t)(walk->cells * walk_each(walk)) * (size_t)type_row(type)->size;
    void *room;
    if (bytes == 0) return TALLY_OK;
    TRY(gpu_allocate(context, bytes, &room));
    tally_status status = launch(context, walk, operand, type, "gather", (void *)(uintptr_t)view, room);
    if (status == TALLY_OK) status = machine->table->copy(machine, LANE_MAIN, dense, room, bytes);
    if (status == TALLY_OK) status = machine->table->synchronize(machine, LANE_MAIN);
    gpu_release(context, room, bytes);
    return status;
}

tally_status scatter_to_device(struct tally_context *context, const struct walk *walk, enum operand operand,
                               tally_type type, void *view, const void *dense, void *room)
{
    struct machine *machine = gpu_device(context)->machine;
    size_t bytes = (size_t)(walk->cells * walk_each(walk)) * (size_t)type_row(type)->size;
    void *own = NULL;
    if (bytes == 0) return TALLY_OK;
    if (!room) TRY(gpu_allocate(context, bytes, &own));
    if (!room) room = own;
    tally_status status = machine->table->copy(machine, LANE_MAIN, room, dense, bytes);
    if (status == TALLY_OK) status = launch(context, walk, operand, type, "scatter", view, room);
    if (status == TALLY_OK) status = machine->table->synchronize(machine, LANE_MAIN);
    gpu_release(context, own, bytes);
    return status;
}
