/* SPDX-License-Identifier: MIT
 *
 * write.h - results to where -o and --json say. reduce.c and scan.c use it. */
#ifndef TALLY_CLI_WRITE_H
#define TALLY_CLI_WRITE_H

#include "cli.h"
#include "io/sink.h"

/* Whether the output's name and --json make sense together; a matter of usage, so it is asked before anything runs. */
bool cli_check_output(const cli_options *options);

bool cli_open_sink(const cli_options *options, const io_result *result, io_sink **sink);

#endif
