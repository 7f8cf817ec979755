/* SPDX-License-Identifier: MIT
 *
 * cuda_machine.c - an NVIDIA GPU behind the table of machine.h: its context, streams, copies and launches. */
#include "cuda_machine.h"

#include "nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tally_status cuda_enter(struct cuda_machine *cuda)
{
    if (atomic_load_explicit(&cuda->failed, memory_order_acquire))
        FAIL(TALLY_DEVICE_ERROR, "cuda:%d failed earlier and takes no more work in this process; the first failure: %s",
             cuda->index, cuda->failure);
    return CUDA_CALL(cuda, "making the GPU's context current", cuCtxPushCurrent, cuda->context);
}

void cuda_leave(struct cuda_machine *cuda)
{
    cu_context popped;
    cuda->driver->cuCtxPopCurrent(&popped);
}

tally_status cuda_check(struct cuda_machine *cuda, cu_result result, const char *function, const char *doing)
{
    if (result == CU_SUCCESS) return TALLY_OK;
    tally_status status = driver_fail(cuda->driver, result, function, doing);
    if (!driver_is_sticky(result)) return status;
    pthread_mutex_lock(&cuda->mutex);
    if (!atomic_load(&cuda->failed)) {
        snprintf(cuda->failure, sizeof cuda->failure, "%s", tally_last_error());
        atomic_store_explicit(&cuda->failed, 1, memory_order_release);
    }
    pthread_mutex_unlock(&cuda->mutex);
    return status;
}

static tally_status parse_index(const char *options, int *index)
{
    char *end;
    *index = 0;
    if (!options) return TALLY_OK;
    long wanted = strtol(options, &end, 10);
    if (*end != '\0' || options[0] < '0' || options[0] > '9' || wanted > 9999)
        FAIL(TALLY_INVALID_ARGUMENT, "device 'cuda:%.20s' has no index: expected cuda:0, cuda:1, ...", options);
    *index = (int)wanted;
    return TALLY_OK;
}

static tally_status read_limits(struct cuda_machine *cuda)
{
    struct device_limits *limits = &cuda->machine.limits;
    int value[5] = {0};
    static const int attribute[5] = {CU_PROCESSORS, CU_MAJOR, CU_MINOR, CU_SHARED_BYTES_OPTIN, CU_L2_BYTES};
    for (int i = 0; i < 5; i++)
        TRY(CUDA_CALL(cuda, "asking what the GPU is", cuDeviceGetAttribute, &value[i], attribute[i], cuda->device));
    TRY(CUDA_CALL(cuda, "asking what the GPU is", cuDeviceTotalMem, &limits->memory, cuda->device));
    limits->processors = value[0];
    limits->architecture = 10 * value[1] + value[2];
    limits->shared_bytes = (size_t)value[3];
    limits->cache_bytes = (size_t)value[4];
    limits->cluster_blocks = device_cluster_blocks(limits->architecture, limits->processors);
    return TALLY_OK;
}

/* A stream of another GPU would run nothing of ours; better to say so at once. */
static tally_status borrow_stream(struct cuda_machine *cuda, void *stream)
{
    cu_context owner = NULL;
    if (stream) TRY(CUDA_CALL(cuda, "looking at the stream that was given", cuStreamGetCtx, stream, &owner));
    if (owner && owner != cuda->context)
        FAIL(TALLY_INVALID_ARGUMENT,
             "stream %p belongs to another GPU or context: expected one of cuda:%d's primary "
             "context",
             stream, cuda->index);
    cuda->stream[LANE_MAIN] = stream;
    cuda->borrowed = 1;
    return TALLY_OK;
}

static tally_status open_lanes(struct cuda_machine *cuda, void *stream, int borrowed)
{
    if (borrowed) TRY(borrow_stream(cuda, stream));
    for (int lane = borrowed ? LANE_MAIN + 1 : LANE_MAIN; lane < LANE_COUNT; lane++)
        TRY(CUDA_CALL(cuda, "making a stream", cuStreamCreate, &cuda->stream[lane], CU_STREAM_NON_BLOCKING));
    for (int lane = 0; lane < LANE_COUNT; lane++)
        TRY(CUDA_CALL(cuda, "making an event", cuEventCreate, &cuda->event[lane], CU_EVENT_NO_TIMING));
    return TALLY_OK;
}

