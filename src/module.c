/* SPDX-License-Identifier: MIT
 *
 * module.c - users' kernels: everything is checked here, the engine compiles and launches. */
#include "engine.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct tally_function {
    tally_module *module;
    struct function *function;
    tally_function *next;
    char name[]; /* as it was asked for */
};

struct tally_module {
    tally_context *context;
    struct module *module;
    pthread_mutex_t mutex; /* of functions */
    tally_function *functions;
    char name[]; /* of the source */
};

#define MOST_ARGUMENTS 256
#define MOST_ARGUMENT_BYTES 4096

enum { PASS_VALUE, PASS_MEMORY, PASS_BYTES };

/* ---- compiling ---- */

static tally_status check_name(const char *argument, const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-.";
    size_t length = strlen(name);
    if (length == 0 || length > 200 || strspn(name, letters) != length || *name == '.' || *name == '-')
        FAIL(TALLY_INVALID_ARGUMENT,
             "%s is \"%.220s\": expected the name of a file without a folder, of letters, digits and _ + - . alone",
             argument, name);
    return TALLY_OK;
}

/* All definitions as lines; to be freed. */
static tally_status join_definitions(const char *const *definitions, char **text)
{
    size_t length = 1;
    for (const char *const *d = definitions; d && *d; d++) {
        if (**d == '\0' || **d == '=' || **d == '-' || strchr(*d, '\n'))
            FAIL(TALLY_INVALID_ARGUMENT, "options.definitions has \"%.200s\": expected \"NAME\" or \"NAME=VALUE\"", *d);
        length += strlen(*d) + 1;
    }
    char *end = *text = malloc(length);
    if (!end) FAIL(TALLY_OUT_OF_MEMORY, "no memory left for the definitions of a module");
    for (const char *const *d = definitions; d && *d; d++) {
        size_t bytes = strlen(*d);
        memcpy(end, *d, bytes);
        end += bytes;
        *end++ = '\n';
    }
    *end = '\0';
    return TALLY_OK;
}

static tally_status read_options(const tally_module_options *options, struct module_request *request)
{
    static const tally_module_options defaults = TALLY_MODULE_OPTIONS_INIT;
    if (!options) options = &defaults;
    if (options->size != sizeof *options)
        FAIL(TALLY_INVALID_ARGUMENT, "options.size is %u: expected sizeof(tally_module_options), %zu",
             (unsigned)options->size, sizeof *options);
    if (options->flags & ~TALLY_COUNT)
        FAIL(TALLY_INVALID_ARGUMENT, "options.flags is 0x%x: only TALLY_COUNT is known", (unsigned)options->flags);
    request->name = options->name ? options->name : "module.cu";
    request->counting = (options->flags & TALLY_COUNT) != 0;
    TRY(check_name("options.name", request->name));
    request->headers = options->headers;
    for (const tally_header *h = options->headers; h && h->name; h++) {
        TRY(check_name("options.headers", h->name));
        if (!h->text) FAIL(TALLY_INVALID_ARGUMENT, "options.headers has \"%s\" without a text", h->name);
        if (strcmp(h->name, request->name) == 0)
            FAIL(TALLY_INVALID_ARGUMENT, "options.headers has \"%s\", which is the name of the source", h->name);
        request->header_count++;
    }
    return join_definitions(options->definitions, (char **)(uintptr_t)&request->definitions);
}

tally_status tally_module_compile(tally_context *context, const char *source, const tally_module_options *options,
                                  tally_module **module)
{
    struct module_request request = {.text = source};
    if (!context || !source || !module)
        FAIL(TALLY_INVALID_ARGUMENT, "%s is NULL", !context ? "context" : !source ? "source" : "module");
    if (!context->engine->module_compile)
        FAIL(TALLY_UNSUPPORTED, "the device %s runs no kernels: open \"cuda\", or \"simt\" where there is no GPU",
             context->engine->name);
    TRY(read_options(options, &request));
    tally_module *made = calloc(1, sizeof *made + strlen(request.name) + 1);
    tally_status status = TALLY_OK;
    if (!made) status = status_fail(TALLY_OUT_OF_MEMORY, "no memory left for a module");
    if (status == TALLY_OK) status = context->engine->module_compile(context, &request, &made->module);
    if (status == TALLY_OK) {
        made->context = context;
        strcpy(made->name, request.name);
        pthread_mutex_init(&made->mutex, NULL);
        *module = made;
    } else {
        free(made);
    }
    free((char *)(uintptr_t)request.definitions);
    return status;
}

