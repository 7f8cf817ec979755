/* SPDX-License-Identifier: MIT
 *
 * engines.c - the list of engines. */
#include "engines.h"

#include <string.h>

/* The last takes every problem. */
const struct life_engine *const life_engines[] = {
    &life_gpu,
    &life_cpu,
    &life_naive,
    NULL,
};

const struct life_engine *life_engine_named(const char *name)
{
    for (int i = 0; life_engines[i] != NULL; i++)
        if (strcmp(life_engines[i]->name, name) == 0) return life_engines[i];
    return NULL;
}

const struct life_engine *life_engine_for(tally_context *context, const struct life_problem *problem)
{
    int i = 0;
    while (life_engines[i + 1] != NULL && life_engines[i]->refuses(context, problem) != NULL) i++;
    return life_engines[i];
}
