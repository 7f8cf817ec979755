/* SPDX-License-Identifier: MIT
 *
 * gpu_kernels.c - kernels from their text, launches and memory, with reasons when they fail. */
#include "gpu.h"
#include "gpu_rule.h"

#include <stdio.h>
#include <string.h>

#define MOST_HEADERS 8
#define THREADS 256

const char *gpu_file_text(const char *name)
{
    const struct life_file *file = life_files;
    while (file->name != NULL && strcmp(file->name, name) != 0) file++;
    return file->text;
}

bool gpu_compile(tally_context *context, const struct life_problem *problem, const char *file,
                 const char *const *definitions, tally_module **module, struct life_why *why)
{
    char born[32], survives[32], edges[32];
    char next[GPU_RULE_ROOM], rule[GPU_RULE_ROOM + 16];
    const char *all[GPU_MOST_DEFINITIONS + 5] = {born, survives, edges};
    int count = 3;
    tally_header headers[MOST_HEADERS] = {{NULL, NULL}};
    int header_count = 0;
    snprintf(born, sizeof born, "RULE_BORN=%d", problem->rule.born);
    snprintf(survives, sizeof survives, "RULE_SURVIVES=%d", problem->rule.survives);
    snprintf(edges, sizeof edges, "WITH_DEAD_EDGES=%d", problem->edges == LIFE_DEAD);
    if (gpu_rule_find(problem->rule, next)) {
        snprintf(rule, sizeof rule, "RULE_NEXT=%s", next);
        all[count++] = rule;
    }
    for (int i = 0; definitions != NULL && definitions[i] != NULL && i < GPU_MOST_DEFINITIONS; i++)
        all[count++] = definitions[i];
    for (const struct life_file *f = life_files; f->name != NULL && header_count < MOST_HEADERS - 1; f++)
        if (strstr(f->name, ".cuh") != NULL) headers[header_count++] = (tally_header){f->name, f->text};
    tally_module_options options = TALLY_MODULE_OPTIONS_INIT;
    options.name = file;
    options.definitions = all;
    options.headers = headers;
    return tally_module_compile(context, gpu_file_text(file), &options, module) == TALLY_OK ||
           life_fail_call(why, file);
}

bool gpu_find(tally_module *module, const char *name, tally_function **function, struct life_why *why)
{
    return tally_module_function(module, name, function) == TALLY_OK || life_fail_call(why, name);
}

bool gpu_launch(tally_function *function, uint32_t blocks, uint32_t threads, uint32_t shared_bytes,
                const tally_argument *arguments, int32_t count, struct life_why *why)
{
    const tally_grid grid = {{blocks, 1, 1}, {threads, 1, 1}, shared_bytes, 0};
    return tally_launch(function, &grid, arguments, count) == TALLY_OK || life_fail_call(why, "life");
}

bool gpu_launch_for(tally_function *function, int64_t things, const tally_argument *arguments, int32_t count,
                    struct life_why *why)
{
    return gpu_launch(function, (uint32_t)((things + THREADS - 1) / THREADS), THREADS, 0, arguments, count, why);
}

bool gpu_copy(tally_context *context, void *to, const void *from, size_t bytes, struct life_why *why)
{
    return tally_copy(context, to, from, bytes) == TALLY_OK || life_fail_call(why, "life");
}

bool gpu_take(tally_context *context, size_t bytes, void **memory, struct life_why *why)
{
    return tally_alloc(context, bytes, memory) == TALLY_OK || life_fail_call(why, "life");
}
