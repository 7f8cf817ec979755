/* SPDX-License-Identifier: MIT
 *
 * reduce_plan_ordered.c - how reduce_ordered.cu deals out folds that are not associative in floating point. Crews of
 * threads take leaves of the fixed-shape tree (op.h): as many crews and splits as come to an end soonest. */
#include "reduce_plan.h"
#include "whole.h"

#include <math.h>

#define THREADS 256
#define BLOCKS_PER_PROCESSOR 16 /* enough for the last ones to even out */
#define MOST_TICKETS 16384
#define LANES 4                   /* of a thread */
#define CREW (TREE_LANES / LANES) /* threads that take a leaf together: a warp, or fewer for short cells */
#define LEVELS 24                 /* of nodes that a crew keeps, as kernels/reduce_tree/ordered_nodes.cuh has them */
#define CREW_NODES 32             /* that a crew leaves in shared memory: a block has room for one of each thread */
#define APART_NODES 4             /* that a crew publishes, where splits are no nodes */
#define SPLIT_LEAVES 12           /* about the work of beginning and ending a split, in leaves of a block's crews */
#define SPLIT_WORK 1.5            /* the same, in leaves of one crew */
#define TABLE_BYTES 33000         /* of powers, at most (kernels/reduce_tree/full_integer_powers.cuh) */
#define MANY_LEAVES 32            /* of a multiprocessor, so that none is idle for a few large blocks */
#define GAIN 0.9                  /* of the work that is left, for crews to take leaves in turn */

/* Of a node of so many numbers. */
#define NODE_BYTES(parts) (24 + (parts)*8)

/* How cells are dealt out. */
struct deal {
    int64_t crews;  /* of a cell */
    int64_t leaves; /* of a split */
    int64_t splits;
    int dealt; /* crews take nodes of 2^level leaves in turn; else each has a run of leaves, and a split is a node */
    int32_t level;
    int apart;   /* splits are no nodes of the tree, and publish those of their crews */
    double work; /* leaves that a crew takes one after the other, about */
};

/* What is dealt out, and to whom. */
struct floor {
    int64_t threads, crew; /* of a block; of a crew */
    int64_t processors;
    int64_t at_once;      /* blocks of the device */
    int64_t cells, units; /* all; leaves of each */
    int knows_end;        /* when blocks of all splits come to an end is known */
    int full;             /* leaves lie whole in memory, nearly all: crews take them in turn, of which each is a node */
};

static int64_t groups_of(const struct floor *f, int64_t crews)
{
    return divide_up(f->cells, f->threads / (f->crew * crews));
}

static double work_of(const struct floor *f, int64_t crews, int64_t splits, int64_t leaves_of_crew)
{
    const int64_t waves = divide_up(groups_of(f, crews) * splits, f->at_once);
    return (double)waves * ((double)leaves_of_crew + SPLIT_WORK);
}

/* Leaves of a split, a power of two: of as many splits as come to an end soonest, in rounds of blocks at once. */
static int64_t leaves_of_split(const struct floor *f, int64_t crews)
{
    int64_t best = crews, least_work = INT64_MAX;
    for (int64_t each = crews; each < 2 * f->units; each *= 2) {
        int64_t blocks = groups_of(f, crews) * divide_up(f->units, each);
        int64_t work = divide_up(blocks, f->at_once) * (each + SPLIT_LEAVES);
        if (work > least_work) continue;
        least_work = work;
        best = each;
    }
    return best;
}

static struct deal deal_runs(const struct floor *f)
{
    struct deal d = {.crews = 1};
    while (2 * d.crews * f->crew <= f->threads && 2 * d.crews <= f->units && groups_of(f, d.crews) < f->processors * 4)
        d.crews *= 2;
    const int64_t groups = groups_of(f, d.crews);
    int64_t wanted = divide_up(f->processors * BLOCKS_PER_PROCESSOR / 2, groups);
    if (groups > MOST_TICKETS || wanted < 2) wanted = 1;
    d.leaves = power_above(divide_up(f->units, wanted));
    if (d.leaves < d.crews) d.leaves = d.crews;
    if (f->knows_end && wanted > 1) d.leaves = leaves_of_split(f, d.crews);
    d.splits = divide_up(f->units, d.leaves);
    const int64_t each = d.leaves / d.crews;
    d.work = work_of(f, d.crews, d.splits, d.splits == 1 && d.crews == 1 ? f->units : each);
    return d;
}

/* Each crew takes about as many leaves of a split. */
static struct deal deal_in_turn(const struct floor *f, int64_t crews, int64_t leaves)
{
    struct deal d = {.crews = crews, .dealt = 1};
    for (int64_t most = CREW_NODES; most; most = d.apart && most != APART_NODES ? APART_NODES : 0) {
        while (leaves > most << d.level) d.level++;
        leaves = divide_up(leaves, (int64_t)1 << d.level) << d.level;
        d.leaves = crews * leaves;
        d.splits = divide_up(f->units, d.leaves);
        d.apart = d.splits > 1 && (leaves & (leaves - 1)) != 0;
    }
    if (f->full && !d.apart) d.level = 0; /* a part of the split after the other */
    d.work = work_of(f, crews, d.splits, leaves);
    /* Of many nodes the block that comes last would make too much. */
    if (d.apart && (divide_up(f->units, (int64_t)1 << d.level) > f->crew * crews || (f->full && d.level > 0)))
        d.work = (double)INFINITY;
    return d;
}

/* The next number of leaves that deal_in_turn does not take for more. */
static int64_t next_leaves(int64_t leaves)
{
    int64_t step = 1;
    while (CREW_NODES * step <= leaves) step *= 2;
    return leaves + step;
}

/* What comes to an end soonest, of all numbers of crews and splits: the most crews of those alike, and their fewest
 * splits. */
