/* SPDX-License-Identifier: MIT
 *
 * reduce.c - the ladder of reductions, its mistakes, and the rungs of the study of fan-ins. */
#include "library.h"
#include "reduce.h"

#define COUNT(rows) ((int)(sizeof(rows) / sizeof(rows)[0]))

static const char *fan_in_refuses(const struct ladder_problem *problem)
{
    switch (problem->fan_in) {
    case 0:
    case 2:
    case 4:
    case 8:
    case 16: return NULL;
    default: return "the fan-in is 2, 4, 8 or 16";
    }
}

static const char *const special_2[] = {"FAN_IN=2", NULL};
static const char *const special_4[] = {"FAN_IN=4", NULL};

static const struct ladder_rung rungs[] = {
    {
        .name = "modulo",
        .file = "modulo.cu",
        .kernels = {"reduce_modulo"},
        .idea = "Each thread loads one element into shared memory; neighbours are combined, then neighbouring pairs, "
                "by the threads whose number is a multiple of twice the step.",
        .removes = "nothing yet",
        .next = "every warp diverges in each of the first five steps, and the remainder (%) is slow",
        .published = 166.72,
        .scratch = reduce_scratch_64,
        .run = reduce_run_one,
        .predict = reduce_predict_modulo,
    },
    {
        .name = "bitmask",
        .file = "bitmask.cu",
        .kernels = {"reduce_bitmask"},
        .idea = "The same threads are found by the low bits of their number.",
        .removes = "the slow remainder",
        .next = "the same warps diverge",
        .scratch = reduce_scratch_64,
        .run = reduce_run_one,
        .predict = reduce_predict_modulo,
    },
    {
        .name = "strided",
        .file = "strided.cu",
        .kernels = {"reduce_strided"},
        .idea = "The same pairs are combined by the first threads, so that whole warps work or rest.",
        .removes = "divergence, but for the last steps of one warp",
        .next = "lanes wait for each other at the banks of shared memory",
        .published = 232.72,
        .scratch = reduce_scratch_64,
        .run = reduce_run_one,
        .predict = reduce_predict_strided,
    },
    {
        .name = "sequential",
        .file = "sequential.cu",
        .kernels = {"reduce_sequential"},
        .idea = "The step halves instead of doubling: neighbouring threads touch neighbouring words.",
        .removes = "bank conflicts",
        .next = "half of the threads do nothing but load one element",
        .published = 239.72,
        .scratch = reduce_scratch_64,
        .run = reduce_run_one,
        .predict = reduce_predict_sequential,
    },
    {
        .name = "add-on-load",
        .file = "add_on_load.cu",
        .kernels = {"reduce_add_on_load"},
        .idea = "Each thread loads two elements and combines them on the way; half as many blocks do the work.",
        .removes = "threads that only load",
        .next = "the whole block waits at barriers for the steps of one warp",
        .published = 463.91,
        .scratch = reduce_scratch_64,
        .run = reduce_run_two,
        .predict = reduce_predict_add_on_load,
    },
    {
        .name = "unrolled-warp",
        .file = "unrolled_warp.cu",
        .kernels = {"reduce_unrolled_warp"},
        .idea = "When 64 values are left, the first warp goes on alone, with barriers of its own.",
        .removes = "barriers that seven of eight warps do not need",
        .next = "the loop before it, whose end the compiler does not know",
        .published = 802.78,
        .scratch = reduce_scratch_64,
        .run = reduce_run_two,
        .predict = reduce_predict_unrolled,
    },
    {
        .name = "unrolled",
        .file = "unrolled.cu",
        .kernels = {"reduce_unrolled"},
        .idea = "The size of the block is a constant, so the whole tree is written without a loop.",
        .removes = "the loop's counter and tests",
        .next = "each step goes through shared memory",
        .published = 798.22,
        .scratch = reduce_scratch_64,
        .run = reduce_run_two,
        .predict = reduce_predict_unrolled,
    },
    {
        .name = "shuffle",
        .file = "shuffle.cu",
        .kernels = {"reduce_shuffle"},
        .idea = "Lanes read each other's registers; a warp puts one result into shared memory, and the first warp "
                "reduces those.",
        .removes = "traffic with shared memory, and all barriers but one",
        .next = "shuffles by hand, and the block still has to meet",
        .published = 863.39,
        .scratch = reduce_scratch_64,
        .run = reduce_run_two,
        .predict = reduce_predict_shuffle,
    },
    {
        .name = "cooperative",
        .file = "cooperative.cu",
        .kernels = {"reduce_cooperative"},
        .idea = "A tile of 32 threads is an object that reduces by itself; each has a result of its own.",
        .removes = "shuffles by hand, shared memory and the last barrier",
        .next = "more results for each pass, so more passes",
        .scratch = reduce_scratch_64,
        .run = reduce_run_tiles,
        .predict = reduce_predict_tiles,
    },
    {
        .name = "atomic-finish",
        .file = "atomic_finish.cu",
        .kernels = {"clear_result", "reduce_atomic_finish"},
        .main_kernel = 1,
        .idea =
            "A grid of limited size walks over the input in rounds; each tile then updates the one result in memory "
            "atomically and does not wait for the outcome.",
        .removes = "blocks that end as soon as they have loaded, the further passes, and the memory between them",
        .next = "all tiles update one address, in an order that changes from run to run",
        .run = reduce_run_atomic,
        .predict = reduce_predict_atomic,
    },
    {
        .name = "fan-in",
        .file = "fan_in.cu",
        .kernels = {"reduce_fan_in"},
        .idea = "A pyramid: each thread combines 2, 4, 8 or 16 neighbours by itself, pass after pass.",
        .removes = "everything that threads do together",
        .next = "each pass goes through memory, and lanes load far apart",
        .refuses = fan_in_refuses,
        .scratch = reduce_scratch_2,
        .run = reduce_run_fan_in,
        .predict = reduce_predict_fan_in,
    },
    {
        .name = "library",
        .idea = "tally_reduce: one launch that loads wide words and, for floats, rounds the exact sum once.",
        .removes = "further launches, narrow loads, and float sums that depend on their order",
        .next = "the arithmetic of exact sums; for other operators the memory's own speed",
        .refuses = library_refuses,
        .run = reduce_run_library,
    },
};

