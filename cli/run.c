/* SPDX-License-Identifier: MIT
 *
 * run.c - what every command that computes does the same way: fail, open the device, translate options. */
#include "cli.h"
#include "io/error.h"
#include "io/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int cli_bad_input(void)
{
    fprintf(stderr, "tally: %s\n", io_error());
    return CLI_BAD_INPUT;
}

int cli_bad_usage(void)
{
    fprintf(stderr, "tally: %s\n", io_error());
    return CLI_BAD_USAGE;
}

int cli_bad_call(const char *name)
{
    io_fail("%s: %s", name, tally_last_error());
    return cli_bad_input();
}

bool cli_open_context(const cli_options *options, tally_context **context)
{
    char device[32];
    const char *name = options->device != NULL ? options->device : "cpu";
    if (options->threads > 0) {
        snprintf(device, sizeof device, "cpu:%" PRId64, options->threads);
        name = device;
    }
    return tally_open(name, context) == TALLY_OK || io_fail("--device: %s", tally_last_error());
}

void cli_library_options(const cli_options *options, tally_options *library)
{
    *library = (tally_options)TALLY_OPTIONS_INIT;
    library->flags = (options->keepdims ? TALLY_KEEPDIMS : 0U) | (options->skip_nan ? TALLY_SKIP_NAN : 0U) |
                     (options->plain ? TALLY_PLAIN : 0U) | (options->check_overflow ? TALLY_CHECK_OVERFLOW : 0U) |
                     (options->exclusive ? TALLY_EXCLUSIVE : 0U) | (options->reverse ? TALLY_REVERSE : 0U);
    library->axes = options->axis_count > 0 ? options->axes : NULL;
    library->axis_count = options->axis_count;
    library->type = options->dtype;
    library->correction = options->correction;
}

bool cli_parse_initial(const cli_options *options, tally_type type, void *initial)
{
    switch (io_number_parse(options->initial, strlen(options->initial), type, initial)) {
    case IO_NUMBER_OK: return true;
    case IO_NUMBER_RANGE:
        return io_fail("--initial %.80s is outside the range of %s, the type of the result", options->initial,
                       tally_type_name(type));
    default:
        return io_fail("--initial '%.80s' is not %s; the result has type %s", options->initial,
                       io_number_expected(type), tally_type_name(type));
    }
}
