/* SPDX-License-Identifier: MIT
 *
 * state.c - opening and merging the states of output cells, and the fixed-shape tree; state_finish.c ends them. */
#include "state.h"
#include "user/tree.h"

#include <string.h>

static int is_complex(const struct calculation *calculation)
{
    return type_row(calculation->type)->kind == KIND_COMPLEX;
}

int state_exact_count(const struct calculation *calculation)
{
    int parts = is_complex(calculation) ? 2 : 1;
    switch (calculation->op->lift) {
    case LIFT_MOMENTS: return parts + 1;
    case LIFT_VALUE:
    case LIFT_PRODUCT: return parts;
    default: return 1;
    }
}

size_t state_size(const struct calculation *calculation)
{
    size_t size = offsetof(struct state, as);
    switch (calculation->method) {
    case METHOD_USER: return user_state_size(calculation->user);
    case METHOD_EXACT: return size + sizeof(struct exact) * (size_t)state_exact_count(calculation);
    case METHOD_MINMAX: return size + 2 * sizeof(struct fold_value);
    case METHOD_ARG:
    case METHOD_END: return size + sizeof(struct arg_value);
    case METHOD_FOLD: break;
    }
    return size + (calculation->ordered ? sizeof(struct tree) : sizeof(struct fold_value));
}

size_t state_initial_size(const struct calculation *calculation)
{
    return calculation->user ? user_kernels(calculation->user)->state_bytes
                             : (size_t)type_row(calculation->result)->size;
}

struct state *state_at(const struct calculation *calculation, struct state *states, int64_t cell)
{
    return (struct state *)(void *)((char *)states + state_size(calculation) * (size_t)cell);
}

void state_open(const struct calculation *calculation, struct state *state, int64_t start)
{
    enum lift lift = calculation->op->lift;
    state->start = start;
    state->count = 0;
    state->absent = 0;
    switch (calculation->method) {
    case METHOD_USER: user_state_open(calculation->user, state); break;
    case METHOD_EXACT:
        for (int i = 0; i < state_exact_count(calculation); i++) exact_clear(&state->as.exact[i]);
        break;
    case METHOD_MINMAX:
        fold_steps(lift, COMBINE_MINIMUM, calculation->type)->identity(&state->as.pair[0]);
        fold_steps(lift, COMBINE_MAXIMUM, calculation->type)->identity(&state->as.pair[1]);
        break;
    case METHOD_ARG:
    case METHOD_END:
        memset(&state->as.arg, 0, sizeof state->as.arg);
        state->as.arg.index = -1;
        break;
    case METHOD_FOLD:
        if (calculation->ordered) state->as.tree.nodes = state->as.tree.open = 0;
        else fold_steps(lift, calculation->combine, calculation->type)->identity(&state->as.fold);
        break;
    }
}

void lanes_open(const struct fold_steps *steps, void *lanes)
{
    struct fold_value identity;
    steps->identity(&identity);
    for (int p = 0; p < steps->parts; p++) {
        for (int l = 0; l < TREE_LANES; l++) {
            if (steps->lane_size == sizeof(float)) ((float *)lanes)[p * TREE_LANES + l] = (float)identity.part[p].real;
            else ((double *)lanes)[p * TREE_LANES + l] = identity.part[p].real;
        }
    }
}

static double lane_part(const struct fold_steps *steps, const void *lanes, int index)
{
    return steps->lane_size == sizeof(float) ? (double)((const float *)lanes)[index] : ((const double *)lanes)[index];
}

void lanes_close(const struct fold_steps *steps, const void *lanes, struct fold_value *value)
{
    struct fold_value lane[TREE_LANES];
    for (int l = 0; l < TREE_LANES; l++) {
        for (int p = 0; p < steps->parts; p++) lane[l].part[p].real = lane_part(steps, lanes, p * TREE_LANES + l);
    }
    for (int width = TREE_LANES / 2; width > 0; width /= 2) {
        for (int l = 0; l < width; l++) steps->combine(&lane[l], &lane[l + width]);
    }
    *value = lane[0];
}

void tree_push(const struct fold_steps *steps, struct tree *tree, int64_t leaf, int level,
               const struct fold_value *value)
{
    struct tree_node node = {leaf >> level, level, *value};
    while (tree->nodes > 0 && node.index % 2 == 1) {
        struct tree_node *left = &tree->node[tree->nodes - 1];
        if (left->level != node.level || left->index != node.index - 1) break;
        steps->combine(&left->value, &node.value);
        node.value = left->value;
        node.index /= 2;
        node.level++;
        tree->nodes--;
    }
    tree->node[tree->nodes++] = node;
}

