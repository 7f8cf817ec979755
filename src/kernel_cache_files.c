/* SPDX-License-Identifier: MIT
 *
 * kernel_cache_files.c - the cache's folder as a whole: listing, clearing, and its bound. */
#define _GNU_SOURCE
#include "kernel_cache.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A process that died while it wrote left a temporary file; after this long nobody is still writing it. */
enum { ABANDONED_SECONDS = 3600 };

/* HASH.anything: whatever else lies in the folder is not ours to touch. */
static int is_entry(const char *name)
{
    return strspn(name, "0123456789abcdef") == 32 && name[32] == '.' && strlen(name) < KERNEL_CACHE_NAME;
}

static int is_temporary(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".tmp") == 0;
}

static int later_first(const void *a, const void *b)
{
    const struct kernel_cache_entry *x = a, *y = b;
    if (x->used != y->used) return x->used < y->used ? 1 : -1;
    if (x->used_ns != y->used_ns) return x->used_ns < y->used_ns ? 1 : -1;
    return strcmp(x->name, y->name);
}

static int entry_of(const char *folder, const char *name, struct kernel_cache_entry *entry)
{
    char path[KERNEL_CACHE_PATH + KERNEL_CACHE_NAME];
    struct stat info;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (lstat(path, &info) != 0 || !S_ISREG(info.st_mode)) return 0;
    memset(entry, 0, sizeof *entry);
    snprintf(entry->name, sizeof entry->name, "%s", name);
    entry->bytes = info.st_size;
    entry->used = info.st_mtim.tv_sec;
    entry->used_ns = info.st_mtim.tv_nsec;
    return 1;
}

/* All files of ours, temporary ones too, the last used first. */
static tally_status scan_folder(const char *folder, struct kernel_cache_entry **entries, size_t *count)
{
    size_t room = 0;
    *entries = NULL;
    *count = 0;
    DIR *directory = opendir(folder);
    if (!directory) return TALLY_OK;
    for (struct dirent *at; (at = readdir(directory)) != NULL;) {
        if (!is_entry(at->d_name)) continue;
        if (*count == room) {
            room = room ? 2 * room : 64;
            struct kernel_cache_entry *larger = realloc(*entries, room * sizeof **entries);
            if (!larger) {
                closedir(directory);
                free(*entries);
                *entries = NULL;
                FAIL(TALLY_OUT_OF_MEMORY, "no memory left for a list of %zu cache entries", room);
            }
            *entries = larger;
        }
        *count += (size_t)entry_of(folder, at->d_name, *entries + *count);
    }
    closedir(directory);
    if (*count > 0) qsort(*entries, *count, sizeof **entries, later_first);
    return TALLY_OK;
}

static int delete_file(const char *folder, const char *name)
{
    char path[KERNEL_CACHE_PATH + KERNEL_CACHE_NAME];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return unlink(path) == 0 || errno == ENOENT;
}

tally_status kernel_cache_list(struct kernel_cache_entry **entries, size_t *count)
{
    char folder[KERNEL_CACHE_PATH], path[KERNEL_CACHE_PATH + KERNEL_CACHE_NAME];
    *entries = NULL;
    *count = 0;
    if (!kernel_cache_folder(folder)) return TALLY_OK;
    TRY(scan_folder(folder, entries, count));
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        struct kernel_cache_entry *entry = *entries + i;
        if (is_temporary(entry->name)) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->name);
        kernel_cache_describe(path, entry->description, sizeof entry->description);
        if (kept != i) (*entries)[kept] = *entry;
        kept++;
    }
    *count = kept;
    return TALLY_OK;
}

tally_status kernel_cache_clear(void)
{
    char folder[KERNEL_CACHE_PATH];
    struct kernel_cache_entry *entries;
    size_t count;
    tally_status status = TALLY_OK;
    if (!kernel_cache_folder(folder)) return TALLY_OK;
    TRY(scan_folder(folder, &entries, &count));
    for (size_t i = 0; i < count; i++) {
        if (!delete_file(folder, entries[i].name) && status == TALLY_OK)
            status = status_fail(TALLY_DEVICE_ERROR, "cannot delete the compiled kernel %.600s/%s: %s", folder,
                                 entries[i].name, strerror(errno));
    }
    free(entries);
    return status;
}

static int64_t limit_bytes(void)
{
    const char *text = getenv("TALLY_CACHE_LIMIT");
    char *end;
    if (text && *text >= '0' && *text <= '9') {
        long long value = strtoll(text, &end, 10);
        if (*end == '\0' && value <= INT64_MAX >> 20) return (int64_t)value << 20;
    }
    return (int64_t)256 << 20;
}

void kernel_cache_bound(const char *keep)
{
    char folder[KERNEL_CACHE_PATH];
    struct kernel_cache_entry *entries;
    size_t count;
    int64_t total = 0, limit = limit_bytes(), now = (int64_t)time(NULL);
    if (!kernel_cache_folder(folder) || scan_folder(folder, &entries, &count) != TALLY_OK) return;
    for (size_t i = 0; i < count; i++) {
        int temporary = is_temporary(entries[i].name);
        if (temporary && entries[i].used > now - ABANDONED_SECONDS) continue;
        total += entries[i].bytes;
        int spared = keep && strcmp(entries[i].name, keep) == 0 && entries[i].bytes <= limit;
        if (temporary || (total > limit && !spared)) {
            delete_file(folder, entries[i].name);
            total -= entries[i].bytes;
        }
    }
    free(entries);
}
