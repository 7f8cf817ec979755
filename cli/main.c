/* SPDX-License-Identifier: MIT
 *
 * main.c - the table of commands, and the way from argv to one of them. Every operator's name is a command, too. */
#include "cli.h"
#include "io/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const cli_command commands[] = {
    {"reduce", "OPERATOR FILE...", "collapse axes with an operator; tally OPERATOR FILE is short for it", FOR_REDUCE,
     true, 1, -1, cli_reduce},
    {"scan", "OPERATOR FILE", "running result along an axis", FOR_SCAN, true, 1, 1, cli_scan},
    {"map", "EXPRESSION FILE...", "a C expression of the elements x, y, z, w of up to four files and the index i",
     FOR_MAP, false, 2, 5, cli_map},
    {"stats", "FILE...", "count, sum, mean, std, min, max, NaNs and zeros in one pass", FOR_STATS, false, 1, -1,
     cli_stats},
    {"info", "", "version, devices and libraries of this build", FOR_INFO, false, 0, 0, cli_info},
    {"cache", "[WORD...]", "compiled GPU kernels on disk: list, clear, warm, or compile ARCHITECTURE FOLDER to ship",
     FOR_CACHE, false, 0, 3, cli_cache},
    {"bench", "", "verify, then time reductions and scans on a device", FOR_BENCH, false, 0, 0, cli_bench},
    {"ladder", "[NAME]", "the classic kernels as a ladder: reduce, scan, rows, columns, fan-in or life", FOR_LADDER,
     false, 0, 1, cli_ladder},
    {"life", "[FILE]", "run Conway's Life and its relatives: patterns and soups, in files, pictures and the terminal",
     FOR_LIFE, false, 0, 1, cli_life},
    {"help", "[COMMAND]", "this text, or a command's", FOR_HELP, false, 0, 1, cli_help},
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

const cli_command *cli_command_at(int index)
{
    return index < COMMANDS ? &commands[index] : NULL;
}

const cli_command *cli_command_find(const char *name, tally_op *op)
{
    static const cli_command of_operator = {"reduce", "FILE...", "", FOR_REDUCE, false, 1, -1, cli_reduce};
    *op = 0;
    for (int i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i].name, name) == 0) return &commands[i];
    }
    return cli_op_find(name, op) ? &of_operator : NULL;
}

static int unknown_command(const char *name)
{
    cli_nearest nearest = {.wanted = name};
    for (int i = 0; i < COMMANDS; i++) {
        cli_nearest_try(&nearest, commands[i].name);
    }
    for (int i = 0; cli_op_name_at(i) != NULL; i++) {
        cli_nearest_try(&nearest, cli_op_name_at(i));
    }
    cli_fail_unknown("unknown command", &nearest, "tally help lists them");
    return cli_bad_usage();
}

static int run_command(int argc, char **argv)
{
    cli_arguments arguments = {.op = 0};
    const char *name = argc > 1 ? argv[1] : "";
    if (argc < 2) {
        io_fail("which command? try tally stats FILE, or tally help");
        return cli_bad_usage();
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("tally %s\n", tally_version());
        return CLI_OK;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        cli_help_all();
        return CLI_OK;
    }
    const cli_command *command = cli_command_find(name, &arguments.op);
    if (command == NULL) return unknown_command(name);
    if (!cli_parse(command, argc - 2, argv + 2, &arguments)) return cli_bad_usage();
    if (arguments.options.help) {
        cli_help_command(command);
        return CLI_OK;
    }
    return command->run(&arguments);
}

int main(int argc, char **argv)
{
    int status = run_command(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        io_fail("standard output: cannot write: %s", strerror(errno));
        return cli_bad_input();
    }
    return status;
}
