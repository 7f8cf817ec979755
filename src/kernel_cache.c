/* SPDX-License-Identifier: MIT
 *
 * kernel_cache.c - one entry of the cache: its file, read and checked, written and renamed into place. */
#define _GNU_SOURCE
#include "kernel_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* In the machine's own byte order: a folder that machines of both orders share looks damaged to one of them. */
struct head {
    char magic[8];
    uint32_t version;
    uint32_t key_bytes;
    uint64_t bytes;
    struct hash checksum; /* of the four members above, the key and the bytes */
};

static const char magic[8] = {'t', 'a', 'l', 'l', 'y', 'K', 'C', '\n'};
enum { VERSION = 1 };
#define MOST_BYTES ((size_t)1 << 30)

static struct hash checksum_of(const struct head *head, const void *key, const void *bytes)
{
    struct hash hash = HASH_START;
    hash_add(&hash, head, offsetof(struct head, checksum));
    hash_add(&hash, key, head->key_bytes);
    hash_add(&hash, bytes, head->bytes);
    return hash;
}

/* Code is loaded from here: nobody else may be able to put some there. */
static int is_trusted(const char *folder)
{
    struct stat info;
    if (stat(folder, &info) != 0) return errno == ENOENT;
    return S_ISDIR(info.st_mode) && (info.st_uid == geteuid() || info.st_uid == 0) && !(info.st_mode & S_IWOTH);
}

int kernel_cache_folder(char folder[KERNEL_CACHE_PATH])
{
    static const struct {
        const char *variable, *below;
    } places[] = {{"TALLY_CACHE_DIR", ""}, {"XDG_CACHE_HOME", "/tally"}, {"HOME", "/.cache/tally"}};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const char *value = getenv(places[i].variable);
        if (!value || !*value || (i > 0 && *value != '/')) continue;
        int length = snprintf(folder, KERNEL_CACHE_PATH, "%s%s", value, places[i].below);
        if (length < KERNEL_CACHE_PATH - 2 * KERNEL_CACHE_NAME && is_trusted(folder)) return 1;
        break;
    }
    folder[0] = '\0';
    return 0;
}

int kernel_cache_make_folder(const char *folder)
{
    char path[KERNEL_CACHE_PATH];
    snprintf(path, sizeof path, "%s", folder);
    for (char *at = path + 1; *at; at++) {
        if (*at != '/') continue;
        *at = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST) return access(folder, F_OK) == 0;
        *at = '/';
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

void kernel_cache_name(const char *key, const char *suffix, char name[KERNEL_CACHE_NAME])
{
    struct hash hash = HASH_START;
    hash_add(&hash, key, strlen(key));
    snprintf(name, KERNEL_CACHE_NAME, "%016" PRIx64 "%016" PRIx64 "%.20s", hash.high, hash.low, suffix);
}

static int entry_path(const char *folder, const char *key, char path[KERNEL_CACHE_PATH])
{
    char name[KERNEL_CACHE_NAME];
    kernel_cache_name(key, ".cubin", name);
    return snprintf(path, KERNEL_CACHE_PATH, "%s/%s", folder, name) < KERNEL_CACHE_PATH;
}

static int read_all(int file, void *to, size_t size)
{
    char *at = to;
    while (size > 0) {
        ssize_t got = read(file, at, size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return 0;
        at += got;
        size -= (size_t)got;
    }
    return 1;
}

static int write_all(int file, const void *from, size_t size)
{
    const char *at = from;
    while (size > 0) {
        ssize_t put = write(file, at, size);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return 0;
        at += put;
        size -= (size_t)put;
    }
    return 1;
}

/* The whole file, checked, as head and then key and bytes in memory to be freed; NULL when anything is wrong. */
static char *read_entry(int file, struct head *head)
{
    struct stat info;
    if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || (uint64_t)info.st_size > MOST_BYTES ||
        !read_all(file, head, sizeof *head) || memcmp(head->magic, magic, sizeof magic) != 0 ||
        head->version != VERSION || head->bytes > MOST_BYTES || head->bytes == 0 ||
        (uint64_t)info.st_size != sizeof *head + head->key_bytes + head->bytes)
        return NULL;
    char *content = malloc(head->key_bytes + head->bytes);
    if (!content || !read_all(file, content, head->key_bytes + head->bytes)) {
        free(content);
        return NULL;
    }
    struct hash checksum = checksum_of(head, content, content + head->key_bytes);
    if (checksum.high == head->checksum.high && checksum.low == head->checksum.low) return content;
    free(content);
    return NULL;
}

enum found { FOUND, ABSENT, UNSOUND };

/* Unsound: damaged, foreign or of another key with the same hash. */
static enum found find(const char *path, const char *key, int use, void **bytes, size_t *size)
{
    struct head head;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) return ABSENT;
    char *content = read_entry(file, &head);
    int found = content && head.key_bytes == strlen(key) && memcmp(content, key, head.key_bytes) == 0;
    if (found) {
        if (use) futimens(file, NULL); /* the bound goes by the last use; a read-only folder has none */
        *size = head.bytes;
        *bytes = content;
        memmove(content, content + head.key_bytes, head.bytes);
    } else {
        free(content);
    }
    close(file);
    return found ? FOUND : UNSOUND;
}