/* Also of a machine that is half open: what is NULL was never made. Failures are of no use to anybody here. */
static void cuda_close(struct machine *machine)
{
    struct cuda_machine *cuda = (struct cuda_machine *)machine;
    const struct driver *driver = cuda->driver;
    cu_context popped;
    if (cuda->context && driver->cuCtxPushCurrent(cuda->context) == CU_SUCCESS) {
        for (int lane = 0; lane < LANE_COUNT; lane++) {
            int ours = lane != LANE_MAIN || !cuda->borrowed;
            if (cuda->stream[lane] || !ours) driver->cuStreamSynchronize(cuda->stream[lane]);
        }
        cuda_close_kernels(cuda);
        cuda_close_pool(cuda);
        cuda_close_marks(cuda);
        for (int lane = 0; lane < LANE_COUNT; lane++) {
            if (cuda->event[lane]) driver->cuEventDestroy(cuda->event[lane]);
            if (cuda->stream[lane] && (lane != LANE_MAIN || !cuda->borrowed))
                driver->cuStreamDestroy(cuda->stream[lane]);
        }
        driver->cuCtxPopCurrent(&popped);
    }
    if (cuda->context) driver->cuDevicePrimaryCtxRelease(cuda->device);
    pthread_mutex_destroy(&cuda->making);
    pthread_mutex_destroy(&cuda->mutex);
    free(cuda);
}

static tally_status open_context(struct cuda_machine *cuda, void *stream, int borrowed)
{
    int architecture = 0;
    TRY(driver_device(cuda->driver, cuda->index, &cuda->device));
    TRY(read_limits(cuda));
    TRY(nvrtc_architecture(cuda->machine.limits.architecture, &architecture));
    TRY(CUDA_CALL(cuda, "opening the GPU's primary context", cuDevicePrimaryCtxRetain, &cuda->context, cuda->device));
    TRY(cuda_enter(cuda));
    tally_status status = open_lanes(cuda, stream, borrowed);
    if (status == TALLY_OK) status = cuda_open_pool(cuda);
    cuda_leave(cuda);
    return status;
}

static tally_status cuda_open(const char *options, void *stream, int borrowed, struct machine **machine)
{
    const struct driver *driver;
    int index;
    TRY(parse_index(options, &index));
    TRY(driver_load(&driver));
    TRY(nvrtc_load()); /* before the context, which is the slow part */
    struct cuda_machine *cuda = calloc(1, sizeof *cuda);
    if (!cuda) FAIL(TALLY_OUT_OF_MEMORY, "no memory left for a GPU context");
    cuda->machine.table = &cuda_machine;
    cuda->driver = driver;
    cuda->index = index;
    pthread_mutex_init(&cuda->mutex, NULL);
    pthread_mutex_init(&cuda->making, NULL);
    tally_status status = open_context(cuda, stream, borrowed);
    if (status != TALLY_OK) {
        cuda_close(&cuda->machine);
        return status;
    }
    *machine = &cuda->machine;
    return TALLY_OK;
}

static void cuda_describe(struct machine *machine, tally_device *device)
{
    struct cuda_machine *cuda = (struct cuda_machine *)machine;
    const struct device_limits *limits = &machine->limits;
    device->threads = limits->processors;
    device->memory_bytes = (int64_t)limits->memory;
    snprintf(device->name, sizeof device->name, "cuda:%d", cuda->index);
    snprintf(device->instruction_set, sizeof device->instruction_set, "sm_%d", (int)limits->architecture);
    cuda->driver->cuDeviceGetName(device->description, sizeof device->description, cuda->device);
}

