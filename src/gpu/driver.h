/* SPDX-License-Identifier: MIT
 *
 * driver.h - the part of NVIDIA's driver (libcuda) that tally uses, opened at run time. No CUDA header is needed: the
 * types below are the driver's binary interface, which is fixed for a versioned symbol. */
#ifndef TALLY_GPU_DRIVER_H
#define TALLY_GPU_DRIVER_H

#include "status.h"

typedef int cu_result;
typedef int cu_device;
typedef unsigned long long cu_pointer; /* CUdeviceptr */
typedef struct CUctx_st *cu_context;
typedef struct CUstream_st *cu_stream;
typedef struct CUevent_st *cu_event;
typedef struct CUmod_st *cu_module;
typedef struct CUfunc_st *cu_function;
typedef struct CUmemPoolHandle_st *cu_pool;

/* CUmemPoolProps */
struct cu_pool_properties {
    int allocation_type;
    int handle_types;
    int location_type;
    int location;
    void *security;
    size_t most_bytes;
    unsigned short usage;
    unsigned char reserved[54];
};

enum {
    CU_SUCCESS = 0,
    CU_INVALID_VALUE = 1,
    CU_OUT_OF_MEMORY = 2,
    CU_NO_DEVICE = 100,
    CU_NOT_FOUND = 500,

    CU_PROCESSORS = 16, /* CUdevice_attribute */
    CU_L2_BYTES = 38,
    CU_MAJOR = 75,
    CU_MINOR = 76,
    CU_SHARED_BYTES_OPTIN = 97,
    CU_THREADS_OF_PROCESSOR = 39,
    CU_POOLS = 115,

    CU_POINTER_MEMORY_TYPE = 2, /* CUpointer_attribute */
    CU_POINTER_MANAGED = 8,
    CU_POINTER_DEVICE = 9,
    CU_MEMORY_DEVICE = 2, /* CUmemorytype */

    CU_FUNCTION_MOST_THREADS = 0, /* CUfunction_attribute */
    CU_FUNCTION_STATIC_SHARED = 1,
    CU_FUNCTION_LOCAL = 3,
    CU_FUNCTION_REGISTERS = 4,
    CU_FUNCTION_DYNAMIC_SHARED = 8,
    CU_FUNCTION_LARGE_CLUSTERS = 14,

    CU_POOL_RELEASE_THRESHOLD = 4, /* CUmemPool_attribute, 64-bit values */
    CU_POOL_RESERVED = 5,
    CU_POOL_USED = 7,
    CU_ALLOCATION_PINNED = 1,
    CU_LOCATION_DEVICE = 1,

    CU_STREAM_NON_BLOCKING = 1,
    CU_EVENT_DEFAULT = 0,
    CU_EVENT_NO_TIMING = 2,
    CU_HOST_PORTABLE = 1
};

