/* SPDX-License-Identifier: MIT
 *
 * transfer.c - the ring of pinned buffers. A copy is cut into pieces of the ring's slots; each thread takes the next
 * piece, waits until the slot is free, and moves it, so that the link never waits for one thread's memcpy. */
#define _GNU_SOURCE
#include "transfer.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOT_BYTES ((size_t)2 << 20)
#define BLOCK_SLOTS 8 /* of one pinned allocation, 16 MiB */
#define BLOCKS 4
#define SLOTS (BLOCKS * BLOCK_SLOTS)
#define MOST_THREADS 8

_Static_assert(TALLY_MARKS + SLOTS <= MARKS, "each slot has a mark");

struct transfer {
    char *block[BLOCKS]; /* allocated when first needed */
};

/* One copy. A slot's mark is set behind the device's part of the last piece that went through it. */
struct job {
    struct machine *machine;
    struct transfer *transfer;
    enum lane lane;
    char *device, *host;
    size_t bytes;
    int64_t pieces, slots;
    _Atomic int64_t next;
    pthread_mutex_t mutex; /* of what follows */
    pthread_cond_t moved;
    int64_t turn[SLOTS]; /* pieces of this job that have left the slot to its mark */
    tally_status status;
    char failure[640];
};

static char *slot_memory(const struct transfer *transfer, int64_t slot)
{
    return transfer->block[slot / BLOCK_SLOTS] + (size_t)(slot % BLOCK_SLOTS) * SLOT_BYTES;
}

/* False when another thread has failed. */
static int await_turn(struct job *job, int64_t slot, int64_t turn)
{
    pthread_mutex_lock(&job->mutex);
    while (job->turn[slot] < turn && job->status == TALLY_OK) pthread_cond_wait(&job->moved, &job->mutex);
    int go_on = job->status == TALLY_OK;
    pthread_mutex_unlock(&job->mutex);
    return go_on;
}

static void end_turn(struct job *job, int64_t slot, tally_status status)
{
    pthread_mutex_lock(&job->mutex);
    job->turn[slot]++;
    if (status != TALLY_OK && job->status == TALLY_OK) {
        job->status = status;
        snprintf(job->failure, sizeof job->failure, "%s", tally_last_error()); /* the thread's own */
    }
    pthread_cond_broadcast(&job->moved);
    pthread_mutex_unlock(&job->mutex);
}

static tally_status move(const struct job *job, int64_t piece, int64_t slot)
{
    const struct machine_table *table = job->machine->table;
    size_t at = (size_t)piece * SLOT_BYTES, left = job->bytes - at, bytes = left < SLOT_BYTES ? left : SLOT_BYTES;
    char *pinned = slot_memory(job->transfer, slot);
    int32_t mark = TALLY_MARKS + (int32_t)slot;
    TRY(table->wait(job->machine, mark));
    if (job->lane == LANE_IN) {
        memcpy(pinned, job->host + at, bytes);
        TRY(table->copy(job->machine, LANE_IN, job->device + at, pinned, bytes));
        return table->mark(job->machine, LANE_IN, mark);
    }
    TRY(table->copy(job->machine, LANE_OUT, pinned, job->device + at, bytes));
    TRY(table->mark(job->machine, LANE_OUT, mark));
    TRY(table->wait(job->machine, mark));
    memcpy(job->host + at, pinned, bytes);
    return TALLY_OK;
}

static void *work(void *argument)
{
    struct job *job = argument;
    int64_t piece;
    while ((piece = atomic_fetch_add(&job->next, 1)) < job->pieces) {
        int64_t slot = piece % job->slots;
        if (!await_turn(job, slot, piece / job->slots)) break;
        end_turn(job, slot, move(job, piece, slot));
    }
    return NULL;
}

static int64_t thread_count(int64_t pieces)
{
    cpu_set_t set;
    int64_t cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    /* Two threads even on one core: one copies while the other waits for the device. */
    int64_t count = cores < 2 ? 2 : cores < MOST_THREADS ? cores : MOST_THREADS;
    return count < (pieces + 1) / 2 ? count : (pieces + 1) / 2;
}

