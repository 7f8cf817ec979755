/* SPDX-License-Identifier: MIT
 *
 * info.c - tally info: the version, the device in use, and which optional parts this build has, or why not. */
#include "cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A version as CUDA counts them: 12040 is 12.4. */
static void print_version(const char *name, int32_t version, const char *path)
{
    printf("%-16s CUDA %" PRId32 ".%" PRId32 ", %s\n", name, version / 1000, version % 1000 / 10, path);
}

static void print_cuda(const tally_cuda *cuda)
{
    if (cuda->driver_problem[0] != '\0') {
        printf("gpu driver       %s\n", cuda->driver_problem);
    } else {
        print_version("gpu driver", cuda->driver_version, cuda->driver_path);
    }
    if (cuda->compiler_problem[0] != '\0') {
        printf("gpu compiler     %s\n", cuda->compiler_problem);
    } else {
        print_version("gpu compiler", cuda->compiler_version, cuda->compiler_path);
    }
    for (int32_t i = 0; i < cuda->devices; i++) {
        tally_device gpu = {.size = sizeof gpu};
        if (tally_cuda_device(i, &gpu) != TALLY_OK) {
            printf("gpu              cuda:%" PRId32 ", %s\n", i, tally_last_error());
            continue;
        }
        printf("gpu              %s, %s, %s, %" PRId32 " multiprocessors, %.1f GiB\n", gpu.name, gpu.description,
               gpu.instruction_set, gpu.threads, (double)gpu.memory_bytes / (1 << 30));
    }
}

/* What `tally life` writes through libraries. */
static const struct {
    const char *name, *needs, *package;
    bool present;
} life_files[] = {
#ifdef HAVE_PNG
    {"png", "libpng", "libpng-dev", true},
#else
    {"png", "libpng", "libpng-dev", false},
#endif
#ifdef HAVE_GIF
    {"gif", "giflib", "libgif-dev", true},
#else
    {"gif", "giflib", "libgif-dev", false},
#endif
#ifdef HAVE_ZLIB
    {"gzip", "zlib", "zlib1g-dev", true},
#else
    {"gzip", "zlib", "zlib1g-dev", false},
#endif
};

enum { LIFE_FILES = sizeof life_files / sizeof life_files[0] };

static void print_life_files(void)
{
    for (int i = 0; i < LIFE_FILES; i++) {
        printf("%-16s ", life_files[i].name);
        if (life_files[i].present) printf("built in\n");
        else
            printf("not built in: %s was not found (Debian: apt install %s, then build again)\n", life_files[i].needs,
                   life_files[i].package);
    }
}

static void print_text(const tally_device *device, const char *hdf5, const tally_cuda *cuda)
{
    bool is_gpu = strncmp(device->instruction_set, "sm_", 3) == 0;
    printf("version          %s\n", tally_version());
    printf("device           %s\n", device->name);
    printf("%s        %s\n", is_gpu ? "gpu      " : "processor", device->description);
    printf("%s  %" PRId32 "\n", is_gpu ? "multiprocessors" : "threads        ", device->threads);
    printf("instruction set  %s\n", device->instruction_set);
    printf("memory           %.1f GiB\n", (double)device->memory_bytes / (1 << 30));
    printf("hdf5             %s%s\n", hdf5 ? hdf5 : "not built in: libhdf5 was not found",
           hdf5 ? "" : " (Debian: apt install libhdf5-dev, then build again)");
    print_life_files();
    print_cuda(cuda);
}

static void print_member(const char *name, const char *text, bool present)
{
    printf(", \"%s\": ", name);
    if (present) {
        cli_print_json_string(text);
    } else {
        printf("null");
    }
}

static void print_cuda_json(const tally_cuda *cuda)
{
    bool driver = cuda->driver_problem[0] == '\0', compiler = cuda->compiler_problem[0] == '\0';
    printf(", \"cuda\": {\"driver_version\": %" PRId32 ", \"compiler_version\": %" PRId32, cuda->driver_version,
           cuda->compiler_version);
    print_member("driver", cuda->driver_path, driver);
    print_member("driver_problem", cuda->driver_problem, !driver);
    print_member("compiler", cuda->compiler_path, compiler);
    print_member("compiler_problem", cuda->compiler_problem, !compiler);
    printf(", \"gpus\": [");
    for (int32_t i = 0; i < cuda->devices; i++) {
        tally_device gpu = {.size = sizeof gpu};
        if (tally_cuda_device(i, &gpu) != TALLY_OK) continue;
        printf("%s{\"device\": \"%s\", \"description\": ", i > 0 ? ", " : "", gpu.name);
        cli_print_json_string(gpu.description);
        printf(", \"architecture\": \"%s\", \"multiprocessors\": %" PRId32 ", \"memory_bytes\": %" PRId64 "}",
               gpu.instruction_set, gpu.threads, gpu.memory_bytes);
    }
    printf("]}");
}

static void print_json(const tally_device *device, const char *hdf5, const tally_cuda *cuda)
{
    printf("{\"version\": \"%s\", \"device\": \"%s\"", tally_version(), device->name);
    print_member("processor", device->description, true);
    printf(", \"threads\": %" PRId32 ", \"instruction_set\": \"%s\", \"memory_bytes\": %" PRId64, device->threads,
           device->instruction_set, device->memory_bytes);
    print_member("hdf5", hdf5, hdf5 != NULL);
    for (int i = 0; i < LIFE_FILES; i++)
        printf(", \"%s\": %s", life_files[i].name, life_files[i].present ? "true" : "false");
    print_cuda_json(cuda);
    printf("}\n");
}

int cli_info(const cli_arguments *arguments)
{
    tally_context *context = NULL;
    tally_device device = {.size = sizeof device};
    tally_cuda cuda = {.size = sizeof cuda};
    if (!cli_open_context(&arguments->options, &context)) return cli_bad_usage();
    tally_status status = tally_device_info(context, &device);
    tally_close(context);
    if (status != TALLY_OK || tally_cuda_info(&cuda) != TALLY_OK) {
        cli_fail_call("info");
        return cli_bad_input();
    }
    if (arguments->options.json) {
        print_json(&device, io_hdf5_version(), &cuda);
    } else {
        print_text(&device, io_hdf5_version(), &cuda);
    }
    return CLI_OK;
}
