/* SPDX-License-Identifier: MIT
 *
 * tree.c - reductions by a user's operator: leaves of elements, and the complete nodes above them. */
#include "tree.h"

#include "../bytes.h"

#include <string.h>

/* What follows the head of a struct state. Behind it, at the next multiple of 64: the nodes' states, then the lanes'.
 */
struct user_tree {
    int32_t nodes;
    int32_t open; /* the lanes hold elements of the leaf at the end */
    struct {
        int64_t index, level; /* leaves [index * 2^level, (index + 1) * 2^level) */
    } node[TREE_NODES];
    unsigned char node_has[TREE_NODES]; /* 0: all of its elements were absent */
    unsigned char lane_has[USER_LANES];
};

#define STATES_AT ((offsetof(struct state, as) + sizeof(struct user_tree) + 63) / 64 * 64)

static size_t state_bytes(const struct user_op *op)
{
    return user_kernels(op)->state_bytes;
}

static struct user_tree *tree_of(struct state *state)
{
    return (struct user_tree *)(void *)&state->as;
}

static unsigned char *node_at(const struct user_op *op, struct state *state, int32_t node)
{
    return (unsigned char *)state + STATES_AT + state_bytes(op) * (size_t)node;
}

static unsigned char *lanes_of(const struct user_op *op, struct state *state)
{
    return (unsigned char *)state + STATES_AT + (state_bytes(op) * TREE_NODES + 63) / 64 * 64;
}

size_t user_state_size(const struct user_op *op)
{
    size_t nodes = (state_bytes(op) * TREE_NODES + 63) / 64 * 64;
    return STATES_AT + nodes + (state_bytes(op) * USER_LANES + 63) / 64 * 64;
}

void user_state_open(const struct user_op *op, struct state *state)
{
    (void)op;
    tree_of(state)->nodes = 0;
    tree_of(state)->open = 0;
}

/* ---- nodes ---- */

/* left = left . right, either of which may be missing; whether there is one now. */
static int join(const struct user_op *op, void *left, int has_left, const void *right, int has_right)
{
    if (has_left && has_right) user_kernels(op)->combine(op, left, right);
    else if (has_right) memcpy(left, right, state_bytes(op));
    return has_left || has_right;
}

static void push(const struct user_op *op, struct user_tree *tree, unsigned char *states, int64_t leaf, int level,
                 const void *value, int has)
{
    int32_t at = tree->nodes;
    int64_t index = leaf >> level;
    if (has) memcpy(states + state_bytes(op) * (size_t)at, value, state_bytes(op));
    for (; at > 0 && index % 2 == 1; at--, index /= 2, level++) {
        if (tree->node[at - 1].level != level || tree->node[at - 1].index != index - 1) break;
        unsigned char *left = states + state_bytes(op) * (size_t)(at - 1);
        has = join(op, left, tree->node_has[at - 1], left + state_bytes(op), has);
    }
    tree->node[at].index = index;
    tree->node[at].level = level;
    tree->node_has[at] = (unsigned char)has;
    tree->nodes = at + 1;
}

/* At each level, neighbours under one parent are combined and single nodes rise, until one is left. */
static void join_all(const struct user_op *op, struct user_tree *tree, unsigned char *states)
{
    size_t bytes = state_bytes(op);
    for (int64_t level = 0; tree->nodes > 1; level++) {
        int32_t kept = 0;
        for (int32_t i = 0; i < tree->nodes; i++, kept++) {
            int64_t index = tree->node[i].index;
            int has = tree->node_has[i], rises = tree->node[i].level == level;
            memmove(states + bytes * (size_t)kept, states + bytes * (size_t)i, bytes);
            if (rises && i + 1 < tree->nodes && index % 2 == 0 && tree->node[i + 1].level == level &&
                tree->node[i + 1].index == index + 1) {
                i++;
                has = join(op, states + bytes * (size_t)kept, has, states + bytes * (size_t)i, tree->node_has[i]);
            }
            tree->node[kept].level = rises ? level + 1 : tree->node[i].level;
            tree->node[kept].index = rises ? index / 2 : index;
            tree->node_has[kept] = (unsigned char)has;
        }
        tree->nodes = kept;
    }
}

size_t user_node_size(const struct user_op *op)
{
    return state_bytes(op) + 64;
}

