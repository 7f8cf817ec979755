/* SPDX-License-Identifier: MIT
 *
 * reduce_plan_whole.c - which reductions reduce_whole.cu takes: those of one contiguous array to one result; and which
 * exact sums of few floats reduce_few.cu takes. */
#include "reduce_plan.h"
#include "whole.h"

#define THREADS 256
#define VECTOR_BYTES 16
#define BYTE_VECTORS 4   /* of a thread's tile; */
#define MASKED_VECTORS 4 /* of exact sums under masks, which take registers, too, while they are under way */

/* Of blocks of a cluster. */
#define CLUSTER_CHUNKS 2 /* of one, at most */
#define CLUSTER_STATE 64 /* bytes */

/* Of runs with gaps between them. */
#define LONG_RUN 32
#define SECTOR 32      /* bytes that are read at once, anyway */
#define MOST_APART 256 /* as in kernels/reduce_whole/gaps.cuh */

/* Of reduce_few.cu: chunks of a block that is alone, at most; of others, at least; of a cluster's, at most; up to how
 * many a processor has but one block, as those that are done wait for each other, and up to how many of two it is the
 * quicker kernel; elements of an array that is not aligned, at most. Measured on an H200. */
#define FEW_ALONE 8
#define FEW_CHUNKS 4
#define FEW_OF_CLUSTER 8
#define FEW_OF_ONE 16
#define FEW_MOST_CHUNKS 16
#define FEW_BLOCKS 2 /* of a processor, at most */
#define FEW_MOST_MISALIGNED (INT64_C(1) << 17)
#define FEW_LEAST_AHEAD 2 /* vectors of a thread under way, if these are all, */
#define FEW_AHEAD 4       /* if these are, */
#define FEW_MOST_AHEAD 8  /* and elsewhere */
#define FEW_NUMBERS 16    /* of a thread in a layer */

/* Room for numbers that lie far apart: of a thread's bins; of long sums, beside which some of a block's shared memory
 * is taken, and which leave the cache room for tiles on their way. */
#define FAR_BINS_BYTES 128
#define STATIC_BYTES 32768
#define FAR_BYTES 36864

static int is_narrow(const struct calculation *calculation)
{
    return calculation->type != TALLY_F64 && calculation->type != TALLY_C128;
}

/* Whether the numbers that are added are longer than the elements. */
static int is_of_products(const struct calculation *calculation)
{
    int lift = calculation->op->lift;
    return lift != LIFT_VALUE && (lift != LIFT_MAGNITUDE || type_row(calculation->type)->kind == KIND_COMPLEX);
}

/* Bytes that are compared two to an instruction, which takes no registers for each. */
static int has_packed_extremes(const struct calculation *calculation)
{
    int combine = calculation->combine;
    if (type_row(calculation->type)->size > 1) return 0;
    if (calculation->method == METHOD_ARG) return 1;
    return calculation->method == METHOD_FOLD && calculation->op->lift == LIFT_VALUE &&
           (combine == COMBINE_MINIMUM || combine == COMBINE_MAXIMUM);
}

/* TAKES_TURNS of kernels/reduce/exact_float_tile.cuh; and sums of f16, which never lie far apart. */
static int takes_turns(const struct reduction *reduction)
{
    const struct calculation *calculation = &reduction->calculation;
    return !reduction->where && calculation->method == METHOD_EXACT && program_parts(calculation) == 1 &&
           type_row(calculation->type)->kind == KIND_REAL && !(calculation->flags & TALLY_SKIP_NAN);
}

static int is_suitable(const struct reduction *reduction)
{
    const struct calculation *calculation = &reduction->calculation;
    int64_t size = type_row(calculation->type)->size;
    int second = (calculation->op->flags & OP_SECOND) != 0;
    uintptr_t x = (uintptr_t)reduction->x % VECTOR_BYTES, y = (uintptr_t)reduction->y % VECTOR_BYTES;
    const struct loop *loop = &reduction->reduced[0];
    if (calculation->ordered || calculation->method == METHOD_END) return 0;
    if (reduction->where && calculation->method == METHOD_ARG) return 0;
    if (reduction->cells != 1 || reduction->length < 1 || reduction->reduced_count > 1) return 0;
    if (x % (uintptr_t)size || (second && x != y)) return 0;
    if (reduction->where && (reduction->reduced_count == 0 || loop->stride[OPERAND_WHERE] != 1)) return 0;
    if (reduction->reduced_count == 0) return 1;
    return loop->stride[OPERAND_X] == 1 && (!second || loop->stride[OPERAND_Y] == 1);
}

