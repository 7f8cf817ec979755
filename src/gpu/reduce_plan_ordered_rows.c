/* SPDX-License-Identifier: MIT
 *
 * reduce_plan_ordered_rows.c - which folds in the fixed-shape tree reduce_ordered_rows.cu takes, those along rows of up
 * to a leaf, and how rows are dealt out to threads. Measured on an H200. */
#include "reduce_plan.h"
#include "whole.h"

#include <stdlib.h>

#define THREADS 256
#define WARP 32
#define VECTOR 16             /* bytes */
#define ALONE_BYTES 32        /* of a row that a thread takes alone: caches keep what it does not read yet */
#define SIDE_BYTES 128        /* of a row that threads read side by side in vectors, */
#define NARROW_SIDE_BYTES 64  /* or in less */
#define LANE_WORDS 16         /* registers of a thread, for lanes of one row; */
#define WIDE_LANE_WORDS 8     /* where elements of 8 bytes come in vectors, */
#define MOST_INTEGERS 8       /* or integers whose powers are added, in each pack of lanes, */
#define SINGLE_LANES 4        /* and lanes, where elements come one by one */
#define ALL_LANE_WORDS 32     /* for lanes of all rows */
#define POWER_WORDS 16        /* the same where these are sums of powers in doubles */
#define ACCESSES 8            /* of a thread under way; */
#define NARROW_ACCESSES 16    /* of up to 4 bytes, */
#define TURNED_ACCESSES 4     /* and where not all of a vector may be the row's */
#define TURNED_LENGTH 256     /* of shorter rows, elements that are not theirs are too many */
#define WARPS_OF_PROCESSOR 32 /* before a thread has more of a row, or more rows */
#define INTEGER_TURNS 16      /* of a block that makes a table of powers, at most */
#define TURN_BLOCKS 8         /* of a processor, at least, before a block has more turns */
#define MANY_WORDS 56         /* under way, for which blocks are fewer, as they are for rows of a few steps */
#define FEW_STEPS_LENGTH 256

/* How the lanes of rows are dealt out, in the words of the kernel. */
struct deal {
    int64_t lanes, pack, team, each, batches, steps, turns;
    int turned;
};

static int has_second(const struct reduction *reduction)
{
    return (reduction->calculation.op->flags & OP_SECOND) != 0;
}

/* Whether elements of a row, of both operands, lie side by side. */
static int are_neighbours(const struct reduction *reduction)
{
    const struct loop *inner = &reduction->reduced[0];
    return inner->stride[OPERAND_X] == 1 && (!has_second(reduction) || inner->stride[OPERAND_Y] == 1);
}

static int64_t strides_of(const struct reduction *reduction, int operand)
{
    int64_t strides = 0;
    for (int32_t d = 0; d < reduction->kept_count; d++) strides |= reduction->kept[d].stride[operand];
    return strides;
}

/* Whether lanes are sums of powers, which take long to add, and whose results take long to find. */
static int are_powers(const struct reduction *reduction)
{
    return reduction->calculation.combine == COMBINE_ADD_POWERS;
}

/* Whether these are of integers. */
static int are_looked_up(const struct reduction *reduction)
{
    return are_powers(reduction) && type_row(reduction->calculation.type)->kind != KIND_REAL;
}

/* Neighbouring elements that all rows have at multiples of their size. */
static int64_t pack_of(const struct reduction *reduction, int64_t size)
{
    int64_t places = strides_of(reduction, OPERAND_X) | reduction->length, pack = VECTOR / size;
    uintptr_t address = (uintptr_t)reduction->x;
    if (!are_neighbours(reduction) || reduction->where) return 1;
    if (are_looked_up(reduction)) pack = least(pack, MOST_INTEGERS);
    if (has_second(reduction)) {
        places |= strides_of(reduction, OPERAND_Y);
        address |= (uintptr_t)reduction->y;
    }
    while (pack > 1 && (places % pack || address % (uintptr_t)(pack * size))) pack /= 2;
    return pack;
}

