/* SPDX-License-Identifier: MIT
 *
 * fake_cuda.c - a GPU driver and a CUDA compiler in one shared object, for tests on machines without a GPU. Memory is
 * the host's, work is done at once, kernels do nothing. The environment, read at every call, says what fails:
 *   FAKE_CUDA_FAIL=FUNCTION:NUMBER  this function returns this error; from 700 to 719 all later calls do, too
 *   FAKE_CUDA_VERSION, FAKE_CUDA_DEVICES, FAKE_CUDA_MEMORY (bytes a device has; 1 MiB), FAKE_CUDA_POOLS=0,
 *   FAKE_CUDA_MINOR=N (devices are sm_9N)
 * Everything that is made and not destroyed is counted by fake_cuda_alive. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long pointer;
struct block {
    char *memory;
    size_t bytes;
    int device; /* -1: the host's */
};
struct program {
    char *source;
    int options;
    int compiled;
};

enum { BLOCKS = 1024, THINGS = 1024, DEVICES = 8 };
static struct block blocks[BLOCKS];
static void *things[THINGS];                             /* streams, events, pools, modules */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of blocks, things and used */
static atomic_int alive, sticky, compilations, launches;
static int contexts[DEVICES];
static _Thread_local int depth, current[64];
static size_t used;

int fake_cuda_alive(void)
{
    return alive;
}

int fake_cuda_depth(void)
{
    return depth;
}

int fake_cuda_compilations(void)
{
    return compilations;
}

int fake_cuda_launches(void)
{
    return launches;
}

static long setting(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtol(text, NULL, 10) : otherwise;
}

static int verdict(const char *function)
{
    const char *fail = getenv("FAKE_CUDA_FAIL");
    size_t length = strlen(function);
    if (sticky) return sticky;
    if (!fail || strncmp(fail, function, length) != 0 || fail[length] != ':') return 0;
    int result = atoi(fail + length + 1);
    if (result >= 700 && result < 720) sticky = result;
    return result;
}

#define BEGIN()                         \
    do {                                \
        int result = verdict(__func__); \
        if (result) return result;      \
    } while (0)

/* Most functions exist for their verdict alone. */
#define PLAIN(name, arguments, ...) \
    int name arguments              \
    {                               \
        BEGIN();                    \
        __VA_ARGS__;                \
        return 0;                   \
    }

static void *make(void)
{
    int i = 0;
    void *thing = malloc(16);
    pthread_mutex_lock(&lock);
    while (things[i]) i++;
    things[i] = thing;
    pthread_mutex_unlock(&lock);
    alive++;
    return thing;
}

static void destroy(void *thing)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; thing && i < THINGS; i++) {
        if (things[i] != thing) continue;
        things[i] = NULL;
        free(thing);
        alive--;
        break;
    }
    pthread_mutex_unlock(&lock);
}

int cuGetErrorName(int result, const char **name)
{
    *name = result == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : result == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_FAKE";
    return 0;
}

int cuGetErrorString(int result, const char **text)
{
    *text = result == 700 ? "an illegal memory access was encountered" : "a failure on purpose";
    return 0;
}

PLAIN(cuDriverGetVersion, (int *version), *version = (int)setting("FAKE_CUDA_VERSION", 13000))
PLAIN(cuInit, (unsigned flags), (void)flags)
PLAIN(cuDeviceGetCount, (int *count), *count = (int)setting("FAKE_CUDA_DEVICES", 2))
PLAIN(cuDeviceGet, (int *device, int index), *device = index)
PLAIN(cuDeviceGetName, (char *name, int size, int device), snprintf(name, (size_t)size, "Fake GPU %d", device))
PLAIN(cuDeviceTotalMem_v2, (size_t * bytes, int device), (void)device,
      *bytes = (size_t)setting("FAKE_CUDA_MEMORY", 1 << 20))

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    (void)device;
    BEGIN();
    switch (attribute) {
    case 16: *value = 4; break;
    case 38: *value = 1 << 20; break;
    case 39: *value = 2048; break;
    case 75: *value = 9; break;
    case 76: *value = (int)setting("FAKE_CUDA_MINOR", 0); break;
    case 97: *value = 227 << 10; break;
    case 115: *value = (int)setting("FAKE_CUDA_POOLS", 1); break;
    default: return 1;
    }
    return 0;
}

PLAIN(cuDevicePrimaryCtxRetain, (void **context, int device), *context = &contexts[device], alive++)
PLAIN(cuCtxPushCurrent_v2, (void *context), current[depth++] = (int)((int *)context - contexts))

static int give(const void *memory);