void tree_add(const struct fold_steps *steps, struct state *state, const struct fold_value *value)
{
    struct tree *tree = &state->as.tree;
    int64_t position = state->start + state->count;
    struct fold_value lane;
    if (!tree->open) lanes_open(steps, tree->lanes);
    tree->open = 1;
    for (int p = 0; value && p < steps->parts; p++) {
        size_t at = (size_t)(p * TREE_LANES + position % TREE_LANES);
        lane.part[p].real =
            steps->lane_size == sizeof(float) ? (double)((float *)(void *)tree->lanes)[at] : tree->lanes[at];
    }
    if (value) steps->combine(&lane, value);
    for (int p = 0; value && p < steps->parts; p++) {
        size_t at = (size_t)(p * TREE_LANES + position % TREE_LANES);
        if (steps->lane_size == sizeof(float)) ((float *)(void *)tree->lanes)[at] = (float)lane.part[p].real;
        else tree->lanes[at] = lane.part[p].real;
    }
    if (position % TREE_LEAF == TREE_LEAF - 1) {
        lanes_close(steps, tree->lanes, &lane);
        tree_push(steps, tree, position / TREE_LEAF, 0, &lane);
        tree->open = 0;
    }
}

int arg_improves(const struct calculation *calculation, const struct fold_value *value, const void *element)
{
    enum combine combine = calculation->combine == COMBINE_ARGMIN ? COMBINE_MINIMUM : COMBINE_MAXIMUM;
    const struct fold_steps *steps = fold_steps(LIFT_VALUE, combine, calculation->type);
    struct fold_value best, lifted;
    steps->lift(&lifted, element, element);
    if (type_row(calculation->type)->kind == KIND_REAL) {
        if (lifted.part[0].real != lifted.part[0].real) return 0;
        if (value->part[0].real != value->part[0].real) return 1;
    }
    best = lifted;
    steps->combine(&best, value);
    return best.part[0].integer != lifted.part[0].integer;
}

static int arg_precedes(const struct calculation *calculation, const void *x, const void *y)
{
    struct fold_value lifted;
    fold_steps(LIFT_VALUE, COMBINE_MINIMUM, calculation->type)->lift(&lifted, x, x);
    return arg_improves(calculation, &lifted, y);
}

/* The first smallest wins; a NaN beats everything. */
static void arg_merge(const struct calculation *calculation, struct state *state, const struct state *other)
{
    const struct arg_value *theirs = &other->as.arg;
    struct arg_value *ours = &state->as.arg;
    if (theirs->index < 0) return;
    int take = ours->index < 0;
    if (!take && calculation->method == METHOD_END) {
        take = calculation->combine == COMBINE_LAST ? theirs->index > ours->index : theirs->index < ours->index;
    } else if (!take) {
        take = arg_precedes(calculation, theirs->value, ours->value) ||
               (theirs->index < ours->index && !arg_precedes(calculation, ours->value, theirs->value));
    }
    if (take) *ours = *theirs;
}

static void tree_merge(const struct fold_steps *steps, struct state *state, const struct state *other)
{
    struct tree *tree = &state->as.tree;
    const struct tree *add = &other->as.tree;
    if (tree->open) {
        struct fold_value value;
        lanes_close(steps, tree->lanes, &value);
        tree_push(steps, tree, (state->start + state->count - 1) / TREE_LEAF, 0, &value);
    }
    for (int32_t i = 0; i < add->nodes; i++) {
        tree_push(steps, tree, add->node[i].index << add->node[i].level, (int)add->node[i].level, &add->node[i].value);
    }
    tree->open = add->open;
    if (add->open) memcpy(tree->lanes, add->lanes, sizeof tree->lanes);
}

void state_merge(const struct calculation *calculation, struct state *state, const struct state *other)
{
    enum lift lift = calculation->op->lift;
    switch (calculation->method) {
    case METHOD_USER:
        if (other->count == 0) return;
        if (state->count == 0) state->start = other->start;
        user_state_merge(calculation->user, state, other);
        break;
    case METHOD_EXACT:
        for (int i = 0; i < state_exact_count(calculation); i++) exact_merge(&state->as.exact[i], &other->as.exact[i]);
        break;
    case METHOD_MINMAX:
        fold_steps(lift, COMBINE_MINIMUM, calculation->type)->combine(&state->as.pair[0], &other->as.pair[0]);
        fold_steps(lift, COMBINE_MAXIMUM, calculation->type)->combine(&state->as.pair[1], &other->as.pair[1]);
        break;
    case METHOD_ARG:
    case METHOD_END: arg_merge(calculation, state, other); break;
    case METHOD_FOLD: {
        const struct fold_steps *steps = fold_steps(lift, calculation->combine, calculation->type);
        if (calculation->ordered) {
            if (other->count == 0) return;
            if (state->count == 0) state->start = other->start;
            tree_merge(steps, state, other);
        } else {
            fold_combine(calculation, &state->as.fold, &other->as.fold);
        }
        break;
    }
    }
    if (other->count > 0 && (state->count == 0 || other->start < state->start)) state->start = other->start;
    state->count += other->count;
    state->absent += other->absent;
}
