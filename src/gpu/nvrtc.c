/* SPDX-License-Identifier: MIT
 *
 * nvrtc.c - compiles with libnvrtc. */
#define _GNU_SOURCE
#include "nvrtc.h"
#include "nvrtc_find.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct nvrtc_program_handle *nvrtc_program;

/* All return nvrtcResult, an int. */
#define FOR_EACH_NVRTC_FUNCTION(X)                                                                          \
    X(nvrtcVersion, (int *major, int *minor))                                                               \
    X(nvrtcGetNumSupportedArchs, (int *count))                                                              \
    X(nvrtcGetSupportedArchs, (int *architectures))                                                         \
    X(nvrtcCreateProgram, (nvrtc_program * program, const char *source, const char *name, int header_count, \
                           const char *const *headers, const char *const *header_names))                    \
    X(nvrtcDestroyProgram, (nvrtc_program * program))                                                       \
    X(nvrtcCompileProgram, (nvrtc_program program, int option_count, const char *const *options))           \
    X(nvrtcGetCUBINSize, (nvrtc_program program, size_t * size))                                            \
    X(nvrtcGetCUBIN, (nvrtc_program program, char *cubin))                                                  \
    X(nvrtcGetProgramLogSize, (nvrtc_program program, size_t * size))                                       \
    X(nvrtcGetProgramLog, (nvrtc_program program, char *log))

enum { MOST_ARCHITECTURES = 64, NVRTC_SUCCESS = 0 };

static struct {
#define NVRTC_MEMBER(name, arguments) int(*name) arguments;
    FOR_EACH_NVRTC_FUNCTION(NVRTC_MEMBER)
#undef NVRTC_MEMBER
    const char *(*nvrtcGetErrorString)(int result);
    int version;
    char version_text[16], path[512];
    int architecture[MOST_ARCHITECTURES], architecture_count;
} nvrtc;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static tally_status outcome;
static char reason[768];

const char nvrtc_options[] = "--std=c++17 --fmad=false --ftz=false --prec-div=true --prec-sqrt=true --device-int128";

static int find(void *library, const char *symbol, void *function, size_t size)
{
    void *found = dlsym(library, symbol);
    memcpy(function, &found, size);
    if (!found) snprintf(reason, sizeof reason, "the CUDA compiler %s lacks %s", nvrtc.path, symbol);
    return found != NULL;
}

