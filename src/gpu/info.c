/* SPDX-License-Identifier: MIT
 *
 * info.c - what there is of CUDA on this machine, or what is missing; opens no context. */
#include "driver.h"
#include "nvrtc.h"

#include <stdio.h>
#include <string.h>

/* The thread's last failure is no concern of a question that succeeds. */
static void take_problem(char *problem, size_t size, const char *before)
{
    snprintf(problem, size, "%s", tally_last_error());
    status_fail(TALLY_OK, "%s", before);
}

tally_status tally_cuda_info(tally_cuda *cuda)
{
    const struct driver *driver;
    char before[1024];
    if (!cuda) FAIL(TALLY_INVALID_ARGUMENT, "cuda is NULL");
    if (cuda->size != sizeof(tally_cuda))
        FAIL(TALLY_INVALID_ARGUMENT, "cuda.size is %u: expected %zu", (unsigned)cuda->size, sizeof(tally_cuda));
    snprintf(before, sizeof before, "%s", tally_last_error());
    memset(cuda, 0, sizeof *cuda);
    cuda->size = sizeof *cuda;
    if (driver_load(&driver) == TALLY_OK) {
        cuda->devices = driver->devices;
        snprintf(cuda->driver_path, sizeof cuda->driver_path, "%s", driver->path);
    } else {
        take_problem(cuda->driver_problem, sizeof cuda->driver_problem, before);
    }
    cuda->driver_version = driver_version_found();
    if (nvrtc_load() == TALLY_OK) {
        cuda->compiler_version = nvrtc_version();
        snprintf(cuda->compiler_path, sizeof cuda->compiler_path, "%s", nvrtc_path());
    } else {
        take_problem(cuda->compiler_problem, sizeof cuda->compiler_problem, before);
    }
    return TALLY_OK;
}

tally_status tally_cuda_device(int32_t index, tally_device *device)
{
    const struct driver *driver;
    cu_device handle;
    int processors = 0, major = 0, minor = 0;
    size_t memory = 0;
    if (!device) FAIL(TALLY_INVALID_ARGUMENT, "device is NULL");
    if (device->size != sizeof(tally_device))
        FAIL(TALLY_INVALID_ARGUMENT, "device.size is %u: expected %zu", (unsigned)device->size, sizeof(tally_device));
    TRY(driver_load(&driver));
    TRY(driver_device(driver, index, &handle));
    tally_device found = {.size = sizeof found};
    cu_result result = driver->cuDeviceGetName(found.description, sizeof found.description, handle);
    if (result == CU_SUCCESS) result = driver->cuDeviceGetAttribute(&processors, CU_PROCESSORS, handle);
    if (result == CU_SUCCESS) result = driver->cuDeviceGetAttribute(&major, CU_MAJOR, handle);
    if (result == CU_SUCCESS) result = driver->cuDeviceGetAttribute(&minor, CU_MINOR, handle);
    if (result == CU_SUCCESS) result = driver->cuDeviceTotalMem(&memory, handle);
    if (result != CU_SUCCESS) return driver_fail(driver, result, "cuDeviceGetAttribute", "asking what the GPU is");
    found.threads = processors;
    found.memory_bytes = (int64_t)memory;
    snprintf(found.name, sizeof found.name, "cuda:%d", (int)index);
    snprintf(found.instruction_set, sizeof found.instruction_set, "sm_%d%d", major, minor);
    *device = found;
    return TALLY_OK;
}
