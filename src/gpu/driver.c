/* SPDX-License-Identifier: MIT
 *
 * driver.c - opens libcuda once per process, and says what its failures mean. */
#define _GNU_SOURCE
#include "driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct driver loaded;
static atomic_int ready; /* loaded can be used */
static tally_status outcome;
static char reason[768];

#define HOW_TO_GET                                                                                                   \
    "install NVIDIA's driver 525 or newer (Debian: apt install nvidia-driver, from non-free; in a container: start " \
    "it with --gpus all), or use the device cpu"

/* dlsym gives void *, which ISO C does not convert to a function. */
static int find(void *library, const char *symbol, void *function, size_t size)
{
    void *found = dlsym(library, symbol);
    memcpy(function, &found, size);
    return found != NULL;
}

static void *open_library(void)
{
    const char *named = getenv("TALLY_CUDA_DRIVER");
    const char *const names[] = {"libcuda.so.1", "libcuda.so"};
    char first[256] = "";
    if (named && *named) {
        void *library = dlopen(named, RTLD_NOW | RTLD_LOCAL);
        if (!library)
            snprintf(reason, sizeof reason,
                     "no GPU driver: TALLY_CUDA_DRIVER names %.200s, which does not open (%.250s)", named, dlerror());
        return library;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (library) return library;
        const char *why = dlerror();
        if (i == 0) snprintf(first, sizeof first, "%s", why ? why : "");
    }
    snprintf(reason, sizeof reason, "no GPU driver: %s; " HOW_TO_GET, first);
    return NULL;
}

static int find_functions(void *library)
{
#define DRIVER_FIND(name, symbol, arguments)                                                              \
    if (!find(library, #symbol, &loaded.name, sizeof loaded.name)) {                                      \
        snprintf(reason, sizeof reason, "the GPU driver %s lacks " #symbol "; " HOW_TO_GET, loaded.path); \
        return 0;                                                                                         \
    }
    FOR_EACH_DRIVER_FUNCTION(DRIVER_FIND)
#undef DRIVER_FIND
#define DRIVER_FIND(name, symbol, arguments) find(library, #symbol, &loaded.name, sizeof loaded.name);
    FOR_EACH_LATER_DRIVER_FUNCTION(DRIVER_FIND)
#undef DRIVER_FIND
    return 1;
}

/* The version first: a driver that is too old may lack symbols, and the version says more. */
static int check_version(void *library)
{
    Dl_info info;
    if (!find(library, "cuDriverGetVersion", &loaded.cuDriverGetVersion, sizeof loaded.cuDriverGetVersion)) {
        snprintf(reason, sizeof reason, "the library opened as GPU driver has no cuDriverGetVersion; " HOW_TO_GET);
        return 0;
    }
    if (dladdr(dlsym(library, "cuDriverGetVersion"), &info) && info.dli_fname)
        snprintf(loaded.path, sizeof loaded.path, "%s", info.dli_fname);
    if (loaded.cuDriverGetVersion(&loaded.version) != CU_SUCCESS) loaded.version = 0;
    if (loaded.version >= DRIVER_LEAST_VERSION) return 1;
    snprintf(reason, sizeof reason, "the GPU driver %s speaks CUDA %d.%d, tally needs %d.0 or newer: " HOW_TO_GET,
             loaded.path, loaded.version / 1000, loaded.version % 1000 / 10, DRIVER_LEAST_VERSION / 1000);
    return 0;
}

static int start(void)
{
    const char *name = "", *text = "";
    cu_result result = loaded.cuInit(0);
    if (result == CU_SUCCESS) result = loaded.cuDeviceGetCount(&loaded.devices);
    if (result == CU_NO_DEVICE || (result == CU_SUCCESS && loaded.devices < 1)) {
        snprintf(reason, sizeof reason,
                 "the GPU driver is there (CUDA %d.%d), but no GPU: see nvidia-smi and CUDA_VISIBLE_DEVICES (in a "
                 "container: start it with --gpus all), or use the device cpu",
                 loaded.version / 1000, loaded.version % 1000 / 10);
        return 0;
    }
    if (result == CU_SUCCESS) return 1;
    loaded.cuGetErrorName(result, &name);
    loaded.cuGetErrorString(result, &text);
    snprintf(
        reason, sizeof reason,
        "the GPU driver %s does not start: %s (%d, %s); nvidia-smi may say more, a reboot helps after an update of "
        "the driver",
        loaded.path, name ? name : "", result, text ? text : "");
    return 0;
}

static void load(void)
{
    outcome = TALLY_NO_DEVICE;
    void *library = open_library();
    if (!library) return;
    if (check_version(library) && find_functions(library) && start()) {
        outcome = TALLY_OK;
        atomic_store(&ready, 1);
        return;
    }
    /* Not closed: a driver that was told to start may have threads of its own. */
    if (!loaded.cuInit) dlclose(library);
}

tally_status driver_load(const struct driver **driver)
{
    pthread_once(&once, load);
    if (outcome != TALLY_OK) return status_fail(outcome, "%s", reason);
    *driver = &loaded;
    return TALLY_OK;
}

int driver_holds(const void *memory)
{
    int attributes[] = {CU_POINTER_MEMORY_TYPE, CU_POINTER_MANAGED, CU_POINTER_DEVICE};
    unsigned type = 0, managed = 0; /* the driver writes one byte for a truth value, four for the others */
    int index = -1;
    void *values[] = {&type, &managed, &index};
    if (!atomic_load(&ready)) return 0;
    if (loaded.cuPointerGetAttributes(3, attributes, values, (cu_pointer)(uintptr_t)memory) != CU_SUCCESS) return 0;
    return type == CU_MEMORY_DEVICE && !managed;
}

int driver_version_found(void)
{
    pthread_once(&once, load);
    return loaded.version;
}

tally_status driver_fail(const struct driver *driver, cu_result result, const char *function, const char *doing)
{
    const char *name = NULL, *text = NULL;
    driver->cuGetErrorName(result, &name);
    driver->cuGetErrorString(result, &text);
    return status_fail(result == CU_OUT_OF_MEMORY ? TALLY_OUT_OF_MEMORY : TALLY_DEVICE_ERROR,
                       "%s failed while %s: %s (%d, %s)", function, doing, name ? name : "unknown error", result,
                       text ? text : "no text");
}

int driver_is_sticky(cu_result result)
{
    switch (result) {
    case 4:  /* the driver is shutting down */
    case 46: /* the device is unavailable */
    case 214:
    case 220:
    case 226: /* memory or link errors of the hardware */
    case 700:
    case 702:
    case 709:
    case 710: /* illegal address, time-out, context destroyed, assertion */
    case 714:
    case 715:
    case 716:
    case 717:
    case 718:
    case 719: /* what a kernel may die of */
    case 721:
    case 999: return 1;
    default: return 0;
    }
}

tally_status driver_device(const struct driver *driver, int index, cu_device *device)
{
    if (index < 0 || index >= driver->devices)
        FAIL(TALLY_NO_DEVICE, "device cuda:%d is not there: the driver shows %d GPU%s, cuda:0%s%.0d", index,
             driver->devices, driver->devices == 1 ? "" : "s",
             driver->devices == 1 ? "" : " to cuda:", driver->devices == 1 ? 0 : driver->devices - 1);
    cu_result result = driver->cuDeviceGet(device, index);
    return result == CU_SUCCESS ? TALLY_OK : driver_fail(driver, result, "cuDeviceGet", "opening a GPU");
}