/* X(name, symbol, arguments): every function, under the version of its binary interface that tally speaks. */
#define FOR_EACH_DRIVER_FUNCTION(X)                                                                                 \
    X(cuDriverGetVersion, cuDriverGetVersion, (int *version))                                                       \
    X(cuInit, cuInit, (unsigned flags))                                                                             \
    X(cuGetErrorName, cuGetErrorName, (cu_result result, const char **name))                                        \
    X(cuGetErrorString, cuGetErrorString, (cu_result result, const char **text))                                    \
    X(cuDeviceGetCount, cuDeviceGetCount, (int *count))                                                             \
    X(cuDeviceGet, cuDeviceGet, (cu_device * device, int index))                                                    \
    X(cuDeviceGetName, cuDeviceGetName, (char *name, int size, cu_device device))                                   \
    X(cuDeviceTotalMem, cuDeviceTotalMem_v2, (size_t * bytes, cu_device device))                                    \
    X(cuDeviceGetAttribute, cuDeviceGetAttribute, (int *value, int attribute, cu_device device))                    \
    X(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (cu_context * context, cu_device device))                 \
    X(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (cu_device device))                                  \
    X(cuCtxPushCurrent, cuCtxPushCurrent_v2, (cu_context context))                                                  \
    X(cuCtxPopCurrent, cuCtxPopCurrent_v2, (cu_context * context))                                                  \
    X(cuStreamCreate, cuStreamCreate, (cu_stream * stream, unsigned flags))                                         \
    X(cuStreamDestroy, cuStreamDestroy_v2, (cu_stream stream))                                                      \
    X(cuStreamSynchronize, cuStreamSynchronize, (cu_stream stream))                                                 \
    X(cuStreamWaitEvent, cuStreamWaitEvent, (cu_stream stream, cu_event event, unsigned flags))                     \
    X(cuStreamGetCtx, cuStreamGetCtx, (cu_stream stream, cu_context * context))                                     \
    X(cuEventCreate, cuEventCreate, (cu_event * event, unsigned flags))                                             \
    X(cuEventDestroy, cuEventDestroy_v2, (cu_event event))                                                          \
    X(cuEventRecord, cuEventRecord, (cu_event event, cu_stream stream))                                             \
    X(cuEventSynchronize, cuEventSynchronize, (cu_event event))                                                     \
    X(cuEventElapsedTime, cuEventElapsedTime, (float *milliseconds, cu_event from, cu_event to))                    \
    X(cuMemPoolCreate, cuMemPoolCreate, (cu_pool * pool, const struct cu_pool_properties *properties))              \
    X(cuMemPoolDestroy, cuMemPoolDestroy, (cu_pool pool))                                                           \
    X(cuMemPoolSetAttribute, cuMemPoolSetAttribute, (cu_pool pool, int attribute, void *value))                     \
    X(cuMemPoolGetAttribute, cuMemPoolGetAttribute, (cu_pool pool, int attribute, void *value))                     \
    X(cuMemPoolTrimTo, cuMemPoolTrimTo, (cu_pool pool, size_t keep))                                                \
    X(cuMemAllocFromPoolAsync, cuMemAllocFromPoolAsync,                                                             \
      (cu_pointer * memory, size_t bytes, cu_pool pool, cu_stream stream))                                          \
    X(cuMemFreeAsync, cuMemFreeAsync, (cu_pointer memory, cu_stream stream))                                        \
    X(cuMemAlloc, cuMemAlloc_v2, (cu_pointer * memory, size_t bytes))                                               \
    X(cuMemFree, cuMemFree_v2, (cu_pointer memory))                                                                 \
    X(cuMemGetInfo, cuMemGetInfo_v2, (size_t * free, size_t * total))                                               \
    X(cuMemHostAlloc, cuMemHostAlloc, (void **memory, size_t bytes, unsigned flags))                                \
    X(cuMemFreeHost, cuMemFreeHost, (void *memory))                                                                 \
    X(cuMemcpyAsync, cuMemcpyAsync, (cu_pointer to, cu_pointer from, size_t bytes, cu_stream stream))               \
    X(cuMemsetD8Async, cuMemsetD8Async, (cu_pointer memory, unsigned char value, size_t bytes, cu_stream stream))   \
    X(cuPointerGetAttributes, cuPointerGetAttributes,                                                               \
      (unsigned count, int *attributes, void **values, cu_pointer memory))                                          \
    X(cuModuleLoadData, cuModuleLoadData, (cu_module * module, const void *image))                                  \
    X(cuModuleUnload, cuModuleUnload, (cu_module module))                                                           \
    X(cuModuleGetFunction, cuModuleGetFunction, (cu_function * function, cu_module module, const char *name))       \
    X(cuFuncGetAttribute, cuFuncGetAttribute, (int *value, int attribute, cu_function function))                    \
    X(cuFuncSetAttribute, cuFuncSetAttribute, (cu_function function, int attribute, int value))                     \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessor, cuOccupancyMaxActiveBlocksPerMultiprocessor,                     \
      (int *blocks, cu_function function, int threads, size_t shared_bytes))                                        \
    X(cuLaunchKernel, cuLaunchKernel,                                                                               \
      (cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, \
       unsigned block_z, unsigned shared_bytes, cu_stream stream, void **parameters, void **extra))

/* The same for what older drivers lack; NULL then. */
#define FOR_EACH_LATER_DRIVER_FUNCTION(X) \
    X(cuFuncGetParamInfo, cuFuncGetParamInfo, (cu_function function, size_t index, size_t * offset, size_t * size))

struct driver {
#define DRIVER_MEMBER(name, symbol, arguments) cu_result(*name) arguments;
    FOR_EACH_DRIVER_FUNCTION(DRIVER_MEMBER)
    FOR_EACH_LATER_DRIVER_FUNCTION(DRIVER_MEMBER)
#undef DRIVER_MEMBER
    int version;    /* 12040: it speaks CUDA 12.4 */
    int devices;    /* at least 1 */
    char path[256]; /* of the library */
};

/* The oldest driver that will do. */
#define DRIVER_LEAST_VERSION 12000

/* Opens the driver at the first call, once per process, and initialises it. TALLY_NO_DEVICE says what is missing and
 * how to get it; it stays so until the process ends. TALLY_CUDA_DRIVER names another library. Thread-safe. */
tally_status driver_load(const struct driver **driver);

/* Whether memory is a GPU's alone; 0 while no driver was loaded. */
int driver_holds(const void *memory);

/* What is known about the driver even when driver_load failed: its version, or 0. */
int driver_version_found(void);

/* Records a failed call: TALLY_OUT_OF_MEMORY or TALLY_DEVICE_ERROR. doing: "launching a kernel". */
tally_status driver_fail(const struct driver *driver, cu_result result, const char *function, const char *doing);

/* Whether the driver's context is lost after this result: every later call in it fails as well. */
int driver_is_sticky(cu_result result);

/* The device of an index; its own text when there is none. */
tally_status driver_device(const struct driver *driver, int index, cu_device *device);

#endif
