/* SPDX-License-Identifier: MIT
 *
 * ahead_machine.c - collects the kernels that plans ask for. */
#define _GNU_SOURCE
#include "ahead_machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MIB ((size_t)1 << 20)
#define RESERVED ((size_t)1 << 36)

/* One GPU of each architecture. Constants that kernels are compiled with depend on the shared memory of a block, which
 * all GPUs of an architecture have, and on the blocks of a cluster (ahead.c); the number of processors otherwise only
 * moves the sizes from which one kernel takes over from another. */
static const struct device_limits known[] = {
    {.processors = 40, .architecture = 75, .memory = 16384 * MIB, .shared_bytes = 65536, .cache_bytes = 4 * MIB},
    {.processors = 108, .architecture = 80, .memory = 81920 * MIB, .shared_bytes = 166912, .cache_bytes = 40 * MIB},
    {.processors = 84, .architecture = 86, .memory = 49152 * MIB, .shared_bytes = 101376, .cache_bytes = 6 * MIB},
    {.processors = 128, .architecture = 89, .memory = 24576 * MIB, .shared_bytes = 101376, .cache_bytes = 72 * MIB},
    {.processors = 132, .architecture = 90, .memory = 81920 * MIB, .shared_bytes = 232448, .cache_bytes = 50 * MIB},
    {.processors = 148, .architecture = 100, .memory = 184320 * MIB, .shared_bytes = 232448, .cache_bytes = 126 * MIB},
    {.processors = 170, .architecture = 120, .memory = 32768 * MIB, .shared_bytes = 101376, .cache_bytes = 96 * MIB},
};

static tally_status find_limits(const char *name, struct device_limits *limits)
{
    char text[16], list[128] = "";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        snprintf(text, sizeof text, "sm_%d", (int)known[i].architecture);
        if (name && strcmp(name, text) == 0) {
            *limits = known[i];
            limits->cluster_blocks = device_cluster_blocks(limits->architecture, limits->processors);
            return TALLY_OK;
        }
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", text);
    }
    FAIL(TALLY_INVALID_ARGUMENT, "architecture is '%.20s': expected one of %s", name ? name : "", list);
}

/* Addresses that nothing else in the process has. */
static tally_status reserve(struct ahead_machine *ahead)
{
    void *memory = mmap(NULL, RESERVED, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        FAIL(TALLY_OUT_OF_MEMORY, "cannot reserve %zu MiB of addresses, of which nothing is used: %s", RESERVED / MIB,
             strerror(errno));
    ahead->memory = memory;
    return TALLY_OK;
}

static tally_status ahead_open(const char *options, void *stream, int borrowed, struct machine **machine)
{
    struct device_limits limits;
    (void)stream, (void)borrowed;
    TRY(find_limits(options, &limits));
    struct ahead_machine *ahead = calloc(1, sizeof *ahead);
    if (!ahead) FAIL(TALLY_OUT_OF_MEMORY, "no memory left for a list of kernels");
    ahead->machine = (struct machine){.table = &ahead_machine, .limits = limits};
    tally_status status = reserve(ahead);
    if (status != TALLY_OK) {
        free(ahead);
        return status;
    }
    *machine = &ahead->machine;
    return TALLY_OK;
}

static void free_kernel(struct kernel *kernel)
{
    if (!kernel) return;
    free(kernel->file);
    free(kernel->entry);
    free(kernel->definitions);
    free(kernel);
}

static void ahead_close(struct machine *machine)
{
    struct ahead_machine *ahead = (struct ahead_machine *)machine;
    for (int64_t i = 0; i < ahead->count; i++) free_kernel(ahead->kernels[i]);
    free(ahead->kernels);
    munmap(ahead->memory, RESERVED);
    free(ahead);
}

/* What is released is not given again: there are addresses enough for one list of kernels. */
static tally_status ahead_allocate(struct machine *machine, size_t bytes, void **memory)
{
    struct ahead_machine *ahead = (struct ahead_machine *)machine;
    size_t room = (bytes + 511) / 512 * 512;
    if (room > RESERVED - ahead->used) FAIL(TALLY_OUT_OF_MEMORY, "no addresses left for %zu bytes", bytes);
    *memory = ahead->memory + ahead->used;
    ahead->used += room;
    return TALLY_OK;
}

static tally_status ahead_allocate_host(struct machine *machine, size_t bytes, void **memory)
{
    (void)machine;
    *memory = malloc(bytes);
    if (!*memory) FAIL(TALLY_OUT_OF_MEMORY, "no memory left for %zu bytes", bytes);
    return TALLY_OK;
}

static void ahead_release(struct machine *machine, void *memory, size_t bytes)
{
    (void)machine, (void)memory, (void)bytes;
}

static void ahead_release_host(struct machine *machine, void *memory, size_t bytes)
{
    (void)machine, (void)bytes;
    free(memory);
}

static size_t ahead_free_memory(struct machine *machine)
{
    return machine->limits.memory;
}

static enum place ahead_place(struct machine *machine, const void *memory)
{
    const struct ahead_machine *ahead = (const struct ahead_machine *)machine;
    uintptr_t at = (uintptr_t)memory - (uintptr_t)ahead->memory;
    return at < RESERVED ? PLACE_DEVICE : PLACE_HOST;
}

/* Whatever a launch would have made is zero. */
static tally_status ahead_copy(struct machine *machine, enum lane lane, void *to, const void *from, size_t bytes)
{
    (void)lane, (void)from;
    if (ahead_place(machine, to) == PLACE_HOST) memset(to, 0, bytes);
    return TALLY_OK;
}

static tally_status ahead_launch(struct machine *machine, const struct launch *launch)
{
    (void)machine, (void)launch;
    return TALLY_OK;
}

static struct kernel *new_kernel(const struct kernel_request *request)
{
    struct kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel) return NULL;
    kernel->file = strdup(request->file);
    kernel->entry = strdup(request->entry);
    kernel->definitions = strdup(request->definitions);
    if (kernel->file && kernel->entry && kernel->definitions) return kernel;
    free_kernel(kernel);
    return NULL;
}

