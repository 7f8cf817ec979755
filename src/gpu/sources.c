/* SPDX-License-Identifier: MIT
 *
 * sources.c - gathers the kernels' source text and its hash. */
#define _GNU_SOURCE
#include "sources.h"

#include "hash.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USER_TEXT "user_text.h"

static char embedded_hash[33];
static pthread_once_t embedded_once = PTHREAD_ONCE_INIT;

void sources_hash(const struct embedded_file *files, size_t count, char text[33])
{
    struct hash hash = HASH_START;
    for (size_t i = 0; i < count; i++) {
        hash_add(&hash, files[i].name, strlen(files[i].name) + 1);
        hash_add(&hash, &files[i].size, sizeof files[i].size);
        hash_add(&hash, files[i].bytes, files[i].size);
    }
    snprintf(text, 33, "%016" PRIx64 "%016" PRIx64, hash.high, hash.low);
}

static size_t embedded_count(void)
{
    size_t count = 0;
    while (embedded_files[count].name) count++;
    return count;
}

static void hash_embedded(void)
{
    sources_hash(embedded_files, embedded_count(), embedded_hash);
}

static tally_status read_file(const char *folder, const char *name, char **bytes, size_t *size)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) FAIL(TALLY_INVALID_ARGUMENT, "TALLY_KERNEL_DIR: cannot read %.600s: %s", path, strerror(errno));
    size_t room = 1 << 16, used = 0, got = 1;
    char *text = malloc(room);
    while (text && (got = fread(text + used, 1, room - used - 1, file)) > 0) {
        used += got;
        if (used + 1 < room) continue;
        char *larger = realloc(text, room *= 2);
        if (!larger) free(text);
        text = larger;
    }
    int failed = ferror(file);
    fclose(file);
    if (!text) FAIL(TALLY_OUT_OF_MEMORY, "no memory left for %.600s", path);
    text[used] = '\0';
    if (failed) {
        free(text);
        FAIL(TALLY_INVALID_ARGUMENT, "TALLY_KERNEL_DIR: cannot read %.600s", path);
    }
    *bytes = text;
    *size = used;
    return TALLY_OK;
}

static int is_source(const char *name)
{
    const char *dot = strrchr(name, '.');
    return name[0] != '.' && dot && (strcmp(dot, ".cu") == 0 || strcmp(dot, ".cuh") == 0 || strcmp(dot, ".h") == 0);
}

/* The name and the bytes become the list's own. */
static tally_status add_file(struct sources *sources, const char *name, char *bytes, size_t size)
{
    struct embedded_file *larger = realloc(sources->files, (sources->count + 1) * sizeof *larger);
    char *copy = strdup(name);
    if (larger) sources->files = larger;
    if (!larger || !copy || !bytes) {
        free(copy);
        free(bytes);
        FAIL(TALLY_OUT_OF_MEMORY, "no memory left for the sources of the kernels");
    }
    sources->files[sources->count++] = (struct embedded_file){copy, bytes, size};
    return TALLY_OK;
}

static tally_status add_from_folder(struct sources *sources, const char *folder)
{
    DIR *directory = opendir(folder);
    tally_status status = TALLY_OK;
    if (!directory)
        FAIL(TALLY_INVALID_ARGUMENT, "TALLY_KERNEL_DIR: cannot open the folder %.600s: %s", folder, strerror(errno));
    for (struct dirent *at; status == TALLY_OK && (at = readdir(directory)) != NULL;) {
        char *bytes;
        size_t size;
        if (!is_source(at->d_name)) continue;
        status = read_file(folder, at->d_name, &bytes, &size);
        if (status == TALLY_OK) status = add_file(sources, at->d_name, bytes, size);
    }
    closedir(directory);
    return status;
}

static int by_name(const void *a, const void *b)
{
    const struct embedded_file *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static tally_status open_folder(struct sources *sources, const char *folder)
{
    TRY(add_from_folder(sources, folder));
    for (const struct embedded_file *file = embedded_files; file->name; file++) {
        if (sources_find(sources, file->name)) continue;
        char *bytes = malloc(file->size + 1);
        if (bytes) memcpy(bytes, file->bytes, file->size + 1);
        TRY(add_file(sources, file->name, bytes, file->size));
    }
    if (sources->count > 0) qsort(sources->files, sources->count, sizeof *sources->files, by_name);
    sources_hash(sources->files, sources->count, sources->hash);
    return TALLY_OK;
}

tally_status sources_open(struct sources *sources)
{
    const char *folder = getenv("TALLY_KERNEL_DIR");
    memset(sources, 0, sizeof *sources);
    if (!folder || !*folder) {
        pthread_once(&embedded_once, hash_embedded);
        memcpy(sources->hash, embedded_hash, sizeof sources->hash);
        sources->files = (struct embedded_file *)embedded_files; /* nobody writes to a list that is not owned */
        sources->count = embedded_count();
        return TALLY_OK;
    }
    sources->owned = 1;
    tally_status status = open_folder(sources, folder);
    if (status != TALLY_OK) sources_close(sources);
    return status;
}

tally_status sources_take_text(struct sources *sources, const char *text)
{
    size_t bytes = sources->count * sizeof *sources->files;
    struct embedded_file *files = malloc(bytes);
    if (!files) FAIL(TALLY_OUT_OF_MEMORY, "no memory left for the sources of the kernels");
    memcpy(files, sources->files, bytes);
    for (size_t i = 0; i < sources->count; i++) {
        if (strcmp(files[i].name, USER_TEXT) != 0) continue;
        if (sources->owned) free((void *)(uintptr_t)files[i].bytes);
        files[i].bytes = text;
        files[i].size = strlen(text);
    }
    if (sources->owned) free(sources->files);
    sources->files = files;
    sources->with_text = 1;
    return TALLY_OK;
}

void sources_close(struct sources *sources)
{
    for (size_t i = 0; sources->owned && i < sources->count; i++) {
        int lent = sources->with_text && strcmp(sources->files[i].name, USER_TEXT) == 0;
        free((void *)sources->files[i].name);
        if (!lent) free((void *)sources->files[i].bytes);
    }
    if (sources->owned || sources->with_text) free(sources->files);
    memset(sources, 0, sizeof *sources);
}

const struct embedded_file *sources_find(const struct sources *sources, const char *name)
{
    for (size_t i = 0; i < sources->count; i++) {
        if (strcmp(sources->files[i].name, name) == 0) return &sources->files[i];
    }
    return NULL;
}
