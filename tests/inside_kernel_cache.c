/* SPDX-License-Identifier: MIT
 *
 * inside_kernel_cache.c - compiled kernels on disk: what is damaged, foreign, missing or in the way costs nothing but
 * the time to compile; concurrent processes see whole entries; the folder stays within its bound. */
#define _GNU_SOURCE
#include "kernel_cache.h"
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char top[256], folder[300];

#define KEY "reduce.cu reduce_all T=7 sm_90\nnvrtc 13.0\n"
#define OTHER_KEY "reduce.cu reduce_all T=8 sm_90\nnvrtc 13.0\n"

static int holds(const char *key, const void *want, size_t want_size)
{
    void *bytes = NULL;
    size_t size = 0;
    if (!kernel_cache_read(key, &bytes, &size)) return 0;
    int equal = size == want_size && memcmp(bytes, want, size) == 0;
    free(bytes);
    return equal;
}

static void path_of(const char *key, char path[512])
{
    char name[KERNEL_CACHE_NAME];
    kernel_cache_name(key, ".cubin", name);
    snprintf(path, 512, "%s/%s", folder, name);
}

static size_t entries(void)
{
    struct kernel_cache_entry *list;
    size_t count = 0;
    CHECK_EQUAL_I64(kernel_cache_list(&list, &count), TALLY_OK);
    free(list);
    return count;
}

static long file_bytes(const char *path, unsigned char *bytes, long room)
{
    FILE *file = fopen(path, "rb");
    long size = file ? (long)fread(bytes, 1, (size_t)room, file) : -1;
    if (file) fclose(file);
    return size;
}

static void put_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!CHECK(file != NULL)) return;
    CHECK(fwrite(bytes, 1, size, file) == size);
    fclose(file);
}

static void round_trip(void)
{
    struct stat info, before;
    char path[512];
    struct kernel_cache_entry *list;
    size_t count;
    path_of(KEY, path);
    CHECK(!holds(KEY, "abc", 3));
    CHECK(stat(folder, &info) != 0);
    kernel_cache_write(KEY, "abc", 3);
    CHECK(stat(folder, &info) == 0 && (info.st_mode & 0777) == 0700);
    CHECK(holds(KEY, "abc", 3));
    int reader = open(path, O_RDONLY); /* keeps the old file, whole */
    kernel_cache_write(KEY, "other", 5);
    CHECK(fstat(reader, &before) == 0 && stat(path, &info) == 0 && before.st_ino != info.st_ino);
    close(reader);
    CHECK(holds(KEY, "other", 5));
    CHECK(!holds(KEY "x", "other", 5));
    CHECK(kernel_cache_list(&list, &count) == TALLY_OK && count == 1);
    CHECK_EQUAL_TEXT(list[0].description, "reduce.cu reduce_all T=7 sm_90");
    CHECK_EQUAL_TEXT(list[0].name, strrchr(path, '/') + 1);
    CHECK(stat(path, &info) == 0 && info.st_size == list[0].bytes && (info.st_mode & 0777) == 0600);
    free(list);
    CHECK_EQUAL_I64(kernel_cache_clear(), TALLY_OK);
    CHECK(!holds(KEY, "other", 5));
    CHECK_EQUAL_U64(entries(), 0);
}

/* Any changed, missing or additional byte. */
static void damage(void)
{
    char path[512];
    unsigned char good[512], bad[513];
    static unsigned char kernel[200];
    for (size_t i = 0; i < sizeof kernel; i++) kernel[i] = (unsigned char)test_random();
    path_of(KEY, path);
    kernel_cache_write(KEY, kernel, sizeof kernel);
    long size = file_bytes(path, good, sizeof good);
    CHECK(size > (long)sizeof kernel + (long)strlen(KEY) && size < (long)sizeof good);
    for (long at = 0; at < size; at++) {
        memcpy(bad, good, (size_t)size);
        bad[at] ^= (unsigned char)(1u << test_random_below(8));
        put_file(path, bad, (size_t)size);
        CHECK(!holds(KEY, kernel, sizeof kernel));
        CHECK(access(path, F_OK) != 0);
        put_file(path, good, (size_t)at);
        CHECK(!holds(KEY, kernel, sizeof kernel));
    }
    memcpy(bad, good, (size_t)size);
    bad[size] = 0;
    put_file(path, bad, (size_t)size + 1);
    CHECK(!holds(KEY, kernel, sizeof kernel));
    put_file(path, "#!/bin/sh\n", 10);
    CHECK(!holds(KEY, kernel, sizeof kernel));
    kernel_cache_write(KEY, kernel, sizeof kernel);
    CHECK(holds(KEY, kernel, sizeof kernel));
    path_of(OTHER_KEY, path); /* a sound entry of another key, as after a collision of hashes */
    put_file(path, good, (size_t)size);
    CHECK(!holds(OTHER_KEY, kernel, sizeof kernel));
    CHECK(mkdir(path, 0700) == 0);
    kernel_cache_write(OTHER_KEY, kernel, sizeof kernel);
    CHECK(!holds(OTHER_KEY, kernel, sizeof kernel));
    CHECK(rmdir(path) == 0);
    CHECK_EQUAL_U64(entries(), 1);
    kernel_cache_clear();
}