/* Whether rows that begin anywhere come in vectors all the same: what is joined may then change sides. */
static int are_turned(const struct reduction *reduction, int64_t size, int64_t pack)
{
    const struct calculation *calculation = &reduction->calculation;
    int commutes = are_powers(reduction) || calculation->combine == COMBINE_ADD ||
                   (calculation->combine == COMBINE_MULTIPLY && type_row(calculation->type)->kind != KIND_COMPLEX);
    if (!commutes || calculation->op->lift == LIFT_MOMENTS || has_second(reduction) || reduction->where) return 0;
    if (reduction->length <= TURNED_LENGTH || !are_neighbours(reduction) || pack * size >= VECTOR) return 0;
    if (are_looked_up(reduction) && pack >= MOST_INTEGERS) return 0;
    return size == 2 || (size <= 4 && are_powers(reduction));
}

static int64_t words_of_lane(const struct calculation *calculation)
{
    int64_t size = type_row(calculation->type)->size;
    int wide = size > 4 && calculation->type != TALLY_C64;
    if (calculation->combine == COMBINE_ADD_POWERS && type_row(calculation->type)->kind != KIND_REAL)
        return size == 1 ? 2 : size == 8 ? 4 : 3; /* a double, and of wider ones the largest element */
    int parts = calculation->combine == COMBINE_ADD_POWERS ? 1 : program_parts(calculation);
    return parts * (wide ? 2 : 1);
}

/* Packs of a row's lanes that a thread has. */
static int64_t held_by(const struct deal *d)
{
    return d->lanes / (d->team * d->pack);
}

static int64_t warps_of(const struct reduction *reduction, const struct deal *d)
{
    return divide_up(reduction->cells, WARP / d->team * d->each * d->batches * d->turns);
}

static int are_many(const struct device_limits *limits, const struct reduction *reduction, const struct deal *d)
{
    return warps_of(reduction, d) >= (int64_t)limits->processors * WARPS_OF_PROCESSOR;
}

static void deal_team(const struct device_limits *limits, const struct reduction *reduction, int64_t size,
                      struct deal *d)
{
    int64_t words = words_of_lane(&reduction->calculation), most = LANE_WORDS / words;
    int64_t side = d->pack * size < VECTOR ? NARROW_SIDE_BYTES : SIDE_BYTES;
    int alone = reduction->length * size <= ALONE_BYTES;
    if (are_looked_up(reduction)) most = size == 1 ? 2 * MOST_INTEGERS : MOST_INTEGERS;
    else if (words == 2 && d->pack > 1) most = WIDE_LANE_WORDS / words;
    if (d->pack == 1 && !alone) most = least(most, SINGLE_LANES);
    for (d->team = 1; d->team * d->pack < d->lanes && d->team < WARP; d->team *= 2) {
        int is_wide = alone || d->pack == 1 || d->team * d->pack * size >= side;
        if (is_wide && held_by(d) * d->pack <= most && are_many(limits, reduction, d)) break;
    }
}

static void deal_rows(const struct device_limits *limits, const struct reduction *reduction, int64_t size,
                      struct deal *d)
{
    int64_t held = held_by(d), words = ALL_LANE_WORDS;
    if (are_powers(reduction) && size == 8 && !are_looked_up(reduction)) words = POWER_WORDS;
    int64_t accesses = (d->turned ? TURNED_ACCESSES : d->pack * size > 4 ? ACCESSES : NARROW_ACCESSES) / held;
    if (are_looked_up(reduction) && size == 1) accesses /= 2; /* they have many elements */
    int64_t most = words / (held * d->pack * words_of_lane(&reduction->calculation));
    while (2 * d->steps <= accesses && 2 * d->steps * d->lanes <= reduction->length) d->steps *= 2;
    struct deal more = *d;
    for (more.each = 2; more.each <= most && more.each * more.steps <= accesses; more.each *= 2) {
        if (!are_many(limits, reduction, &more)) break;
        *d = more;
    }
    more = *d;
    more.batches = d->team / d->each;
    if (are_powers(reduction) && d->each < d->team && are_many(limits, reduction, &more)) *d = more;
    while (are_looked_up(reduction) && d->turns < INTEGER_TURNS &&
           warps_of(reduction, d) >= 2 * TURN_BLOCKS * limits->processors * (THREADS / WARP))
        d->turns *= 2;
}

