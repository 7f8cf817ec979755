/* SPDX-License-Identifier: MIT
 *
 * context.c - devices by name, and memory through the context's allocator. */
#include "engine.h"
#include "user/operator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct engine *const engines[] = {
    &cpu_engine,
    &cuda_engine,
#if HAVE_SIMT
    &simt_engine,
#endif
    &reference_engine,
};

/* "auto" takes the first that opens. */
static const struct engine *const preferred[] = {&cuda_engine, &cpu_engine};

static void *default_allocate(void *user, size_t bytes)
{
    (void)user;
    if (bytes > SIZE_MAX - 63) return NULL;
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void default_release(void *user, void *memory, size_t bytes)
{
    (void)user;
    (void)bytes;
    free(memory);
}

static const tally_allocator default_allocator = {sizeof(tally_allocator), 0, NULL, default_allocate, default_release};

/* Who gives the host's memory: a user's allocator gives the device's where that has memory of its own. */
static const tally_allocator *host_allocator(const struct tally_context *context)
{
    return context->engine->allocate ? &default_allocator : &context->allocator;
}

void *context_allocate(struct tally_context *context, size_t bytes)
{
    const tally_allocator *allocator = host_allocator(context);
    void *memory = allocator->allocate(allocator->user, bytes ? bytes : 1);
    if (!memory) status_fail(TALLY_OUT_OF_MEMORY, "no memory left for %zu bytes of working space", bytes);
    return memory;
}

void context_release(struct tally_context *context, void *memory, size_t bytes)
{
    const tally_allocator *allocator = host_allocator(context);
    if (memory) allocator->release(allocator->user, memory, bytes ? bytes : 1);
}

tally_status context_check_operator(struct tally_context *context, const struct user_op *op)
{
    if (!op) return TALLY_OK;
    if (!context->engine->user_operator)
        FAIL(TALLY_UNSUPPORTED,
             "operator %s: device %s takes no operators of users: expected cpu, cuda, simt or reference", op->name,
             context->engine->name);
    return context->engine->user_operator(context, op);
}

tally_status context_check_memory(const struct tally_context *context, const char *name, const void *memory)
{
    if (context->engine->allocate || !memory) return TALLY_OK;
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++) {
        if (!engines[i]->holds || !engines[i]->holds(memory)) continue;
        FAIL(
            TALLY_INVALID_ARGUMENT,
            "%s lies at %p, in the memory of a GPU: expected host memory on the device %s (copy it with tally_copy, or "
            "open %s)",
            name, memory, context->engine->name, engines[i]->name);
    }
    return TALLY_OK;
}

static tally_status find_engine(const char *device, const struct engine **engine, const char **options)
{
    size_t length = strcspn(device, ":");
    *options = device[length] ? device + length + 1 : NULL;
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++) {
        *engine = engines[i];
        if (strlen((*engine)->name) == length && strncmp((*engine)->name, device, length) == 0) return TALLY_OK;
    }
#if !HAVE_SIMT
    if (strcmp(device, "simt") == 0)
        FAIL(TALLY_NO_DEVICE, "device 'simt' is not in this build: it was configured without TALLY_SIMT");
#endif
    FAIL(TALLY_INVALID_ARGUMENT, "device '%.40s' is unknown: use auto, cpu, cpu:N, cuda, cuda:N, simt or reference",
         device);
}

tally_status context_open(const struct engine *engine, const char *options, void *stream, int borrowed,
                          tally_context **context)
{
    struct tally_context *opened = calloc(1, sizeof *opened);
    if (!opened) FAIL(TALLY_OUT_OF_MEMORY, "no memory left for a context");
    opened->engine = engine;
    opened->allocator = default_allocator;
    opened->stream = stream;
    opened->stream_borrowed = borrowed;
    tally_status status = engine->open(opened, options);
    if (status != TALLY_OK) {
        free(opened);
        return status;
    }
    *context = opened;
    return TALLY_OK;
}

/* A device that is not there is no failure here, so the thread's last failure stays what it was. */
static tally_status open_best(tally_context **context)
{
    char before[1024];
    tally_status status = TALLY_OK;
    snprintf(before, sizeof before, "%s", tally_last_error());
    for (size_t i = 0; i < sizeof preferred / sizeof preferred[0]; i++) {
        status = context_open(preferred[i], NULL, NULL, 0, context);
        if (status == TALLY_OK) {
            status_fail(TALLY_OK, "%s", before);
            return TALLY_OK;
        }
    }
    return status;
}

