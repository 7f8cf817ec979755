/* SPDX-License-Identifier: MIT
 *
 * simt_compiler.c - finds the compiler, lays the sources out in a folder of its own, and runs it without a shell. */
#define _GNU_SOURCE
#include "simt_compiler.h"
#include "../../simt/files.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __clang__
#define NO_RUN_TIME_TYPES "-fno-sanitize=vptr,function"
#else
#define NO_RUN_TIME_TYPES "-fno-sanitize=vptr"
#endif
#ifdef SIMT_SANITIZE
#define SANITIZER_FLAGS \
    "-fsanitize=" SIMT_SANITIZE, "-fno-sanitize-recover=all", NO_RUN_TIME_TYPES, "-fno-omit-frame-pointer", "-g1",
#else
#define SANITIZER_FLAGS "-Werror=frame-larger-than=32768", /* a fibre's stack has twice that */
#endif

#ifdef __clang__
#define OWN_COMPILER "clang++" /* the sanitizers of two families do not mix */
#else
#define OWN_COMPILER "g++"
#endif

/* No exceptions and no C++ library: a kernel is C in all but overloading. What it calls (libm, the sanitizers' runtime)
 * is in the process already. */
static const char *const flags[] = {"-x",
                                    "c++",
                                    "-std=c++17",
                                    "-O1",
                                    "-fPIC",
                                    "-shared",
                                    "-nostdinc++",
                                    "-nostartfiles",
                                    "-nodefaultlibs",
                                    "-fno-exceptions",
                                    "-fno-rtti",
                                    "-I.",
                                    "-fvisibility=hidden",
                                    "-ffp-contract=off",
                                    "-fno-strict-aliasing",
                                    "-fno-math-errno",
                                    "-DTALLY_SIMT=1",
                                    SANITIZER_FLAGS};
#define FLAG_COUNT (sizeof flags / sizeof flags[0])

static const char *const counting_flags[] = {"-DTALLY_SIMT_COUNT=1", "-fsanitize=thread",
                                             "-fsanitize-coverage=trace-pc", "-fno-reorder-blocks"};
#define COUNTING_COUNT (sizeof counting_flags / sizeof counting_flags[0])

/* What keeps branches and accesses as they are written: gcc copies code across barriers, clang leaves out a read before
 * a write to the same place. */
static const char *const keeping_flags[2][2] = {{"-fno-thread-jumps", "-fno-thread-jumps"},
                                                {"-mllvm", "-tsan-instrument-read-before-write=1"}};
#define KEEPING_COUNT 2

static int is_clang(const struct simt_compiler *compiler)
{
    return strstr(compiler->path, "clang") != NULL;
}

/* Number i of all flags, or NULL. */
static const char *flag_at(const struct simt_compiler *compiler, int counting, size_t i)
{
    if (i < FLAG_COUNT) return flags[i];
    i -= FLAG_COUNT;
    if (!counting || i >= COUNTING_COUNT + KEEPING_COUNT) return NULL;
    return i < COUNTING_COUNT ? counting_flags[i] : keeping_flags[is_clang(compiler)][i - COUNTING_COUNT];
}

const char *simt_compiler_flags(const struct simt_compiler *compiler, int counting)
{
    static _Thread_local char text[1024];
    size_t used = 0;
    const char *flag;
    text[0] = '\0';
    for (size_t i = 0; (flag = flag_at(compiler, counting, i)) != NULL; i++) {
        int length = snprintf(text + used, sizeof text - used, "%s ", flag);
        if ((size_t)length >= sizeof text - used) break;
        used += (size_t)length;
    }
    return text;
}

/* Fills in the compiler when `path` is a program. */
static int is_program(struct simt_compiler *compiler, const char *path)
{
    struct stat info;
    if (strlen(path) >= SIMT_PATH || access(path, X_OK) != 0 || stat(path, &info) != 0 || !S_ISREG(info.st_mode)) {
        return 0;
    }
    strcpy(compiler->path, path);
    compiler->bytes = (int64_t)info.st_size;
    compiler->changed = (int64_t)info.st_mtim.tv_sec;
    return 1;
}

static int find_on_path(struct simt_compiler *compiler, const char *name)
{
    if (strchr(name, '/')) return is_program(compiler, name);
    const char *folder = getenv("PATH");
    while (folder && *folder) {
        const size_t length = strcspn(folder, ":");
        char path[SIMT_PATH];
        int written = snprintf(path, sizeof path, "%.*s/%s", (int)length, folder, name);
        if (written < SIMT_PATH && length > 0 && is_program(compiler, path)) return 1;
        folder += length + (folder[length] == ':');
    }
    return 0;
}

tally_status simt_compiler_find(struct simt_compiler *compiler)
{
    static const char *const names[] = {
#ifdef SIMT_SANITIZE
        OWN_COMPILER,
#endif
        "c++", "g++", "clang++"};
    const char *wanted = getenv("TALLY_CXX");
    if (wanted && *wanted) {
        if (find_on_path(compiler, wanted)) return TALLY_OK;
        FAIL(TALLY_NO_DEVICE, "device simt: TALLY_CXX is \"%.200s\", which is not a program that can be run", wanted);
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (find_on_path(compiler, names[i])) return TALLY_OK;
    }
    FAIL(TALLY_NO_DEVICE,
         "device simt needs a C++ compiler to compile kernels for this processor, and none of c++, g++ "
         "and clang++ is on the PATH: install one (Debian: apt install g++) or name it in TALLY_CXX");
}

