/* SPDX-License-Identifier: MIT
 *
 * counters.c - finds Nsight Compute and runs a command under it. */
#define _GNU_SOURCE
#include "counters.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- finding it ---- */

static bool is_program(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

static bool find_in_path(char path[COUNTERS_PATH])
{
    for (const char *at = getenv("PATH"); at != NULL && *at != '\0';) {
        const size_t length = strcspn(at, ":");
        const int needed = snprintf(path, COUNTERS_PATH, "%.*s/ncu", (int)length, at);
        if (length > 0 && needed < COUNTERS_PATH && is_program(path)) return true;
        at += length + (at[length] == ':');
    }
    return false;
}

/* Of several the one of the newest release, by their names. */
static bool find_installed(const char *pattern, char path[COUNTERS_PATH])
{
    glob_t found;
    bool is_there = false;
    if (glob(pattern, 0, NULL, &found) != 0) return false;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *here = found.gl_pathv[i];
        if (strlen(here) >= COUNTERS_PATH || !is_program(here)) continue;
        if (!is_there || strverscmp(here, path) > 0) strcpy(path, here);
        is_there = true;
    }
    globfree(&found);
    return is_there;
}

bool ladder_find_ncu(char path[COUNTERS_PATH], char why[COUNTERS_WHY])
{
    const char *named = getenv("TALLY_NCU");
    if (named != NULL && *named != '\0') {
        if (strlen(named) < COUNTERS_PATH && is_program(named)) return strcpy(path, named) != NULL;
        snprintf(why, COUNTERS_WHY, "TALLY_NCU is '%.200s', which is no program that can be run", named);
        return false;
    }
    if (find_in_path(path) || find_installed("/usr/local/cuda*/bin/ncu", path) ||
        find_installed("/opt/nvidia/nsight-compute/*/ncu", path))
        return true;
    snprintf(why, COUNTERS_WHY,
             "Nsight Compute was not found: there is no ncu in PATH, /usr/local/cuda*/bin or "
             "/opt/nvidia/nsight-compute; TALLY_NCU=FILE names it");
    return false;
}

/* ---- running it ---- */

#define MOST_WORDS 64

/* A file that has no name any more, so that nothing is left of it however the run ends. */
static FILE *open_nameless(char why[COUNTERS_WHY])
{
    char path[COUNTERS_PATH];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%.900s/tally-counters.XXXXXX", folder != NULL && *folder != '\0' ? folder : "/tmp");
    const int made = mkostemp(path, O_CLOEXEC);
    const int descriptor = made < 0 ? -1 : fcntl(made, F_DUPFD_CLOEXEC, 3); /* not where a program looks for 0, 1, 2 */
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w+");
    if (file == NULL) snprintf(why, COUNTERS_WHY, "cannot make the file '%.300s': %s", path, strerror(errno));
    if (made >= 0) unlink(path), close(made);
    if (descriptor >= 0 && file == NULL) close(descriptor);
    return file;
}

/* The user's, but that numbers are written as in English. NULL when there is no memory. */
static char **environment_in_english(void)
{
    static char english[] = "LC_ALL=C";
    size_t count = 0, kept = 0;
    while (environ[count] != NULL) count++;
    char **copy = malloc((count + 2) * sizeof *copy);
    if (copy == NULL) return NULL;
    for (size_t i = 0; i < count; i++) {
        if (strncmp(environ[i], "LC_ALL=", 7) != 0) copy[kept++] = environ[i];
    }
    copy[kept++] = english;
    copy[kept] = NULL;
    return copy;
}

static int spawn(char *const words[], int output, int *result)
{
    posix_spawn_file_actions_t actions;
    pid_t child = 0, waited;
    char **environment = environment_in_english();
    if (environment == NULL) return ENOMEM;
    if (posix_spawn_file_actions_init(&actions) != 0) return free(environment), ENOMEM;
    int error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, output, 1);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, output, 2);
    if (!error) error = posix_spawn(&child, words[0], &actions, NULL, words, environment);
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    if (error) return error;
    do waited = waitpid(child, result, 0);
    while (waited < 0 && errno == EINTR);
    if (waited < 0) *result = 0; /* nobody may wait for children here: what was printed says how it went */
    return 0;
}

/* Its words and the command's share one file: in which order is known, and a complaint of either is seen. */
static bool run(const char *ncu, const char *const command[], FILE *printed, int *result, char why[COUNTERS_WHY])
{
    /* Clocks stay as they are: fixing them needs rights that not every user has. */
    const char *words[MOST_WORDS] = {ncu,         "--clock-control",       "none", "--csv", "--print-units", "base",
                                     "--metrics", ladder_counter_metrics()};
    size_t count = 0;
    while (words[count] != NULL) count++;
    for (size_t i = 0; command[i] != NULL; i++) {
        if (count + 1 == MOST_WORDS) return snprintf(why, COUNTERS_WHY, "the command is too long") < 0;
        words[count++] = command[i];
    }
    const int error = spawn((char *const *)(uintptr_t)words, fileno(printed), result);
    if (error != 0) snprintf(why, COUNTERS_WHY, "it cannot be run: %s", strerror(error));
    return error == 0;
}

static void say_how_it_ended(int result, char why[COUNTERS_WHY])
{
    if (WIFSIGNALED(result)) snprintf(why, COUNTERS_WHY, "signal %d ended it", WTERMSIG(result));
    else snprintf(why, COUNTERS_WHY, "it ended with status %d", WEXITSTATUS(result));
}

bool ladder_measure_counters(const char *ncu, const char *const command[], struct ladder_counters *counters,
                             char why[COUNTERS_WHY])
{
    int result = 0;
    FILE *printed = open_nameless(why);
    if (printed == NULL) return false;
    bool done = run(ncu, command, printed, &result, why);
    if (done) {
        rewind(printed);
        done = ladder_read_counters(printed, counters, why);
        /* Its own words come first; without any, or in spite of a whole table, the end tells. */
        if (result != 0 && (done || ftell(printed) == 0)) say_how_it_ended(result, why);
        done = done && result == 0;
    }
    fclose(printed);
    return done;
}
