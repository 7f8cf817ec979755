/* SPDX-License-Identifier: MIT
 *
 * pieces.c - reductions of host arrays that do not fit into the device's memory at once. Cells are independent, so a
 * cut along a kept loop makes reductions of their own. A cut along a reduced loop adds piece after piece to states that
 * the host keeps. */
#include "pieces.h"
#include "dense.h"
#include "staging.h"
#include "state.h"

#include <fenv.h>
#include <stdlib.h>

struct cutter {
    struct tally_context *context;
    int host[OPERAND_COUNT];
    size_t limit;
    struct state *states; /* of all cells, when a reduced loop is cut */
};

static const char *told_limit(void)
{
    const char *given = getenv("TALLY_GPU_CHUNK_BYTES");
    return given && *given ? given : NULL;
}

int pieces_over_limit(struct tally_context *context, size_t bytes, size_t *limit)
{
    struct machine *machine = gpu_device(context)->machine;
    const char *told = told_limit();
    if (told) {
        *limit = (size_t)strtoull(told, NULL, 0);
        return bytes > *limit;
    }
    if (bytes <= machine->limits.memory / 16) return 0;
    size_t left = machine->table->free_memory(machine);
    *limit = left - left / 16; /* kernels want working memory, too */
    return bytes > *limit;
}

/* Asking whose memory it is and what is free takes time, and an allocation that fails is tried in pieces, too. */
int pieces_may_be_needed(struct tally_context *context, size_t bytes)
{
    return told_limit() || bytes > gpu_device(context)->machine->limits.memory / 16;
}

int pieces_needed(struct tally_context *context, const struct reduction *reduction, size_t *limit)
{
    uint32_t flags = reduction->calculation.op->flags;
    int host[OPERAND_COUNT] = {1, (flags & OP_SECOND) != 0, reduction->where != NULL, 1, (flags & OP_THIRD) != 0};
    if (!pieces_may_be_needed(context, staging_bytes(reduction, host))) return 0;
    return pieces_over_limit(context, staging_host_operands(context, reduction, host), limit);
}

int pieces_worth_trying(struct tally_context *context, const struct reduction *reduction, size_t *limit)
{
    struct machine *machine = gpu_device(context)->machine;
    int host[OPERAND_COUNT];
    *limit = machine->table->free_memory(machine) / 2;
    return staging_host_operands(context, reduction, host) > *limit;
}

/* `extent` steps of a loop from `first` on. */
static struct reduction slice(const struct reduction *reduction, int reduced, int32_t d, int64_t first, int64_t extent)
{
    struct reduction piece = *reduction;
    struct loop *loop = reduced ? &piece.reduced[d] : &piece.kept[d];
    const struct calculation *calculation = &piece.calculation;
    int64_t result = type_row(calculation->result)->size, old = loop->extent;
    const int64_t *stride = loop->stride;
    piece.x = (const char *)piece.x + first * stride[OPERAND_X] * staging_element_bytes(calculation, OPERAND_X);
    if (calculation->op->flags & OP_SECOND)
        piece.y = (const char *)piece.y + first * stride[OPERAND_Y] * staging_element_bytes(calculation, OPERAND_Y);
    if (calculation->op->flags & OP_THIRD)
        piece.z = (const char *)piece.z + first * stride[OPERAND_Z] * staging_element_bytes(calculation, OPERAND_Z);
    if (piece.where) piece.where += first * stride[OPERAND_WHERE];
    if (piece.out) piece.out = (char *)piece.out + first * stride[OPERAND_OUT] * result;
    if (!piece.out && !reduced) piece.first_state += first * stride[OPERAND_OUT];
    loop->extent = extent;
    if (reduced) piece.length = piece.length / old * extent;
    else piece.cells = piece.cells / old * extent;
    return piece;
}

/* The most steps of a loop that fit, a multiple of `unit` if that many do; 0 when not even one fits. */
static int64_t steps_that_fit(const struct cutter *cutter, const struct reduction *reduction, int reduced, int32_t d,
                              int64_t unit)
{
    int64_t least = 0, most = reduced ? reduction->reduced[d].extent : reduction->kept[d].extent;
    while (least < most) {
        int64_t middle = least + (most - least + 1) / 2;
        struct reduction piece = slice(reduction, reduced, d, 0, middle);
        if (staging_bytes(&piece, cutter->host) <= cutter->limit) least = middle;
        else most = middle - 1;
    }
    return least >= unit ? least / unit * unit : least;
}

static tally_status too_large(const struct cutter *cutter, const struct reduction *reduction)
{
    FAIL(TALLY_OUT_OF_MEMORY,
         "%s needs %zu bytes of the device %s at once, for the smallest part of its arrays in host memory that their "
         "layout lets it take; %zu are free",
         reduction->calculation.op->name, staging_bytes(reduction, cutter->host), cutter->context->engine->name,
         cutter->limit);
}

/* Steps of reduced loop d that make whole leaves: the tree of an ordered operator is then built fastest. */
static int64_t whole_leaves(const struct reduction *reduction, int32_t d)
{
    int64_t unit = TREE_LEAF, inner = 1;
    for (int32_t i = d + 1; i < reduction->reduced_count; i++) inner *= reduction->reduced[i].extent;
    while (unit > 1 && inner % 2 == 0) unit /= 2, inner /= 2;
    return unit;
}

