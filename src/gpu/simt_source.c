/* SPDX-License-Identifier: MIT
 *
 * simt_source.c - users' CUDA C as kernels of device simt: compiled from the rewritten text, found by name. */
#include "simt_source.h"
#include "simt_compiler.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct module {
    struct simt_object *object;
    struct simt_function *functions;
};

/* Files of the compiler's folder that are not the user's. */
static tally_status check_name(const char *name)
{
    if (strncmp(name, "simt", 4) == 0 || strcmp(name, "log") == 0 || strcmp(name, "object") == 0)
        FAIL(TALLY_INVALID_ARGUMENT, "device simt: a file cannot be named \"%s\" here", name);
    return TALLY_OK;
}

static tally_status add_file(struct sources *sources, const char *name, const char *before, const char *text)
{
    char *rewritten = simt_rewrite(text), *whole = NULL;
    size_t head = strlen(before), size = head + (rewritten ? strlen(rewritten) : 0);
    if (rewritten) whole = malloc(size + 1);
    if (!whole) {
        free(rewritten);
        FAIL(TALLY_OUT_OF_MEMORY, "no memory left for %s", name);
    }
    memcpy(whole, before, head);
    memcpy(whole + head, rewritten, size - head + 1);
    free(rewritten);
    sources->files[sources->count++] = (struct embedded_file){name, whole, size};
    return TALLY_OK;
}

static tally_status add_files(const struct module_request *request, struct sources *sources)
{
    char before[300];
    snprintf(before, sizeof before, "#include \"simt.h\"\n#line 1 \"%s\"\n", request->name);
    TRY(check_name(request->name));
    for (size_t i = 0; i < request->header_count; i++) TRY(check_name(request->headers[i].name));
    TRY(add_file(sources, request->name, before, request->text));
    for (size_t i = 0; i < request->header_count; i++)
        TRY(add_file(sources, request->headers[i].name, "", request->headers[i].text));
    sources_hash(sources->files, sources->count, sources->hash);
    return TALLY_OK;
}

tally_status simt_source_compile(const struct module_request *request, int counting, struct module **module)
{
    struct sources sources = {.files = calloc(request->header_count + 1, sizeof *sources.files)};
    struct module *made = calloc(1, sizeof *made);
    tally_status status = TALLY_OK;
    if (!made || !sources.files) status = status_fail(TALLY_OUT_OF_MEMORY, "no memory left for %s", request->name);
    if (status == TALLY_OK) status = add_files(request, &sources);
    const struct kernel_request wanted = {request->name, "", request->definitions, NULL};
    if (status == TALLY_OK) status = simt_object_find(&wanted, counting, &sources, &made->object);
    for (size_t i = 0; i < sources.count; i++) free((char *)(uintptr_t)sources.files[i].bytes);
    free(sources.files);
    if (status == TALLY_OK) *module = made;
    else free(made);
    return status;
}

tally_status simt_source_function(struct module *module, const char *name, struct function **function)
{
    char symbol[256];
    *function = NULL;
    if (strlen(name) > 200) return TALLY_OK; /* no name is that long */
    snprintf(symbol, sizeof symbol, "simt_kernel_%.200s", name);
    const struct simt_kernel *code = dlsym(module->object->library, symbol);
    if (!code || !code->argument_bytes) return TALLY_OK;
    struct simt_function *made = calloc(1, sizeof *made);
    if (!made) FAIL(TALLY_OUT_OF_MEMORY, "no memory left for the kernel %.200s", name);
    made->function = (struct function){(int32_t)code->argument_count, code->argument_bytes, 1024};
    made->object = module->object;
    made->code = code;
    snprintf(made->name, sizeof made->name, "%s", name);
    made->next = module->functions;
    module->functions = made;
    *function = &made->function;
    return TALLY_OK;
}

void simt_source_forget(struct module *module)
{
    while (module->functions) {
        struct simt_function *function = module->functions;
        module->functions = function->next;
        free(function);
    }
    free(module);
}