int simt_read_file(const char *path, void **bytes, size_t *size)
{
    FILE *file = fopen(path, "rb");
    struct stat info;
    *bytes = NULL;
    if (!file) return 0;
    int read = 0;
    if (fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode)) {
        *size = (size_t)info.st_size;
        *bytes = malloc(*size + 1);
        read = *bytes && fread(*bytes, 1, *size, file) == *size;
    }
    fclose(file);
    if (read) {
        ((char *)*bytes)[*size] = '\0';
    } else {
        free(*bytes);
    }
    return read;
}

int simt_write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file) return 0;
    const size_t written = fwrite(bytes, 1, size, file);
    return fclose(file) == 0 && written == size;
}

/* Definitions become arguments; both arrays point into `text`, which loses its line ends. */
static size_t add_definitions(char *text, char **arguments, size_t count)
{
    for (char *line = text; line && *line;) {
        char *end = strchr(line, '\n');
        if (end) *end = '\0';
        arguments[count++] = (char *)(uintptr_t) "-D";
        arguments[count++] = line;
        line = end ? end + 1 : NULL;
    }
    return count;
}

static int spawn(const char *folder, char **arguments, int *result)
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

static tally_status report(const char *folder, const struct simt_compiler *compiler, const char *file)
{
    char path[SIMT_PATH + 8];
    void *log = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/log", folder);
    int have = simt_read_file(path, &log, &size);
    status_fail(TALLY_INVALID_ARGUMENT, "device simt: %.100s does not compile %s: %.3000s", compiler->path, file,
                have && size ? (char *)log : "(it said nothing)");
    if (have) free(log);
    return TALLY_INVALID_ARGUMENT;
}

static size_t count_lines(const char *text)
{
    size_t lines = 1;
    for (; *text; text++) lines += *text == '\n';
    return lines;
}

static tally_status run_compiler(const struct simt_compiler *compiler, const char *folder, const char *file,
                                 const char *definitions, int counting)
{
    char *text = malloc(strlen(definitions) + 1);
    char **arguments = calloc(64 + 2 * count_lines(definitions), sizeof *arguments);
    int result = 0, error = ENOMEM;
    if (text && arguments) {
        static const char *const last[] = {"-o", "object", "-xnone", "-lgcc"};
        size_t count = 0;
        strcpy(text, definitions);
        arguments[count++] = (char *)(uintptr_t)compiler->path;
        for (size_t i = 0; flag_at(compiler, counting, i); i++)
            arguments[count++] = (char *)(uintptr_t)flag_at(compiler, counting, i);
        count = add_definitions(text, arguments, count);
        arguments[count++] = (char *)(uintptr_t)file;
        for (size_t i = 0; i < 4; i++) arguments[count++] = (char *)(uintptr_t)last[i];
        error = spawn(folder, arguments, &result);
    }
    free(text);
    free(arguments);
    if (error) FAIL(TALLY_DEVICE_ERROR, "device simt: cannot run %.300s: %s", compiler->path, strerror(error));
    if (!WIFEXITED(result) || WEXITSTATUS(result) != 0) return report(folder, compiler, file);
    return TALLY_OK;
}

static int write_all(const char *folder, const struct embedded_file *files, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char path[SIMT_PATH * 2];
        snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
        if (!simt_write_file(path, files[i].bytes, files[i].size)) return 0;
    }
    return 1;
}

static void delete_all(const char *folder, const struct sources *sources)
{
    char path[SIMT_PATH * 2];
    for (size_t i = 0; i < sources->count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, sources->files[i].name);
        unlink(path);
    }
    for (size_t i = 0; simt_files[i].name; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, simt_files[i].name);
        unlink(path);
    }
    static const char *const made[] = {"log", "object"};
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, made[i]);
        unlink(path);
    }
    rmdir(folder);
}

static size_t simt_file_count(void)
{
    size_t count = 0;
    while (simt_files[count].name) count++;
    return count;
}

tally_status simt_compile(const struct simt_compiler *compiler, const struct sources *sources, const char *file,
                          const char *definitions, int counting, void **object, size_t *size)
{
    if (!sources_find(sources, file)) FAIL(TALLY_DEVICE_ERROR, "device simt: there is no kernel file \"%s\"", file);
    const char *temporary = getenv("TMPDIR");
    char folder[SIMT_PATH], path[SIMT_PATH + 8];
    if (!temporary || *temporary != '/' || strlen(temporary) > SIMT_PATH - 32) temporary = "/tmp";
    snprintf(folder, sizeof folder, "%s/tally-simt-XXXXXX", temporary);
    if (!mkdtemp(folder)) {
        FAIL(TALLY_DEVICE_ERROR, "device simt: cannot make the folder %.300s: %s", folder, strerror(errno));
    }
    tally_status status = TALLY_OK;
    if (!write_all(folder, sources->files, sources->count) || !write_all(folder, simt_files, simt_file_count())) {
        status = status_fail(TALLY_DEVICE_ERROR, "device simt: cannot write to %.300s: %s", folder, strerror(errno));
    }
    if (status == TALLY_OK) status = run_compiler(compiler, folder, file, definitions, counting);
    snprintf(path, sizeof path, "%s/object", folder);
    if (status == TALLY_OK && !simt_read_file(path, object, size)) status = report(folder, compiler, file);
    if (status == TALLY_INVALID_ARGUMENT && !sources->with_text) status = TALLY_DEVICE_ERROR; /* our own fault */
    delete_all(folder, sources);
    return status;
}