static const struct ladder_rung fan_in_rungs[] = {
    {
        .name = "fan-in-2",
        .file = "fan_in.cu",
        .kernels = {"reduce_fan_in"},
        .idea = "Two neighbours for each thread, chosen at run time.",
        .removes = "nothing yet",
        .next = "as many passes as the length has binary digits",
        .scratch = reduce_scratch_2,
        .run = reduce_run_fan_in_2,
        .predict = reduce_predict_fan_in_2,
    },
    {
        .name = "fan-in-4",
        .file = "fan_in.cu",
        .kernels = {"reduce_fan_in"},
        .idea = "Four neighbours for each thread, chosen at run time.",
        .removes = "half of the passes",
        .next = "a loop whose length the compiler does not know",
        .scratch = reduce_scratch_2,
        .run = reduce_run_fan_in_4,
        .predict = reduce_predict_fan_in_4,
    },
    {
        .name = "fan-in-8",
        .file = "fan_in.cu",
        .kernels = {"reduce_fan_in"},
        .idea = "Eight neighbours for each thread, chosen at run time.",
        .removes = "a third of the remaining passes",
        .next = "loads of 4 bytes that share no sector any more",
        .scratch = reduce_scratch_2,
        .run = reduce_run_fan_in_8,
        .predict = reduce_predict_fan_in_8,
    },
    {
        .name = "fan-in-16",
        .file = "fan_in.cu",
        .kernels = {"reduce_fan_in"},
        .idea = "Sixteen neighbours for each thread, chosen at run time.",
        .removes = "a quarter of the remaining passes",
        .next = "few threads, each with a long chain of loads far from its neighbours'",
        .scratch = reduce_scratch_2,
        .run = reduce_run_fan_in_16,
        .predict = reduce_predict_fan_in_16,
    },
    {
        .name = "special-2",
        .file = "fan_in_special.cu",
        .kernels = {"reduce_fan_in_special"},
        .idea = "Two neighbours for each thread, known to the compiler: no loop.",
        .removes = "the loop and the test before each element",
        .next = "as many passes as the length has binary digits",
        .definitions = special_2,
        .scratch = reduce_scratch_2,
        .run = reduce_run_special_2,
        .predict = reduce_predict_special_2,
    },
    {
        .name = "special-4",
        .file = "fan_in_special.cu",
        .kernels = {"reduce_fan_in_special"},
        .idea = "Four neighbours for each thread, known to the compiler: two independent pairs, then one.",
        .removes = "half of the passes",
        .next = "each pass still goes through memory",
        .definitions = special_4,
        .scratch = reduce_scratch_2,
        .run = reduce_run_special_4,
        .predict = reduce_predict_special_4,
    },
};

static const struct ladder_mistake mistakes[] = {
    {"no-bounds", "modulo", "i < n ? input[i] : identity()", "input[i]",
     "the last block takes what lies behind the input: wrong unless the length is a multiple of 256"},
    {"no-bounds", "bitmask", "i < n ? input[i] : identity()", "input[i]",
     "the last block takes what lies behind the input: wrong unless the length is a multiple of 256"},
    {"overwrites", "strided", "combine(shared[index], shared[index + step])", "shared[index + step]",
     "the partner takes the place of the pair: what is left is one element, not a total"},
    {"reads-past-the-end", "add-on-load", "if (i + blockDim.x < n) mine", "mine",
     "the second element is loaded unasked: wrong unless the length is a multiple of 512"},
    {"lock-step", "unrolled-warp",
     "    __syncwarp(); /* everybody has read */\n"
     "    shared[lane] = mine;\n"
     "    __syncwarp(); /* everybody has written */\n",
     "    shared[lane] = mine;\n", "lanes are taken to be in step: they read what others have not written yet"},
    {"full-warps", "shuffle", "element mine = i < n ? input[i] : identity();",
     "if (i >= n) return;\n    element mine = input[i];",
     "threads without an element leave, and the shuffles ask for them all the same: undefined"},
    {"indexed-by-block", "cooperative", "output[warp.number] = mine", "output[blockIdx.x] = mine",
     "the warps of a block overwrite each other's results: wrong from 65 elements on"},
};

static const struct ladder_mistake fan_in_mistakes[] = {
    {"powers-of-four", "special-4", "if (first + FAN_IN <= n) {", "if (first < n) {",
     "the last thread takes four elements whether they are there or not: right for powers of four alone"},
};

const struct ladder ladder_reduce = {
    .name = "reduce",
    .shape = LADDER_ONE,
    .rungs = rungs,
    .rung_count = COUNT(rungs),
    .mistakes = mistakes,
    .mistake_count = COUNT(mistakes),
};

const struct ladder ladder_fan_in = {
    .name = "fan-in",
    .shape = LADDER_ONE,
    .rungs = fan_in_rungs,
    .rung_count = COUNT(fan_in_rungs),
    .mistakes = fan_in_mistakes,
    .mistake_count = COUNT(fan_in_mistakes),
};
