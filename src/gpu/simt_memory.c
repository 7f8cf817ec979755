/* SPDX-License-Identifier: MIT
 *
 * simt_memory.c - device memory is the host's own, but only what was allocated here counts as the device's. As on a GPU
 * all contexts share it: what one has allocated, others may use and release. */
#define _POSIX_C_SOURCE 200809L
#include "simt_state.h"

#include <stdlib.h>
#include <string.h>

#define POISON 0xc3 /* in memory that nobody has written yet */

struct range {
    struct range *next;
    struct simt_machine_state *owner;
    char *memory;
    size_t bytes;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct range *ranges;
static int64_t outstanding;

int64_t simt_outstanding(void)
{
    pthread_mutex_lock(&lock);
    const int64_t count = outstanding;
    pthread_mutex_unlock(&lock);
    return count;
}

size_t simt_memory_left(struct machine *machine)
{
    pthread_mutex_lock(&lock);
    const size_t left = machine->limits.memory - state_of(machine)->used;
    pthread_mutex_unlock(&lock);
    return left;
}

tally_status simt_memory_allocate(struct machine *machine, size_t bytes, void **memory)
{
    struct simt_machine_state *state = state_of(machine);
    struct range *range = malloc(sizeof *range);
    void *block = NULL;
    pthread_mutex_lock(&lock);
    const size_t left = machine->limits.memory - state->used;
    /* Exactly so many bytes: sanitizers see the first one beyond. */
    if (!range || bytes > left || posix_memalign(&block, 256, bytes ? bytes : 1) != 0) {
        pthread_mutex_unlock(&lock);
        free(range);
        FAIL(TALLY_OUT_OF_MEMORY, "device simt: no memory for %zu bytes; %zu are left", bytes, left);
    }
    *range = (struct range){.next = ranges, .owner = state, .memory = block, .bytes = bytes};
    ranges = range;
    state->used += bytes;
    outstanding++;
    pthread_mutex_unlock(&lock);
    memset(block, POISON, bytes);
    *memory = block;
    return TALLY_OK;
}

void simt_memory_release(struct machine *machine, void *memory, size_t bytes)
{
    (void)machine, (void)bytes;
    if (!memory) return;
    pthread_mutex_lock(&lock);
    struct range **link = &ranges, *range;
    while (*link && (*link)->memory != memory) link = &(*link)->next;
    range = *link;
    if (range) {
        *link = range->next;
        range->owner->used -= range->bytes;
        outstanding--;
    }
    pthread_mutex_unlock(&lock);
    if (!range) return;
    free(range->memory);
    free(range);
}

enum place simt_memory_place(struct machine *machine, const void *memory)
{
    enum place found = PLACE_HOST;
    const uintptr_t address = (uintptr_t)memory;
    (void)machine;
    pthread_mutex_lock(&lock);
    for (const struct range *range = ranges; range; range = range->next) {
        const uintptr_t first = (uintptr_t)range->memory;
        /* One past the end, too: an empty array may point there. */
        if (address >= first && address - first <= range->bytes) found = PLACE_DEVICE;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* What leaked stays in the count that simt_outstanding gives. */
void simt_memory_close(struct machine *machine)
{
    pthread_mutex_lock(&lock);
    for (struct range **link = &ranges; *link;) {
        struct range *range = *link;
        if (range->owner != state_of(machine)) {
            link = &range->next;
            continue;
        }
        *link = range->next;
        free(range->memory);
        free(range);
    }
    pthread_mutex_unlock(&lock);
}