/* A context that has failed takes all that is in it along. */
int cuDevicePrimaryCtxRelease_v2(int device)
{
    (void)device;
    alive--;
    for (int i = 0; sticky && i < THINGS; i++) destroy(things[i]);
    for (int i = 0; sticky && i < BLOCKS; i++) give(blocks[i].memory);
    return 0;
}

int cuCtxPopCurrent_v2(void **context)
{
    *context = &contexts[current[--depth]];
    return 0;
}

/* A stream that the test borrows begins with the number of its device. */
PLAIN(cuStreamCreate, (void **stream, unsigned flags), (void)flags, *stream = make(),
      *(int *)*stream = depth > 0 ? current[depth - 1] : 0)
PLAIN(cuStreamSynchronize, (void *stream), (void)stream)
PLAIN(cuStreamWaitEvent, (void *stream, void *event, unsigned flags), (void)stream, (void)event, (void)flags)
PLAIN(cuStreamGetCtx, (void *stream, void **context), *context = &contexts[*(int *)stream])
PLAIN(cuEventCreate, (void **event, unsigned flags), (void)flags, *event = make())
PLAIN(cuEventRecord, (void *event, void *stream), (void)event, (void)stream)
PLAIN(cuEventSynchronize, (void *event), (void)event)
PLAIN(cuEventElapsedTime, (float *milliseconds, void *from, void *to), (void)from, (void)to, *milliseconds = 1)
PLAIN(cuMemPoolCreate, (void **pool, const void *properties), (void)properties, *pool = make())
PLAIN(cuMemPoolSetAttribute, (void *pool, int attribute, void *value), (void)pool, (void)attribute, (void)value)
PLAIN(cuMemPoolTrimTo, (void *pool, size_t keep), (void)pool, (void)keep)

int cuStreamDestroy_v2(void *stream)
{
    destroy(stream);
    return 0;
}

int cuEventDestroy_v2(void *event)
{
    destroy(event);
    return 0;
}

int cuMemPoolDestroy(void *pool)
{
    destroy(pool);
    return 0;
}

int cuMemPoolGetAttribute(void *pool, int attribute, void *value)
{
    (void)pool, (void)attribute;
    BEGIN();
    memset(value, 0, 8);
    return 0;
}

