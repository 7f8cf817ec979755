/* SPDX-License-Identifier: MIT
 *
 * fold_table.h - the scalar steps of every fold program, for states and for the reference engine. */
#ifndef TALLY_FOLD_TABLE_H
#define TALLY_FOLD_TABLE_H

#include "engine.h"

#define FOLD_PARTS 4

/* A closed fold: the parts of a lifted and combined value, each in the widest type of its kind. */
struct fold_value {
    union {
        double real;
        int64_t integer;
    } part[FOLD_PARTS];
};

struct fold_steps {
    int parts;
    size_t lane_size; /* bytes of a part inside a leaf; ordered programs have float or double lanes */
    void (*identity)(struct fold_value *value);
    void (*lift)(struct fold_value *value, const void *x, const void *y);
    void (*combine)(struct fold_value *a, const struct fold_value *b); /* b follows a */
    /* In place of these two in the programs of residues, which are unordered. */
    void (*lift_modulo)(struct fold_value *value, const void *x, const void *y, struct modulus modulus);
    void (*combine_modulo)(struct fold_value *a, const struct fold_value *b, struct modulus modulus);
};

/* The program of a calculation whose method is METHOD_FOLD or METHOD_MINMAX (then with the given combine). */
const struct fold_steps *fold_steps(enum lift lift, enum combine combine, tally_type type);

/* The steps of a calculation whose method is METHOD_FOLD, with its modulus if it has one. */
void fold_lift(const struct calculation *calculation, struct fold_value *value, const void *x, const void *y);
void fold_combine(const struct calculation *calculation, struct fold_value *a, const struct fold_value *b);

#endif