enum { WRITERS = 4, KERNEL_SIZE = 300000 };

static void write_often(int writer)
{
    static char kernel[KERNEL_SIZE];
    memset(kernel, 'a' + writer, sizeof kernel);
    for (int i = 0; i < 60; i++) kernel_cache_write(KEY, kernel, sizeof kernel);
    _exit(0);
}

/* Reads once: 1, or 0 when there is no entry; *wrong counts what no writer wrote. */
static int read_once(int *wrong)
{
    char *bytes = NULL;
    size_t size;
    if (!kernel_cache_read(KEY, (void **)&bytes, &size)) return 0;
    *wrong += size != KERNEL_SIZE || memcmp(bytes, bytes + 1, size - 1) != 0;
    free(bytes);
    return 1;
}

/* As long as anybody writes, there is a whole entry of one of the writers. */
static void concurrent(void)
{
    int seen = 0, wrong = 0, left = WRITERS, status;
    for (int w = 0; w < WRITERS; w++) {
        pid_t child = fork();
        if (child == 0) write_often(w);
        CHECK(child > 0);
    }
    while (left > 0) {
        int found = read_once(&wrong);
        wrong += seen > 0 && !found; /* what was there once is there always */
        seen += found;
        while (waitpid(-1, &status, WNOHANG) > 0) {
            CHECK_EQUAL_I64(status, 0);
            left--;
        }
    }
    CHECK(read_once(&wrong) == 1 && wrong == 0);
    CHECK_EQUAL_U64(entries(), 1);
    kernel_cache_clear();
    CHECK(rmdir(folder) == 0); /* no temporary file is left */
}

static void set_used(const char *key, time_t seconds)
{
    char path[512];
    struct timespec times[2] = {{seconds, 0}, {seconds, 0}};
    path_of(key, path);
    CHECK(utimensat(AT_FDCWD, path, times, 0) == 0);
}

static void bound(void)
{
    enum { SIZE = 300000 };
    static char kernel[SIZE];
    char path[512], temporary[600];
    setenv("TALLY_CACHE_LIMIT", "1", 1);
    const char *const keys[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++) {
        kernel_cache_write(keys[i], kernel, SIZE);
        set_used(keys[i], 1000 + i);
    }
    CHECK(holds("a", kernel, SIZE)); /* a use: now b is the oldest */
    path_of("t", path);
    snprintf(temporary, sizeof temporary, "%s.1.1.tmp", path);
    put_file(temporary, "x", 1); /* somebody is writing this */
    kernel_cache_write("d", kernel, SIZE);
    CHECK(holds("a", kernel, SIZE) && !holds("b", kernel, SIZE) && holds("c", kernel, SIZE) &&
          holds("d", kernel, SIZE));
    CHECK(access(temporary, F_OK) == 0);
    struct timespec old[2] = {{1000, 0}, {1000, 0}};
    CHECK(utimensat(AT_FDCWD, temporary, old, 0) == 0);
    kernel_cache_bound(NULL);
    CHECK(access(temporary, F_OK) != 0); /* nobody is any more */
    snprintf(path, sizeof path, "%s/mine.txt", folder);
    put_file(path, kernel, SIZE);
    setenv("TALLY_CACHE_LIMIT", "0", 1);
    kernel_cache_write("e", kernel, SIZE);
    CHECK_EQUAL_U64(entries(), 0);
    CHECK(access(path, F_OK) == 0); /* what is not ours stays */
    CHECK(unlink(path) == 0);
    unsetenv("TALLY_CACHE_LIMIT");
    kernel_cache_clear();
}