void user_node_take(const struct user_op *op, struct state *state, void *node)
{
    *(unsigned char *)node = tree_of(state)->node_has[0];
    memcpy((unsigned char *)node + 64, node_at(op, state, 0), state_bytes(op));
    tree_of(state)->nodes = 0;
}

void user_node_push(const struct user_op *op, struct state *state, int64_t leaf, int level, const void *node)
{
    push(op, tree_of(state), node_at(op, state, 0), leaf, level, (const unsigned char *)node + 64,
         *(const unsigned char *)node);
}

/* ---- leaves ---- */

static void close_leaf(const struct user_op *op, struct state *state, int64_t leaf)
{
    struct user_tree *tree = tree_of(state);
    unsigned char *lanes = lanes_of(op, state);
    int has = user_kernels(op)->close(op, lanes, tree->lane_has);
    push(op, tree, node_at(op, state, 0), leaf, 0, lanes, has);
    tree->open = 0;
}

static int64_t absent_in(const struct user_run *run)
{
    int64_t absent = 0;
    for (long long k = 0; run->present && k < run->n; k++) absent += !run->present[k];
    return absent;
}

void user_state_add(const struct user_op *op, struct state *state, const struct user_run *run)
{
    struct user_tree *tree = tree_of(state);
    int64_t position = state->start + state->count;
    for (long long done = 0; done < run->n;) {
        long long offset = position % USER_LEAF, room = USER_LEAF - offset;
        struct user_run part = *run;
        part.n = run->n - done < room ? run->n - done : room;
        part.index = run->index + done;
        for (int32_t c = 0; c < op->input_count; c++)
            part.inputs[c] = (const char *)run->inputs[c] + done * type_row(op->inputs[c])->size;
        if (run->present) part.present = run->present + done;
        if (!tree->open) memset(tree->lane_has, 0, sizeof tree->lane_has);
        tree->open = 1;
        user_kernels(op)->run(op, lanes_of(op, state), tree->lane_has, offset, &part);
        if (part.n == room) close_leaf(op, state, position / USER_LEAF);
        position += part.n;
        done += part.n;
    }
    state->count += run->n;
    state->absent += absent_in(run);
}

void user_state_add_leaf(const struct user_op *op, struct state *state, const void *total, int64_t count)
{
    push(op, tree_of(state), node_at(op, state, 0), (state->start + state->count) / USER_LEAF, 0, total, 1);
    state->count += count;
}

void user_state_merge(const struct user_op *op, struct state *state, const struct state *other)
{
    /* Of other only bytes are read; its accessors are those of states that may be written. */
    struct state *from = (struct state *)(uintptr_t)other;
    struct user_tree *tree = tree_of(state);
    const struct user_tree *add = tree_of(from);
    if (tree->open) close_leaf(op, state, (state->start + state->count - 1) / USER_LEAF);
    for (int32_t i = 0; i < add->nodes; i++)
        push(op, tree, node_at(op, state, 0), add->node[i].index << add->node[i].level, (int)add->node[i].level,
             node_at(op, from, i), add->node_has[i]);
    tree->open = add->open;
    if (!add->open) return;
    memcpy(tree->lane_has, add->lane_has, sizeof tree->lane_has);
    memcpy(lanes_of(op, state), lanes_of(op, from), state_bytes(op) * USER_LANES);
}

/* ---- results ---- */

tally_status user_total_finish(const struct calculation *calculation, const void *total, int64_t count, void *out,
                               ptrdiff_t step)
{
    const struct user_op *op = calculation->user;
    _Alignas(64) unsigned char value[TALLY_OP_MOST_STATE];
    _Alignas(64) unsigned char results[TALLY_OP_MOST_RESULTS * 16];
    size_t size = (size_t)type_row(op->result)->size;
    int has = calculation->initial != NULL;
    if (has) memcpy(value, calculation->initial, state_bytes(op));
    if (!join(op, value, has, total, total != NULL)) {
        if (!op->has_identity)
            FAIL(TALLY_EMPTY, "%s of no elements has no value: give options.initial, or leave the empty cells out",
                 op->name);
        user_kernels(op)->identity(op, value);
    }
    user_kernels(op)->finish(op, value, count, results);
    for (int32_t v = 0; v < op->values; v++) memcpy((char *)out + v * step, results + (size_t)v * size, size);
    return TALLY_OK;
}

