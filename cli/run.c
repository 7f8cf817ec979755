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

/* The library names members of tally_options and flags; the user of the command knows options. */
static const char *translate(const char *at, size_t *length)
{
    static const struct {
        const char *member;
        const char *command;
    } words[] = {
        {"options.axes is NULL", "--axis is missing"},
        {"options.axes[", "--axis ["},
        {"options.axes", "--axis"},
        {"options.initial", "--initial"},
        {"options.where", "--where"},
        {"options.type", "--dtype"},
        {"options.second", "the second file"},
        {"options.third", "the third file"},
        {"source.", "--"},
        {"options.correction", "--correction"},
        {"options.modulus", "--mod"},
        {"TALLY_CHECK_OVERFLOW", "--check-overflow"},
        {"TALLY_SKIP_NAN", "--skip-nan"},
        {"TALLY_PLAIN", "--plain"},
        {"TALLY_EXCLUSIVE", "--exclusive"},
        {"TALLY_REVERSE", "--reverse"},
        {"TALLY_KEEPDIMS", "--keepdims"},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        *length = strlen(words[i].member);
        if (strncmp(at, words[i].member, *length) == 0) return words[i].command;
    }
    *length = 1;
    return NULL;
}

bool cli_fail_call(const char *name)
{
    char text[3072];
    size_t used = 0;
    const char *at = tally_last_error();
    while (*at != '\0' && used + 1 < sizeof text) {
        size_t length;
        const char *word = translate(at, &length);
        size_t room = sizeof text - used;
        int added = word != NULL ? snprintf(text + used, room, "%s", word) : snprintf(text + used, room, "%c", *at);
        used += (size_t)added < room ? (size_t)added : room - 1;
        at += length;
    }
    text[used] = '\0';
    return io_fail("%s: %s", name, text);
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
    library->modulus = options->modulus;
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

void cli_print_json_string(const char *text)
{
    putchar('"');
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte < 0x20) {
            printf("\\u%04x", byte);
        } else {
            printf(byte == '"' || byte == '\\' ? "\\%c" : "%c", byte);
        }
    }
    putchar('"');
}
