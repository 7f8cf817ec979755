/* SPDX-License-Identifier: MIT
 *
 * user_compiler.c - the C compiler of users' operators: run once for all processes; what it made is taken from disk, if
 * it is sound; and what is said when there is none, when it fails, or when files cannot be written. */
#define _GNU_SOURCE
#include "failing.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[256], script[300], runs[300];
static tally_context *context;

/* In a process of its own, as users come: 0 when an operator can be made and gives 10, or the status. */
static int make(const char *combine, const char *words)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        tally_op_source source = TALLY_OP_SOURCE_INIT;
        double x[4] = {1, 2, 3, 4}, result = 0;
        tally_array v = tally_vector(x, TALLY_F64, 4), out = tally_shaped(&result, TALLY_F64, 0, NULL);
        tally_op op;
        source.name = "kept", source.state = "f64", source.combine = combine, source.inputs[0] = TALLY_F64;
        tally_status status = tally_op_compile(context, &source, &op);
        if (status == TALLY_OK && (tally_reduce(context, op, &v, &out, NULL) != TALLY_OK || result != 10)) status = 99;
        if (status == TALLY_OK) tally_op_free(op);
        else if (words && !strstr(tally_last_error(), words)) {
            fprintf(stderr, "\"%s\" is not in \"%s\"\n", words, tally_last_error());
            status = 98;
        }
        _exit(status);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void write_text(const char *path, const char *text, int mode)
{
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0 || chmod(path, (mode_t)mode) != 0) abort();
}

/* How often the logging compiler ran since the last call. */
static int times_run(void)
{
    struct stat info;
    int times = stat(runs, &info) == 0 ? (int)info.st_size : 0;
    unlink(runs);
    return times;
}

