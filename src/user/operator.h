/* SPDX-License-Identifier: MIT
 *
 * operator.h - a user's operator: what was checked of it, its text, and the functions that the CPU runs it with.
 *
 * registry.c keeps them under their handles, text.c writes the text that compilers get, compile.c makes functions of it
 * with the host's compiler, functions.c makes the same of a user's own C functions, tree.c keeps states of reductions,
 * line.c of scans. prelude.h and kernels_tmpl.h are that text's beginning and end: compiled here only by functions.c.
 */
#ifndef TALLY_USER_OPERATOR_H
#define TALLY_USER_OPERATOR_H

#include "../array.h"
#include "../hash.h"
#include "../tables.h"

#include <pthread.h>
#include <stdatomic.h>

#define USER_INPUTS_MOST 4 /* of a map; operators have one less */
#define USER_FIRST_HANDLE ((tally_op)1 << 16)

struct user_op;

#include "kernels.h"

struct user_op {
    struct op_row row; /* what plans and messages ask of any operator */
    char name[64];
    uint32_t flags;
    int32_t input_count, values; /* values: elements of a result */
    tally_type inputs[USER_INPUTS_MOST];
    tally_type result;
    int has_identity;
    int is_map;
    int multiplies;               /* the texts may: they have a '*' */
    struct hash hash;             /* of its members as they were given; of functions, of all but the functions */
    char *text;                   /* NULL: given as functions */
    tally_op_functions functions; /* valid when text is NULL */
    struct user_kernels own;      /* the same */
    pthread_mutex_t lock;         /* of what follows */
    const struct user_kernels *_Atomic kernels;
    void *library;
};

/* The operator of a handle, the latest one of a name, or of a name and a hash; NULL when there is none. */
const struct user_op *user_op_find(tally_op op);
const struct user_op *user_op_find_name(const char *name);
const struct user_op *user_op_find_same(const char *name, struct hash hash);

/* Whether states of one are states of the other: the same operator, or the same text of the same name. */
int user_op_is_same(const struct user_op *a, const struct user_op *b);

/* Its functions for the host: compiled at the first call. Thread-safe; cheap once it has succeeded. */
tally_status user_op_compile(const struct user_op *op);

/* What user_op_compile made. */
static inline const struct user_kernels *user_kernels(const struct user_op *op)
{
    return atomic_load_explicit(&op->kernels, memory_order_acquire);
}

/* The kernels of an operator that is given as C functions. */
void user_functions_open(struct user_op *op);

/* Text for a compiler of C (the host's) or of CUDA C, to be freed; NULL when there is no memory left. */
struct user_text {
    const char *state, *helpers, *lift, *combine, *identity, *finish;
};
tally_type user_state_type(const char *state); /* TALLY_DEFAULT_TYPE: members */
char *user_text_write(const struct user_op *op, const struct user_text *text);

/* Tries the laws that the flags promise on random elements; fails with the counterexample. */
tally_status user_op_check_laws(const struct user_op *op);

#endif
