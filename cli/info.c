/* SPDX-License-Identifier: MIT
 *
 * info.c - tally info: the version, the device in use, and which optional parts this build has, or why not. */
#include "cli.h"

#include <inttypes.h>
#include <stdio.h>

static void print_text(const tally_device *device, const char *hdf5)
{
    printf("version          %s\n", tally_version());
    printf("device           %s\n", device->name);
    printf("processor        %s\n", device->description);
    printf("threads          %" PRId32 "\n", device->threads);
    printf("instruction set  %s\n", device->instruction_set);
    printf("memory           %.1f GiB\n", (double)device->memory_bytes / (1 << 30));
    printf("hdf5             %s%s\n", hdf5 ? hdf5 : "not built in: libhdf5 was not found",
           hdf5 ? "" : " (Debian: apt install libhdf5-dev, then build again)");
    printf("cuda             not in this version\n");
}

static void print_json(const tally_device *device, const char *hdf5)
{
    const char *quote = hdf5 ? "\"" : "";
    printf("{\"version\": \"%s\", \"device\": \"%s\", \"processor\": \"%s\", \"threads\": %" PRId32
           ", \"instruction_set\": \"%s\", \"memory_bytes\": %" PRId64 ", \"hdf5\": %s%s%s, \"cuda\": null}\n",
           tally_version(), device->name, device->description, device->threads, device->instruction_set,
           device->memory_bytes, quote, hdf5 ? hdf5 : "null", quote);
}

int cli_info(const cli_arguments *arguments)
{
    tally_context *context = NULL;
    tally_device device = {.size = sizeof device};
    if (!cli_open_context(&arguments->options, &context)) return cli_bad_usage();
    tally_status status = tally_device_info(context, &device);
    tally_close(context);
    if (status != TALLY_OK) {
        cli_fail_call("info");
        return cli_bad_input();
    }
    if (arguments->options.json) {
        print_json(&device, io_hdf5_version());
    } else {
        print_text(&device, io_hdf5_version());
    }
    return CLI_OK;
}