/* The words of a long sum (kernels/common/long_sum.cuh): they cover every number of a calculation, its squares or
 * products, the initial value, and what sums of 2^63 numbers have above that. Returns the bytes of a calculation's long
 * sums. */
static size_t add_long_sums(const struct calculation *calculation, struct reduce_plan *plan, int64_t *words)
{
    int64_t low = -1088;
    *words = 68;
    if (is_of_products(calculation) && (!is_narrow(calculation) || calculation->op->lift == LIFT_MAGNITUDE)) {
        low = -2176;
        *words = 136;
    } else if (is_narrow(calculation) && type_row(calculation->result)->size <= 4) {
        low = -448;
        *words = 24;
    }
    definitions_add_number(&plan->definitions, "LONG_LOW", low);
    definitions_add_number(&plan->definitions, "LONG_WORDS", *words);
    return (size_t)(program_parts(calculation) * (*words + 1)) * 8;
}

/* Room for numbers that lie far apart, as in kernels/reduce_whole/whole_far.cuh: long sums of a warp, or bins of a
 * thread. */
static void add_far_sums(const struct device_limits *limits, const struct reduction *reduction,
                         struct reduce_plan *plan)
{
    const struct calculation *calculation = &reduction->calculation;
    int64_t words, copies = 0;
    size_t bytes = add_long_sums(calculation, plan, &words), far_bytes = 0;
    if (takes_turns(reduction) && is_narrow(calculation) && !is_of_products(calculation)) {
        far_bytes = THREADS * FAR_BINS_BYTES;
    } else if (takes_turns(reduction)) {
        size_t most = least((int64_t)limits->shared_bytes - STATIC_BYTES, FAR_BYTES);
        for (copies = 16; copies > 2; copies /= 2) {
            if (bytes + (size_t)(THREADS / 32 * copies * words) * 8 <= most) break;
        }
        far_bytes = (size_t)(THREADS / 32 * copies * words) * 8;
    }
    plan->shared_bytes = (uint32_t)(bytes + far_bytes);
    plan->state_bytes = 0;
    plan->wide = 0;
    definitions_add_number(&plan->definitions, "LONG_COPIES", copies);
}

/* The blocks of a cluster, with a mailbox and so many vectors behind what they have of shared memory. */
static void add_cluster(const struct device_limits *limits, int64_t vectors, struct reduce_plan *plan)
{
    int64_t room = VECTOR_BYTES * (1 + vectors);
    plan->blocks = limits->cluster_blocks;
    plan->shared_bytes += (uint32_t)room;
    definitions_add_number(&plan->definitions, "BLOCKS_TOGETHER", plan->blocks);
    definitions_add_number(&plan->definitions, "CLUSTER_ROOM", room);
}

