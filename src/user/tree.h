/* SPDX-License-Identifier: MIT
 *
 * tree.h - the states of a user's operator: of reductions, the fixed-shape tree of docs/semantics.md; of scans, a line
 * of its blocks. Both lie in memory of the size that these functions give, a multiple of 64. */
#ifndef TALLY_USER_TREE_H
#define TALLY_USER_TREE_H

#include "../scan_state.h"
#include "operator.h"

size_t user_state_size(const struct user_op *op);
void user_state_open(const struct user_op *op, struct state *state);

/* Adds the elements that come next; count and absent are moved. */
void user_state_add(const struct user_op *op, struct state *state, const struct user_run *run);

/* Adds a whole leaf, or the last part of a cell, by its total; no leaf is open. */
void user_state_add_leaf(const struct user_op *op, struct state *state, const void *total, int64_t count);

/* Adds other, whose elements follow; state's leaf is complete. count and absent are the caller's. */
void user_state_merge(const struct user_op *op, struct state *state, const struct state *other);

/* Writes the elements of the result `step` bytes apart. */
tally_status user_state_finish(const struct calculation *calculation, const struct state *state, void *out,
                               ptrdiff_t step);

/* The same of `count` elements whose total is known; NULL: there are none. */
tally_status user_total_finish(const struct calculation *calculation, const void *total, int64_t count, void *out,
                               ptrdiff_t step);

/* One node apart from its tree, in user_node_size bytes. take moves the first node out of a tree that then has none;
 * push appends a node at a level that begins at a leaf. */
size_t user_node_size(const struct user_op *op);
void user_node_take(const struct user_op *op, struct state *state, void *node);
void user_node_push(const struct user_op *op, struct state *state, int64_t leaf, int level, const void *node);

/* In this machine's byte order, as they are in memory. As state_pack and state_unpack. */
size_t user_state_pack(const struct user_op *op, const struct state *state, unsigned char *bytes);
size_t user_state_unpack(const struct user_op *op, struct state *state, const unsigned char *bytes, size_t size);

/* ---- scans ---- */

size_t user_line_size(const struct user_op *op);
void user_line_open(const struct calculation *calculation, struct scan_state *state);

/* Carries the line over the elements that come next; results NULL: none are wanted. */
void user_line_run(const struct calculation *calculation, struct scan_state *state, const struct user_run *run,
                   void *results);

/* Elements that came, which number those that come next; seek is for a line that will be appended to another. */
int64_t user_line_elements(const struct scan_state *state);
void user_line_seek(struct scan_state *state, int64_t elements);

/* Appends the one block of `total`, a line without an initial state, whose elements follow, to a line at the start of a
 * block. */
void user_line_append(const struct user_op *op, struct scan_state *state, const struct scan_state *total);

/* Elements of the open block. */
int user_line_position(const struct scan_state *state);

/* Complete blocks of the open section, and whether all nodes of them hold elements. */
int user_line_blocks(const struct scan_state *state);
int user_line_has_nodes(const struct scan_state *state);

#endif
