/* SPDX-License-Identifier: MIT
 *
 * state_pack.c - the state of a cell as portable bytes. */
#include "bytes.h"
#include "state.h"
#include "user/tree.h"

#include <string.h>

static void put_fold(struct writer *writer, const struct fold_value *value, int parts)
{
    for (int p = 0; p < parts; p++) put_integer(writer, (uint64_t)value->part[p].integer, 8);
}

static void get_fold(struct reader *reader, struct fold_value *value, int parts)
{
    memset(value, 0, sizeof *value);
    for (int p = 0; p < parts; p++) value->part[p].integer = (int64_t)get_integer(reader, 8);
}

static void put_tree(struct writer *writer, const struct tree *tree, const struct fold_steps *steps)
{
    put_integer(writer, (uint64_t)tree->nodes, 4);
    put_integer(writer, (uint64_t)tree->open, 4);
    for (int32_t i = 0; i < tree->nodes; i++) {
        put_integer(writer, (uint64_t)tree->node[i].index, 8);
        put_integer(writer, (uint64_t)tree->node[i].level, 8);
        put_fold(writer, &tree->node[i].value, steps->parts);
    }
    for (int l = 0; tree->open && l < steps->parts * TREE_LANES; l++) {
        put_real(writer, steps->lane_size == sizeof(float) ? (double)((const float *)(const void *)tree->lanes)[l]
                                                           : tree->lanes[l]);
    }
}

static void get_tree(struct reader *reader, struct tree *tree, const struct fold_steps *steps)
{
    tree->nodes = (int32_t)get_integer(reader, 4);
    tree->open = (int32_t)get_integer(reader, 4);
    if (tree->nodes < 0 || tree->nodes > TREE_NODES / 2 || tree->open < 0 || tree->open > 1) reader->failed = 1;
    for (int32_t i = 0; !reader->failed && i < tree->nodes; i++) {
        tree->node[i].index = (int64_t)get_integer(reader, 8);
        tree->node[i].level = (int64_t)get_integer(reader, 8);
        get_fold(reader, &tree->node[i].value, steps->parts);
        if (tree->node[i].level < 0 || tree->node[i].level > 51 || tree->node[i].index < 0 ||
            tree->node[i].index >> (51 - tree->node[i].level) != 0)
            reader->failed = 1;
    }
    for (int l = 0; !reader->failed && tree->open && l < steps->parts * TREE_LANES; l++) {
        double v = get_real(reader);
        if (steps->lane_size == sizeof(float)) ((float *)(void *)tree->lanes)[l] = (float)v;
        else tree->lanes[l] = v;
    }
}

/* The leaves of the nodes, in order and without gaps, must be the ones that the state's elements fill. */
static int tree_is_whole(const struct state *state)
{
    const struct tree *tree = &state->as.tree;
    int64_t leaf = state->start / TREE_LEAF;
    for (int32_t i = 0; i < tree->nodes; i++) {
        if (tree->node[i].index << tree->node[i].level != leaf) return 0;
        leaf += (int64_t)1 << tree->node[i].level;
    }
    int64_t end = state->start + state->count;
    return state->start % TREE_LEAF == 0 && leaf == end / TREE_LEAF && tree->open == (end % TREE_LEAF != 0);
}

size_t state_pack(const struct calculation *calculation, struct state *state, unsigned char *bytes)
{
    struct writer writer = {bytes, 0};
    const struct fold_steps *steps = NULL;
    if (calculation->method == METHOD_FOLD)
        steps = fold_steps(calculation->op->lift, calculation->combine, calculation->type);
    put_integer(&writer, (uint64_t)state->start, 8);
    put_integer(&writer, (uint64_t)state->count, 8);
    put_integer(&writer, (uint64_t)state->absent, 8);
    switch (calculation->method) {
    case METHOD_EXACT:
        for (int i = 0; i < state_exact_count(calculation); i++) {
            unsigned char packed[EXACT_PACK_BYTES];
            size_t size = exact_pack(&state->as.exact[i], packed);
            put_bytes(&writer, packed, size);
        }
        break;
    case METHOD_MINMAX:
        put_fold(&writer, &state->as.pair[0], 1);
        put_fold(&writer, &state->as.pair[1], 1);
        break;
    case METHOD_ARG:
    case METHOD_END:
        put_integer(&writer, (uint64_t)state->as.arg.index, 8);
        put_element(&writer, calculation->type, state->as.arg.value);
        break;
    case METHOD_FOLD:
        if (calculation->ordered) put_tree(&writer, &state->as.tree, steps);
        else put_fold(&writer, &state->as.fold, steps->parts);
        break;
    case METHOD_USER:
        writer.used += user_state_pack(calculation->user, state, bytes ? bytes + writer.used : NULL);
        break;
    }
    return writer.used;
}

static void get_exact(const struct calculation *calculation, struct reader *reader, struct state *state)
{
    for (int i = 0; !reader->failed && i < state_exact_count(calculation); i++) {
        size_t size = exact_unpack(&state->as.exact[i], reader->bytes + reader->used, reader->size - reader->used);
        reader->used += size;
        reader->failed |= size == 0;
    }
}

size_t state_unpack(const struct calculation *calculation, struct state *state, const unsigned char *bytes, size_t size)
{
    struct reader reader = {bytes, size, 0, 0};
    state_open(calculation, state, (int64_t)get_integer(&reader, 8));
    state->count = (int64_t)get_integer(&reader, 8);
    state->absent = (int64_t)get_integer(&reader, 8);
    if (state->start < 0 || state->count < 0 || state->absent < 0 || state->absent > state->count ||
        state->count > INT64_MAX - state->start)
        return 0;
    switch (calculation->method) {
    case METHOD_USER: {
        size_t used =
            reader.failed ? 0 : user_state_unpack(calculation->user, state, bytes + reader.used, size - reader.used);
        return used ? reader.used + used : 0;
    }
    case METHOD_EXACT: get_exact(calculation, &reader, state); break;
    case METHOD_MINMAX:
        get_fold(&reader, &state->as.pair[0], 1);
        get_fold(&reader, &state->as.pair[1], 1);
        break;
    case METHOD_ARG:
    case METHOD_END:
        state->as.arg.index = (int64_t)get_integer(&reader, 8);
        get_element(&reader, calculation->type, state->as.arg.value);
        if (state->as.arg.index < -1 || (state->as.arg.index < 0) != (state->count == state->absent)) return 0;
        break;
    case METHOD_FOLD: {
        const struct fold_steps *steps = fold_steps(calculation->op->lift, calculation->combine, calculation->type);
        if (!calculation->ordered) {
            get_fold(&reader, &state->as.fold, steps->parts);
            if (calculation->combine == COMBINE_MULTIPLY_MODULO &&
                (uint64_t)state->as.fold.part[0].integer >= calculation->modulus.p)
                return 0; /* no residue */
        } else {
            get_tree(&reader, &state->as.tree, steps);
            if (reader.failed || !tree_is_whole(state)) return 0;
        }
        break;
    }
    }
    return reader.failed ? 0 : reader.used;
}
