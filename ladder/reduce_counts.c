/* SPDX-License-Identifier: MIT
 *
 * reduce_counts.c - closed forms of what the reductions cost on device "simt", for any length.
 *
 * A pass over n elements of `size` bytes reads each once. A warp's loads are neighbours and begin at a sector, so they
 * are ceil(n * size / 32) transactions; each result is written by one lane alone, a transaction of its own. Where n is
 * no multiple of 32, one warp has lanes with and without an element, and its load diverges: once.
 *
 * A thread without an element brings the identity, so all blocks do the same steps and differ only in work: that is
 * counted where one of the two operands comes from the input, and in a block with v elements in shared memory, one for
 * each of the first v threads, these are the threads below v, as an operand's partner is always further on. */
#include "reduce.h"

#define WARP 32
#define WARPS (REDUCE_THREADS / WARP)
#define SECTOR 32
#define BANKS 32

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t pieces(uint64_t n, uint64_t size)
{
    return n / size + (n % size != 0);
}

static uint64_t length(const struct ladder_problem *problem)
{
    return (uint64_t)(problem->rows * problem->columns);
}

/* What a block of a rung costs: the same for all, but for the work. */
struct block_costs {
    uint64_t elements, barriers, divergent_branches, bank_conflicts, span;
    uint64_t (*work)(uint64_t elements);
};

/* Passes of blocks with one result each. Where a thread loads two elements, the second is combined at once: span and
 * work of that are added here. */
static void predict_blocks(const struct ladder_problem *problem, const struct block_costs *block,
                           struct ladder_counts *counts)
{
    const uint64_t size = ladder_element_bytes(problem->type), elements = block->elements;
    *counts = (struct ladder_counts){0};
    for (uint64_t n = length(problem), done = 0; !done; done = n <= elements, n = pieces(n, elements)) {
        const uint64_t blocks = pieces(n, elements);
        counts->launches++;
        counts->barriers += blocks * block->barriers;
        counts->divergent_branches += blocks * block->divergent_branches + (n % WARP != 0);
        counts->bank_conflicts += blocks * block->bank_conflicts;
        counts->transactions += pieces(n * size, SECTOR) + blocks;
        counts->work += n / elements * block->work(elements) + block->work(n % elements);
        counts->span += block->span + (n > REDUCE_THREADS && elements > REDUCE_THREADS);
    }
}

/* Steps of a tree over shared memory: log2 REDUCE_THREADS. */
static uint64_t tree_steps(void)
{
    uint64_t steps = 0;
    for (uint64_t step = 1; step < REDUCE_THREADS; step *= 2) steps++;
    return steps;
}

/* Lanes of a warp touch elements `stride` apart, a power of two. They go in parts of 128 bytes; in a part, the banks
 * come round again after `different` lanes, and those who meet in a bank want different words: a part costs as many
 * cycles as lanes meet. */
static uint64_t conflicts(uint64_t lanes, uint64_t stride, uint64_t size)
{
    const uint64_t words = size / 4, part = BANKS / words;
    const uint64_t different = stride * words < BANKS ? BANKS / (stride * words) : 1;
    return pieces(lanes, part) * (pieces(least(lanes, part), different) - 1);
}

/* Interleaved trees: at a step, thread t (of those with an element) has work if 2 * step divides its place. */
static uint64_t work_of_interleaved(uint64_t elements)
{
    uint64_t work = 0;
    for (uint64_t step = 1; step < REDUCE_THREADS; step *= 2) work += pieces(elements, 2 * step);
    return work;
}

/* Up to step 16 each warp has lanes that work and lanes that wait; from 32 on, the warps with a working thread have
 * one: REDUCE_THREADS / (2 * step) of them. The last branch is for the result. A step's three accesses (two operands,
 * one result) are of lanes 2 * step apart. */
void reduce_predict_modulo(const struct ladder_problem *problem, struct ladder_counts *counts)
{
    struct block_costs block = {REDUCE_THREADS, tree_steps(), 1, 0, tree_steps(), work_of_interleaved};
    for (uint64_t step = 1; step < REDUCE_THREADS; step *= 2) {
        const uint64_t warps = least(WARPS, REDUCE_THREADS / (2 * step));
        const uint64_t lanes = pieces(WARP, 2 * step);
        block.divergent_branches += warps;
        block.bank_conflicts += 3 * warps * conflicts(lanes, 2 * step, ladder_element_bytes(problem->type));
    }
    predict_blocks(problem, &block, counts);
}

