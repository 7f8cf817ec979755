/* SPDX-License-Identifier: MIT
 *
 * device.h - the CPU engine's own part of a context. */
#ifndef TALLY_CPU_DEVICE_H
#define TALLY_CPU_DEVICE_H

#include "../engine.h"
#include "isa.h"
#include "threads.h"

#include <pthread.h>

struct append_scratch;

struct cpu_device {
    struct cpu_pool *pool;
    const struct cpu_isa *isa;
    /* Scratch of finished calls, for the next ones: at most one for each thread. */
    pthread_mutex_t lock;
    int scratch_count;
    struct append_scratch *scratch[CPU_MAX_THREADS];
};

/* One worker's scratch, kept or new; NULL with the failure recorded. Thread-safe, and never blocks. */
struct append_scratch *cpu_scratch_take(struct tally_context *context);
void cpu_scratch_give(struct tally_context *context, struct append_scratch *scratch);

tally_status cpu_reduce(struct tally_context *context, const struct reduction *reduction);
tally_status cpu_accumulate(struct tally_context *context, const struct reduction *reduction,
                            const struct calculation *calculations, struct state *const *states, int32_t count);
tally_status cpu_scan(struct tally_context *context, const struct scan *scan);
tally_status cpu_map(struct tally_context *context, const struct map *map);

#endif
