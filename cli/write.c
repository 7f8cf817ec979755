/* SPDX-License-Identifier: MIT
 *
 * write.c - which file and format -o and --json ask for. */
#include "write.h"
#include "io/error.h"

#include <string.h>

static const char *path_of(const cli_options *options)
{
    return options->output != NULL ? options->output : "-";
}

/* --json decides where the name does not; a name that says another format contradicts it. */
static bool choose_format(const cli_options *options, io_format *format)
{
    const char *path = path_of(options);
    bool named = io_format_of(path, format);
    if (!options->json) return named;
    if (named && *format != IO_TEXT && *format != IO_JSON) {
        return io_fail("--json and -o %.200s contradict each other; drop one", path);
    }
    *format = IO_JSON;
    return true;
}

bool cli_check_output(const cli_options *options)
{
    io_format format;
    return choose_format(options, &format);
}

bool cli_open_sink(const cli_options *options, const io_result *result, io_sink **sink)
{
    io_format format;
    return choose_format(options, &format) && io_sink_open(path_of(options), format, result, sink);
}