static int take(size_t bytes, int device, void **memory)
{
    struct block *block = blocks;
    int result = 2;
    pthread_mutex_lock(&lock);
    while (block < blocks + BLOCKS && block->memory) block++;
    if (block < blocks + BLOCKS && (device < 0 || used + bytes <= (size_t)setting("FAKE_CUDA_MEMORY", 1 << 20))) {
        *block = (struct block){malloc(bytes), bytes, device};
        *memory = block->memory;
        if (device >= 0) used += bytes;
        alive++;
        result = 0;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

static int give(const void *memory)
{
    int result = 1;
    pthread_mutex_lock(&lock);
    for (struct block *block = blocks; memory && block < blocks + BLOCKS; block++) {
        if (block->memory != memory) continue;
        if (block->device >= 0) used -= block->bytes;
        free(block->memory);
        memset(block, 0, sizeof *block);
        alive--;
        result = 0;
        break;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

static int take_device(size_t bytes, pointer *memory)
{
    void *got = NULL;
    int result = take(bytes, current[depth - 1], &got);
    *memory = (pointer)(size_t)got;
    return result;
}

int cuMemAllocFromPoolAsync(pointer *memory, size_t bytes, void *pool, void *stream)
{
    (void)pool, (void)stream;
    BEGIN();
    return take_device(bytes, memory);
}

int cuMemAlloc_v2(pointer *memory, size_t bytes)
{
    BEGIN();
    return take_device(bytes, memory);
}

int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    (void)flags;
    BEGIN();
    return take(bytes, -1, memory);
}

int cuMemFreeAsync(pointer memory, void *stream)
{
    (void)stream;
    return give((void *)(size_t)memory);
}

int cuMemFree_v2(pointer memory)
{
    return give((void *)(size_t)memory);
}

int cuMemFreeHost(void *memory)
{
    return give(memory);
}

PLAIN(cuMemGetInfo_v2, (size_t * left, size_t *total), *total = (size_t)setting("FAKE_CUDA_MEMORY", 1 << 20),
      *left = *total - used)
PLAIN(cuMemcpyAsync, (pointer to, pointer from, size_t bytes, void *stream), (void)stream,
      memmove((void *)(size_t)to, (void *)(size_t)from, bytes))
PLAIN(cuMemsetD8Async, (pointer memory, unsigned char value, size_t bytes, void *stream), (void)stream,
      memset((void *)(size_t)memory, value, bytes))

/* Asked for memory type, managed and device, in this order. */
int cuPointerGetAttributes(unsigned count, int *attributes, void **values, pointer memory)
{
    char *at = (char *)(size_t)memory;
    BEGIN();
    if (count != 3 || attributes[0] != 2 || attributes[1] != 8 || attributes[2] != 9) return 1;
    *(unsigned *)values[0] = 0;
    *(char *)values[1] = 0;
    *(int *)values[2] = -2;
    pthread_mutex_lock(&lock);
    for (struct block *block = blocks; block < blocks + BLOCKS; block++) {
        if (!block->memory || at < block->memory || at >= block->memory + block->bytes) continue;
        *(unsigned *)values[0] = block->device < 0 ? 1 : 2;
        *(int *)values[2] = block->device < 0 ? 0 : block->device;
    }
    pthread_mutex_unlock(&lock);
    return 0;
}

int cuModuleLoadData(void **module, const void *image)
{
    BEGIN();
    if (memcmp(image, "CUBIN", 5) != 0) return 200;
    *module = make();
    return 0;
}

int cuModuleUnload(void *module)
{
    destroy(module);
    return 0;
}

/* "twice" has the name that C++ gives it. */
PLAIN(cuModuleGetFunction, (void **function, void *module, const char *name), *function = module;
      if (strcmp(name, "missing") == 0 || strcmp(name, "twice") == 0) return 500)

/* Every kernel takes a pointer and an int. */
int cuFuncGetParamInfo(void *function, size_t index, size_t *offset, size_t *size)
{
    (void)function;
    BEGIN();
    if (index > 1) return 1;
    *offset = 8 * index;
    *size = index == 0 ? 8 : 4;
    return 0;
}

PLAIN(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *blocks, void *function, int threads, size_t shared),
      (void)function, (void)shared, *blocks = 2048 / threads)
PLAIN(cuFuncGetAttribute, (int *value, int attribute, void *function), (void)attribute, (void)function, *value = 1024)

int cuFuncSetAttribute(void *function, int attribute, int value)
{
    (void)function;
    BEGIN();
    return attribute == 8 && value == (227 << 10) - 1024 ? 0 : 1;
}

int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **parameters, void **extra)
{
    (void)function, (void)shared, (void)stream, (void)extra;
    BEGIN();
    if (gx == 0 || gy == 0 || gz == 0 || bx == 0 || by == 0 || bz == 0 || !parameters[0]) return 1;
    launches++;
    return 0;
}

PLAIN(nvrtcVersion, (int *major, int *minor), *major = 13, *minor = 0)
PLAIN(nvrtcGetNumSupportedArchs, (int *count), *count = 3)
PLAIN(nvrtcGetSupportedArchs, (int *list), list[0] = 75, list[1] = 80, list[2] = 90)

const char *nvrtcGetErrorString(int result)
{
    return result == 6 ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR_FAKE";
}

int nvrtcCreateProgram(struct program **program, const char *source, const char *name, int count,
                       const char *const *headers, const char *const *names)
{
    BEGIN();
    for (int i = 0; i < count; i++) {
        if (!headers[i] || !names[i]) return 1;
    }
    if (!name || !(*program = calloc(1, sizeof **program))) return 1;
    (*program)->source = strdup(source);
    alive++;
    return 0;
}

int nvrtcDestroyProgram(struct program **program)
{
    free((*program)->source);
    free(*program);
    alive--;
    return 0;
}

int nvrtcCompileProgram(struct program *program, int count, const char *const *options)
{
    int architecture = 0, contraction = 1;
    BEGIN();
    compilations++;
    for (int i = 0; i < count; i++) {
        if (strcmp(options[i], "--gpu-architecture=sm_90") == 0) architecture = 1;
        if (strcmp(options[i], "--fmad=false") == 0) contraction = 0;
    }
    program->options = count;
    program->compiled = !strstr(program->source, "#error on purpose");
    return !architecture || contraction ? 5 : program->compiled ? 0 : 6;
}

PLAIN(nvrtcGetProgramLogSize, (struct program * program, size_t *size), *size = program->compiled ? 1 : 20)
PLAIN(nvrtcGetProgramLog, (struct program * program, char *log),
      strcpy(log, program->compiled ? "" : "line 1: on purpose"))
PLAIN(nvrtcGetCUBINSize, (struct program * program, size_t *size), *size = strlen(program->source) + 6)
PLAIN(nvrtcGetCUBIN, (struct program * program, char *cubin), sprintf(cubin, "CUBIN%s", program->source))