static int find_functions(void *library)
{
    Dl_info info;
    void *any = dlsym(library, "nvrtcVersion");
    if (any && dladdr(any, &info) && info.dli_fname) snprintf(nvrtc.path, sizeof nvrtc.path, "%s", info.dli_fname);
#define NVRTC_FIND(name, arguments) \
    if (!find(library, #name, &nvrtc.name, sizeof nvrtc.name)) return 0;
    FOR_EACH_NVRTC_FUNCTION(NVRTC_FIND)
#undef NVRTC_FIND
    return find(library, "nvrtcGetErrorString", &nvrtc.nvrtcGetErrorString, sizeof nvrtc.nvrtcGetErrorString);
}

static int read_version(void)
{
    int major = 0, minor = 0, count = 0;
    if (nvrtc.nvrtcVersion(&major, &minor) != NVRTC_SUCCESS || major < 12) {
        snprintf(reason, sizeof reason,
                 "the CUDA compiler %s has version %d.%d, tally needs 12.0 or newer: "
                 "pip install nvidia-cuda-nvrtc",
                 nvrtc.path, major, minor);
        return 0;
    }
    nvrtc.version = 1000 * major + 10 * minor;
    snprintf(nvrtc.version_text, sizeof nvrtc.version_text, "%d.%d", major, minor);
    if (nvrtc.nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS || count < 1 || count > MOST_ARCHITECTURES ||
        nvrtc.nvrtcGetSupportedArchs(nvrtc.architecture) != NVRTC_SUCCESS) {
        snprintf(reason, sizeof reason, "the CUDA compiler %s does not say which GPUs it compiles for", nvrtc.path);
        return 0;
    }
    nvrtc.architecture_count = count;
    return 1;
}

static void load(void)
{
    outcome = TALLY_NO_DEVICE;
    void *library = nvrtc_find(reason, sizeof reason);
    if (!library) return;
    if (find_functions(library) && read_version()) {
        outcome = TALLY_OK;
    } else {
        dlclose(library);
    }
}

tally_status nvrtc_load(void)
{
    pthread_once(&once, load);
    return outcome == TALLY_OK ? TALLY_OK : status_fail(outcome, "%s", reason);
}

const char *nvrtc_version_text(void)
{
    return nvrtc.version_text;
}

const char *nvrtc_path(void)
{
    return nvrtc.path;
}

int nvrtc_version(void)
{
    return nvrtc.version;
}

int nvrtc_architectures(int *architectures, int room)
{
    for (int i = 0; i < nvrtc.architecture_count && i < room; i++) architectures[i] = nvrtc.architecture[i];
    return nvrtc.architecture_count;
}

tally_status nvrtc_architecture(int wanted, int *architecture)
{
    int best = 0, lowest = 1000, highest = 0;
    TRY(nvrtc_load());
    for (int i = 0; i < nvrtc.architecture_count; i++) {
        int known = nvrtc.architecture[i];
        if (known < lowest) lowest = known;
        if (known > highest) highest = known;
        if (known / 10 == wanted / 10 && known <= wanted && known > best) best = known;
    }
    if (best == 0)
        FAIL(TALLY_NO_DEVICE,
             "the CUDA compiler %s (version %s) compiles for GPUs from sm_%d to sm_%d, this one is sm_%d: %s",
             nvrtc.path, nvrtc.version_text, lowest, highest, wanted,
             wanted > lowest ? "pip install a newer nvidia-cuda-nvrtc, or let TALLY_NVRTC name one"
                             : "let TALLY_NVRTC name an older one, such as that of nvidia-cuda-nvrtc-cu12");
    *architecture = best;
    return TALLY_OK;
}

/* Options as texts in one block of memory. */
struct options {
    char *text;
    const char **list;
    int count;
};

/* Each of the words between separators becomes an option. */
static char *add_options(struct options *options, char *at, const char *prefix, const char *words,
                         const char *separator)
{
    for (words += strspn(words, separator); *words; words += strspn(words, separator)) {
        size_t length = strcspn(words, separator), head = strlen(prefix);
        options->list[options->count++] = at;
        memcpy(at, prefix, head);
        memcpy(at + head, words, length);
        at[head + length] = '\0';
        at += head + length + 1;
        words += length;
    }
    return at;
}

static tally_status options_open(struct options *options, const struct nvrtc_request *request, int architecture)
{
    const char *definitions = request->definitions ? request->definitions : "";
    char number[16];
    /* No option is shorter than two characters with what divides it from the next. */
    size_t bytes = 2 * (sizeof nvrtc_options + strlen(definitions)) + 128;
    options->count = 0;
    options->text = malloc(bytes);
    options->list = malloc(bytes / 2 * sizeof *options->list);
    if (!options->text || !options->list) {
        free(options->text);
        free(options->list);
        FAIL(TALLY_OUT_OF_MEMORY, "no memory left for the options of the CUDA compiler");
    }
    snprintf(number, sizeof number, "%d", architecture);
    char *at = add_options(options, options->text, "--gpu-architecture=sm_", number, " ");
    at = add_options(options, at, "", nvrtc_options, " ");
    if (request->with_text)
        at = add_options(options, at, "", "--device-as-default-execution-space", " "); /* a user's helpers */
    if (request->reports) at = add_options(options, at, "", "--ptxas-options=-v", " ");
    add_options(options, at, "-D", definitions, "\n");
    return TALLY_OK;
}

static tally_status failed(int result, const char *function, const struct nvrtc_request *request)
{
    return status_fail(TALLY_DEVICE_ERROR, "%s failed while compiling %s for sm_%d: %s (%s)", function,
                       request->file->name, request->architecture, nvrtc.nvrtcGetErrorString(result), nvrtc.path);
}

/* NULL when there is none. */
static char *get_log(nvrtc_program program)
{
    size_t size = 0;
    if (nvrtc.nvrtcGetProgramLogSize(program, &size) != NVRTC_SUCCESS || size == 0) return NULL;
    char *log = malloc(size + 1);
    if (!log) return NULL;
    log[size] = '\0';
    if (nvrtc.nvrtcGetProgramLog(program, log) == NVRTC_SUCCESS) return log;
    free(log);
    return NULL;
}

/* The definitions first, on one line: they are short and say which of many variants failed. */
static tally_status refused(int result, const struct nvrtc_request *request, const char *log)
{
    char definitions[256];
    if (request->with_text)
        return status_fail(TALLY_INVALID_ARGUMENT, "the CUDA compiler %s does not compile it: %.3000s",
                           nvrtc.version_text, log ? log : "it gives no reason");
    snprintf(definitions, sizeof definitions, "%s", request->definitions ? request->definitions : "");
    for (char *at = definitions; *at; at++) {
        if (*at == '\n') *at = ' ';
    }
    return status_fail(TALLY_DEVICE_ERROR, "the CUDA compiler %s refuses %s for sm_%d (%s; %s): %.3000s",
                       nvrtc.version_text, request->file->name, request->architecture,
                       nvrtc.nvrtcGetErrorString(result), definitions, log ? log : "it gives no reason");
}

static tally_status run(nvrtc_program program, const struct options *options, const struct nvrtc_request *request,
                        void **cubin, size_t *size, char **log)
{
    int result = nvrtc.nvrtcCompileProgram(program, options->count, options->list);
    char *text = get_log(program);
    if (result != NVRTC_SUCCESS) {
        tally_status status = refused(result, request, text);
        free(text);
        return status;
    }
    if (log) *log = text;
    else free(text);
    result = nvrtc.nvrtcGetCUBINSize(program, size);
    if (result != NVRTC_SUCCESS || *size == 0) return failed(result, "nvrtcGetCUBINSize", request);
    *cubin = malloc(*size);
    if (!*cubin) FAIL(TALLY_OUT_OF_MEMORY, "no memory left for a kernel of %zu bytes", *size);
    result = nvrtc.nvrtcGetCUBIN(program, *cubin);
    if (result == NVRTC_SUCCESS) return TALLY_OK;
    free(*cubin);
    *cubin = NULL;
    return failed(result, "nvrtcGetCUBIN", request);
}

static tally_status create(const struct nvrtc_request *request, nvrtc_program *program)
{
    const char **names = malloc((request->header_count + 1) * 2 * sizeof *names), **texts = names;
    if (!names) FAIL(TALLY_OUT_OF_MEMORY, "no memory left for the headers of %s", request->file->name);
    texts += request->header_count + 1;
    for (size_t i = 0; i < request->header_count; i++) {
        names[i] = request->headers[i].name;
        texts[i] = request->headers[i].bytes;
    }
    int result = nvrtc.nvrtcCreateProgram(program, request->file->bytes, request->file->name,
                                          (int)request->header_count, texts, names);
    free(names);
    return result == NVRTC_SUCCESS ? TALLY_OK : failed(result, "nvrtcCreateProgram", request);
}

tally_status nvrtc_compile(const struct nvrtc_request *request, void **cubin, size_t *size, char **log)
{
    struct options options;
    nvrtc_program program;
    int architecture = 0;
    if (log) *log = NULL;
    TRY(nvrtc_architecture(request->architecture, &architecture));
    TRY(options_open(&options, request, architecture));
    tally_status status = create(request, &program);
    if (status == TALLY_OK) {
        status = run(program, &options, request, cubin, size, log);
        nvrtc.nvrtcDestroyProgram(&program);
        if (status != TALLY_OK && log) {
            free(*log);
            *log = NULL;
        }
    }
    free(options.text);
    free(options.list);
    return status;
}
