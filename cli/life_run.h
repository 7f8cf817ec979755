/* SPDX-License-Identifier: MIT
 *
 * life_run.h - what the files of `tally life` share: a world that runs, and where its pictures go. */
#ifndef TALLY_CLI_LIFE_RUN_H
#define TALLY_CLI_LIFE_RUN_H

#include "cli.h"
#include "pattern.h"
#include "view.h"

typedef struct cli_life_gif cli_life_gif;

/* What --output is. */
typedef enum cli_life_kind { CLI_LIFE_PATTERN, CLI_LIFE_PNG, CLI_LIFE_GIF } cli_life_kind;

/* Pixels of a picture: a cell is enlarge x enlarge of them, or a pixel shrink x shrink cells. */
typedef struct cli_life_colours {
    int64_t enlarge, shrink; /* one of them is 1; both 0: as it fits */
    uint8_t dead[3], alive[3];
} cli_life_colours;

typedef struct cli_life_run {
    const cli_options *options;
    tally_context *context;
    struct life_problem problem;
    bool size_chosen; /* nobody gave the world's size, so files do not pass it on */
    const struct life_engine *engine;
    void *world;
    struct life_grid grid; /* the world's cells, when they were last read */
    int64_t generation;    /* of the grid */
    int64_t last;          /* generation to stop at; -1: none */
    int64_t step;          /* 0: no reports before the last */
    int64_t period_limit;  /* 0: not asked */
    int64_t rate;
    enum life_style style;
    cli_life_colours colours;
    char *comments; /* of the pattern, to be written again; borrowed */
    cli_life_kind kind;
    cli_life_gif *gif;
    int64_t made; /* generations, and how long they took */
    double seconds;
    int64_t reports;
} cli_life_run;

/* life.c: makes generations and reads the grid. */
bool cli_life_advance(cli_life_run *run, int64_t generations);

/* Makes what a function of life/ says io_error(). Returns false. */
bool cli_life_fail(const char *name, const struct life_why *why);

/* life_world.c: from options and file to a world at its first generation. A failure of usage sets *usage. */
bool cli_life_open(cli_life_run *run, const cli_arguments *arguments, struct life_pattern *pattern, bool *usage);

/* life_files.c: patterns from files and to files, compressed or not. */
bool cli_life_kind_of(const char *path, cli_life_kind *kind, enum life_format *format, bool *compressed);
const char *cli_life_name(const char *path); /* for messages */
bool cli_life_load(const char *path, int64_t most_cells, struct life_pattern *pattern);
bool cli_life_try_output(const char *path); /* before the long run: whether it can be written */
bool cli_life_save(const cli_life_run *run, const char *path);

/* life_picture.c and life_gif.c. Both are left out of builds without their libraries, and then say so. */
bool cli_life_can_draw(cli_life_kind kind);
void cli_life_fit(cli_life_colours *colours, const struct life_grid *grid);
void cli_life_row(const cli_life_run *run, int64_t row, unsigned char *pixels); /* 0 dead to 255 alive */
int64_t cli_life_pixels(const cli_life_run *run, int64_t cells);
bool cli_life_pixels_fit(const cli_life_run *run); /* into what the file can say of its size */
bool cli_life_png(const cli_life_run *run, const char *path);
bool cli_life_gif_open(cli_life_run *run, const char *path);
bool cli_life_gif_add(cli_life_run *run);
bool cli_life_gif_close(cli_life_run *run, bool keep);

/* life_print.c: a line for a generation, and what is said at the end. */
void cli_life_report(cli_life_run *run);
void cli_life_print_failure(const cli_life_run *run); /* ends JSON that has begun */
void cli_life_print_end(cli_life_run *run, const struct life_period *period);

/* life_live.c: the world in the terminal, or as plain frames where standard output is none. */
bool cli_life_live(cli_life_run *run);
bool cli_life_live_ready(const cli_life_run *run); /* before a file is read: whether it can be shown */

#endif
