/* SPDX-License-Identifier: MIT
 *
 * user_op.h - an operator that the user gave as text: with --combine and its like, or in a file with --op-file. */
#ifndef TALLY_CLI_USER_OP_H
#define TALLY_CLI_USER_OP_H

#include "cli.h"

typedef struct cli_user_op {
    tally_op_source source; /* its texts point into the options, or into text */
    tally_op op;            /* 0: not compiled */
    char *text;             /* the file's; owned */
} cli_user_op;

/* Reads the fields; source.input_count is then known. False with io_error(). */
bool cli_user_op_open(const cli_options *options, cli_user_op *user);

/* Compiles it for inputs of these types. False with io_error(). */
bool cli_user_op_compile(const cli_options *options, tally_context *context, const tally_type *types,
                         cli_user_op *user);

/* --initial as a state, which must be of a built-in type. */
bool cli_user_op_initial(const cli_options *options, const cli_user_op *user, void *initial);

/* Fails with the library's last error; a compiler's lines go to standard error as they are. Returns false. */
bool cli_fail_compile(const char *name);

void cli_user_op_close(cli_user_op *user);

#endif
