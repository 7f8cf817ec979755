/* SPDX-License-Identifier: MIT
 *
 * cpu.h - what the files of the CPU engine share.
 *
 * A world is kept in words of 8 lanes x 64 bits. Lane p of the words of row k holds row p * rows + k of the world, and
 * bit q of word w holds column q * words + w, so neighbours lie in neighbouring words of neighbouring rows, in the same
 * lane and at the same bit: no shift anywhere but at the two ends of a row, where bits move by one, and at the first
 * and last row, where lanes do. On a torus, lanes and bits beyond the world's size count on from its beginning, so that
 * they need no care; beyond dead edges they are masked to 0. */
#ifndef TALLY_LIFE_CPU_H
#define TALLY_LIFE_CPU_H

#include "life.h"

#define CPU_LANES 8                                        /* of a word */
#define CPU_WORD_BYTES (CPU_LANES * (int)sizeof(uint64_t)) /* a cache line, and a register of AVX-512 */

/* Generations that a tile makes before it is written back. What repeats with a period that divides it is seen to stand
 * still: 1, 2, 3, 4, 6 and 12. */
#define CPU_PASS 12

/* Where the bit comes from that no neighbouring bit can give, in the words before and behind a row. */
struct cpu_end {
    int64_t word;
    int bit;
};

/* The words before and behind a row: -1 - i from before[i], words + i from behind[i]. */
struct cpu_wrap {
    int64_t words;
    int reach;
    uint64_t torus; /* 1, or 0: dead edges */
    struct cpu_end before[CPU_PASS], behind[CPU_PASS];
};

/* Rows whose next generation is wanted. Pointers are to lanes; strides and offsets count them, too. */
struct cpu_rows {
    const uint64_t *in; /* the first word of the row above the first */
    uint64_t *out;
    int64_t in_stride, out_stride;
    int64_t rows, words;
    const uint64_t *masks; /* of each word, for every lane; only of kernels for dead edges */
};

/* A rule as the general kernel takes it: with n neighbours alive, a cell x becomes (x & change[n]) ^ born[n]. */
struct cpu_rule {
    uint64_t change[9], born[9];
};

typedef void cpu_kernel(const struct cpu_rows *rows, const struct cpu_rule *rule);

/* Rules with a kernel of their own: number of neighbours n is bit n. */
#define FOR_EACH_CPU_RULE(X)                                      \
    X(highlife, 1 << 3 | 1 << 6, 1 << 2 | 1 << 3)                 \
    X(day_and_night, 1 << 3 | 1 << 6 | 1 << 7 | 1 << 8, 0x1d8)    \
    X(seeds, 1 << 2, 0)                                           \
    X(replicator, 1 << 1 | 1 << 3 | 1 << 5 | 1 << 7, 0xaa)        \
    X(life_without_death, 1 << 3, 0x1ff)                          \
    X(dry_life, 1 << 3 | 1 << 7, 1 << 2 | 1 << 3)                 \
    X(maze, 1 << 3, 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5)   \
    X(two_by_two, 1 << 3 | 1 << 6, 1 << 1 | 1 << 2 | 1 << 5)      \
    X(morley, 1 << 3 | 1 << 6 | 1 << 8, 1 << 2 | 1 << 4 | 1 << 5) \
    X(diamoeba, 1 << 3 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 8, 0x1e0)

enum {
    CPU_RULE_CONWAY,
#define NAME(name, born, survives) CPU_RULE_##name,
    FOR_EACH_CPU_RULE(NAME)
#undef NAME
        CPU_RULE_ANY, /* no difference between 0 and 8 neighbours */
    CPU_RULE_ANY_EIGHT,
    CPU_RULES
};

/* What is compiled once per instruction set. */
struct cpu_kernels {
    const char *name;
    cpu_kernel *next[CPU_RULES], *next_masked[CPU_RULES];
    void (*wrap)(const struct cpu_wrap *wrap, uint64_t *row, int64_t stride, int64_t rows);
};

/* For the instruction set of a context's device. */
const struct cpu_kernels *cpu_kernels_of(const tally_device *device);

/* Some slabs of one panel that a task makes. */
struct cpu_task {
    int64_t panel, first, end;
};

/* A world is so many slabs of rows down and so many panels of words across. */
struct cpu_tiles {
    int64_t down, across;
    int64_t most;          /* slabs of a task */
    int block;             /* rows that a stage makes at a time */
    int64_t stage_stride;  /* of the rows between two stages */
    uint8_t *changed;      /* of each slab and panel: whether the last pass changed it; all, where that is not known */
    uint8_t *read;         /* of each slab: whether the pass needs its halo words */
    struct cpu_task *task; /* of the pass */
    int64_t task_count;
    uint64_t **scratch; /* of each worker */
};

struct cpu_world {
    tally_context *context;
    struct life_problem problem;
    const struct cpu_kernels *kernels;
    cpu_kernel *next;
    struct cpu_rule rule;
    int64_t words, rows; /* of a row; of a lane */
    int64_t stride;      /* from a row to the next, in lanes */
    int halo_words;      /* kept before and behind each row */
    int halo_rows;       /* kept above and below */
    size_t plane_bytes;
    uint64_t *memory[2], *plane[2]; /* plane: lane 0 of word 0 of row 0 */
    uint64_t *snapshot;             /* a plane's memory of a while ago; of worlds that are stepped as a whole */
    int now;                        /* the plane that holds the cells */
    uint64_t *masks;                /* of word 0; NULL on a torus */
    struct cpu_wrap wrap;
    int32_t threads;
    struct cpu_tiles tiles; /* none: the world is stepped as a whole */
};

static inline uint64_t *cpu_row(const struct cpu_world *world, int plane, int64_t row)
{
    return world->plane[plane] + row * world->stride;
}

/* A halo row of a plane: -1 and below, or world->rows and above. The rows of the world must be complete with their halo
 * words. */
void cpu_fill_row(const struct cpu_world *world, int plane, int64_t row);

/* Kills lanes of a row of words that lie beyond dead edges. row may lie in a halo. */
void cpu_mask_row(const struct cpu_world *world, uint64_t *cells, int64_t words, int64_t row);

/* Whether cpu_mask_row would change anything. */
bool cpu_row_is_masked(const struct cpu_world *world, int64_t row);

/* Picture to plane and back. */
bool cpu_pack(const struct cpu_world *world, const struct life_grid *grid, struct life_why *why);
bool cpu_unpack(const struct cpu_world *world, struct life_grid *grid, struct life_why *why);

/* Tiles: CPU_PASS generations at a time. open sets the planes' halos, too. */
bool cpu_tiles_open(struct cpu_world *world, struct life_why *why);
void cpu_tiles_close(struct cpu_world *world);
void cpu_tiles_forget(struct cpu_world *world); /* the cells were changed otherwise */
bool cpu_tiles_step(struct cpu_world *world, int64_t generations, struct life_why *why);

#endif
