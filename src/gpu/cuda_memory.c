/* SPDX-License-Identifier: MIT
 *
 * cuda_memory.c - device memory from a pool of our own, pinned host memory, and whose memory a pointer is. */
#include "cuda_machine.h"

#include <inttypes.h>
#include <stdio.h>

/* What the pool keeps when all of it is free: scratch of the next call then costs nothing, and large arrays that the
 * user has freed are there for others. */
static const uint64_t kept_bytes = (uint64_t)256 << 20;

/* A pool of our own, not the device's default one, whose settings are other people's; it goes when the context closes.
 */
tally_status cuda_open_pool(struct cuda_machine *cuda)
{
    struct cu_pool_properties properties = {
        .allocation_type = CU_ALLOCATION_PINNED, .location_type = CU_LOCATION_DEVICE, .location = cuda->index};
    uint64_t keep = kept_bytes;
    int supported = 0;
    TRY(CUDA_CALL(cuda, "asking what the GPU is", cuDeviceGetAttribute, &supported, CU_POOLS, cuda->device));
    if (!supported) return TALLY_OK;
    TRY(CUDA_CALL(cuda, "making a memory pool", cuMemPoolCreate, &cuda->pool, &properties));
    return CUDA_CALL(cuda, "setting up a memory pool", cuMemPoolSetAttribute, cuda->pool, CU_POOL_RELEASE_THRESHOLD,
                     &keep);
}

void cuda_close_pool(struct cuda_machine *cuda)
{
    if (cuda->pool) cuda->driver->cuMemPoolDestroy(cuda->pool);
    cuda->pool = NULL;
}

static cu_result take(struct cuda_machine *cuda, size_t bytes, cu_pointer *memory)
{
    if (!cuda->pool) return cuda->driver->cuMemAlloc(memory, bytes);
    return cuda->driver->cuMemAllocFromPoolAsync(memory, bytes, cuda->pool, cuda->stream[LANE_MAIN]);
}

/* What the driver has free, and what lies unused in our pool. */
static size_t free_bytes(struct cuda_machine *cuda)
{
    size_t unused = 0, total = 0;
    uint64_t reserved = 0, used = 0;
    if (cuda->driver->cuMemGetInfo(&unused, &total) != CU_SUCCESS) return 0;
    if (cuda->pool && cuda->driver->cuMemPoolGetAttribute(cuda->pool, CU_POOL_RESERVED, &reserved) == CU_SUCCESS &&
        cuda->driver->cuMemPoolGetAttribute(cuda->pool, CU_POOL_USED, &used) == CU_SUCCESS && reserved > used)
        unused += (size_t)(reserved - used);
    return unused;
}

static tally_status out_of_memory(struct cuda_machine *cuda, size_t bytes)
{
    size_t left = free_bytes(cuda);
    return status_fail(TALLY_OUT_OF_MEMORY,
                       "cuda:%d has no memory left for %zu bytes (%.1f MiB): %zu bytes (%.1f MiB) of %.1f MiB are free",
                       cuda->index, bytes, (double)bytes / (1 << 20), left, (double)left / (1 << 20),
                       (double)cuda->machine.limits.memory / (1 << 20));
}

/* Memory that was released in stream order comes free when the stream has come that far. */
static cu_result take_after_waiting(struct cuda_machine *cuda, size_t bytes, cu_pointer *memory)
{
    cu_result result = cuda->driver->cuStreamSynchronize(cuda->stream[LANE_MAIN]);
    if (result != CU_SUCCESS) return driver_is_sticky(result) ? result : CU_OUT_OF_MEMORY;
    if (cuda->pool) cuda->driver->cuMemPoolTrimTo(cuda->pool, 0);
    return take(cuda, bytes, memory);
}

