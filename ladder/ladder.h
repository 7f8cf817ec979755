/* SPDX-License-Identifier: MIT
 *
 * ladder.h - the ladders: the classic kernels as rungs, from the first idea to the library's own call. Each rung is one
 * .cu file of this folder and a row of one of the tables below; it does the whole job, on any device that runs kernels,
 * through the public interface alone. */
#ifndef TALLY_LADDER_H
#define TALLY_LADDER_H

#include <tally.h>

#include <stdbool.h>

enum ladder_type {
    LADDER_F32,
    LADDER_F64,
    LADDER_I32,
    LADDER_I64,
    LADDER_FIELD, /* integers modulo 2^31 - 2^24 + 1 (KoalaBear), 4 bytes; sum and product */
    LADDER_TRACE, /* 16 bytes: counts the operator's applications and how many depend on each other; see element.cuh */
    LADDER_TYPES
};

enum ladder_op { LADDER_SUM, LADDER_MIN, LADDER_MAX, LADDER_PRODUCT, LADDER_OPS };

/* What a rung is asked for. Vectors have one row. */
struct ladder_problem {
    enum ladder_type type;
    enum ladder_op op;
    int64_t rows, columns; /* of the input, row after row */
    bool exclusive;        /* scans */
    int fan_in;            /* of the rungs that have one at run time; else 0 */
};

/* What a run costs by the closed forms of a rung, and what device "simt" counts. */
struct ladder_counts {
    uint64_t launches;
    uint64_t barriers;           /* of blocks */
    uint64_t divergent_branches; /* of warps */
    uint64_t bank_conflicts;     /* extra cycles */
    uint64_t transactions;       /* sectors of 32 bytes, global memory */
    uint64_t work;               /* applications of the operator */
    uint64_t span;               /* of these, the most that depend on each other */
    bool timing;                 /* the order of blocks decides what is 0 here and not 0 in a run */
};

#define LADDER_KERNELS 3 /* the most that a rung has */

/* One run: everything is on the device. */
struct ladder_run {
    tally_context *context;
    const struct ladder_problem *problem;
    tally_function *kernel[LADDER_KERNELS]; /* as the rung names them */
    const void *input;
    void *output;
    void *scratch; /* as many bytes as the rung asks for */
    int threads;   /* of a block: what the kernels have as THREADS */
};

struct ladder_rung {
    const char *name;
    const char *file;                    /* of its kernels; NULL: it is the library's call */
    const char *kernels[LADDER_KERNELS]; /* unused ones are NULL */
    int main_kernel;                     /* which of them does the work */
    const char *idea;                    /* one sentence, for tables */
    const char *removes;                 /* the limit that the rung before had, in a few words */
    const char *next;                    /* the limit that it has itself */
    double published;                    /* GB/s in the page's own table for 2^27 floats; 0: not in it */
    const char *const *definitions;      /* more constants to compile with, then NULL; or NULL */
    int threads;                         /* of a block; 0: 256 */
    /* Why it cannot do a problem, or NULL; the function may be NULL: it does all. */
    const char *(*refuses)(const struct ladder_problem *problem);
    size_t (*scratch)(const struct ladder_problem *problem); /* bytes; NULL: none */
    /* Queues the whole job; waits for nothing. rows and columns are 1 or more. */
    tally_status (*run)(const struct ladder_run *run);
    /* Closed forms of a run on device "simt"; NULL where there are none. */
    void (*predict)(const struct ladder_problem *problem, struct ladder_counts *counts);
};

/* A mistake that was made with a rung before: a text of its source, and what to put there. */
struct ladder_mistake {
    const char *name, *rung;
    const char *right, *wrong; /* right is in the rung's file exactly once */
    const char *what;          /* for people: what went wrong, and where it is seen */
};

/* How results lie: one element, one for each row, one for each column, or as many as there are elements. */
enum ladder_shape { LADDER_ONE, LADDER_PER_ROW, LADDER_PER_COLUMN, LADDER_ALL };

struct ladder {
    const char *name; /* "reduce" */
    enum ladder_shape shape;
    const struct ladder_rung *rungs;
    int rung_count;
    const struct ladder_mistake *mistakes;
    int mistake_count;
};

extern const struct ladder ladder_reduce, ladder_fan_in, ladder_scan, ladder_rows, ladder_columns;

/* The source files of this folder, by name. */
struct ladder_file {
    const char *name, *text;
};
extern const struct ladder_file ladder_files[]; /* ends with a name that is NULL */

size_t ladder_element_bytes(enum ladder_type type);
const char *ladder_type_name(enum ladder_type type); /* "f32" */
const char *ladder_op_name(enum ladder_op op);       /* "sum" */

/* Why a rung cannot do a problem, by itself or because nothing can; NULL: it can. */
const char *ladder_refusal(const struct ladder_rung *rung, const struct ladder_problem *problem);

#endif
