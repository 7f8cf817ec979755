/* SPDX-License-Identifier: MIT
 *
 * kernels.h - the table that a user's operator is run through on the CPU: filled by the compiled text, or by
 * functions.c. Read by run-time compilers, so it includes nothing. */
#ifndef TALLY_USER_KERNELS_H
#define TALLY_USER_KERNELS_H

/* The fixed-shape tree: a leaf has USER_LEAF elements in USER_LANES lanes. */
#define USER_LEAF 4096
#define USER_LANES 128
#define USER_LANE_ELEMENTS (USER_LEAF / USER_LANES)

/* The parts of a scan: runs, groups of runs, blocks of groups, sections of 2^USER_SECTION_LEVELS blocks. */
#define USER_RUN 16
#define USER_GROUP_RUNS 32
#define USER_GROUP (USER_RUN * USER_GROUP_RUNS)
#define USER_BLOCK_GROUPS 8
#define USER_BLOCK (USER_BLOCK_GROUPS * USER_GROUP)
#define USER_SECTION_LEVELS 5
#define USER_SECTION_BLOCKS (1 << USER_SECTION_LEVELS)

/* States of a scan's line, in the order in which they lie behind its head. Node l has 2^l blocks of the open section.
 */
enum user_line_state {
    USER_LINE_BASE,
    USER_LINE_CARRY,
    USER_LINE_GROUPS,
    USER_LINE_LOCAL,
    USER_LINE_NODES,
    USER_LINE_RUNS = USER_LINE_NODES + USER_SECTION_LEVELS
};
#define USER_LINE_STATES (USER_LINE_RUNS + USER_GROUP_RUNS)

/* The open block of a scan, and what stands left of it. has[k] tells whether state k holds elements. */
struct user_line {
    long long count;    /* present elements so far: the n of finish */
    long long elements; /* all elements so far: the i of lift */
    int position;       /* elements of the block that came, 0 to USER_BLOCK - 1 */
    int blocks;         /* complete ones of the section; its bits tell which nodes there are */
    int based;          /* the base is known: what stands left of the open run */
    unsigned char has[USER_LINE_STATES];
};

/* Where a line's states lie behind its head, and the bytes of both. */
#define USER_LINE_STATES_AT ((sizeof(struct user_line) + 63) / 64 * 64)
#define USER_LINE_BYTES(state_bytes) (USER_LINE_STATES_AT + ((state_bytes)*USER_LINE_STATES + 63) / 64 * 64)

/* n elements that lie side by side in each input, the first of them number `index`. */
struct user_run {
    const void *inputs[4];
    const unsigned char *present; /* NULL: all are */
    long long n, index;
};

/* Cells that lie side by side: element r of cell c is number offsets[r] + c * step of each input. */
struct user_cells {
    const void *inputs[4];
    const long long *offsets;
    long long step;
    int count;
};

/* All states are at multiples of state_bytes from memory aligned to 64. A map's table has `map` and `result` alone. */
struct user_kernels {
    unsigned state_bytes;
    void (*lift)(const struct user_op *op, void *state, const void *const *inputs, long long index);
    void (*combine)(const struct user_op *op, void *a, const void *b); /* a becomes a . b */
    void (*identity)(const struct user_op *op, void *state);           /* NULL: there is none */
    void (*finish)(const struct user_op *op, const void *state, long long count, void *result);
    /* Elements [offset, offset + n) of a leaf into its lanes; has[l] tells whether lane l holds elements, and all are 0
     * before the first run of a leaf. */
    void (*run)(const struct user_op *op, void *lanes, unsigned char *has, long long offset,
                const struct user_run *run);
    /* The lanes' total into lane 0; 0 when there is no element. */
    int (*close)(const struct user_op *op, void *lanes, unsigned char *has);
    /* The same for cells side by side, lane l of cell c being lane l * count + c: elements [first, first + n) of a leaf
     * of each, whose first one is number `index`. They come in order from the leaf's first on, and all are present. The
     * totals of leaves of n elements go into lane 0. */
    void (*run_cells)(const struct user_op *op, void *lanes, const struct user_cells *cells, int first, int n,
                      long long index);
    void (*close_cells)(const struct user_op *op, void *lanes, int n, int count);
    /* Carries a line over a run; results (NULL: none are wanted) must not overlap the inputs. */
    void (*scan)(const struct user_op *op, struct user_line *line, void *states, const struct user_run *run,
                 int exclusive, void *results);
    /* Appends a block's total to a line that is at the start of a block. */
    void (*append)(const struct user_op *op, struct user_line *line, void *states, const void *total, int has_total);
    void (*map)(const struct user_op *op, const struct user_run *run, void *results);
    int (*result)(void); /* number of the type that the expression has */
};

#endif
