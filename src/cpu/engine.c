/* SPDX-License-Identifier: MIT
 *
 * engine.c - the CPU engine: its device, and the table of its functions. */
#include "../user/operator.h"
#include "append.h"
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static tally_status parse_threads(const char *options, int *threads)
{
    char *end;
    *threads = cpu_default_threads();
    if (!options) return TALLY_OK;
    long wanted = strtol(options, &end, 10);
    if (end == options || *end != '\0' || options[0] < '0' || options[0] > '9' || wanted < 1 ||
        wanted > CPU_MAX_THREADS)
        FAIL(TALLY_INVALID_ARGUMENT, "device 'cpu:%.20s' has no thread count: expected cpu:1 to cpu:%d", options,
             CPU_MAX_THREADS);
    *threads = (int)wanted;
    return TALLY_OK;
}

static tally_status cpu_open(struct tally_context *context, const char *options)
{
    int threads;
    TRY(parse_threads(options, &threads));
    struct cpu_device *device = malloc(sizeof *device);
    if (!device) FAIL(TALLY_OUT_OF_MEMORY, "no memory left for a CPU context");
    device->isa = cpu_isa_choose();
    device->scratch_count = 0;
    pthread_mutex_init(&device->lock, NULL);
    device->pool = cpu_pool_new(threads);
    if (!device->pool) {
        free(device);
        FAIL(TALLY_OUT_OF_MEMORY, "no memory left for %d threads", threads);
    }
    context->device = device;
    return TALLY_OK;
}

static void cpu_close(struct tally_context *context)
{
    struct cpu_device *device = context->device;
    cpu_pool_free(device->pool);
    for (int i = 0; i < device->scratch_count; i++)
        context_release(context, device->scratch[i], sizeof *device->scratch[i]);
    pthread_mutex_destroy(&device->lock);
    free(device);
}

struct append_scratch *cpu_scratch_take(struct tally_context *context)
{
    struct cpu_device *device = context->device;
    struct append_scratch *scratch = NULL;
    if (pthread_mutex_trylock(&device->lock) == 0) {
        if (device->scratch_count > 0) scratch = device->scratch[--device->scratch_count];
        pthread_mutex_unlock(&device->lock);
    }
    if (!scratch) {
        scratch = context_allocate(context, sizeof *scratch);
        if (scratch) append_scratch_open(scratch);
    }
    return scratch;
}

void cpu_scratch_give(struct tally_context *context, struct append_scratch *scratch)
{
    struct cpu_device *device = context->device;
    if (!scratch) return;
    if (pthread_mutex_trylock(&device->lock) == 0) {
        if (device->scratch_count < CPU_MAX_THREADS) {
            device->scratch[device->scratch_count++] = scratch;
            scratch = NULL;
        }
        pthread_mutex_unlock(&device->lock);
    }
    context_release(context, scratch, sizeof *scratch);
}

static void cpu_describe(struct tally_context *context, tally_device *description)
{
    const struct cpu_device *device = context->device;
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    description->threads = cpu_pool_threads(device->pool);
    snprintf(description->name, sizeof description->name, "cpu:%d", (int)description->threads);
    snprintf(description->instruction_set, sizeof description->instruction_set, "%s", device->isa->name);
    snprintf(description->description, sizeof description->description, "processor, %ld online",
             sysconf(_SC_NPROCESSORS_ONLN));
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];
    while (file && fgets(line, sizeof line, file)) {
        char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !value) continue;
        value[strcspn(value, "\n")] = '\0';
        snprintf(description->description, sizeof description->description, "%.150s", value + 2);
        break;
    }
    if (file) fclose(file);
    description->memory_bytes = pages > 0 && page > 0 ? (int64_t)pages * page : 0;
}

static tally_status cpu_user_operator(struct tally_context *context, const struct user_op *op)
{
    (void)context;
    return user_op_compile(op);
}

static void cpu_parallel_for(struct tally_context *context, int64_t count,
                             void (*task)(void *argument, int64_t index, int32_t worker), void *argument)
{
    const struct cpu_device *device = context->device;
    cpu_pool_run(device->pool, count, task, argument);
}

const struct engine cpu_engine = {
    .name = "cpu",
    .description = "every core of this machine",
    .open = cpu_open,
    .close = cpu_close,
    .describe = cpu_describe,
    .reduce = cpu_reduce,
    .scan = cpu_scan,
    .accumulate = cpu_accumulate,
    .user_operator = cpu_user_operator,
    .map = cpu_map,
    .parallel_for = cpu_parallel_for,
};