/* Whether reduce_few.cu takes it, and then its plan. */
static int plan_few(const struct device_limits *limits, const struct reduction *reduction,
                    const struct reduce_plan *usual, struct reduce_plan *plan)
{
    const struct calculation *calculation = &reduction->calculation;
    int64_t words, vector = VECTOR_BYTES / type_row(calculation->type)->size;
    int64_t chunks = divide_up(reduction->length, THREADS * vector);
    int64_t each = divide_up(chunks, limits->processors);
    if (each > FEW_OF_ONE) each = divide_up(chunks, limits->processors * FEW_BLOCKS);
    else if (each > FEW_AHEAD) each = divide_up(each, FEW_MOST_AHEAD) * FEW_MOST_AHEAD; /* all are loaded at once */
    int is_aligned = (uintptr_t)reduction->x % VECTOR_BYTES == 0;
    if (each > FEW_MOST_CHUNKS || (!is_aligned && reduction->length > FEW_MOST_MISALIGNED)) return 0;
    if (!takes_turns(reduction) || calculation->initial || (is_of_products(calculation) && !is_narrow(calculation)))
        return 0;
    if (each < FEW_CHUNKS) each = FEW_CHUNKS;
    if (chunks <= FEW_ALONE) each = chunks;
    else if (limits->cluster_blocks > 1 && chunks <= FEW_OF_CLUSTER * (int64_t)limits->cluster_blocks)
        each = chunks <= FEW_CHUNKS * (int64_t)limits->cluster_blocks ? FEW_CHUNKS
                                                                      : divide_up(chunks, limits->cluster_blocks);
    int64_t ahead = each <= FEW_LEAST_AHEAD ? FEW_LEAST_AHEAD : each <= FEW_AHEAD ? FEW_AHEAD : FEW_MOST_AHEAD;
    *plan = *usual;
    plan->file = "reduce_few.cu";
    plan->threads = THREADS;
    plan->blocks = divide_up(chunks, each);
    plan->parameters.split_units = each;
    plan->tickets = 1;
    plan->state_bytes = 0;
    plan->wide = 0;
    program_definitions(calculation, 0, &plan->definitions);
    definitions_add_number(&plan->definitions, "THREADS", plan->threads);
    definitions_add_number(&plan->definitions, "REDUCED_NEST", 0);
    definitions_add_number(&plan->definitions, "BLOCKS_AT_ONCE", FEW_BLOCKS);
    definitions_add_number(&plan->definitions, "ALIGNED", is_aligned);
    definitions_add_number(&plan->definitions, "AHEAD", ahead);
    definitions_add_number(&plan->definitions, "NUMBERS", least(ahead * vector, FEW_NUMBERS));
    plan->shared_bytes = (uint32_t)add_long_sums(calculation, plan, &words);
    plan->parameters.splits = plan->blocks;
    if (plan->blocks > 1 && plan->blocks <= limits->cluster_blocks && each <= FEW_OF_CLUSTER)
        add_cluster(limits, 1 + 2 * limits->cluster_blocks, plan); /* a vector more, so that spans can be aligned */
    return 1;
}

/* Of a thread's tile. One block needs no more than there are; indices are merged sooner than many elements are looked
 * at. */
static int64_t choose_vectors(const struct device_limits *limits, const struct reduction *reduction, int64_t units)
{
    const struct calculation *calculation = &reduction->calculation;
    int64_t vector = VECTOR_BYTES / type_row(calculation->type)->size,
            fewest = calculation->method == METHOD_ARG ? 1 : 4;
    int64_t vectors = has_packed_extremes(calculation) ? BYTE_VECTORS : reduce_plan_vectors(calculation, vector);
    if (reduction->where && calculation->method == METHOD_EXACT) vectors = least(vectors, MASKED_VECTORS);
    if (fewest == 1 && units > THREADS * vectors && units <= THREADS * limits->processors) return 1;
    while (vectors > fewest && units <= THREADS * vectors / 2) vectors /= 2;
    return vectors;
}

/* Whether the blocks of a cluster, which merge sooner than others do, take an array of so many chunks; states are no
 * larger than this. */
static int goes_by_cluster(const struct device_limits *limits, const struct calculation *calculation, int64_t chunks)
{
    int is_exact = calculation->method == METHOD_EXACT && type_row(calculation->type)->kind & KIND_FLOAT;
    return limits->cluster_blocks > 1 && !is_exact && chunks > 1 &&
           chunks <= CLUSTER_CHUNKS * (int64_t)limits->cluster_blocks &&
           reduce_plan_state_bytes(calculation) <= CLUSTER_STATE;
}