tally_status cuda_allocate(struct machine *machine, size_t bytes, void **memory)
{
    struct cuda_machine *cuda = (struct cuda_machine *)machine;
    cu_pointer got = 0;
    if (bytes == 0) bytes = 1;
    TRY(cuda_enter(cuda));
    cu_result result = take(cuda, bytes, &got);
    if (result == CU_OUT_OF_MEMORY) result = take_after_waiting(cuda, bytes, &got);
    tally_status status = result == CU_OUT_OF_MEMORY
                              ? out_of_memory(cuda, bytes)
                              : cuda_check(cuda, result, cuda->pool ? "cuMemAllocFromPoolAsync" : "cuMemAlloc",
                                           "allocating device memory");
    cuda_leave(cuda);
    if (status == TALLY_OK) *memory = (void *)(uintptr_t)got;
    return status;
}

void cuda_release(struct machine *machine, void *memory, size_t bytes)
{
    struct cuda_machine *cuda = (struct cuda_machine *)machine;
    (void)bytes;
    if (!memory || cuda->driver->cuCtxPushCurrent(cuda->context) != CU_SUCCESS) return;
    if (cuda->pool) {
        cuda->driver->cuMemFreeAsync((cu_pointer)(uintptr_t)memory, cuda->stream[LANE_MAIN]);
    } else {
        cuda->driver->cuStreamSynchronize(cuda->stream[LANE_MAIN]);
        cuda->driver->cuMemFree((cu_pointer)(uintptr_t)memory);
    }
    cuda_leave(cuda);
}

size_t cuda_free_memory(struct machine *machine)
{
    struct cuda_machine *cuda = (struct cuda_machine *)machine;
    if (cuda_enter(cuda) != TALLY_OK) return 0;
    size_t bytes = free_bytes(cuda);
    cuda_leave(cuda);
    return bytes;
}

tally_status cuda_allocate_host(struct machine *machine, size_t bytes, void **memory)
{
    struct cuda_machine *cuda = (struct cuda_machine *)machine;
    void *got = NULL;
    TRY(cuda_enter(cuda));
    cu_result result = cuda->driver->cuMemHostAlloc(&got, bytes ? bytes : 1, CU_HOST_PORTABLE);
    tally_status status = cuda_check(cuda, result, "cuMemHostAlloc", "allocating pinned host memory");
    if (result == CU_OUT_OF_MEMORY)
        status = status_fail(TALLY_OUT_OF_MEMORY, "no memory left for %zu bytes (%.1f MiB) of pinned host memory",
                             bytes, (double)bytes / (1 << 20));
    cuda_leave(cuda);
    if (status == TALLY_OK) *memory = got;
    return status;
}

void cuda_release_host(struct machine *machine, void *memory, size_t bytes)
{
    struct cuda_machine *cuda = (struct cuda_machine *)machine;
    (void)bytes;
    if (!memory || cuda->driver->cuCtxPushCurrent(cuda->context) != CU_SUCCESS) return;
    cuda->driver->cuMemFreeHost(memory);
    cuda_leave(cuda);
}

enum place cuda_place(struct machine *machine, const void *memory)
{
    struct cuda_machine *cuda = (struct cuda_machine *)machine;
    int attributes[] = {CU_POINTER_MEMORY_TYPE, CU_POINTER_MANAGED, CU_POINTER_DEVICE};
    unsigned type = 0, managed = 0; /* the driver writes one byte for a truth value, four for the others */
    int index = -1;
    void *values[] = {&type, &managed, &index};
    enum place place = PLACE_HOST;
    if (cuda_enter(cuda) != TALLY_OK) return PLACE_LOST;
    cu_result result = cuda->driver->cuPointerGetAttributes(3, attributes, values, (cu_pointer)(uintptr_t)memory);
    if (result == CU_SUCCESS) {
        if (managed) place = PLACE_DEVICE;
        else if (type == CU_MEMORY_DEVICE) place = index == cuda->index ? PLACE_DEVICE : PLACE_OTHER;
    } else if (result != CU_INVALID_VALUE) { /* which is what the driver says of memory that it does not know */
        cuda_check(cuda, result, "cuPointerGetAttributes",
                   "asking where memory lies (what failed was started earlier)");
        place = PLACE_LOST;
    }
    cuda_leave(cuda);
    return place;
}