static const char *below(const char *name)
{
    static char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* Does something to each file of a folder; how many there are. */
static int each_file(const char *path, void (*act)(const char *file))
{
    DIR *directory = opendir(path);
    int count = 0;
    char file[900];
    for (struct dirent *entry; directory && (entry = readdir(directory)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        if (act) act(file);
        count++;
    }
    if (directory) closedir(directory);
    return count;
}

static void damage(const char *path)
{
    char byte = 'x';
    int file = open(path, O_RDWR);
    if (file < 0 || pwrite(file, &byte, 1, lseek(file, 0, SEEK_END) / 2) != 1) abort();
    close(file);
}

static void cut(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0 || truncate(path, info.st_size / 2) != 0) abort();
}

static void empty(const char *path)
{
    if (truncate(path, 0) != 0) abort();
}

static void delete (const char *path)
{
    unlink(path);
}

static void kept(void)
{
    void (*const harms[])(const char *) = {damage, cut, empty, delete};
    CHECK_EQUAL_I64(make("a + b", NULL), TALLY_OK);
    CHECK_EQUAL_I64(times_run(), 1);
    CHECK_EQUAL_I64(make("a + b", NULL), TALLY_OK);
    CHECK_EQUAL_I64(times_run(), 0);
    CHECK_EQUAL_I64(make("b + a", NULL), TALLY_OK);
    CHECK_EQUAL_I64(times_run(), 1);
    CHECK_EQUAL_I64(each_file(below("cache"), NULL), 2);
    for (size_t k = 0; k < sizeof harms / sizeof harms[0]; k++) {
        each_file(below("cache"), harms[k]);
        CHECK_EQUAL_I64(make("a + b", NULL), TALLY_OK);
        CHECK_EQUAL_I64(make("b + a", NULL), TALLY_OK);
        CHECK_EQUAL_I64(times_run(), 2);
        CHECK_EQUAL_I64(make("a + b", NULL), TALLY_OK);
        CHECK_EQUAL_I64(times_run(), 0);
    }
    CHECK_EQUAL_I64(each_file(below("cache"), NULL), 2);
    CHECK_EQUAL_I64(each_file(below("temporary"), NULL), 0);
}

/* Where nothing can be kept, each process compiles for itself. */
static void not_kept(void)
{
    write_text(below("file"), "", 0600);
    setenv("TALLY_CACHE_DIR", below("file"), 1);
    CHECK_EQUAL_I64(make("a + b", NULL), TALLY_OK);
    CHECK_EQUAL_I64(make("a + b", NULL), TALLY_OK);
    CHECK_EQUAL_I64(times_run(), 2);
    mkdir(below("open"), 0777);
    chmod(below("open"), 0777);
    setenv("TALLY_CACHE_DIR", below("open"), 1);
    CHECK_EQUAL_I64(make("a + b", NULL), TALLY_OK);
    CHECK_EQUAL_I64(each_file(below("open"), NULL), 0);
    setenv("TALLY_CACHE_DIR", "/proc/nothing/here", 1);
    CHECK_EQUAL_I64(make("a + b", NULL), TALLY_OK);
    CHECK_EQUAL_I64(times_run(), 2);
    setenv("TALLY_CACHE_DIR", below("none"), 1);
    setenv("TALLY_CACHE_LIMIT", "0", 1);
    CHECK_EQUAL_I64(make("a + b", NULL), TALLY_OK);
    CHECK_EQUAL_I64(each_file(below("none"), NULL), 0);
    CHECK_EQUAL_I64(times_run(), 1);
    unsetenv("TALLY_CACHE_LIMIT");
    setenv("TALLY_CACHE_DIR", below("other"), 1);
    CHECK_EQUAL_I64(each_file(below("temporary"), NULL), 0);
}

static void missing(void)
{
    char *path = strdup(getenv("PATH"));
    setenv("TALLY_CC", below("no-such"), 1);
    CHECK_EQUAL_I64(make("a + b", "TALLY_CC is \""), TALLY_NO_DEVICE);
    setenv("TALLY_CC", folder, 1);
    CHECK_EQUAL_I64(make("a + b", "not a program"), TALLY_NO_DEVICE);
    unsetenv("TALLY_CC");
    setenv("PATH", below("temporary"), 1);
    CHECK_EQUAL_I64(make("a + b", "PATH"), TALLY_NO_DEVICE);
    unsetenv("PATH");
    CHECK_EQUAL_I64(make("a + b", "TALLY_CC"), TALLY_NO_DEVICE);
    setenv("PATH", path, 1);
    free(path);
    CHECK_EQUAL_I64(make("a + b", NULL), TALLY_OK);
    CHECK_EQUAL_I64(make("a + c", "kept.combine:1:5"), TALLY_INVALID_ARGUMENT);
}

static void failing(void)
{
    static const struct {
        const char *text;
        int status;
        const char *words;
    } compilers[] = {
        {"#!/bin/sh\nexit 1\n", TALLY_INVALID_ARGUMENT, "said nothing"},
        {"#!/bin/sh\necho no licence\nexit 3\n", TALLY_INVALID_ARGUMENT, "no licence"},
        {"#!/bin/sh\nkill -9 $$\n", TALLY_INVALID_ARGUMENT, "does not compile"},
        {"#!/bin/sh\nexit 0\n", TALLY_NO_DEVICE, "made nothing"},
        {"#!/bin/sh\necho garbage >object\n", TALLY_NO_DEVICE, "cannot load"},
        {"#!/no/such/shell\n", TALLY_NO_DEVICE, "cannot be run"},
    };
    for (size_t k = 0; k < sizeof compilers / sizeof compilers[0]; k++) {
        write_text(below("bad-cc"), compilers[k].text, 0700);
        setenv("TALLY_CC", below("bad-cc"), 1);
        CHECK_EQUAL_I64(make("(a + b)", compilers[k].words), compilers[k].status);
    }
    setenv("TALLY_CC", script, 1);
    setenv("TMPDIR", "/proc/nothing", 1);
    CHECK_EQUAL_I64(make("(a + b)", "temporary folder"), TALLY_NO_DEVICE);
    setenv("TMPDIR", below("temporary"), 1);
    CHECK_EQUAL_I64(make("(a + b)", NULL), TALLY_OK);
    CHECK_EQUAL_I64(each_file(below("temporary"), NULL), 0);
}

/* A compiler by a path from here runs in a folder elsewhere. */
static void relative(void)
{
    char here[1024];
    if (!getcwd(here, sizeof here) || chdir(folder) != 0) abort();
    setenv("TALLY_CC", "./logging-cc", 1);
    CHECK_EQUAL_I64(make("((a) + b)", NULL), TALLY_OK);
    CHECK(times_run() > 0);
    if (chdir(here) != 0) abort();
    setenv("TALLY_CC", script, 1);
}

/* A product is rounded before it is added, also where the compiler could do both at once. */
static void rounded_twice(void)
{
    enum { N = 16 };
    tally_op_source source = TALLY_OP_SOURCE_INIT;
    double x[N][2], got[N][2], want[N][2];
    tally_array v = tally_vector(x, TALLY_C128, N), out = tally_vector(got, TALLY_C128, N);
    tally_op op;
    source.name = "turn", source.state = "c128", source.inputs[0] = TALLY_C128;
    source.combine = "c128 r = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; return r;";
    for (int i = 0; i < N; i++) x[i][0] = cos(i + 0.1), x[i][1] = sin(i + 0.1);
    for (int i = 0; i < N; i++) {
        volatile double product[4];
        for (int k = 0; k < 4 && i > 0; k++) product[k] = want[i - 1][k / 2] * x[i][k % 2];
        want[i][0] = i > 0 ? product[0] - product[3] : x[i][0];
        want[i][1] = i > 0 ? product[1] + product[2] : x[i][1];
    }
    if (!CHECK(tally_op_compile(context, &source, &op) == TALLY_OK)) return;
    CHECK(tally_scan(context, op, &v, &out, NULL) == TALLY_OK);
    CHECK(memcmp(got, want, sizeof want) == 0);
    CHECK(tally_op_free(op) == TALLY_OK);
}

int main(void)
{
    char text[1500];
    snprintf(folder, sizeof folder, "/tmp/tally-user-compiler-XXXXXX");
    if (!mkdtemp(folder)) abort();
    snprintf(script, sizeof script, "%s/logging-cc", folder);
    snprintf(runs, sizeof runs, "%s/runs", folder);
    snprintf(text, sizeof text, "#!/bin/sh\nprintf x >>%s\nexec cc \"$@\"\n", runs);
    write_text(script, text, 0700);
    mkdir(below("temporary"), 0700);
    setenv("TMPDIR", below("temporary"), 1);
    setenv("TALLY_CACHE_DIR", below("cache"), 1);
    setenv("TALLY_CC", script, 1);
    unsetenv("TALLY_CACHE_LIMIT");
    CHECK(tally_open("cpu:1", &context) == TALLY_OK);
    CASE("kept") kept();
    CASE("not kept") not_kept();
    CASE("relative") relative();
    CASE("failing") failing();
    CASE("rounded twice") rounded_twice();
    CASE("missing") missing();
    CHECK(tally_close(context) == TALLY_OK);
    snprintf(text, sizeof text, "rm -rf %s", folder);
    CHECK(system(text) == 0);
    return test_finish("user_compiler");
}