/* Folders that cannot be used: nothing is kept, nothing fails. */
static void no_folder(void)
{
    char path[KERNEL_CACHE_PATH];
    kernel_cache_write(KEY, "abc", 3);
    if (geteuid() != 0) {
        CHECK(chmod(folder, 0500) == 0);
        CHECK(holds(KEY, "abc", 3));
        kernel_cache_write(KEY "z", "abc", 3);
        CHECK(!holds(KEY "z", "abc", 3));
        CHECK(kernel_cache_clear() == TALLY_DEVICE_ERROR && strstr(tally_last_error(), "cannot delete") != NULL);
    } else {
        printf("inside_kernel_cache: SKIPPED the read-only folder: root writes anywhere\n");
    }
    CHECK(chmod(folder, 0777) == 0); /* anyone may put code there */
    CHECK(!holds(KEY, "abc", 3));
    CHECK_EQUAL_U64(entries(), 0);
    CHECK(chmod(folder, 0700) == 0);
    CHECK(holds(KEY, "abc", 3));
    kernel_cache_clear();
    CHECK(rmdir(folder) == 0);
    put_file(folder, "x", 1); /* a file in the folder's place */
    kernel_cache_write(KEY, "abc", 3);
    CHECK(!holds(KEY, "abc", 3));
    CHECK_EQUAL_I64(kernel_cache_clear(), TALLY_OK);
    CHECK(unlink(folder) == 0);
    unsetenv("TALLY_CACHE_DIR");
    setenv("XDG_CACHE_HOME", "relative", 1);
    setenv("HOME", top, 1);
    kernel_cache_write(KEY, "abc", 3);
    snprintf(path, sizeof path, "%s/.cache/tally", top);
    CHECK(access(path, R_OK) == 0 && holds(KEY, "abc", 3));
    kernel_cache_clear();
    CHECK(rmdir(path) == 0);
    snprintf(path, sizeof path, "%s/.cache", top);
    CHECK(rmdir(path) == 0);
    setenv("XDG_CACHE_HOME", top, 1);
    CHECK(kernel_cache_folder(path) == 1 && strcmp(strrchr(path, '/'), "/tally") == 0);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    CHECK(kernel_cache_folder(path) == 0 && *path == '\0');
    kernel_cache_write(KEY, "abc", 3);
    CHECK(!holds(KEY, "abc", 3));
    setenv("TALLY_CACHE_DIR", folder, 1);
}

/* A write that ends half-way, as on a full disk. */
static void full_disk(void)
{
    static char kernel[100000];
    struct rlimit before, small;
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    small = before;
    small.rlim_cur = 50000;
    signal(SIGXFSZ, SIG_IGN);
    CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
    kernel_cache_write(KEY, kernel, sizeof kernel);
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK(!holds(KEY, kernel, sizeof kernel));
    CHECK(rmdir(folder) == 0); /* nothing is left */
}

/* Folders that are read-only mean nothing to root; nobody is as good a user as any. */
static void leave_root(void)
{
    enum { NOBODY = 65534 };
    if (geteuid() != 0 || chown(top, NOBODY, NOBODY) != 0 || seteuid(NOBODY) != 0) return;
    if (access(top, R_OK) != 0 || mkdir(folder, 0700) != 0 || rmdir(folder) != 0) {
        CHECK(seteuid(0) == 0 && chown(top, 0, 0) == 0);
    }
}

int main(void)
{
    const char *place = getenv("TMPDIR");
    snprintf(top, sizeof top, "%.200s/tally-cache.XXXXXX", place && *place ? place : "/tmp");
    if (!mkdtemp(top)) return perror("mkdtemp"), 1;
    snprintf(folder, sizeof folder, "%s/tally", top);
    setenv("TALLY_CACHE_DIR", folder, 1);
    unsetenv("TALLY_CACHE_LIMIT");
    uid_t user = geteuid();
    leave_root();
    CASE("round trip") round_trip();
    CASE("damage") damage();
    CASE("concurrent writers") concurrent();
    CASE("bound") bound();
    CASE("no folder") no_folder();
    CASE("full disk") full_disk();
    rmdir(folder);
    CHECK(rmdir(top) == 0);
    CHECK(seteuid(user) == 0);
    return test_finish("inside_kernel_cache");
}
