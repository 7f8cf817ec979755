/* SPDX-License-Identifier: MIT
 *
 * line.c - scans by a user's operator: the head and the states of a line, which the operator's kernel carries on. */
#include "tree.h"

#include <string.h>

static struct user_line *line_of(struct scan_state *state)
{
    return (struct user_line *)(void *)state;
}

static unsigned char *states_of(struct scan_state *state)
{
    return (unsigned char *)state + USER_LINE_STATES_AT;
}

size_t user_line_size(const struct user_op *op)
{
    return USER_LINE_BYTES(user_kernels(op)->state_bytes);
}

void user_line_open(const struct calculation *calculation, struct scan_state *state)
{
    size_t bytes = user_kernels(calculation->user)->state_bytes;
    memset(line_of(state), 0, sizeof(struct user_line));
    if (!calculation->initial) return;
    memcpy(states_of(state) + bytes * USER_LINE_CARRY, calculation->initial, bytes);
    line_of(state)->has[USER_LINE_CARRY] = 1;
}

void user_line_run(const struct calculation *calculation, struct scan_state *state, const struct user_run *run,
                   void *results)
{
    user_kernels(calculation->user)
        ->scan(calculation->user, line_of(state), states_of(state), run, (calculation->flags & TALLY_EXCLUSIVE) != 0,
               results);
}

void user_line_append(const struct user_op *op, struct scan_state *state, const struct scan_state *total)
{
    struct user_line *line = line_of(state);
    const struct user_line *add = (const struct user_line *)(const void *)total;
    const size_t block = user_kernels(op)->state_bytes * USER_LINE_NODES; /* the node of one block */
    line->count += add->count;
    line->elements += USER_BLOCK;
    user_kernels(op)->append(op, line, states_of(state), (const unsigned char *)total + USER_LINE_STATES_AT + block,
                             add->has[USER_LINE_NODES]);
}

int64_t user_line_elements(const struct scan_state *state)
{
    return ((const struct user_line *)(const void *)state)->elements;
}

void user_line_seek(struct scan_state *state, int64_t elements)
{
    line_of(state)->elements = elements;
}

int user_line_position(const struct scan_state *state)
{
    return ((const struct user_line *)(const void *)state)->position;
}

int user_line_blocks(const struct scan_state *state)
{
    return ((const struct user_line *)(const void *)state)->blocks;
}

int user_line_has_nodes(const struct scan_state *state)
{
    const struct user_line *line = (const struct user_line *)(const void *)state;
    int all = 1;
    for (int level = 0; level < USER_SECTION_LEVELS; level++) {
        if (line->blocks >> level & 1) all &= line->has[USER_LINE_NODES + level];
    }
    return all;
}