static tally_status add_function(tally_module *module, const char *name, tally_function **function)
{
    struct function *found = NULL;
    TRY(module->context->engine->module_function(module->context, module->module, name, &found));
    if (!found)
        FAIL(TALLY_INVALID_ARGUMENT, "%s has no kernel \"%.200s\": expected the name of a __global__ function",
             module->name, name);
    tally_function *made = malloc(sizeof *made + strlen(name) + 1);
    if (!made) FAIL(TALLY_OUT_OF_MEMORY, "no memory left for the kernel %.200s", name);
    made->module = module;
    made->function = found;
    made->next = module->functions;
    strcpy(made->name, name);
    module->functions = *function = made;
    return TALLY_OK;
}

tally_status tally_module_function(tally_module *module, const char *name, tally_function **function)
{
    if (!module || !name || !function)
        FAIL(TALLY_INVALID_ARGUMENT, "%s is NULL", !module ? "module" : !name ? "name" : "function");
    tally_status status = TALLY_OK;
    pthread_mutex_lock(&module->mutex);
    tally_function *known = module->functions;
    while (known && strcmp(known->name, name) != 0) known = known->next;
    if (known) *function = known;
    else status = add_function(module, name, function);
    pthread_mutex_unlock(&module->mutex);
    return status;
}

tally_status tally_module_free(tally_module *module)
{
    if (!module) return TALLY_OK;
    while (module->functions) {
        tally_function *function = module->functions;
        module->functions = function->next;
        free(function);
    }
    module->context->engine->module_forget(module->context, module->module);
    pthread_mutex_destroy(&module->mutex);
    free(module);
    return TALLY_OK;
}

/* ---- launching ---- */

static tally_status check_grid(const tally_function *function, const tally_grid *grid)
{
    static const uint32_t most_blocks[] = {INT32_MAX, 65535, 65535}, most_threads[] = {1024, 1024, 64};
    static const char axis[] = "xyz";
    uint64_t threads = 1;
    for (int d = 0; d < 3; d++) {
        if (grid->blocks[d] < 1 || grid->blocks[d] > most_blocks[d])
            FAIL(TALLY_INVALID_ARGUMENT, "grid.blocks[%d] (%c) is %u: expected 1 to %u", d, axis[d],
                 (unsigned)grid->blocks[d], (unsigned)most_blocks[d]);
        if (grid->threads[d] < 1 || grid->threads[d] > most_threads[d])
            FAIL(TALLY_INVALID_ARGUMENT, "grid.threads[%d] (%c) is %u: expected 1 to %u", d, axis[d],
                 (unsigned)grid->threads[d], (unsigned)most_threads[d]);
        threads *= grid->threads[d];
    }
    if (threads > function->function->most_threads)
        FAIL(TALLY_INVALID_ARGUMENT, "grid.threads is %u x %u x %u: a block of %s has at most %u threads",
             (unsigned)grid->threads[0], (unsigned)grid->threads[1], (unsigned)grid->threads[2], function->name,
             (unsigned)function->function->most_threads);
    if (grid->flags) FAIL(TALLY_INVALID_ARGUMENT, "grid.flags is 0x%x: expected 0", (unsigned)grid->flags);
    return TALLY_OK;
}

static tally_status check_argument(const tally_function *function, const tally_argument *argument, int32_t i)
{
    const struct function *kernel = function->function;
    tally_context *context = function->module->context;
    if (argument->kind > PASS_BYTES || argument->size == 0 || argument->size > MOST_ARGUMENT_BYTES ||
        (argument->kind != PASS_BYTES && argument->size > sizeof argument->value))
        FAIL(TALLY_INVALID_ARGUMENT, "arguments[%d] has kind %u and %u bytes: make it with a tally_pass_ function",
             (int)i, (unsigned)argument->kind, (unsigned)argument->size);
    if (argument->kind == PASS_BYTES && !argument->value.bytes)
        FAIL(TALLY_INVALID_ARGUMENT, "arguments[%d] has NULL in place of its %u bytes", (int)i,
             (unsigned)argument->size);
    if (kernel->parameters >= 0 && argument->size != kernel->parameter_bytes[i])
        FAIL(TALLY_INVALID_ARGUMENT, "arguments[%d] has %u bytes: parameter %d of %s has %u", (int)i,
             (unsigned)argument->size, (int)i, function->name, (unsigned)kernel->parameter_bytes[i]);
    int reaches = 1;
    if (argument->kind == PASS_MEMORY && argument->value.memory)
        TRY(context->engine->reaches(context, argument->value.memory, &reaches));
    if (!reaches)
        FAIL(TALLY_INVALID_ARGUMENT, "arguments[%d] is %p: expected memory of the context's device (tally_alloc)",
             (int)i, argument->value.memory);
    return TALLY_OK;
}

