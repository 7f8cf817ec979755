/* SPDX-License-Identifier: MIT
 *
 * fuzz_cli.c - any bytes as a command line, one word per line: parsed, never run. */
#include "../../cli/names.c"
#include "../../cli/options.c"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int never_run(const cli_arguments *arguments)
{
    (void)arguments;
    abort();
}

static void require(bool holds)
{
    if (!holds) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const cli_command commands[] = {
        {"reduce", "OPERATOR FILE...", "", FOR_REDUCE, true, 1, -1, never_run},
        {"sum", "FILE...", "", FOR_REDUCE, false, 1, -1, never_run},
        {"scan", "OPERATOR FILE", "", FOR_SCAN, true, 1, 1, never_run},
        {"stats", "FILE...", "", FOR_STATS, false, 1, -1, never_run},
        {"info", "", "", FOR_INFO, false, 0, 0, never_run},
        {"life", "[FILE]", "", FOR_LIFE, false, 0, 1, never_run},
        {"bench", "", "", FOR_BENCH, false, 0, 0, never_run},
    };
    enum { WORDS = 32 };
    char *words[WORDS];
    int count = 0;
    if (size == 0) return 0;
    char *text = malloc(size);
    require(text != NULL);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    for (char *word = strtok(text, "\n"); word != NULL && count < WORDS; word = strtok(NULL, "\n")) {
        words[count++] = word;
    }
    const cli_command *command = &commands[data[0] % (sizeof commands / sizeof commands[0])];
    cli_arguments arguments = {.op = 0};
    if (cli_parse(command, count, words, &arguments)) {
        const cli_options *options = &arguments.options;
        require(options->axis_count >= 0 && options->axis_count <= TALLY_MAX_RANK);
        require(options->request.raw_rank >= 0 && options->request.raw_rank <= TALLY_MAX_RANK);
        require(options->threads >= 0 && options->threads <= 1024);
        require(arguments.count >= 0 && arguments.count <= count);
        require(options->help || arguments.count >= command->least_words);
        for (int i = 0; i < arguments.count; i++) {
            require(strlen(arguments.words[i]) < size);
        }
    } else {
        require(io_error()[0] != '\0' && strchr(io_error(), '\n') == NULL);
    }
    free(text);
    return 0;
}