static struct deal best_deal(const struct floor *f)
{
    struct deal best = deal_runs(f);
    const double ideal = (double)(f->cells * f->units) / (double)(f->at_once * (f->threads / f->crew)) + SPLIT_WORK;
    double least_work = GAIN * best.work;
    for (int64_t crews = f->threads / f->crew; crews > 0 && least_work > ideal; crews /= 2) {
        const int64_t groups = groups_of(f, crews), leaves = divide_up(f->units, crews);
        const int64_t most = groups > MOST_TICKETS ? 1 : least(leaves, 1 + 4 * f->at_once / groups);
        for (int64_t each = divide_up(leaves, most); (double)each + SPLIT_WORK <= least_work;
             each = next_leaves(each)) {
            const struct deal d = deal_in_turn(f, crews, each);
            if (d.work > least_work || (d.work >= least_work && d.crews != best.crews)) continue;
            best = d;
            least_work = d.work;
        }
    }
    return best;
}

/* Whether kernels/reduce_tree/full_leaves.cuh takes most leaves: its FULL_LEAVES. Rows of powers have leaves of any
 * alignment; of wide elements that are but added, others read leaves as fast. */
static int full_leaves_of(const struct reduction *reduction, const struct reduce_parameters *p, int rows)
{
    const struct calculation *calculation = &reduction->calculation;
    if (p->length < TREE_LEAF || p->reduced_count != 1 || reduction->where || calculation->flags & TALLY_SKIP_NAN ||
        calculation->op->flags & OP_SECOND)
        return 0;
    if (reduce_plan_has_aligned_fours(reduction, 0)) return 1;
    if (rows || (calculation->combine != COMBINE_ADD_POWERS && type_row(calculation->type)->size > 4)) return 0;
    return 2;
}

/* Threads of a block: four times as many where neighbours have neighbouring cells and shared memory is left for their
 * nodes, half as many where rows of powers want more registers, twice as many where blocks of one cell have all of a
 * multiprocessor, as they come to their ends together. */
static int64_t threads_of(const struct device_limits *limits, const struct reduce_parameters *p, size_t parts,
                          size_t of_thread, int few, int full)
{
    const size_t of_crew = LEVELS * NODE_BYTES(parts); /* in static memory */
    const size_t of_many = 4 * THREADS * of_thread + 4 * THREADS / CREW * of_crew;
    if (p->cells_first && parts < 3 && of_many <= limits->shared_bytes) return 4 * THREADS;
    if (full && p->cells == 1 && parts < 3 && p->units >= limits->processors * MANY_LEAVES &&
        2 * THREADS * of_thread + 2 * THREADS / CREW * of_crew + TABLE_BYTES <= limits->shared_bytes)
        return 2 * THREADS;
    return few ? THREADS / 2 : THREADS;
}

void reduce_plan_ordered(const struct device_limits *limits, const struct reduction *reduction, int contiguous,
                         struct reduce_plan *plan)
{
    struct reduce_parameters *p = &plan->parameters;
    const struct calculation *calculation = &reduction->calculation;
    const size_t parts = (size_t)program_parts(calculation), node = NODE_BYTES(parts), lanes = LANES * parts * 8;
    const int rows = !p->cells_first && reduce_plan_has_rows_of_powers(reduction);
    const int full_leaves = contiguous && !p->cells_first ? full_leaves_of(reduction, p, rows) : 0;
    const size_t of_thread = node > lanes || full_leaves ? node : lanes;
    const int64_t size = type_row(calculation->type)->size;
    const int few = rows && !full_leaves && (size == 8 || (size == 4 && reduce_plan_walk_of_rows(reduction)));
    p->units = divide_up(p->length ? p->length : 1, TREE_LEAF);
    const int64_t threads = threads_of(limits, p, parts, of_thread, few, full_leaves);
    const int32_t at_once = few ? 3 : rows || full_leaves ? (int32_t)(2 * THREADS / threads) : 4;
    const struct floor f = {
        .threads = threads,
        .crew = least(CREW, power_above(divide_up(p->length ? p->length : 1, LANES))),
        .processors = limits->processors,
        .at_once = (int64_t)limits->processors * at_once,
        .cells = p->cells,
        .units = p->units,
        .knows_end = rows || full_leaves,
        .full = full_leaves,
    };
    /* Crews whose threads are not neighbours, or fewer than a warp's, wait for each other. */
    struct deal d = f.crew < CREW || p->cells_first ? deal_runs(&f) : best_deal(&f);
    if (full_leaves) d.dealt = 1;
    const int64_t groups = groups_of(&f, d.crews);
    p->team = (int32_t)(f.crew * d.crews);
    p->split_units = d.leaves;
    p->splits = d.splits;
    p->node_level = d.level;
    p->nodes_apart = d.apart;
    plan->file = "reduce_ordered.cu";
    plan->threads = (uint32_t)f.threads;
    plan->blocks = groups * d.splits;
    plan->tickets = groups;
    plan->shared_bytes = (uint32_t)((size_t)f.threads * of_thread);
    const int64_t states = d.apart ? divide_up(p->units, (int64_t)1 << d.level) : d.splits;
    plan->state_bytes = d.splits > 1 ? (size_t)(groups * states * (f.threads / p->team)) * node : 0;
    definitions_add_number(&plan->definitions, "CONTIGUOUS", contiguous);
    definitions_add_number(&plan->definitions, "FULL_LEAVES", full_leaves);
    definitions_add_number(&plan->definitions, "DEALT", d.dealt);
    if (rows) definitions_add_number(&plan->definitions, "WALK", reduce_plan_walk_of_rows(reduction));
    if (rows || full_leaves) definitions_add_number(&plan->definitions, "BLOCKS_AT_ONCE", at_once);
}
