/* SPDX-License-Identifier: MIT
 *
 * host_compiler.c - finds a compiler, lays texts out in a folder of its own, and runs it there. */
#define _GNU_SOURCE
#include "host_compiler.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROOM_WANTED (32 << 20) /* bytes, for texts and an object several times over */

static int is_program(struct host_program *program, const char *path)
{
    struct stat info;
    if (access(path, X_OK) != 0 || stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return 0;
    /* It will run in another folder. Links stay what they are: some programs go by the name they are called. */
    char here[HOST_PATH];
    if (*path == '/') here[0] = '\0';
    else if (!getcwd(here, sizeof here)) return 0;
    if (snprintf(program->path, sizeof program->path, "%s%s%s", here, *here ? "/" : "", path) >= HOST_PATH) return 0;
    program->bytes = (int64_t)info.st_size;
    program->changed = (int64_t)info.st_mtim.tv_sec;
    return 1;
}

int host_program_find(struct host_program *program, const char *name)
{
    if (strchr(name, '/')) return is_program(program, name);
    const char *folder = getenv("PATH");
    while (folder && *folder) {
        size_t length = strcspn(folder, ":");
        char path[HOST_PATH];
        int written = snprintf(path, sizeof path, "%.*s/%s", (int)length, folder, name);
        if (written < HOST_PATH && length > 0 && is_program(program, path)) return 1;
        folder += length + (folder[length] == ':');
    }
    return 0;
}

/* ---- the folder ---- */

static int write_file(const char *folder, const struct host_text *text)
{
    char path[2 * HOST_PATH];
    snprintf(path, sizeof path, "%s/%s", folder, text->name);
    FILE *file = fopen(path, "wb");
    if (!file) return 0;
    size_t written = fwrite(text->bytes, 1, text->size, file);
    return fclose(file) == 0 && written == text->size;
}

/* A file's bytes and a zero behind them; NULL when it cannot be read. */
static void *read_file(const char *folder, const char *name, size_t *size)
{
    char path[2 * HOST_PATH];
    struct stat info;
    char *bytes = NULL;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    if (fstat(fileno(file), &info) == 0) bytes = malloc((size_t)info.st_size + 1);
    *size = bytes ? fread(bytes, 1, (size_t)info.st_size, file) : 0;
    if (bytes) bytes[*size] = '\0';
    fclose(file);
    return bytes;
}

static void delete_file(const char *folder, const char *name)
{
    char path[2 * HOST_PATH];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
}

static void delete_folder(const char *folder, const struct host_text *texts)
{
    for (; texts->name; texts++) delete_file(folder, texts->name);
    delete_file(folder, "log");
    delete_file(folder, "object");
    rmdir(folder);
}

static int has_room(const char *parent)
{
    struct statvfs room;
    return statvfs(parent, &room) == 0 && (uint64_t)room.f_bavail * room.f_frsize >= ROOM_WANTED;
}

static int make_folder_in(const char *parent, char folder[HOST_PATH])
{
    snprintf(folder, HOST_PATH, "%s/tally-compile-XXXXXX", parent);
    return mkdtemp(folder) != NULL;
}

/* In memory, if a system has such a folder: files that come and go by the hundred keep a disk's file system busy. */
static int make_folder(char folder[HOST_PATH])
{
    const char *wanted = getenv("TMPDIR");
    if (wanted && *wanted == '/' && strlen(wanted) <= HOST_PATH - 32) return make_folder_in(wanted, folder);
    return (has_room("/dev/shm") && make_folder_in("/dev/shm", folder)) || make_folder_in("/tmp", folder);
}

/* ---- the compiler's process ---- */

static int spawn(const char *folder, char *const *arguments, int *result)
{
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0) return errno;
    int error = posix_spawn_file_actions_addchdir_np(&actions, folder);
    if (!error) error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!error) error = posix_spawn_file_actions_addopen(&actions, 1, "log", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t child = 0;
    if (!error) error = posix_spawn(&child, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error) return error;
    int status = 0;
    pid_t waited;
    do waited = waitpid(child, &status, 0);
    while (waited < 0 && errno == EINTR);
    /* A program that ignores SIGCHLD leaves nothing to wait for: then the object alone tells. */
    *result = waited < 0 ? 0 : status;
    return 0;
}

static int run(const struct host_program *program, const char *folder, const char *const *arguments, int *result)
{
    size_t count = 0;
    while (arguments[count]) count++;
    char **all = calloc(count + 2, sizeof *all);
    if (!all) return ENOMEM;
    all[0] = (char *)(uintptr_t)program->path;
    for (size_t i = 0; i < count; i++) all[i + 1] = (char *)(uintptr_t)arguments[i];
    int error = spawn(folder, all, result);
    free(all);
    return error;
}

static char *say(const char *what, int error)
{
    char *text = NULL;
    return asprintf(&text, "%s: %s", what, strerror(error)) < 0 ? NULL : text;
}

int host_compile(const struct host_program *program, const struct host_text *texts, const char *const *arguments,
                 void **object, size_t *size, char **log)
{
    char folder[HOST_PATH];
    int result = 0, error = 0, refused = -1;
    size_t log_size;
    *object = NULL;
    *log = NULL;
    if (!make_folder(folder)) {
        *log = say("cannot make a temporary folder", errno);
        return -1;
    }
    for (const struct host_text *text = texts; text->name && !error; text++) {
        if (!write_file(folder, text)) error = errno ? errno : EIO;
    }
    if (error) {
        *log = say("cannot write to a temporary folder", error);
    } else if ((error = run(program, folder, arguments, &result)) != 0) {
        *log = say("cannot be run", error);
    } else {
        refused = !WIFEXITED(result) || WEXITSTATUS(result) != 0;
        if (!refused) *object = read_file(folder, "object", size);
        if (refused) *log = read_file(folder, "log", &log_size);
        else if (!*object) *log = say("says that it succeeded, but made nothing", errno);
        if (!refused && !*object) refused = -1; /* it is no compiler; the text is not to blame */
    }
    delete_folder(folder, texts);
    return refused;
}