/* The state keeps its value: its leaf is closed, and its nodes are joined, in copies. */
tally_status user_state_finish(const struct calculation *calculation, const struct state *constant, void *out,
                               ptrdiff_t step)
{
    const struct user_op *op = calculation->user;
    struct state *state = (struct state *)(uintptr_t)constant;
    struct user_tree tree = *tree_of(state);
    size_t bytes = state_bytes(op);
    _Alignas(64) unsigned char nodes[TREE_NODES * TALLY_OP_MOST_STATE];
    _Alignas(64) unsigned char lanes[USER_LANES * TALLY_OP_MOST_STATE];
    memcpy(nodes, node_at(op, state, 0), bytes * (size_t)tree.nodes);
    if (tree.open) {
        memcpy(lanes, lanes_of(op, state), bytes * USER_LANES);
        int has = user_kernels(op)->close(op, lanes, tree.lane_has);
        push(op, &tree, nodes, (state->start + state->count - 1) / USER_LEAF, 0, lanes, has);
    }
    join_all(op, &tree, nodes);
    const void *total = tree.nodes > 0 && tree.node_has[0] ? nodes : NULL;
    return user_total_finish(calculation, total, state->count - state->absent, out, step);
}

/* ---- packed bytes ---- */

size_t user_state_pack(const struct user_op *op, const struct state *constant, unsigned char *bytes)
{
    struct state *state = (struct state *)(uintptr_t)constant;
    const struct user_tree *tree = tree_of(state);
    struct writer writer = {bytes, 0};
    put_integer(&writer, state_bytes(op), 4);
    put_integer(&writer, (uint64_t)tree->nodes, 4);
    put_integer(&writer, (uint64_t)tree->open, 4);
    for (int32_t i = 0; i < tree->nodes; i++) {
        put_integer(&writer, (uint64_t)tree->node[i].index, 8);
        put_integer(&writer, (uint64_t)tree->node[i].level, 8);
        put_integer(&writer, tree->node_has[i], 1);
        if (tree->node_has[i]) put_bytes(&writer, node_at(op, state, i), state_bytes(op));
    }
    for (int l = 0; tree->open && l < USER_LANES; l++) {
        put_integer(&writer, tree->lane_has[l], 1);
        if (tree->lane_has[l]) put_bytes(&writer, lanes_of(op, state) + state_bytes(op) * (size_t)l, state_bytes(op));
    }
    return writer.used;
}

/* The leaves of the nodes, in order and without gaps, must be the ones that the state's elements fill. */
static int is_whole(const struct state *state, const struct user_tree *tree)
{
    int64_t leaf = state->start / USER_LEAF, end = state->start + state->count;
    for (int32_t i = 0; i < tree->nodes; i++) {
        if (tree->node[i].index << tree->node[i].level != leaf) return 0;
        leaf += (int64_t)1 << tree->node[i].level;
    }
    return state->start % USER_LEAF == 0 && leaf == end / USER_LEAF && tree->open == (end % USER_LEAF != 0);
}

size_t user_state_unpack(const struct user_op *op, struct state *state, const unsigned char *bytes, size_t size)
{
    struct reader reader = {bytes, size, 0, 0};
    struct user_tree *tree = tree_of(state);
    if (get_integer(&reader, 4) != state_bytes(op)) return 0;
    tree->nodes = (int32_t)get_integer(&reader, 4);
    tree->open = (int32_t)get_integer(&reader, 4);
    if (tree->nodes < 0 || tree->nodes > TREE_NODES / 2 || tree->open < 0 || tree->open > 1) return 0;
    for (int32_t i = 0; i < tree->nodes && !reader.failed; i++) {
        tree->node[i].index = (int64_t)get_integer(&reader, 8);
        tree->node[i].level = (int64_t)get_integer(&reader, 8);
        tree->node_has[i] = get_integer(&reader, 1) != 0;
        if (tree->node[i].level < 0 || tree->node[i].level > 51 || tree->node[i].index < 0 ||
            tree->node[i].index >> (51 - tree->node[i].level) != 0)
            return 0;
        if (tree->node_has[i]) get_bytes(&reader, node_at(op, state, i), state_bytes(op));
    }
    for (int l = 0; tree->open && l < USER_LANES && !reader.failed; l++) {
        tree->lane_has[l] = get_integer(&reader, 1) != 0;
        if (tree->lane_has[l]) get_bytes(&reader, lanes_of(op, state) + state_bytes(op) * (size_t)l, state_bytes(op));
    }
    return reader.failed || !is_whole(state, tree) ? 0 : reader.used;
}