/* The first REDUCE_THREADS / (2 * step) threads work: whole warps, or a part of the first, which diverges. */
void reduce_predict_strided(const struct ladder_problem *problem, struct ladder_counts *counts)
{
    struct block_costs block = {REDUCE_THREADS, tree_steps(), 1, 0, tree_steps(), work_of_interleaved};
    for (uint64_t step = 1; step < REDUCE_THREADS; step *= 2) {
        const uint64_t working = REDUCE_THREADS / (2 * step), lanes = least(WARP, working);
        block.divergent_branches += working < WARP;
        block.bank_conflicts +=
            3 * pieces(working, WARP) * conflicts(lanes, 2 * step, ladder_element_bytes(problem->type));
    }
    predict_blocks(problem, &block, counts);
}

/* Halving strides: at a step, the threads below it work. */
static uint64_t work_of_halving(uint64_t elements)
{
    uint64_t work = 0;
    for (uint64_t step = REDUCE_THREADS / 2; step > 0; step /= 2) work += least(step, elements);
    return work;
}

/* A branch diverges when fewer than 32 threads work: at steps 16, 8, 4, 2 and 1, and for the result. */
void reduce_predict_sequential(const struct ladder_problem *problem, struct ladder_counts *counts)
{
    const struct block_costs block = {REDUCE_THREADS, tree_steps(), 5 + 1, 0, tree_steps(), work_of_halving};
    predict_blocks(problem, &block, counts);
}

/* Of the elements of a block of two for each thread: those that are combined with another while they are loaded, and
 * the threads that then have one. */
static uint64_t loaded_second(uint64_t elements)
{
    return elements > REDUCE_THREADS ? elements - REDUCE_THREADS : 0;
}

static uint64_t loaded_first(uint64_t elements)
{
    return least(elements, REDUCE_THREADS);
}

static uint64_t work_of_add_on_load(uint64_t elements)
{
    return loaded_second(elements) + work_of_halving(loaded_first(elements));
}

void reduce_predict_add_on_load(const struct ladder_problem *problem, struct ladder_counts *counts)
{
    const struct block_costs block = {2 * REDUCE_THREADS, tree_steps(), 5 + 1, 0, tree_steps(), work_of_add_on_load};
    predict_blocks(problem, &block, counts);
}

/* All lanes of the last warp do all of its six steps. */
static uint64_t work_of_unrolled(uint64_t elements)
{
    const uint64_t threads = loaded_first(elements);
    uint64_t work = loaded_second(elements) + 6 * least(WARP, threads);
    for (uint64_t step = REDUCE_THREADS / 2; step > WARP; step /= 2) work += least(step, threads);
    return work;
}

/* Whole warps branch, but for the result. Barriers: one after loading, and one for each step but the last six. */
void reduce_predict_unrolled(const struct ladder_problem *problem, struct ladder_counts *counts)
{
    const struct block_costs block = {2 * REDUCE_THREADS, 1 + tree_steps() - 6, 1, 0, tree_steps(), work_of_unrolled};
    predict_blocks(problem, &block, counts);
}

/* All lanes do all five steps, first of all warps, then of the one that has the warps' results. */
static uint64_t work_of_shuffle(uint64_t elements)
{
    const uint64_t threads = loaded_first(elements);
    return loaded_second(elements) + 5 * threads + 5 * pieces(threads, WARP);
}

/* One lane of each warp writes to shared memory, WARPS lanes of the first read it, one of them has the result. */
void reduce_predict_shuffle(const struct ladder_problem *problem, struct ladder_counts *counts)
{
    const struct block_costs block = {2 * REDUCE_THREADS, 1, WARPS + 2, 0, 5 + 5, work_of_shuffle};
    predict_blocks(problem, &block, counts);
}

/* A tile is a block of 32 threads without barriers. The element that a lane combines on loading lies 32 further on. */
void reduce_predict_tiles(const struct ladder_problem *problem, struct ladder_counts *counts)
{
    const uint64_t size = ladder_element_bytes(problem->type), elements = 2 * WARP;
    *counts = (struct ladder_counts){0};
    for (uint64_t n = length(problem), done = 0; !done; done = n <= elements, n = pieces(n, elements)) {
        const uint64_t tiles = pieces(n, elements), rest = n % elements;
        counts->launches++;
        counts->divergent_branches += tiles + (n % WARP != 0);
        counts->transactions += pieces(n * size, SECTOR) + tiles;
        counts->work += n / elements * (WARP + 5 * WARP) + 5 * least(rest, WARP) + (rest > WARP ? rest - WARP : 0);
        counts->span += n > WARP ? 1 + 5 : 5;
    }
}

