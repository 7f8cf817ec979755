/* SPDX-License-Identifier: MIT
 *
 * map.c - element-wise maps: threads take pieces of the output in C order; what is not contiguous goes through
 * buffers. */
#include "../user/operator.h"
#include "device.h"
#include "leaf.h"

#include <string.h>

#define PIECE 4096
#define TASK_PIECES 16
#define PARALLEL_LEAST 65536 /* elements worth waking a thread for */

struct map_buffer {
    _Alignas(64) unsigned char inputs[USER_INPUTS_MOST][PIECE * 16], out[PIECE * 16];
};

static int is_contiguous(const struct map *map, enum operand operand)
{
    return map->count == 0 || (map->count == 1 && map->loops[0].stride[operand] == 1);
}

static void scatter(const struct map *map, const unsigned char *from, size_t size, int64_t first, int64_t n)
{
    const struct loop *run = &map->loops[map->count - 1];
    for (int64_t i = first; i < first + n; i++, from += size) {
        int64_t rest = i / run->extent, offset = i % run->extent * run->stride[OPERAND_OUT];
        for (int32_t d = map->count - 2; d >= 0; d--) {
            offset += rest % map->loops[d].extent * map->loops[d].stride[OPERAND_OUT];
            rest /= map->loops[d].extent;
        }
        memcpy((char *)map->out + offset * (int64_t)size, from, size);
    }
}

static void map_piece(const struct map *map, int64_t first, int64_t n)
{
    const struct user_op *op = map->user;
    struct map_buffer buffer;
    struct user_run run = {.n = n, .index = first};
    size_t out_size = (size_t)type_row(map->result)->size;
    for (int32_t c = 0; c < op->input_count; c++) {
        size_t size = (size_t)type_row(op->inputs[c])->size;
        run.inputs[c] = (const char *)map->inputs[c] + first * (int64_t)size;
        if (is_contiguous(map, map_operands[c])) continue;
        leaf_gather(map->loops, map->count, map_operands[c], map->inputs[c], size, first, n, buffer.inputs[c]);
        run.inputs[c] = buffer.inputs[c];
    }
    if (is_contiguous(map, OPERAND_OUT)) {
        user_kernels(op)->map(op, &run, (char *)map->out + first * (int64_t)out_size);
        return;
    }
    user_kernels(op)->map(op, &run, buffer.out);
    scatter(map, buffer.out, out_size, first, n);
}

static void map_task(void *argument, int64_t index, int worker)
{
    const struct map *map = argument;
    int64_t first = index * TASK_PIECES * PIECE, end = first + TASK_PIECES * PIECE;
    (void)worker;
    if (end > map->elements) end = map->elements;
    for (; first < end; first += PIECE) map_piece(map, first, end - first < PIECE ? end - first : PIECE);
}

tally_status cpu_map(struct tally_context *context, const struct map *map)
{
    const struct cpu_device *device = context->device;
    struct cpu_float_environment saved;
    struct map shared = *map;
    int64_t tasks = (map->elements + TASK_PIECES * PIECE - 1) / (TASK_PIECES * PIECE);
    cpu_float_enter(&saved);
    if (map->elements >= PARALLEL_LEAST) cpu_pool_run(device->pool, tasks, map_task, &shared);
    else map_task(&shared, 0, 0);
    cpu_float_leave(&saved);
    return TALLY_OK;
}
