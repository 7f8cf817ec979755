/* SPDX-License-Identifier: MIT
 *
 * map.c - element-wise maps of users: one launch; host arrays through copies on the device, in halves where they do not
 * fit it. */
#include "dense.h"
#include "pieces.h"
#include "staging.h"
#include "user.h"
#include "whole.h"

#include "kernels/parameters/map_parameters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 256
#define BLOCKS_PER_PROCESSOR 16

static void fill_parameters(const struct map *map, int64_t first, struct map_parameters *p)
{
    memset(p, 0, sizeof *p);
    p->out = map->out;
    p->count = map->count;
    p->elements = map->elements;
    p->first = first;
    for (int32_t c = 0; c < map->user->input_count; c++) p->inputs[c] = map->inputs[c];
    for (int32_t d = 0; d < map->count; d++) {
        p->loops[d].extent = map->loops[d].extent;
        p->loops[d].out = map->loops[d].stride[OPERAND_OUT];
        for (int32_t c = 0; c < map->user->input_count; c++)
            p->loops[d].input[c] = map->loops[d].stride[map_operands[c]];
    }
}

static void define(const struct map *map, struct definitions *definitions)
{
    user_definitions_of_inputs(map->user, definitions);
    definitions_add(definitions, "USER_RESULT", tally_type_name(map->result));
    definitions_add_number(definitions, "USER_RESULT_BYTES", type_row(map->result)->size);
    definitions_add_number(definitions, "USER_LOOPS", map->count > 1 ? 2 : 1);
    definitions_add_number(definitions, "USER_THREADS", THREADS);
}

tally_status user_map_prepare(struct machine *machine, const struct user_op *op)
{
    struct map map = {
        .user = op, .result = op->result ? op->result : (tally_type)user_kernels(op)->result(), .count = 1};
    struct definitions definitions;
    const struct kernel *kernel;
    define(&map, &definitions);
    return user_kernel(machine, op, "user_map.cu", "user_map", &definitions, &kernel);
}

/* Everything lies on the device. */
static tally_status launch_map(struct machine *machine, const struct map *map, int64_t first)
{
    struct map_parameters parameters;
    struct definitions definitions;
    const struct kernel *kernel;
    define(map, &definitions);
    TRY(user_kernel(machine, map->user, "user_map.cu", "user_map", &definitions, &kernel));
    fill_parameters(map, first, &parameters);
    int64_t blocks =
        least(divide_up(map->elements, THREADS), (int64_t)machine->limits.processors * BLOCKS_PER_PROCESSOR);
    struct launch launch = {kernel, (uint32_t)blocks, THREADS, 0, &parameters, sizeof parameters};
    return machine->table->launch(machine, &launch);
}

/* The results, as dense.h takes them. */
static struct reduction results_of(const struct map *map)
{
    struct reduction results = {.out = map->out, .kept_count = map->count, .cells = map->elements};
    results.calculation.result = map->result;
    memcpy(results.kept, map->loops, sizeof map->loops);
    return results;
}

static tally_status download(struct tally_context *context, const struct map *map, const void *far)
{
    struct reduction results = results_of(map);
    size_t bytes = dense_bytes(&results);
    if (dense_is(&results)) return staging_download(context, map->out, far, bytes);
    char *dense = malloc(bytes);
    if (!dense) FAIL(TALLY_OUT_OF_MEMORY, "no memory left for %zu bytes of results", bytes);
    tally_status status = staging_download(context, dense, far, bytes);
    if (status == TALLY_OK) dense_scatter(&results, dense);
    free(dense);
    return status;
}

/* The results of `map` through device memory of their own. */
static tally_status map_to_host(struct tally_context *context, const struct map *map, struct map far, int64_t first)
{
    struct reduction results = results_of(&far);
    size_t bytes = dense_bytes(&results);
    TRY(gpu_allocate(context, bytes, &far.out));
    dense_make(&results, far.out);
    memcpy(far.loops, results.kept, sizeof far.loops);
    tally_status status = launch_map(gpu_device(context)->machine, &far, first);
    if (status == TALLY_OK) status = download(context, map, far.out);
    gpu_release(context, far.out, bytes);
    return status;
}

static tally_status map_piece(struct tally_context *context, const struct map *map, int64_t first)
{
    struct gpu_device *device = gpu_device(context);
    struct map far = *map;
    struct staging staging;
    pthread_mutex_lock(&device->mutex);
    tally_status status = staging_upload_map(context, &far, &staging);
    if (status == TALLY_OK)
        status = staging.host_output ? map_to_host(context, map, far, first) : launch_map(device->machine, &far, first);
    tally_status done = staging_end(context, &staging);
    pthread_mutex_unlock(&device->mutex);
    return status == TALLY_OK ? done : status;
}

/* One half of the outermost loop that has halves. */
static struct map half_of(const struct map *map, int32_t loop, int64_t begin, int64_t end)
{
    struct map half = *map;
    half.elements = map->elements / map->loops[loop].extent * (end - begin);
    half.loops[loop].extent = end - begin;
    half.out = (char *)map->out + begin * map->loops[loop].stride[OPERAND_OUT] * type_row(map->result)->size;
    for (int32_t c = 0; c < map->user->input_count; c++)
        half.inputs[c] = (const char *)map->inputs[c] +
                         begin * map->loops[loop].stride[map_operands[c]] * type_row(map->user->inputs[c])->size;
    return half;
}

static tally_status map_from(struct tally_context *context, const struct map *map, int64_t first)
{
    size_t limit, bytes = staging_map_bytes(context, map);
    int32_t loop = 0;
    if (map->elements < 2 || !pieces_over_limit(context, bytes, &limit)) {
        tally_status status = map_piece(context, map, first);
        if (status != TALLY_OUT_OF_MEMORY || bytes == 0 || map->elements < 2) return status;
    }
    while (map->loops[loop].extent < 2) loop++;
    int64_t middle = map->loops[loop].extent / 2;
    struct map left = half_of(map, loop, 0, middle), right = half_of(map, loop, middle, map->loops[loop].extent);
    TRY(map_from(context, &left, first));
    return map_from(context, &right, first + left.elements);
}

tally_status gpu_map(struct tally_context *context, const struct map *map)
{
    return map_from(context, map, 0);
}