/* An update that the machine does is a load and a store. Another one is two loads, a store and, as nobody ever comes
 * between on this device, one last load that finds it done. */
static uint64_t update_transactions(const struct ladder_problem *problem)
{
    const bool integer = problem->type == LADDER_I32 || problem->type == LADDER_I64;
    const bool sum = problem->op == LADDER_SUM && problem->type != LADDER_FIELD;
    return sum || (integer && problem->op != LADDER_PRODUCT) ? 2 : 4;
}

/* Threads with an element combine once in each round, beginning with the identity; then five steps of all lanes; then
 * each tile updates the result, which others must wait for. */
void reduce_predict_atomic(const struct ladder_problem *problem, struct ladder_counts *counts)
{
    const uint64_t n = length(problem), size = ladder_element_bytes(problem->type);
    const uint64_t grid = least(pieces(n, REDUCE_THREADS), REDUCE_MOST_BLOCKS) * REDUCE_THREADS;
    const uint64_t rounds = pieces(n, grid), threads = least(n, grid), tiles = pieces(threads, WARP);
    *counts = (struct ladder_counts){
        .launches = 2,
        .divergent_branches = tiles + (n % WARP != 0),
        .transactions = 1 + pieces(n * size, SECTOR) + tiles * update_transactions(problem),
        .work = rounds * threads + 5 * threads + tiles,
        .span = rounds + 5 + tiles,
    };
}

/* A load of neighbouring lanes, `stride` bytes apart: lanes share sectors or have one each. */
static uint64_t spread_transactions(uint64_t lanes, uint64_t stride)
{
    return stride < SECTOR ? pieces(lanes * stride, SECTOR) : lanes;
}

/* A pass leaves `threads` results, of which the last may have fewer elements: `rest`, 0 if it has all. In its warp,
 * which is one with other results if threads is not 1 modulo 32, its loop ends before that of the others, or it takes
 * the other branch, and loads all but the first of its elements on its own. Lanes without a result leave first, if
 * there are some. */
static void predict_pyramid(const struct ladder_problem *problem, uint64_t fan_in, bool special, uint64_t steps,
                            struct ladder_counts *counts)
{
    const uint64_t size = ladder_element_bytes(problem->type), stride = fan_in * size;
    *counts = (struct ladder_counts){0};
    for (uint64_t n = length(problem), done = 0; !done; done = n <= fan_in, n = pieces(n, fan_in)) {
        const uint64_t threads = pieces(n, fan_in), full = n / fan_in, rest = n % fan_in;
        counts->launches++;
        counts->divergent_branches += threads % WARP != 0;
        counts->divergent_branches += rest > 0 && threads % WARP != 1;
        counts->transactions += pieces(threads * size, SECTOR) + (special && rest ? rest - 1 : 0);
        for (uint64_t k = 0; k < fan_in; k++) {
            const bool together = k < rest && (k == 0 || !special);
            counts->transactions += spread_transactions(full + together, stride);
        }
        counts->work += n - threads;
        counts->span += full > 0 ? steps : rest - 1;
    }
}

void reduce_predict_fan_in(const struct ladder_problem *problem, struct ladder_counts *counts)
{
    const uint64_t fan_in = (uint64_t)reduce_fan_in(problem);
    predict_pyramid(problem, fan_in, false, fan_in - 1, counts);
}

void reduce_predict_fan_in_2(const struct ladder_problem *problem, struct ladder_counts *counts)
{
    predict_pyramid(problem, 2, false, 1, counts);
}

void reduce_predict_fan_in_4(const struct ladder_problem *problem, struct ladder_counts *counts)
{
    predict_pyramid(problem, 4, false, 3, counts);
}

void reduce_predict_fan_in_8(const struct ladder_problem *problem, struct ladder_counts *counts)
{
    predict_pyramid(problem, 8, false, 7, counts);
}

void reduce_predict_fan_in_16(const struct ladder_problem *problem, struct ladder_counts *counts)
{
    predict_pyramid(problem, 16, false, 15, counts);
}

void reduce_predict_special_2(const struct ladder_problem *problem, struct ladder_counts *counts)
{
    predict_pyramid(problem, 2, true, 1, counts);
}

void reduce_predict_special_4(const struct ladder_problem *problem, struct ladder_counts *counts)
{
    predict_pyramid(problem, 4, true, 2, counts);
}