static struct deal deal_out(const struct device_limits *limits, const struct reduction *reduction, int64_t size)
{
    struct deal d = {.each = 1, .batches = 1, .steps = 1, .turns = 1};
    d.lanes = least(power_above(reduction->length), TREE_LANES);
    d.pack = pack_of(reduction, size);
    d.turned = are_turned(reduction, size, d.pack);
    if (d.turned) d.pack = VECTOR / size;
    if (d.lanes < d.pack) d.lanes = d.pack;
    deal_team(limits, reduction, size, &d);
    deal_rows(limits, reduction, size, &d);
    return d;
}

static int blocks_at_once(const struct reduction *reduction, const struct deal *d, int64_t size)
{
    int64_t words = d->steps * size / 4 + words_of_lane(&reduction->calculation);
    /* Registers of a kernel with four spill for binary16 where a thread has whole vectors of it. */
    int is_f16 = reduction->calculation.type == TALLY_F16 && d->pack == VECTOR / 2;
    if (are_looked_up(reduction)) return 3;
    if (are_powers(reduction)) return (size == 8 && d->pack > 1) || is_f16 ? 3 : 4;
    int is_wide = d->each * held_by(d) * d->pack * words > MANY_WORDS;
    return is_wide || reduction->where || reduction->length <= FEW_STEPS_LENGTH ? 2 : 3;
}

/* Rows whose elements lie no farther apart than neighbouring rows. */
static int are_rows(const struct reduction *reduction)
{
    if (reduction->reduced_count != 1 || reduction->kept_count < 1 || reduction->cells < 1) return 0;
    if (reduction->length < 1 || reduction->length > TREE_LEAF) return 0;
    int64_t kept = llabs(reduction->kept[reduction->kept_count - 1].stride[OPERAND_X]);
    return llabs(reduction->reduced[0].stride[OPERAND_X]) <= kept;
}

/* Whether elements may be read at once. */
static int are_aligned(const struct reduction *reduction, int64_t size)
{
    uintptr_t address = (uintptr_t)reduction->x | (has_second(reduction) ? (uintptr_t)reduction->y : 0);
    return address % (uintptr_t)size == 0;
}

static void define_rows(const struct reduction *reduction, const struct deal *d, int64_t size,
                        struct definitions *definitions)
{
    int64_t end = reduction->length + (d->turned ? d->pack - 1 : 0);
    program_definitions(&reduction->calculation, reduction->where != NULL, definitions);
    definitions_add_number(definitions, "THREADS", THREADS);
    definitions_add_number(definitions, "REDUCED_NEST", 0);
    definitions_add_number(definitions, "KEPT_NEST", least(reduction->kept_count, 2));
    definitions_add_number(definitions, "BLOCKS_AT_ONCE", blocks_at_once(reduction, d, size));
    definitions_add_number(definitions, "LANES_OF_ROW", d->lanes);
    definitions_add_number(definitions, "PACK", d->pack);
    definitions_add_number(definitions, "TEAM", d->team);
    definitions_add_number(definitions, "EACH", d->each);
    definitions_add_number(definitions, "BATCHES", d->batches);
    definitions_add_number(definitions, "STEPS", d->steps);
    definitions_add_number(definitions, "ONE_STEP", end <= d->lanes);
    definitions_add_number(definitions, "NEIGHBOURS", are_neighbours(reduction));
    definitions_add_number(definitions, "TURNED", d->turned);
    if (are_looked_up(reduction)) definitions_add_number(definitions, "TURNS", d->turns);
}

int reduce_plan_ordered_rows(const struct device_limits *limits, const struct reduction *reduction,
                             const struct reduce_plan *usual, struct reduce_plan *plan)
{
    const struct calculation *calculation = &reduction->calculation;
    int64_t size = type_row(calculation->type)->size;
    if (!calculation->ordered || calculation->op->flags & OP_THIRD) return 0;
    if (calculation->combine == COMBINE_ADD_POWERS && reduce_plan_is_masked(reduction)) return 0;
    if (!are_rows(reduction) || !are_aligned(reduction, size)) return 0;
    struct deal d = deal_out(limits, reduction, size);
    *plan = *usual;
    plan->file = "reduce_ordered_rows.cu";
    plan->threads = THREADS;
    plan->blocks = divide_up(warps_of(reduction, &d), THREADS / WARP);
    plan->tickets = 0;
    plan->shared_bytes = 0;
    plan->state_bytes = 0;
    plan->parameters.splits = 1;
    define_rows(reduction, &d, size, &plan->definitions);
    return 1;
}