/* The caller is one of the threads; a thread that cannot be made is done without. */
static void work_together(struct job *job)
{
    pthread_t threads[MOST_THREADS];
    int64_t count = thread_count(job->pieces), made = 0;
    while (made + 1 < count && pthread_create(&threads[made], NULL, work, job) == 0) made++;
    work(job);
    for (int64_t i = 0; i < made; i++) pthread_join(threads[i], NULL);
}

/* As many slots as the copy needs, or as there is pinned memory for; 0 when there is none. */
static int64_t ready_slots(struct gpu_device *device, int64_t pieces)
{
    struct machine *machine = device->machine;
    if (!device->transfer) device->transfer = calloc(1, sizeof *device->transfer);
    if (!device->transfer) return 0;
    int64_t slots = 0;
    for (int b = 0; b < BLOCKS && slots < pieces; b++, slots += BLOCK_SLOTS) {
        void *memory;
        if (device->transfer->block[b]) continue;
        if (machine->table->allocate_host(machine, BLOCK_SLOTS * SLOT_BYTES, &memory) != TALLY_OK) break;
        device->transfer->block[b] = memory;
    }
    return slots;
}

static tally_status through_ring(struct tally_context *context, struct job *job)
{
    struct machine *machine = job->machine;
    pthread_mutex_init(&job->mutex, NULL);
    pthread_cond_init(&job->moved, NULL);
    job->transfer = gpu_device(context)->transfer;
    work_together(job);
    pthread_cond_destroy(&job->moved);
    pthread_mutex_destroy(&job->mutex);
    if (job->status == TALLY_OK) return TALLY_OK;
    machine->table->synchronize(machine, job->lane); /* nothing may come late */
    return status_fail(job->status, "%s", job->failure);
}

static void job_open(struct tally_context *context, struct job *job, size_t bytes)
{
    job->machine = gpu_device(context)->machine;
    job->bytes = bytes;
    job->pieces = (int64_t)((bytes + SLOT_BYTES - 1) / SLOT_BYTES);
    job->slots = bytes < TRANSFER_LEAST ? 0 : ready_slots(gpu_device(context), job->pieces);
}

tally_status transfer_in(struct tally_context *context, void *to, const void *from, size_t bytes)
{
    struct job job = {.lane = LANE_IN, .device = to, .host = (char *)(uintptr_t)from};
    job_open(context, &job, bytes);
    const struct machine_table *table = job.machine->table;
    if (job.slots == 0) return table->copy(job.machine, LANE_MAIN, to, from, bytes);
    /* The target may be memory that the main lane has only just been given, or still reads. */
    TRY(table->follow(job.machine, LANE_IN, LANE_MAIN));
    TRY(through_ring(context, &job));
    return table->follow(job.machine, LANE_MAIN, LANE_IN);
}

tally_status transfer_out(struct tally_context *context, void *to, const void *from, size_t bytes)
{
    struct job job = {.lane = LANE_OUT, .device = (char *)(uintptr_t)from, .host = to};
    job_open(context, &job, bytes);
    const struct machine_table *table = job.machine->table;
    if (job.slots == 0) {
        TRY(table->copy(job.machine, LANE_MAIN, to, from, bytes));
        return table->synchronize(job.machine, LANE_MAIN);
    }
    TRY(table->follow(job.machine, LANE_OUT, LANE_MAIN));
    return through_ring(context, &job);
}

void transfer_close(struct tally_context *context)
{
    struct gpu_device *device = gpu_device(context);
    if (!device->transfer) return;
    device->machine->table->synchronize(device->machine, LANE_IN);
    for (int b = 0; b < BLOCKS; b++) {
        if (device->transfer->block[b])
            device->machine->table->release_host(device->machine, device->transfer->block[b], BLOCK_SLOTS * SLOT_BYTES);
    }
    free(device->transfer);
    device->transfer = NULL;
}