/* Cuts reduced loop d and, where one step of it is too much, the loops inside; C order all the way. */
static tally_status add_pieces(const struct cutter *cutter, const struct reduction *reduction, int32_t d)
{
    const struct calculation *calculation = &reduction->calculation;
    if (staging_bytes(reduction, cutter->host) <= cutter->limit)
        return gpu_accumulate(cutter->context, reduction, calculation, &cutter->states, 1);
    if (d >= reduction->reduced_count) return too_large(cutter, reduction);
    int64_t extent = reduction->reduced[d].extent;
    int64_t steps = steps_that_fit(cutter, reduction, 1, d, whole_leaves(reduction, d));
    for (int64_t first = 0; first < extent; first += steps ? steps : 1) {
        int64_t count = steps == 0 ? 1 : extent - first < steps ? extent - first : steps;
        struct reduction piece = slice(reduction, 1, d, first, count);
        TRY(add_pieces(cutter, &piece, d + 1));
    }
    return TALLY_OK;
}

static tally_status finish_states(const struct cutter *cutter, const struct reduction *reduction)
{
    const struct calculation *calculation = &reduction->calculation;
    ptrdiff_t size = type_row(calculation->result)->size;
    ptrdiff_t bytes = (ptrdiff_t)dense_values(reduction) * size;
    char *dense = context_allocate(cutter->context, dense_bytes(reduction));
    tally_status status = TALLY_OK;
    fenv_t saved;
    if (!dense) return TALLY_OUT_OF_MEMORY;
    fegetenv(&saved);
    fesetenv(FE_DFL_ENV);
    for (int64_t i = 0; i < reduction->cells && status == TALLY_OK; i++)
        status = state_finish(calculation, state_at(calculation, cutter->states, i), dense + i * bytes, size);
    fesetenv(&saved);
    if (status == TALLY_OK && cutter->host[OPERAND_OUT]) dense_scatter(reduction, dense);
    else if (status == TALLY_OK) status = dense_upload(cutter->context, reduction, dense);
    context_release(cutter->context, dense, dense_bytes(reduction));
    return status;
}

static tally_status cut_reduced(struct cutter *cutter, const struct reduction *reduction)
{
    const struct calculation *calculation = &reduction->calculation;
    size_t bytes = state_size(calculation) * (size_t)reduction->cells;
    struct reduction adding = *reduction;
    cutter->states = context_allocate(cutter->context, bytes);
    if (!cutter->states) return TALLY_OUT_OF_MEMORY;
    for (int64_t i = 0; i < reduction->cells; i++) state_open(calculation, state_at(calculation, cutter->states, i), 0);
    dense_make(&adding, NULL);
    for (int32_t d = 0; d < adding.kept_count; d++) /* states are counted, not values */
        adding.kept[d].stride[OPERAND_OUT] /= dense_values(reduction);
    adding.first_state = 0;
    int result_on_host = cutter->host[OPERAND_OUT];
    cutter->host[OPERAND_OUT] = 0;
    tally_status status = add_pieces(cutter, &adding, 0);
    cutter->host[OPERAND_OUT] = result_on_host;
    if (status == TALLY_OK) status = finish_states(cutter, reduction);
    context_release(cutter->context, cutter->states, bytes);
    return status;
}

/* The kept loop whose steps fit in the fewest pieces; -1 when one step of each is too much. */
static int32_t best_kept(const struct cutter *cutter, const struct reduction *reduction, int64_t *steps)
{
    int64_t fewest = INT64_MAX;
    int32_t best = -1;
    for (int32_t d = 0; d < reduction->kept_count; d++) {
        int64_t fit = steps_that_fit(cutter, reduction, 0, d, 1);
        if (fit == 0 || (reduction->kept[d].extent + fit - 1) / fit >= fewest) continue;
        fewest = (reduction->kept[d].extent + fit - 1) / fit;
        best = d;
        *steps = fit;
    }
    return best;
}

/* A kept loop of which one step at least takes much less memory than the whole; -1 when there is none. */
static int32_t helpful_kept(const struct cutter *cutter, const struct reduction *reduction)
{
    size_t whole = staging_bytes(reduction, cutter->host);
    for (int32_t d = 0; d < reduction->kept_count; d++) {
        struct reduction step = slice(reduction, 0, d, 0, 1);
        if (staging_bytes(&step, cutter->host) < whole / 2) return d;
    }
    return -1;
}

static tally_status cut(struct cutter *cutter, const struct reduction *reduction)
{
    int64_t steps = 1;
    if (staging_bytes(reduction, cutter->host) <= cutter->limit) return gpu_reduce(cutter->context, reduction);
    int32_t d = best_kept(cutter, reduction, &steps);
    if (d < 0) d = helpful_kept(cutter, reduction);
    if (d < 0) return cut_reduced(cutter, reduction);
    int64_t extent = reduction->kept[d].extent;
    for (int64_t first = 0; first < extent; first += steps) {
        struct reduction piece = slice(reduction, 0, d, first, extent - first < steps ? extent - first : steps);
        TRY(cut(cutter, &piece));
    }
    return TALLY_OK;
}

tally_status pieces_reduce(struct tally_context *context, const struct reduction *reduction, size_t limit)
{
    struct cutter cutter = {.context = context, .limit = limit};
    struct reduction aside = *reduction;
    staging_host_operands(context, reduction, cutter.host);
    if (!gpu_may_fail(reduction) || reduction->cells == 1) return cut(&cutter, reduction);
    /* A late failure must leave the output as it was. */
    size_t bytes = dense_bytes(reduction);
    char *dense = context_allocate(context, bytes);
    if (!dense) return TALLY_OUT_OF_MEMORY;
    int result_on_host = cutter.host[OPERAND_OUT];
    cutter.host[OPERAND_OUT] = 1;
    dense_make(&aside, dense);
    tally_status status = cut(&cutter, &aside);
    if (status == TALLY_OK && result_on_host) dense_scatter(reduction, dense);
    else if (status == TALLY_OK) status = dense_upload(context, reduction, dense);
    context_release(context, dense, bytes);
    return status;
}