static tally_status cuda_launch(struct machine *machine, const struct launch *launch)
{
    struct cuda_machine *cuda = (struct cuda_machine *)machine;
    void *parameters[] = {(void *)launch->parameters}; /* the driver copies it */
    char doing[160] = "";
    TRY(cuda_enter(cuda));
    cu_result result = cuda->driver->cuLaunchKernel(launch->kernel->function, launch->blocks, 1, 1, launch->threads, 1,
                                                    1, launch->shared_bytes, cuda->stream[LANE_MAIN], parameters, NULL);
    if (result != CU_SUCCESS)
        snprintf(doing, sizeof doing, "launching %.60s on %u blocks of %u threads, %u bytes of shared memory each",
                 launch->kernel->entry, (unsigned)launch->blocks, (unsigned)launch->threads,
                 (unsigned)launch->shared_bytes);
    tally_status status = cuda_check(cuda, result, "cuLaunchKernel", doing);
    cuda_leave(cuda);
    return status;
}

static tally_status cuda_copy(struct machine *machine, enum lane lane, void *to, const void *from, size_t bytes)
{
    struct cuda_machine *cuda = (struct cuda_machine *)machine;
    if (bytes == 0) return TALLY_OK;
    TRY(cuda_enter(cuda));
    tally_status status = CUDA_CALL(cuda, "copying", cuMemcpyAsync, (cu_pointer)(uintptr_t)to,
                                    (cu_pointer)(uintptr_t)from, bytes, cuda->stream[lane]);
    cuda_leave(cuda);
    return status;
}

static tally_status cuda_clear(struct machine *machine, enum lane lane, void *memory, size_t bytes)
{
    struct cuda_machine *cuda = (struct cuda_machine *)machine;
    if (bytes == 0) return TALLY_OK;
    TRY(cuda_enter(cuda));
    tally_status status = CUDA_CALL(cuda, "clearing memory", cuMemsetD8Async, (cu_pointer)(uintptr_t)memory, 0, bytes,
                                    cuda->stream[lane]);
    cuda_leave(cuda);
    return status;
}

static tally_status cuda_clear_once(struct machine *machine, void *memory, size_t bytes)
{
    return cuda_clear(machine, LANE_MAIN, memory, bytes);
}

/* A wait refers to the event's last recording before it, so one event per lane will do: but nobody may record it again
 * between the two calls. */
static tally_status cuda_follow(struct machine *machine, enum lane after, enum lane before)
{
    struct cuda_machine *cuda = (struct cuda_machine *)machine;
    TRY(cuda_enter(cuda));
    pthread_mutex_lock(&cuda->mutex);
    const char *function = "cuEventRecord";
    cu_result result = cuda->driver->cuEventRecord(cuda->event[before], cuda->stream[before]);
    if (result == CU_SUCCESS) {
        function = "cuStreamWaitEvent";
        result = cuda->driver->cuStreamWaitEvent(cuda->stream[after], cuda->event[before], 0);
    }
    pthread_mutex_unlock(&cuda->mutex);
    tally_status status = cuda_check(cuda, result, function, "ordering two streams");
    cuda_leave(cuda);
    return status;
}

static tally_status cuda_synchronize(struct machine *machine, enum lane lane)
{
    struct cuda_machine *cuda = (struct cuda_machine *)machine;
    TRY(cuda_enter(cuda));
    tally_status status = CUDA_CALL(cuda, "waiting for the GPU (what failed was started earlier)", cuStreamSynchronize,
                                    cuda->stream[lane]);
    cuda_leave(cuda);
    return status;
}

const struct machine_table cuda_machine = {
    .name = "cuda",
    .description = "an NVIDIA GPU",
    .open = cuda_open,
    .close = cuda_close,
    .describe = cuda_describe,
    .allocate = cuda_allocate,
    .release = cuda_release,
    .free_memory = cuda_free_memory,
    .allocate_host = cuda_allocate_host,
    .release_host = cuda_release_host,
    .place = cuda_place,
    .kernel = cuda_kernel,
    .launch = cuda_launch,
    .copy = cuda_copy,
    .clear = cuda_clear,
    .clear_once = cuda_clear_once,
    .follow = cuda_follow,
    .synchronize = cuda_synchronize,
    .mark = cuda_mark,
    .wait = cuda_wait,
    .elapsed = cuda_elapsed,
    .module_compile = cuda_module_compile,
    .module_function = cuda_module_function,
    .module_launch = cuda_module_launch,
    .module_facts = cuda_module_facts,
    .module_forget = cuda_module_forget,
};
