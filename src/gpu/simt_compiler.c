/* SPDX-License-Identifier: MIT
 *
 * simt_compiler.c - which C++ compiler compiles kernels for the host, and how it is called. */
#include "simt_compiler.h"
#include "../../simt/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __clang__
#define NO_RUN_TIME_TYPES "-fno-sanitize=vptr,function"
#else
#define NO_RUN_TIME_TYPES "-fno-sanitize=vptr"
#endif
#ifdef SIMT_SANITIZE
#define SANITIZER_FLAGS \
    "-fsanitize=" SIMT_SANITIZE, "-fno-sanitize-recover=all", NO_RUN_TIME_TYPES, "-fno-omit-frame-pointer", "-g1",
#define OPTIMIZATION "-O0" /* compilers take longer over checks than programs */
#define COUNTED_OPTIMIZATION OPTIMIZATION
#else
#define SANITIZER_FLAGS "-Werror=frame-larger-than=32768", /* a fibre's stack has twice that */
#define OPTIMIZATION "-Og"         /* of gcc half again as fast as -O1, for code that is no slower, */
#define COUNTED_OPTIMIZATION "-O1" /* and branches where a GPU would have none */
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
                                    OPTIMIZATION,
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

static const char *const counting_flags[] = {"-DTALLY_SIMT_COUNT=1", COUNTED_OPTIMIZATION, "-fsanitize=thread",
                                             "-fsanitize-coverage=trace-pc", "-fno-reorder-blocks"};
#define COUNTING_COUNT (sizeof counting_flags / sizeof counting_flags[0])

/* What keeps branches and accesses as they are written: gcc copies code across barriers, clang leaves out a read before
 * a write to the same place. */
static const char *const keeping_flags[2][2] = {{"-fno-thread-jumps", "-fno-thread-jumps"},
                                                {"-mllvm", "-tsan-instrument-read-before-write=1"}};
#define KEEPING_COUNT 2

static int is_clang(const struct host_program *compiler)
{
    return strstr(compiler->path, "clang") != NULL;
}

/* Number i of all flags, or NULL. */
static const char *flag_at(const struct host_program *compiler, int counting, size_t i)
{
    if (i < FLAG_COUNT) return flags[i];
    i -= FLAG_COUNT;
    if (!counting || i >= COUNTING_COUNT + KEEPING_COUNT) return NULL;
    return i < COUNTING_COUNT ? counting_flags[i] : keeping_flags[is_clang(compiler)][i - COUNTING_COUNT];
}

const char *simt_compiler_flags(const struct host_program *compiler, int counting)
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

tally_status simt_compiler_find(struct host_program *compiler)
{
    static const char *const names[] = {
#ifdef SIMT_SANITIZE
        OWN_COMPILER,
#endif
        "c++", "g++", "clang++"};
    const char *wanted = getenv("TALLY_CXX");
    if (wanted && *wanted) {
        if (host_program_find(compiler, wanted)) return TALLY_OK;
        FAIL(TALLY_NO_DEVICE, "device simt: TALLY_CXX is \"%.200s\", which is not a program that can be run", wanted);
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (host_program_find(compiler, names[i])) return TALLY_OK;
    }
    FAIL(TALLY_NO_DEVICE,
         "device simt needs a C++ compiler to compile kernels for this processor, and none of c++, g++ "
         "and clang++ is on the PATH: install one (Debian: apt install g++) or name it in TALLY_CXX");
}

/* Definitions become arguments, which point into `text`, which loses its line ends. */
static size_t add_definitions(char *text, const char **arguments, size_t count)
{
    for (char *line = text; line && *line;) {
        char *end = strchr(line, '\n');
        if (end) *end = '\0';
        arguments[count++] = "-D";
        arguments[count++] = line;
        line = end ? end + 1 : NULL;
    }
    return count;
}

static size_t count_lines(const char *text)
{
    size_t lines = 1;
    for (; *text; text++) lines += *text == '\n';
    return lines;
}

/* The arguments point into the definitions. NULL when there is no memory left. */
static const char **make_arguments(const struct host_program *compiler, const char *file, char *definitions,
                                   int counting)
{
    static const char *const last[] = {"-o", "object", "-xnone", "-lgcc"};
    const char **arguments = calloc(64 + 2 * count_lines(definitions), sizeof *arguments);
    size_t count = 0;
    if (!arguments) return NULL;
    for (; flag_at(compiler, counting, count); count++) arguments[count] = flag_at(compiler, counting, count);
    count = add_definitions(definitions, arguments, count);
    arguments[count++] = file;
    for (size_t i = 0; i < sizeof last / sizeof last[0]; i++) arguments[count++] = last[i];
    return arguments;
}

static size_t add_texts(const struct embedded_file *files, size_t file_count, struct host_text *texts, size_t count)
{
    for (size_t i = 0; i < file_count; i++)
        texts[count++] = (struct host_text){files[i].name, files[i].bytes, files[i].size};
    return count;
}

static size_t simt_file_count(void)
{
    size_t count = 0;
    while (simt_files[count].name) count++;
    return count;
}

/* The sources and what kernels include on the host. NULL when there is no memory left. */
static struct host_text *make_texts(const struct sources *sources)
{
    struct host_text *texts = calloc(sources->count + simt_file_count() + 1, sizeof *texts);
    if (texts) add_texts(simt_files, simt_file_count(), texts, add_texts(sources->files, sources->count, texts, 0));
    return texts;
}

tally_status simt_compile(const struct host_program *compiler, const struct sources *sources, const char *file,
                          const char *definitions, int counting, void **object, size_t *size)
{
    if (!sources_find(sources, file)) FAIL(TALLY_DEVICE_ERROR, "device simt: there is no kernel file \"%s\"", file);
    char *lines = malloc(strlen(definitions) + 1), *log = NULL;
    struct host_text *texts = make_texts(sources);
    const char **arguments = lines ? make_arguments(compiler, file, strcpy(lines, definitions), counting) : NULL;
    tally_status status = TALLY_OK;
    int refused = 0;
    if (arguments && texts) refused = host_compile(compiler, texts, arguments, object, size, &log);
    else status = status_fail(TALLY_OUT_OF_MEMORY, "device simt: no memory left to compile %s", file);
    if (refused > 0)
        status = status_fail(sources->with_text ? TALLY_INVALID_ARGUMENT : TALLY_DEVICE_ERROR,
                             "device simt: %.100s does not compile %s: %.3000s", compiler->path, file,
                             log && *log ? log : "(it said nothing)");
    else if (refused < 0)
        status = status_fail(TALLY_DEVICE_ERROR, "device simt: %.300s %.1000s", compiler->path, log ? log : "failed");
    free(log);
    free(arguments);
    free(texts);
    free(lines);
    return status;
}
