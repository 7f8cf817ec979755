/* SPDX-License-Identifier: MIT
 *
 * state.h - the state of one output cell: what chunks, threads, files and packed bytes merge. One form per method. */
#ifndef TALLY_STATE_H
#define TALLY_STATE_H

#include "exact.h"
#include "fold_table.h"

/* A complete node of the fixed-shape tree: leaves [index * 2^level, (index + 1) * 2^level). */
struct tree_node {
    int64_t index;
    int64_t level;
    struct fold_value value;
};

#define TREE_NODES 128

/* An ordered fold in progress: the complete nodes, left to right, and the lanes of the leaf at the end, which are
 * float or double as the program says, [part][TREE_LANES]. */
struct tree {
    int32_t nodes;
    int32_t open; /* the lanes hold elements */
    struct tree_node node[TREE_NODES];
    double lanes[FOLD_PARTS * TREE_LANES];
};

/* An element by its bytes, with its index along the reduced axes. */
struct arg_value {
    int64_t index; /* -1: none yet */
    unsigned char value[16];
};

struct state {
    int64_t start;  /* elements before this state's first along the reduced axes */
    int64_t count;  /* elements that came, masked ones too */
    int64_t absent; /* of these, left out by a mask or as NaN */
    union {
        struct fold_value fold;    /* METHOD_FOLD, unordered */
        struct fold_value pair[2]; /* METHOD_MINMAX */
        struct arg_value arg;      /* METHOD_ARG, METHOD_END */
        struct tree tree;          /* METHOD_FOLD, ordered */
        struct exact exact[3];     /* METHOD_EXACT: see state_sums and state_squares */
    } as;
};

/* Bytes that a state of this calculation takes; states lie that far apart. */
size_t state_size(const struct calculation *calculation);
struct state *state_at(const struct calculation *calculation, struct state *states, int64_t cell);

/* Bytes of calculation.initial. */
size_t state_initial_size(const struct calculation *calculation);

/* METHOD_EXACT: accumulators in use, and which of them takes the squares of LIFT_MOMENTS (the last). The first takes
 * the lifted value or its real part, the second the imaginary part where there is one. */
int state_exact_count(const struct calculation *calculation);

void state_open(const struct calculation *calculation, struct state *state, int64_t start);

/* Appends the complete node at a level that begins at a leaf (counted from element 0, a multiple of 2^level). */
void tree_push(const struct fold_steps *steps, struct tree *tree, int64_t leaf, int level,
               const struct fold_value *value);

/* Adds the element that comes next, lifted (NULL: an absent one), to an ordered state. Its count is the caller's. */
void tree_add(const struct fold_steps *steps, struct state *state, const struct fold_value *value);

/* Lanes of an ordered program: all identity; one closed value from all of them. */
void lanes_open(const struct fold_steps *steps, void *lanes);
void lanes_close(const struct fold_steps *steps, const void *lanes, struct fold_value *value);

/* Whether a minimum (maximum for argmax) is strictly better than an element, or is NaN where the element is not. */
int arg_improves(const struct calculation *calculation, const struct fold_value *value, const void *element);

/* Adds other, whose elements follow, to state. Ordered states must be neighbours, and state's leaf complete. */
void state_merge(const struct calculation *calculation, struct state *state, const struct state *other);

/* Writes the result's elements (mostly one), `step` bytes apart.
 * Fails with TALLY_EMPTY or TALLY_OVERFLOW and then writes nothing. The state keeps its value. */
tally_status state_finish(const struct calculation *calculation, struct state *state, void *out, ptrdiff_t step);

/* The result of a closed fold over n present elements, one element of the result type. False when it does not fit
 * and the calculation is checked; then nothing is written. */
int fold_finish(const struct calculation *calculation, const struct fold_value *value, int64_t n, void *out);

/* A value of the result type as a fold's operand: what options.initial means. */
void fold_of_result(const struct calculation *calculation, const void *result, struct fold_value *value);

/* Adds a value of the result type to exact accumulators. */
void exact_add_result(const struct calculation *calculation, struct exact *sums, const void *result);

/* Rounds accumulators' total to an element of the result type; false when a checked integer does not fit. */
int exact_finish_total(const struct calculation *calculation, struct exact *sums, void *out);

/* Portable bytes, as tally_partial_pack promises; bytes NULL only counts. Unpacking gives the bytes used, or 0 when
 * they are malformed. */
size_t state_pack(const struct calculation *calculation, struct state *state, unsigned char *bytes);
size_t state_unpack(const struct calculation *calculation, struct state *state, const unsigned char *bytes,
                    size_t size);

#endif
