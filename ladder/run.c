/* SPDX-License-Identifier: MIT
 *
 * run.c - see run.h. */
#include "run.h"

#include "data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_DEFINITIONS 16
#define MOST_HEADERS 16

static const char *file_text(const char *name)
{
    const struct ladder_file *file = ladder_files;
    while (file->name && strcmp(file->name, name) != 0) file++;
    return file->text;
}

/* The source with the mistake in it, to be freed. */
static tally_status make_mistake(const char *source, const struct ladder_mistake *mistake, char **changed)
{
    const char *at = strstr(source, mistake->right);
    if (!at || strstr(at + 1, mistake->right)) return TALLY_INVALID_ARGUMENT;
    const size_t before = (size_t)(at - source), size = strlen(source) + strlen(mistake->wrong) + 1;
    *changed = malloc(size);
    if (!*changed) return TALLY_OUT_OF_MEMORY;
    snprintf(*changed, size, "%.*s%s%s", (int)before, source, mistake->wrong, at + strlen(mistake->right));
    return TALLY_OK;
}

static int threads_of(const struct ladder_rung *rung)
{
    return rung->threads ? rung->threads : 256;
}

static tally_status compile(struct ladder_kernels *kernels, const struct ladder_problem *problem, const char *source,
                            bool count)
{
    const struct ladder_rung *rung = kernels->rung;
    char type[32], op[32], threads[32];
    const char *definitions[MOST_DEFINITIONS] = {type, op, threads};
    tally_header headers[MOST_HEADERS] = {{NULL, NULL}};
    snprintf(type, sizeof type, "ELEMENT_%s", ladder_type_name(problem->type));
    snprintf(op, sizeof op, "OP_%s", ladder_op_name(problem->op));
    snprintf(threads, sizeof threads, "THREADS=%d", threads_of(rung));
    for (int i = 0; rung->definitions && rung->definitions[i] && i + 4 < MOST_DEFINITIONS; i++) {
        definitions[i + 3] = rung->definitions[i];
    }
    int header_count = 0;
    for (const struct ladder_file *file = ladder_files; file->name && header_count < MOST_HEADERS - 1; file++) {
        if (strstr(file->name, ".cuh")) headers[header_count++] = (tally_header){file->name, file->text};
    }
    tally_module_options options = TALLY_MODULE_OPTIONS_INIT;
    options.flags = count ? TALLY_COUNT : 0;
    options.name = rung->file;
    options.definitions = definitions;
    options.headers = headers;
    tally_status status = tally_module_compile(kernels->context, source, &options, &kernels->module);
    for (int i = 0; status == TALLY_OK && i < LADDER_KERNELS && rung->kernels[i]; i++) {
        status = tally_module_function(kernels->module, rung->kernels[i], &kernels->kernel[i]);
    }
    return status;
}

tally_status ladder_open_rung(tally_context *context, const struct ladder_rung *rung,
                              const struct ladder_problem *problem, const struct ladder_mistake *mistake, bool count,
                              struct ladder_kernels *kernels)
{
    *kernels = (struct ladder_kernels){.context = context, .rung = rung};
    if (ladder_refusal(rung, problem)) return TALLY_UNSUPPORTED;
    if (!rung->file) return TALLY_OK;
    const char *source = file_text(rung->file);
    char *changed = NULL;
    tally_status status = source ? TALLY_OK : TALLY_INVALID_ARGUMENT;
    if (status == TALLY_OK && mistake) status = make_mistake(source, mistake, &changed);
    if (status == TALLY_OK) status = compile(kernels, problem, changed ? changed : source, count);
    free(changed);
    if (status != TALLY_OK) ladder_close_rung(kernels);
    return status;
}

static tally_status grow_scratch(struct ladder_kernels *kernels, size_t bytes)
{
    if (bytes <= kernels->scratch_bytes) return TALLY_OK;
    tally_status status = tally_free(kernels->context, kernels->scratch, kernels->scratch_bytes);
    kernels->scratch = NULL;
    kernels->scratch_bytes = 0;
    if (status == TALLY_OK) status = tally_alloc(kernels->context, bytes, &kernels->scratch);
    if (status == TALLY_OK) kernels->scratch_bytes = bytes;
    return status;
}

static const struct ladder *ladder_of(const struct ladder_rung *rung)
{
    static const struct ladder *const ladders[] = {&ladder_scan, &ladder_rows, &ladder_columns, &ladder_fan_in};
    for (size_t i = 0; i < sizeof ladders / sizeof ladders[0]; i++) {
        for (int r = 0; r < ladders[i]->rung_count; r++) {
            if (&ladders[i]->rungs[r] == rung) return ladders[i];
        }
    }
    return &ladder_reduce;
}

/* Of no elements every result is the identity, and there is nothing to launch. */
static tally_status store_identities(const struct ladder_kernels *kernels, const struct ladder_problem *problem,
                                     void *output)
{
    const enum ladder_shape shape = ladder_of(kernels->rung)->shape;
    const size_t bytes = (size_t)ladder_result_count(problem, shape) * ladder_element_bytes(problem->type);
    if (bytes == 0) return TALLY_OK;
    void *identities = malloc(bytes);
    if (!identities) return TALLY_OUT_OF_MEMORY;
    ladder_answer(problem, shape, NULL, identities);
    const tally_status status = tally_copy(kernels->context, output, identities, bytes);
    free(identities);
    return status;
}

tally_status ladder_run_once(struct ladder_kernels *kernels, const struct ladder_problem *problem, const void *input,
                             void *output)
{
    if (problem->rows == 0 || problem->columns == 0) return store_identities(kernels, problem, output);
    const struct ladder_rung *rung = kernels->rung;
    tally_status status = grow_scratch(kernels, rung->scratch ? rung->scratch(problem) : 0);
    if (status != TALLY_OK) return status;
    struct ladder_run run = {.context = kernels->context,
                             .problem = problem,
                             .input = input,
                             .output = output,
                             .scratch = kernels->scratch,
                             .threads = threads_of(rung)};
    memcpy(run.kernel, kernels->kernel, sizeof run.kernel);
    return rung->run(&run);
}

tally_status ladder_close_rung(struct ladder_kernels *kernels)
{
    const tally_status freed = tally_free(kernels->context, kernels->scratch, kernels->scratch_bytes);
    const tally_status unloaded = tally_module_free(kernels->module);
    *kernels = (struct ladder_kernels){.context = kernels->context, .rung = kernels->rung};
    return freed != TALLY_OK ? freed : unloaded;
}
