/* SPDX-License-Identifier: MIT
 *
 * cli.h - what the files of the command share: commands, parsed options, and the way to fail.
 * main.c holds the table of commands, options.c the table of options. */
#ifndef TALLY_CLI_H
#define TALLY_CLI_H

#include "io/source.h"

#include <stdbool.h>
#include <stdint.h>
#include <tally.h>

enum { CLI_OK = 0, CLI_BAD_INPUT = 1, CLI_BAD_USAGE = 2 };

typedef struct cli_options {
    int32_t axes[TALLY_MAX_RANK];
    int32_t axis_count; /* 0: not given */
    bool keepdims;
    bool skip_nan;
    bool plain;
    bool check_overflow;
    bool exclusive;
    bool reverse;
    bool json;
    bool quiet;
    bool help;
    const char *where;
    tally_type dtype;
    const char *initial;
    double correction;
    uint64_t modulus; /* 0: none */
    const char *output;
    const char *device;
    int64_t threads; /* 0: not given */
    const char *bench_op, *bench_verb, *json_file, *grid, *grid_parts, *commit, *compile_shard, *data_file, *spread;
    tally_type bench_type;
    int64_t size, seconds, first_call; /* 0: not given */
    bool quick;
    const char *ladder_type, *ladder_op, *rung, *html_file;
    const char *ladder_size, *ladder_rows, *ladder_columns;
    const char *width, *height; /* of a world */
    bool csv, inject_bug, source, once, counters;
    const char *lift, *combine, *identity, *finish, *state, *helpers, *op_file;
    int64_t op_inputs, op_results; /* 0: not given */
    bool commutative, check_op;
    const char *generations, *life_step, *rule, *torus, *dead_edges, *soup, *seed, *engine, *period;
    const char *scale, *colours, *characters, *rate;
    bool live, life_stats, benchmark;
    io_request request;
} cli_options;

/* A parsed command line. words are what is no option, in order. */
typedef struct cli_arguments {
    cli_options options;
    tally_op op; /* of reduce and scan */
    char **words;
    int count;
} cli_arguments;

/* Which commands take an option. */
enum {
    FOR_REDUCE = 1,
    FOR_SCAN = 2,
    FOR_STATS = 4,
    FOR_INFO = 8,
    FOR_HELP = 16,
    FOR_CACHE = 32,
    FOR_BENCH = 64,
    FOR_LADDER = 128,
    FOR_MAP = 256,
    FOR_INPUT = 7 | FOR_MAP,
    FOR_LIFE = 512,
    FOR_ALL = 1023
};

typedef struct cli_command {
    const char *name;
    const char *words; /* for the usage line */
    const char *summary;
    int group;       /* FOR_REDUCE ... */
    bool takes_op;   /* the first word is an operator */
    int least_words; /* behind the operator */
    int most_words;  /* -1: any number */
    int (*run)(const cli_arguments *arguments);
} cli_command;

/* main.c */
const cli_command *cli_command_at(int index); /* NULL behind the last */
const cli_command *cli_command_find(const char *name, tally_op *op);

/* options.c: parses argv[0 .. argc) for a command. False with io_error() for bad usage. */
bool cli_parse(const cli_command *command, int argc, char **argv, cli_arguments *arguments);
void cli_print_options(int group);
bool cli_user_op_given(const cli_options *options); /* an operator of the user's in place of a named one */

/* names.c: a modulus as a number, decimal or 0x..., or by the name of a field. False with io_error(). */
bool cli_modulus_parse(const char *text, uint64_t *modulus);

/* names.c: operators by name ("count" is short for count_nonzero), and the nearest of a list of names. */
bool cli_op_find(const char *name, tally_op *op);
const char *cli_op_name(tally_op op);
const char *cli_op_name_at(int index); /* NULL behind the last */

typedef struct cli_nearest {
    const char *wanted;
    const char *name; /* NULL while nothing is near */
    int distance;
} cli_nearest;
void cli_nearest_try(cli_nearest *nearest, const char *name);

/* Fails with "PROBLEM 'wanted'; did you mean 'nearest'?", or with the advice when nothing is near. Returns false. */
bool cli_fail_unknown(const char *problem, const cli_nearest *nearest, const char *advice);

/* run.c: prints "tally: io_error()" and returns the status; cli_fail_call makes the library's last error io_error(). */
int cli_bad_input(void);
int cli_bad_usage(void);
bool cli_fail_call(const char *name); /* returns false */
bool cli_open_context(const cli_options *options, tally_context **context);
void cli_library_options(const cli_options *options, tally_options *library);
void cli_print_json_string(const char *text);
bool cli_parse_initial(const cli_options *options, tally_type type, void *initial);

/* One command per file. */
int cli_reduce(const cli_arguments *arguments);
int cli_scan(const cli_arguments *arguments);
int cli_map(const cli_arguments *arguments);
int cli_stats(const cli_arguments *arguments);
int cli_info(const cli_arguments *arguments);
int cli_cache(const cli_arguments *arguments);
int cli_bench(const cli_arguments *arguments);
int cli_ladder(const cli_arguments *arguments);
int cli_life(const cli_arguments *arguments);
int cli_help(const cli_arguments *arguments);
void cli_help_all(void);
void cli_help_command(const cli_command *command);

#endif
