/* SPDX-License-Identifier: MIT
 *
 * simt_state.h - what the files of the simulated machine share. */
#ifndef TALLY_GPU_SIMT_STATE_H
#define TALLY_GPU_SIMT_STATE_H

#include "simt_machine.h"

#include <time.h>

struct simt_machine_state {
    struct machine machine; /* first: the contract's */
    struct simt_runner *runner;
    pthread_mutex_t lock;
    size_t used; /* of its memory; simt_memory.c's lock guards it */
    uint64_t seed, launches;
    int counting;
    struct simt_counts counts;
    struct timespec mark[MARKS];
    tally_counts total; /* of users' launches, since they were last asked for */
};

static inline struct simt_machine_state *state_of(struct machine *machine)
{
    return (struct simt_machine_state *)(void *)machine;
}

/* simt_memory.c: as machine.h has them, and what a machine leaves behind is freed. */
tally_status simt_memory_allocate(struct machine *machine, size_t bytes, void **memory);
void simt_memory_release(struct machine *machine, void *memory, size_t bytes);
size_t simt_memory_left(struct machine *machine);
enum place simt_memory_place(struct machine *machine, const void *memory);
void simt_memory_close(struct machine *machine);
/* Around what kernels and copies do: memory apart is in reach between the two. */
void simt_memory_reach(void);
void simt_memory_leave(void);

/* simt_user.c: as machine.h has them. */
tally_status simt_module_compile(struct machine *machine, const struct module_request *request, struct module **module);
tally_status simt_module_function(struct machine *machine, struct module *module, const char *name,
                                  struct function **function);
tally_status simt_module_launch(struct machine *machine, const struct module_launch *launch);
tally_status simt_module_facts(struct machine *machine, const struct function *function, const tally_grid *grid,
                               tally_function_facts *facts);
tally_status simt_module_counts(struct machine *machine, tally_counts *counts);
void simt_module_forget(struct machine *machine, struct module *module);

#endif