static tally_status add(struct ahead_machine *ahead, const struct kernel_request *request)
{
    if (ahead->count == ahead->room) {
        int64_t room = ahead->room ? 2 * ahead->room : 64;
        struct kernel **larger = realloc(ahead->kernels, (size_t)room * sizeof *larger);
        if (!larger) FAIL(TALLY_OUT_OF_MEMORY, "no memory left for a list of %lld kernels", (long long)room);
        ahead->kernels = larger;
        ahead->room = room;
    }
    struct kernel *kernel = new_kernel(request);
    if (!kernel) FAIL(TALLY_OUT_OF_MEMORY, "no memory left for the kernel %s", request->entry);
    ahead->kernels[ahead->count++] = kernel;
    return TALLY_OK;
}

static tally_status ahead_kernel(struct machine *machine, const struct kernel_request *request,
                                 const struct kernel **kernel)
{
    struct ahead_machine *ahead = (struct ahead_machine *)machine;
    for (int64_t i = ahead->count; i-- > 0;) {
        *kernel = ahead->kernels[i];
        if (strcmp((*kernel)->definitions, request->definitions) == 0 &&
            strcmp((*kernel)->entry, request->entry) == 0 && strcmp((*kernel)->file, request->file) == 0)
            return TALLY_OK;
    }
    TRY(add(ahead, request));
    *kernel = ahead->kernels[ahead->count - 1];
    return TALLY_OK;
}

static tally_status ahead_clear(struct machine *machine, enum lane lane, void *memory, size_t bytes)
{
    (void)machine, (void)lane, (void)memory, (void)bytes;
    return TALLY_OK;
}

static tally_status ahead_clear_once(struct machine *machine, void *memory, size_t bytes)
{
    return ahead_clear(machine, LANE_MAIN, memory, bytes);
}

static tally_status ahead_follow(struct machine *machine, enum lane after, enum lane before)
{
    (void)machine, (void)after, (void)before;
    return TALLY_OK;
}

static tally_status ahead_synchronize(struct machine *machine, enum lane lane)
{
    (void)machine, (void)lane;
    return TALLY_OK;
}

static tally_status ahead_mark(struct machine *machine, enum lane lane, int32_t slot)
{
    (void)machine, (void)lane, (void)slot;
    return TALLY_OK;
}

static tally_status ahead_wait(struct machine *machine, int32_t slot)
{
    (void)machine, (void)slot;
    return TALLY_OK;
}

const struct machine_table ahead_machine = {
    .name = "ahead",
    .description = "collects kernels to compile",
    .open = ahead_open,
    .close = ahead_close,
    .allocate = ahead_allocate,
    .release = ahead_release,
    .free_memory = ahead_free_memory,
    .allocate_host = ahead_allocate_host,
    .release_host = ahead_release_host,
    .place = ahead_place,
    .kernel = ahead_kernel,
    .launch = ahead_launch,
    .copy = ahead_copy,
    .clear = ahead_clear,
    .clear_once = ahead_clear_once,
    .follow = ahead_follow,
    .synchronize = ahead_synchronize,
    .mark = ahead_mark,
    .wait = ahead_wait,
};