tally_status tally_open(const char *device, tally_context **context)
{
    const struct engine *engine;
    const char *options;
    if (!device || !context) FAIL(TALLY_INVALID_ARGUMENT, "%s is NULL", device ? "context" : "device");
    if (strcmp(device, "auto") == 0) return open_best(context);
    TRY(find_engine(device, &engine, &options));
    return context_open(engine, options, NULL, 0, context);
}

tally_status tally_open_on_stream(const char *device, void *stream, tally_context **context)
{
    const struct engine *engine;
    const char *options;
    if (!device || !context) FAIL(TALLY_INVALID_ARGUMENT, "%s is NULL", device ? "context" : "device");
    TRY(find_engine(device, &engine, &options));
    if (!engine->synchronize)
        FAIL(TALLY_INVALID_ARGUMENT, "device '%.40s' has no streams: expected cuda or cuda:N", device);
    return context_open(engine, options, stream, 1, context);
}

tally_status tally_close(tally_context *context)
{
    if (!context) return TALLY_OK;
    context->engine->close(context);
    free(context);
    return TALLY_OK;
}

tally_status tally_synchronize(tally_context *context)
{
    if (!context) FAIL(TALLY_INVALID_ARGUMENT, "context is NULL");
    return context->engine->synchronize ? context->engine->synchronize(context) : TALLY_OK;
}

tally_status tally_device_info(tally_context *context, tally_device *device)
{
    if (!context || !device) FAIL(TALLY_INVALID_ARGUMENT, "%s is NULL", context ? "device" : "context");
    if (device->size != sizeof(tally_device))
        FAIL(TALLY_INVALID_ARGUMENT, "device.size is %u: expected %zu", (unsigned)device->size, sizeof(tally_device));
    memset(device, 0, sizeof *device);
    device->size = sizeof *device;
    context->engine->describe(context, device);
    return TALLY_OK;
}

tally_status tally_set_allocator(tally_context *context, const tally_allocator *allocator)
{
    if (!context) FAIL(TALLY_INVALID_ARGUMENT, "context is NULL");
    if (!allocator) {
        context->allocator = default_allocator;
        context->allocator_given = 0;
        return TALLY_OK;
    }
    if (allocator->size != sizeof(tally_allocator))
        FAIL(TALLY_INVALID_ARGUMENT, "allocator.size is %u: expected %zu", (unsigned)allocator->size,
             sizeof(tally_allocator));
    if (!allocator->allocate || !allocator->release)
        FAIL(TALLY_INVALID_ARGUMENT, "allocator.%s is NULL", allocator->allocate ? "release" : "allocate");
    context->allocator = *allocator;
    context->allocator_given = 1;
    return TALLY_OK;
}

tally_status tally_alloc(tally_context *context, size_t bytes, void **memory)
{
    if (!context || !memory) FAIL(TALLY_INVALID_ARGUMENT, "%s is NULL", context ? "memory" : "context");
    if (context->engine->allocate) return context->engine->allocate(context, bytes, memory);
    void *allocated = context_allocate(context, bytes);
    if (!allocated) return TALLY_OUT_OF_MEMORY;
    *memory = allocated;
    return TALLY_OK;
}

tally_status tally_free(tally_context *context, void *memory, size_t bytes)
{
    if (!context) FAIL(TALLY_INVALID_ARGUMENT, "context is NULL");
    if (!context->engine->release) {
        context_release(context, memory, bytes);
    } else if (memory) {
        context->engine->release(context, memory, bytes);
    }
    return TALLY_OK;
}

tally_status tally_copy(tally_context *context, void *destination, const void *source, size_t bytes)
{
    if (!context) FAIL(TALLY_INVALID_ARGUMENT, "context is NULL");
    if (bytes > 0 && (!destination || !source))
        FAIL(TALLY_INVALID_ARGUMENT, "%s is NULL: expected %zu bytes", destination ? "source" : "destination", bytes);
    if (bytes == 0) return TALLY_OK;
    if (context->engine->copy) return context->engine->copy(context, destination, source, bytes);
    memcpy(destination, source, bytes);
    return TALLY_OK;
}

const char *tally_version(void)
{
#define TEXT(x) TEXT_OF(x)
#define TEXT_OF(x) #x
    return TEXT(TALLY_VERSION_MAJOR) "." TEXT(TALLY_VERSION_MINOR) "." TEXT(TALLY_VERSION_PATCH);
}
