/* SPDX-License-Identifier: MIT
 *
 * append.c - adding runs of elements to a state, by its method. */
#include "append.h"
#include "../user/tree.h"

#include <string.h>

void append_scratch_open(struct append_scratch *scratch)
{
    memset(scratch->windows, 0, sizeof scratch->windows);
    memset(scratch->near, 0, sizeof scratch->near);
    for (int i = 0; i < EXACT_WINDOWS; i++) {
        scratch->windows[i].scatter = &scratch->scatter[i];
        exact_scatter_open(&scratch->scatter[i]);
    }
}

/* The run as one closed value. */
static void fold_run(const struct cpu_kernels *kernels, const struct calculation *calculation, struct lanes *lanes,
                     const struct leaf *leaf, struct fold_value *value)
{
    const struct fold_kernels *fold = kernels->fold[calculation->op->lift][calculation->combine][calculation->type];
    fold->open(lanes);
    if (leaf->mask) fold->run_masked(lanes, 0, leaf->x, leaf->y, leaf->mask, leaf->n, calculation->modulus);
    else fold->run(lanes, 0, leaf->x, leaf->y, leaf->n, calculation->modulus);
    fold->close(lanes, value, calculation->modulus);
}

static void append_fold(const struct cpu_kernels *kernels, const struct calculation *calculation,
                        struct append_scratch *scratch, const struct leaf *leaf, struct fold_value *total)
{
    struct fold_value value;
    fold_run(kernels, calculation, &scratch->lanes, leaf, &value);
    fold_combine(calculation, total, &value);
}

/* A calculation with another combine: a side of minmax, or the extreme that an index is of. */
static struct calculation side_of(const struct calculation *calculation, enum combine combine)
{
    struct calculation side = *calculation;
    side.combine = combine;
    return side;
}

static void append_pair(const struct cpu_kernels *kernels, const struct calculation *calculation,
                        struct append_scratch *scratch, const struct leaf *leaf, struct fold_value *pair)
{
    struct calculation smallest = side_of(calculation, COMBINE_MINIMUM);
    struct calculation largest = side_of(calculation, COMBINE_MAXIMUM);
    append_fold(kernels, &smallest, scratch, leaf, &pair[0]);
    append_fold(kernels, &largest, scratch, leaf, &pair[1]);
}

/* The part of a run that lies within one leaf of the tree. */
static void append_tree_part(const struct fold_kernels *kernels, const struct fold_steps *steps, struct tree *tree,
                             int64_t position, const void *x, const void *y, const unsigned char *mask, size_t n)
{
    const struct modulus none = {0, 0, 0, 0}; /* residues have no order */
    struct lanes *lanes = (struct lanes *)(void *)tree->lanes;
    size_t offset = (size_t)(position % TREE_LEAF);
    if (!tree->open) kernels->open(lanes);
    tree->open = 1;
    if (mask) kernels->run_masked(lanes, offset, x, y, mask, n, none);
    else kernels->run(lanes, offset, x, y, n, none);
    if (offset + n < TREE_LEAF) return;
    struct fold_value value;
    kernels->close(lanes, &value, none);
    tree_push(steps, tree, position / TREE_LEAF, 0, &value);
    tree->open = 0;
}

static void append_tree(const struct cpu_kernels *kernels, const struct calculation *calculation, struct state *state,
                        const struct leaf *leaf)
{
    enum lift lift = calculation->op->lift;
    const struct fold_kernels *fold = kernels->fold[lift][calculation->combine][calculation->type];
    const struct fold_steps *steps = fold_steps(lift, calculation->combine, calculation->type);
    size_t size = (size_t)type_row(calculation->type)->size;
    int64_t position = state->start + state->count;
    for (size_t i = 0; i < leaf->n;) {
        size_t room = TREE_LEAF - (size_t)((position + (int64_t)i) % TREE_LEAF);
        size_t n = leaf->n - i < room ? leaf->n - i : room;
        append_tree_part(fold, steps, &state->as.tree, position + (int64_t)i, (const char *)leaf->x + i * size,
                         leaf->y ? (const char *)leaf->y + i * size : NULL, leaf->mask ? leaf->mask + i : NULL, n);
        i += n;
    }
}

void append_close(const struct cpu_kernels *kernels, const struct calculation *calculation, struct state *state)
{
    const enum lift lift = calculation->op->lift;
    const struct modulus none = {0, 0, 0, 0};
    struct tree *tree = &state->as.tree;
    struct fold_value value;
    if (calculation->method != METHOD_FOLD || !calculation->ordered || !tree->open) return;
    kernels->fold[lift][calculation->combine][calculation->type]->close((struct lanes *)(void *)tree->lanes, &value,
                                                                        none);
    tree_push(fold_steps(lift, calculation->combine, calculation->type), tree,
              (state->start + state->count - 1) / TREE_LEAF, 0, &value);
    tree->open = 0;
}

