/* SPDX-License-Identifier: MIT
 *
 * output.c - writing to a temporary name, renaming at the end, and removing it when anything else happens, a signal
 * such as Ctrl-C included. */
#define _GNU_SOURCE
#include "output.h"
#include "error.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Read by the signal handler: the one temporary file that a process writes at a time. */
static _Atomic(const char *) unfinished;

static void remove_unfinished(int signal_number)
{
    const char *name = atomic_load(&unfinished);
    if (name != NULL) {
        unlink(name);
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void watch_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction action;
        if (sigaction(signals[i], NULL, &action) == 0 && action.sa_handler == SIG_DFL) {
            action.sa_handler = remove_unfinished;
            sigaction(signals[i], &action, NULL);
        }
    }
}

static bool fail(const io_output *output, const char *what)
{
    int error = errno;
    const char *advice = error == ENOSPC || error == EDQUOT ? "; free some space or write elsewhere" : "";
    return io_fail("%s: %s: %s%s", output->name, what, strerror(error), advice);
}

/* A link is followed, so that the file it names is replaced, not the link. */
static bool choose_names(io_output *output, const char *path, bool exists)
{
    output->target = exists ? realpath(path, NULL) : strdup(path);
    if (output->target == NULL) {
        return fail(output, "cannot write");
    }
    const char *slash = strrchr(output->target, '/');
    int folder = slash == NULL ? 0 : (int)(slash - output->target + 1);
    if (asprintf(&output->temporary, "%.*s.tally-XXXXXX", folder, output->target) < 0) {
        output->temporary = NULL;
        return io_fail("%s: out of memory", output->name);
    }
    return true;
}

static bool open_temporary(io_output *output, const char *path, const struct stat *status)
{
    if (!choose_names(output, path, status != NULL)) {
        return false;
    }
    mode_t mask = umask(0);
    umask(mask);
    output->mode = status != NULL ? status->st_mode & 0777 : 0666 & ~mask;
    output->file = mkostemp(output->temporary, O_CLOEXEC);
    if (output->file < 0) {
        int error = errno;
        free(output->temporary);
        output->temporary = NULL;
        errno = error;
        return fail(output, "cannot create a file in its folder");
    }
    watch_signals();
    atomic_store(&unfinished, output->temporary);
    return true;
}

bool io_output_open(io_output *output, const char *path)
{
    struct stat status;
    bool standard = strcmp(path, "-") == 0;
    *output = (io_output){.file = standard ? STDOUT_FILENO : -1, .name = strdup(standard ? "standard output" : path)};
    if (output->name == NULL) {
        return io_fail("%s: out of memory", path);
    }
    if (standard) {
        return true;
    }
    bool exists = stat(path, &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) {
        return io_fail("%s: is a directory; name a file", path);
    }
    if (exists && access(path, W_OK) != 0) {
        return fail(output, "cannot write");
    }
    if (exists && !S_ISREG(status.st_mode)) {
        output->file = open(path, O_WRONLY | O_CLOEXEC);
        return output->file >= 0 || fail(output, "cannot write");
    }
    return open_temporary(output, path, exists ? &status : NULL);
}

bool io_output_write(io_output *output, const void *bytes, size_t size)
{
    const char *from = bytes;
    while (size > 0) {
        ssize_t written = write(output->file, from, size);
        if (written < 0 && errno != EINTR) {
            return fail(output, "cannot write");
        }
        from += written > 0 ? written : 0;
        size -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

bool io_output_write_at(io_output *output, const void *bytes, size_t size, int64_t offset)
{
    ssize_t written = pwrite(output->file, bytes, size, offset);
    return (written >= 0 && (size_t)written == size) || fail(output, "cannot write");
}

bool io_output_reserve(io_output *output, size_t size)
{
    int error = size == 0 ? 0 : posix_fallocate(output->file, 0, (off_t)size);
    errno = error;
    return error == 0 || fail(output, "cannot write");
}

bool io_output_commit(io_output *output)
{
    if (output->temporary == NULL) {
        return true;
    }
    int file = output->file;
    output->file = -1;
    bool good = fchmod(file, output->mode) == 0;
    good = close(file) == 0 && good;
    if (!good || rename(output->temporary, output->target) != 0) {
        return fail(output, "cannot write");
    }
    atomic_store(&unfinished, NULL);
    free(output->temporary);
    output->temporary = NULL;
    return true;
}

void io_output_close(io_output *output)
{
    if (output->file > STDOUT_FILENO) {
        close(output->file);
    }
    if (output->temporary != NULL) {
        unlink(output->temporary);
        atomic_store(&unfinished, NULL);
    }
    free(output->temporary);
    free(output->target);
    free(output->name);
    *output = (io_output){.file = -1};
}
