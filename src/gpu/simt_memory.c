/* SPDX-License-Identifier: MIT
 *
 * simt_memory.c - device memory is the host's own, but only what was allocated here counts as the device's. As on a GPU
 * all contexts share it: what one has allocated, others may use and release. With TALLY_SIMT_APART=1 it is out of
 * reach, as a GPU's is, but for kernels and copies: whoever else reads or writes it is killed. */
#define _DEFAULT_SOURCE
#include "simt_state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define POISON 0xc3 /* in memory that nobody has written yet */

struct range {
    struct range *next;
    struct simt_machine_state *owner;
    char *memory;
    size_t bytes;
    int apart;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct range *ranges;
static int64_t outstanding, reaching; /* kernels and copies under way */

/* Memory apart is whole pages; else exactly so many bytes: sanitizers see the first one beyond. */
static int is_apart(void)
{
    const char *apart = getenv("TALLY_SIMT_APART");
    return apart && strcmp(apart, "1") == 0;
}

static void *take(size_t bytes)
{
    void *block = NULL;
    if (!is_apart()) return posix_memalign(&block, 256, bytes) == 0 ? block : NULL;
    block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return block != MAP_FAILED ? block : NULL;
}

static void give_back(struct range *range)
{
    if (range->apart) munmap(range->memory, range->bytes + !range->bytes);
    else free(range->memory);
    free(range);
}

/* In or out of the host's reach. */
static void set_reach(const struct range *range, int reach)
{
    if (range->apart) mprotect(range->memory, range->bytes + !range->bytes, reach ? PROT_READ | PROT_WRITE : PROT_NONE);
}

void simt_memory_reach(void)
{
    pthread_mutex_lock(&lock);
    for (const struct range *range = ranges; range && reaching == 0; range = range->next) set_reach(range, 1);
    reaching++;
    pthread_mutex_unlock(&lock);
}

void simt_memory_leave(void)
{
    pthread_mutex_lock(&lock);
    reaching--;
    for (const struct range *range = ranges; range && reaching == 0; range = range->next) set_reach(range, 0);
    pthread_mutex_unlock(&lock);
}

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
    pthread_mutex_lock(&lock);
    const size_t left = machine->limits.memory - state->used;
    void *block = range && bytes <= left ? take(bytes + !bytes) : NULL;
    if (!block) {
        pthread_mutex_unlock(&lock);
        free(range);
        FAIL(TALLY_OUT_OF_MEMORY, "device simt: no memory for %zu bytes; %zu are left", bytes, left);
    }
    *range = (struct range){.next = ranges, .owner = state, .memory = block, .bytes = bytes, .apart = is_apart()};
    memset(block, POISON, bytes);
    set_reach(range, reaching > 0);
    ranges = range;
    state->used += bytes;
    outstanding++;
    pthread_mutex_unlock(&lock);
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
    if (range) give_back(range);
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
        give_back(range);
    }
    pthread_mutex_unlock(&lock);
}