/* A copy with zeros for what the mask leaves out: sums do not notice them, and products of zeros are zero. */
static const void *without_masked(const void *x, const unsigned char *mask, size_t n, size_t size, unsigned char *copy)
{
    memcpy(copy, x, n * size);
    for (size_t i = 0; i < n; i++) {
        if (!mask[i]) memset(copy + i * size, 0, size);
    }
    return copy;
}

static void append_exact(const struct cpu_kernels *kernels, const struct calculation *calculation,
                         struct append_scratch *scratch, struct state *state, const struct leaf *leaf)
{
    size_t size = (size_t)type_row(calculation->type)->size;
    const void *x = leaf->x, *y = leaf->y;
    if (leaf->mask) {
        x = without_masked(x, leaf->mask, leaf->n, size, scratch->masked[0]);
        if (y) y = without_masked(y, leaf->mask, leaf->n, size, scratch->masked[1]);
    }
    kernels->exact[calculation->op->lift][calculation->type](state->as.exact, scratch->windows, x, y, leaf->n);
}

void arg_take(const struct calculation *calculation, struct state *state, const void *x, size_t i)
{
    size_t size = (size_t)type_row(calculation->type)->size;
    state->as.arg.index = state->start + state->count + (int64_t)i;
    memcpy(state->as.arg.value, (const char *)x + i * size, size);
}

static void append_end(const struct calculation *calculation, struct state *state, const struct leaf *leaf)
{
    int last = calculation->combine == COMBINE_LAST;
    if (leaf->present == 0 || (!last && state->as.arg.index >= 0)) return;
    size_t i = last ? leaf->n - 1 : 0;
    while (leaf->mask && !leaf->mask[i]) i = last ? i - 1 : i + 1;
    arg_take(calculation, state, leaf->x, i);
}

/* Where the closed extreme is in the run; under a mask the search goes from one present element to the next. */
static size_t find_present(const struct cpu_kernels *kernels, tally_type type, const struct leaf *leaf,
                           const struct fold_value *value)
{
    size_t size = (size_t)type_row(type)->size, i = 0;
    for (;;) {
        i += kernels->find[type]((const char *)leaf->x + i * size, leaf->n - i, value);
        if (!leaf->mask || leaf->mask[i]) return i;
        i++;
    }
}

static void append_arg(const struct cpu_kernels *kernels, const struct calculation *calculation,
                       struct append_scratch *scratch, struct state *state, const struct leaf *leaf)
{
    struct calculation extreme =
        side_of(calculation, calculation->combine == COMBINE_ARGMIN ? COMBINE_MINIMUM : COMBINE_MAXIMUM);
    struct fold_value value;
    if (leaf->present == 0) return;
    fold_run(kernels, &extreme, &scratch->lanes, leaf, &value);
    if (state->as.arg.index >= 0 && !arg_improves(calculation, &value, state->as.arg.value)) return;
    arg_take(calculation, state, leaf->x, find_present(kernels, calculation->type, leaf, &value));
}

static void append_user(const struct calculation *calculation, struct state *state, const struct leaf *leaf)
{
    struct user_run run = {
        .inputs = {leaf->x, leaf->y, leaf->z},
        .present = leaf->mask,
        .n = (long long)leaf->n,
        .index = state->start + state->count,
    };
    user_state_add(calculation->user, state, &run);
}

void append_leaf(const struct cpu_kernels *kernels, const struct calculation *calculation,
                 struct append_scratch *scratch, struct state *state, const struct leaf *leaf)
{
    switch (calculation->method) {
    case METHOD_USER: append_user(calculation, state, leaf); return;
    case METHOD_EXACT: append_exact(kernels, calculation, scratch, state, leaf); break;
    case METHOD_MINMAX: append_pair(kernels, calculation, scratch, leaf, state->as.pair); break;
    case METHOD_ARG: append_arg(kernels, calculation, scratch, state, leaf); break;
    case METHOD_END: append_end(calculation, state, leaf); break;
    case METHOD_FOLD:
        if (calculation->ordered) append_tree(kernels, calculation, state, leaf);
        else append_fold(kernels, calculation, scratch, leaf, &state->as.fold);
        break;
    }
    state->count += (int64_t)leaf->n;
    state->absent += (int64_t)(leaf->n - leaf->present);
}

void append_done(const struct calculation *calculation, struct append_scratch *scratch, struct state *state)
{
    if (calculation->method != METHOD_EXACT) return;
    int count = state_exact_count(calculation);
    for (int i = 0; i < count; i++) {
        exact_flush(&state->as.exact[i], &scratch->windows[i]);
        exact_flush(&state->as.exact[i], &scratch->windows[i + 3]);
    }
}
