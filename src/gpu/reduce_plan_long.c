/* SPDX-License-Identifier: MIT
 *
 * reduce_plan_long.c - which reductions reduce_long.cu takes, those along long rows, and how they are dealt out.
 * Measured on an H200. */
#include "reduce_plan.h"
#include "whole.h"

#define THREADS 256
#define WARP 32
#define VECTOR 16         /* bytes */
#define DEPTH 8           /* vectors of a thread under way */
#define SHORTEST 2048     /* bytes of a row */
#define WARP_BYTES 65536  /* rows of a warp, where there are many; others are a block's */
#define FEW_BYTES 32768   /* rows of a warp, where there are enough */
#define BLOCK_BYTES 65536 /* that are worth a block */
#define MOST_STEPS 500    /* of a thread, each of DEPTH vectors: which sums of narrow numbers hold */
#define MOST_TICKETS 16384

static int is_suitable(const struct reduction *reduction, int64_t size)
{
    if (!reduce_plan_has_strips(reduction) || reduction->reduced_count != 1 || reduction->kept_count < 1) return 0;
    if (reduction->reduced[0].stride[OPERAND_X] != 1 || (uintptr_t)reduction->x % (uintptr_t)size) return 0;
    return reduction->length * size >= SHORTEST;
}

int reduce_plan_long(const struct device_limits *limits, const struct reduction *reduction,
                     const struct reduce_plan *usual, struct reduce_plan *plan)
{
    const struct calculation *calculation = &reduction->calculation;
    const struct type_row *type = type_row(calculation->type);
    int64_t bytes = reduction->length * type->size, cells = reduction->cells;
    int at_once = calculation->method != METHOD_EXACT ? 3 : type->kind & KIND_FLOAT ? 2 : 4;
    if (calculation->method == METHOD_FOLD && calculation->combine == COMBINE_ADD) at_once = 4;
    int64_t wave = (int64_t)limits->processors * at_once, warps = wave * (THREADS / WARP), team = THREADS, splits = 1;
    if (!is_suitable(reduction, type->size)) return 0;
    if ((bytes <= FEW_BYTES && 2 * cells >= warps) || (bytes <= WARP_BYTES && cells >= 4 * warps)) {
        team = WARP;
    } else if (bytes < BLOCK_BYTES) {
        return 0;
    } else {
        splits = reduce_plan_splits(wave, cells, bytes / BLOCK_BYTES);
        while (divide_up(bytes, splits * THREADS * DEPTH * VECTOR) > MOST_STEPS) splits *= 2;
        if (splits > 1 && cells > MOST_TICKETS) return 0;
    }
    *plan = *usual;
    plan->parameters.splits = splits;
    plan->file = "reduce_long.cu";
    plan->threads = THREADS;
    plan->blocks = team == WARP ? divide_up(cells, THREADS / WARP) : cells * splits;
    plan->shared_bytes = 0;
    plan->tickets = cells;
    plan->state_bytes =
        splits > 1 ? (size_t)plan->blocks * (REDUCE_PLAN_TOTAL_BYTES + reduce_plan_state_bytes(calculation)) : 0;
    program_definitions(calculation, 0, &plan->definitions);
    definitions_add_number(&plan->definitions, "TEAM", team);
    definitions_add_number(&plan->definitions, "DEPTH", DEPTH);
    definitions_add_number(&plan->definitions, "BLOCKS_AT_ONCE", at_once);
    definitions_add_number(&plan->definitions, "THREADS", THREADS);
    return 1;
}
