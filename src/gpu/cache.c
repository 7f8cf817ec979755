/* SPDX-License-Identifier: MIT
 *
 * cache.c - the public view of the compiled kernels that are kept on disk. */
#include "gpu.h"
#include "kernel_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tally_status give_folder(const char *path, const char *what, char *folder, size_t *size)
{
    size_t needed = strlen(path) + 1;
    if (folder && *size < needed)
        FAIL(TALLY_INVALID_ARGUMENT, "size is %zu: expected at least %zu for the folder of %s", *size, needed, what);
    if (folder) memcpy(folder, path, needed);
    *size = needed;
    return TALLY_OK;
}

tally_status tally_cache_folder(char *folder, size_t *size)
{
    char path[KERNEL_CACHE_PATH];
    if (!size) FAIL(TALLY_INVALID_ARGUMENT, "size is NULL");
    kernel_cache_folder(path);
    return give_folder(path, "the cache", folder, size);
}

tally_status tally_cache_shipped(char *folder, size_t *size)
{
    char path[KERNEL_CACHE_PATH];
    if (!size) FAIL(TALLY_INVALID_ARGUMENT, "size is NULL");
    if (!kernel_cache_shipped(path)) path[0] = '\0';
    return give_folder(path, "shipped kernels", folder, size);
}

tally_status tally_cache_list(tally_cache_entry *entries, int64_t *count)
{
    struct kernel_cache_entry *found;
    size_t n;
    if (!count) FAIL(TALLY_INVALID_ARGUMENT, "count is NULL");
    if (entries && *count < 0)
        FAIL(TALLY_INVALID_ARGUMENT, "count is %lld: expected the room at entries", (long long)*count);
    TRY(kernel_cache_list(&found, &n));
    if (entries && (uint64_t)*count < n) n = (size_t)*count;
    for (size_t i = 0; entries && i < n; i++) {
        entries[i] = (tally_cache_entry){.bytes = found[i].bytes, .last_used = found[i].used};
        snprintf(entries[i].name, sizeof entries[i].name, "%s", found[i].name);
        snprintf(entries[i].description, sizeof entries[i].description, "%s", found[i].description);
    }
    *count = (int64_t)n;
    free(found);
    return TALLY_OK;
}

tally_status tally_cache_clear(void)
{
    return kernel_cache_clear();
}

tally_status tally_cache_warm(tally_context *context)
{
    if (!context) FAIL(TALLY_INVALID_ARGUMENT, "context is NULL");
    if (!gpu_device(context))
        FAIL(TALLY_UNSUPPORTED, "the device %s compiles no kernels: expected a GPU", context->engine->name);
    return gpu_warm(context);
}
