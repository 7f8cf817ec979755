/* SPDX-License-Identifier: MIT
 *
 * help.c - tally help: the list of commands and operators, or one command's options. */
#include "cli.h"
#include "io/error.h"

#include <stdio.h>
#include <string.h>

void cli_help_all(void)
{
    printf("tally %s - exact totals and running totals of arrays\n\nCommands:\n", tally_version());
    for (int i = 0; cli_command_at(i) != NULL; i++) {
        const cli_command *command = cli_command_at(i);
        char left[64];
        snprintf(left, sizeof left, "%s %s", command->name, command->words);
        printf("  %-24s %s\n", left, command->summary);
    }
    printf("\nOperators:\n ");
    size_t column = 1;
    const char *name = NULL;
    for (int i = 0; (name = cli_op_name_at(i)) != NULL; i++) {
        if (column + strlen(name) > 78) {
            printf("\n ");
            column = 1;
        }
        printf(" %s", name);
        column += 1 + strlen(name);
    }
    printf("\n\nFiles are .npy, text, raw (--raw TYPE) or HDF5 (file.h5:/group/set); - is standard input.\n"
           "tally COMMAND --help lists a command's options.\n");
}

void cli_help_command(const cli_command *command)
{
    if (command->group == FOR_HELP) {
        cli_help_all();
        return;
    }
    if (command->group == FOR_REDUCE) {
        printf("tally OPERATOR FILE... [OPTIONS]\n"
               "tally dot FILE FILE [OPTIONS]\n"
               "tally reduce OPERATOR FILE... [OPTIONS]\n\n"
               "Collapses axes of an array with an operator. Several files count as one long vector.\n\n");
    } else {
        printf("tally %s%s%s [OPTIONS]\n\n%c%s.\n\n", command->name, command->words[0] ? " " : "", command->words,
               command->summary[0] - 'a' + 'A', command->summary + 1);
    }
    printf("Options:\n");
    cli_print_options(command->group);
}

int cli_help(const cli_arguments *arguments)
{
    tally_op op = 0;
    if (arguments->count == 0) {
        cli_help_all();
        return CLI_OK;
    }
    const cli_command *command = cli_command_find(arguments->words[0], &op);
    if (command == NULL) {
        io_fail("help: there is no command '%.80s'; tally help lists them", arguments->words[0]);
        return cli_bad_usage();
    }
    cli_help_command(command);
    return CLI_OK;
}