int kernel_cache_read(const char *key, void **bytes, size_t *size)
{
    char folder[KERNEL_CACHE_PATH], path[KERNEL_CACHE_PATH];
    if (!kernel_cache_folder(folder) || !entry_path(folder, key, path)) return 0;
    enum found found = find(path, key, 1, bytes, size);
    if (found == UNSOUND) unlink(path); /* the next write replaces it */
    return found == FOUND;
}

int kernel_cache_read_in(const char *folder, const char *key, void **bytes, size_t *size)
{
    char path[KERNEL_CACHE_PATH];
    return entry_path(folder, key, path) && find(path, key, 0, bytes, size) == FOUND;
}

int kernel_cache_write_in(const char *folder, const char *key, const void *bytes, size_t size, unsigned mode)
{
    static atomic_uint counter;
    char path[KERNEL_CACHE_PATH], temporary[KERNEL_CACHE_PATH];
    struct head head = {.version = VERSION, .key_bytes = (uint32_t)strlen(key), .bytes = size};
    errno = EFBIG;
    if (size == 0 || size > MOST_BYTES - 65536 || strlen(key) > 32768) return 0;
    errno = ENAMETOOLONG;
    if (!entry_path(folder, key, path)) return 0;
    int length =
        snprintf(temporary, sizeof temporary, "%s.%ld.%u.tmp", path, (long)getpid(), atomic_fetch_add(&counter, 1));
    if (length >= (int)sizeof temporary) return 0;
    int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    if (file < 0) return 0;
    memcpy(head.magic, magic, sizeof magic);
    head.checksum = checksum_of(&head, key, bytes);
    int written =
        write_all(file, &head, sizeof head) && write_all(file, key, head.key_bytes) && write_all(file, bytes, size);
    written = close(file) == 0 && written;
    if (written && rename(temporary, path) == 0) return 1;
    int problem = errno;
    unlink(temporary);
    errno = problem;
    return 0;
}

void kernel_cache_write(const char *key, const void *bytes, size_t size)
{
    char folder[KERNEL_CACHE_PATH], name[KERNEL_CACHE_NAME];
    if (!kernel_cache_folder(folder) || !kernel_cache_make_folder(folder)) return;
    if (!kernel_cache_write_in(folder, key, bytes, size, 0600)) return;
    kernel_cache_name(key, ".cubin", name);
    kernel_cache_bound(name);
}

void kernel_cache_describe(const char *path, char *text, size_t size)
{
    struct head head;
    text[0] = '\0';
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) return;
    if (read_all(file, &head, sizeof head) && memcmp(head.magic, magic, sizeof magic) == 0) {
        size_t wanted = head.key_bytes < size - 1 ? head.key_bytes : size - 1;
        if (read_all(file, text, wanted)) {
            text[wanted] = '\0';
            text[strcspn(text, "\n")] = '\0';
        } else {
            text[0] = '\0';
        }
    }
    close(file);
}