tally_status tally_launch(tally_function *function, const tally_grid *grid, const tally_argument *arguments,
                          int32_t argument_count)
{
    void *values[MOST_ARGUMENTS];
    uint32_t bytes[MOST_ARGUMENTS];
    if (!function || !grid || (!arguments && argument_count != 0))
        FAIL(TALLY_INVALID_ARGUMENT, "%s is NULL", !function ? "function" : !grid ? "grid" : "arguments");
    const struct function *kernel = function->function;
    if (argument_count < 0 || argument_count > MOST_ARGUMENTS ||
        (kernel->parameters >= 0 && argument_count != kernel->parameters))
        FAIL(TALLY_INVALID_ARGUMENT, "argument_count is %d: %s takes %d", (int)argument_count, function->name,
             (int)(kernel->parameters >= 0 ? kernel->parameters : MOST_ARGUMENTS));
    TRY(check_grid(function, grid));
    for (int32_t i = 0; i < argument_count; i++) {
        const tally_argument *argument = &arguments[i];
        TRY(check_argument(function, argument, i));
        values[i] = (void *)(uintptr_t)(argument->kind == PASS_BYTES ? argument->value.bytes : &argument->value);
        bytes[i] = argument->size;
    }
    struct module_launch launch = {kernel, *grid, values, bytes, argument_count};
    return function->module->context->engine->module_launch(function->module->context, &launch);
}

tally_status tally_function_info(tally_function *function, const tally_grid *grid, tally_function_facts *facts)
{
    if (!function || !grid || !facts)
        FAIL(TALLY_INVALID_ARGUMENT, "%s is NULL", !function ? "function" : !grid ? "grid" : "facts");
    if (facts->size != sizeof *facts)
        FAIL(TALLY_INVALID_ARGUMENT, "facts.size is %u: expected sizeof(tally_function_facts), %zu",
             (unsigned)facts->size, sizeof *facts);
    tally_grid whole = *grid;
    for (int d = 0; d < 3; d++) whole.blocks[d] = 1;
    TRY(check_grid(function, &whole));
    tally_function_facts found = {.size = sizeof found, .most_threads = (int32_t)function->function->most_threads};
    tally_context *context = function->module->context;
    TRY(context->engine->module_facts(context, function->function, grid, &found));
    *facts = found;
    return TALLY_OK;
}

tally_status tally_launch_counts(tally_context *context, tally_counts *counts)
{
    if (!context || !counts) FAIL(TALLY_INVALID_ARGUMENT, "%s is NULL", context ? "counts" : "context");
    if (counts->size != sizeof *counts)
        FAIL(TALLY_INVALID_ARGUMENT, "counts.size is %u: expected sizeof(tally_counts), %zu", (unsigned)counts->size,
             sizeof *counts);
    if (!context->engine->module_counts)
        FAIL(TALLY_UNSUPPORTED, "the device %s does not count: open \"simt\"", context->engine->name);
    return context->engine->module_counts(context, counts);
}

/* ---- arguments ---- */

tally_argument tally_pass_memory(const void *memory)
{
    return (tally_argument){PASS_MEMORY, sizeof memory, {.memory = memory}};
}

#define PASS(name, type)                                                    \
    tally_argument tally_pass_##name(type value)                            \
    {                                                                       \
        return (tally_argument){PASS_VALUE, sizeof value, {.name = value}}; \
    }
PASS(i32, int32_t)
PASS(u32, uint32_t)
PASS(i64, int64_t)
PASS(u64, uint64_t)
PASS(f32, float)
PASS(f64, double)

tally_argument tally_pass_bytes(const void *bytes, size_t size)
{
    uint32_t kept = size <= MOST_ARGUMENT_BYTES ? (uint32_t)size : 0; /* tally_launch refuses 0 */
    return (tally_argument){PASS_BYTES, kept, {.bytes = bytes}};
}