/* A reduction of an array without gaps, or of one whose gaps are absent elements. */
static int plan_array(const struct device_limits *limits, const struct reduction *reduction,
                      const struct reduce_plan *usual, struct reduce_plan *plan)
{
    const struct calculation *calculation = &reduction->calculation;
    if (!is_suitable(reduction)) return 0;
    if (plan_few(limits, reduction, usual, plan)) return 1;
    int64_t size = type_row(calculation->type)->size, vector = VECTOR_BYTES / size;
    int64_t ahead = (int64_t)((uintptr_t)reduction->x % VECTOR_BYTES) / size;
    int64_t units = divide_up(reduction->length + ahead, vector), vectors = choose_vectors(limits, reduction, units);
    int at_once = reduce_plan_blocks_at_once(calculation, 1);
    if (reduction->where && calculation->method == METHOD_EXACT) at_once = (int)least(at_once, 3);
    int64_t chunk = THREADS * vectors;
    *plan = *usual;
    plan->file = "reduce_whole.cu";
    plan->threads = THREADS;
    plan->blocks = least(divide_up(units, chunk), limits->processors * at_once);
    plan->tickets = 2;
    plan->shared_bytes = 0;
    plan->state_bytes = (size_t)plan->blocks * reduce_plan_state_bytes(calculation);
    program_definitions(calculation, reduction->where != NULL, &plan->definitions);
    reduce_plan_add_mask(reduction, &plan->definitions);
    definitions_add_number(&plan->definitions, "CONTIGUOUS", 1);
    definitions_add_number(&plan->definitions, "TILE_VECTORS", vectors);
    definitions_add_number(&plan->definitions, "BLOCKS_AT_ONCE", at_once);
    definitions_add_number(&plan->definitions, "THREADS", THREADS);
    definitions_add_number(&plan->definitions, "REDUCED_NEST", 0);
    if (calculation->method == METHOD_EXACT && type_row(calculation->type)->kind & KIND_FLOAT)
        add_far_sums(limits, reduction, plan);
    if (goes_by_cluster(limits, calculation, divide_up(units, chunk))) {
        int64_t pieces = divide_up((int64_t)reduce_plan_state_bytes(calculation), VECTOR_BYTES);
        plan->state_bytes = 0;
        add_cluster(limits, limits->cluster_blocks * pieces, plan);
    }
    return 1;
}

/* Whether elements are in runs that lie so close that they had better be read with what lies between them: columns of
 * a matrix of few, or every other element of small ones. reduce_long.cu takes longer runs. */
static int find_gaps(const struct reduction *reduction, int64_t *run, int64_t *apart)
{
    const struct loop *outer = &reduction->reduced[0];
    int64_t size = type_row(reduction->calculation.type)->size;
    if (reduction->cells != 1 || reduction->where || reduction->reduced_count < 1 || reduction->reduced_count > 2)
        return 0;
    *run = reduction->reduced_count == 2 ? reduction->reduced[1].extent : 1;
    *apart = outer->stride[OPERAND_X];
    if (reduction->reduced_count == 2 && (reduction->reduced[1].stride[OPERAND_X] != 1 || *run * size >= LONG_RUN))
        return 0;
    if (reduction->reduced_count == 1 && size > 2) return 0;
    return *apart > *run && *apart <= MOST_APART && (*apart * size <= SECTOR || *apart <= 2 * *run);
}

static int plan_gaps(const struct device_limits *limits, const struct reduction *reduction,
                     const struct reduce_plan *usual, struct reduce_plan *plan)
{
    struct reduction filled = *reduction;
    int64_t run, apart, length;
    if (reduction->calculation.op->flags & OP_SECOND || !find_gaps(reduction, &run, &apart)) return 0;
    length = (reduction->reduced[0].extent - 1) * apart + run;
    filled.where = reduction->x; /* there are masks, as if these lay like this */
    filled.length = length;
    filled.reduced_count = 1;
    filled.reduced[0] = (struct loop){.extent = length};
    filled.reduced[0].stride[OPERAND_X] = filled.reduced[0].stride[OPERAND_WHERE] = 1;
    if (!plan_array(limits, &filled, usual, plan) || plan->wide) return 0;
    struct reduce_parameters *p = &plan->parameters;
    p->length = length;
    p->reduced_count = 1;
    p->reduced[0] = (struct kernel_loop){.extent = length, .x = 1};
    p->run_units = run;
    p->width = apart;
    definitions_add_number(&plan->definitions, "GAPS", 1);
    return 1;
}

int reduce_plan_whole(const struct device_limits *limits, const struct reduction *reduction,
                      const struct reduce_plan *usual, struct reduce_plan *plan)
{
    return plan_array(limits, reduction, usual, plan) || plan_gaps(limits, reduction, usual, plan);
}
