/* SPDX-License-Identifier: MIT
 *
 * module.c - users' kernels on the context's machine. */
#include "gpu.h"

static struct machine *machine_of(struct tally_context *context)
{
    return gpu_device(context)->machine;
}

tally_status gpu_module_compile(struct tally_context *context, const struct module_request *request,
                                struct module **module)
{
    struct machine *machine = machine_of(context);
    return machine->table->module_compile(machine, request, module);
}

tally_status gpu_module_function(struct tally_context *context, struct module *module, const char *name,
                                 struct function **function)
{
    struct machine *machine = machine_of(context);
    return machine->table->module_function(machine, module, name, function);
}

tally_status gpu_module_launch(struct tally_context *context, const struct module_launch *launch)
{
    struct gpu_device *device = gpu_device(context);
    pthread_mutex_lock(&device->mutex);
    tally_status status = device->machine->table->module_launch(device->machine, launch);
    pthread_mutex_unlock(&device->mutex);
    return status;
}

tally_status gpu_module_facts(struct tally_context *context, const struct function *function, const tally_grid *grid,
                              tally_function_facts *facts)
{
    struct machine *machine = machine_of(context);
    return machine->table->module_facts(machine, function, grid, facts);
}

tally_status gpu_module_counts(struct tally_context *context, tally_counts *counts)
{
    struct machine *machine = machine_of(context);
    return machine->table->module_counts(machine, counts);
}

void gpu_module_forget(struct tally_context *context, struct module *module)
{
    struct machine *machine = machine_of(context);
    machine->table->module_forget(machine, module);
}

tally_status gpu_reaches(struct tally_context *context, const void *memory, int *reaches)
{
    struct machine *machine = machine_of(context);
    enum place place = machine->table->place(machine, memory);
    *reaches = place == PLACE_DEVICE;
    return place == PLACE_LOST ? TALLY_DEVICE_ERROR : TALLY_OK;
}
