/* SPDX-License-Identifier: MIT
 *
 * scan_state.c - scans one element at a time: the definition that engines' kernels must agree with. */
#include "scan_state.h"
#include "convert.h"
#include "narrow.h"
#include "user/tree.h"

static const struct fold_steps *steps_of(const struct calculation *calculation)
{
    return fold_steps(calculation->op->lift, calculation->combine, calculation->type);
}

size_t scan_state_size(const struct calculation *calculation)
{
    if (calculation->method == METHOD_USER) return user_line_size(calculation->user);
    if (calculation->method == METHOD_EXACT) return sizeof(struct exact) * (size_t)state_exact_count(calculation);
    return calculation->ordered ? sizeof(struct scan_block) : sizeof(struct fold_value);
}

struct scan_state *scan_state_at(const struct calculation *calculation, struct scan_state *states, int64_t cell)
{
    return (struct scan_state *)(void *)((char *)states + scan_state_size(calculation) * (size_t)cell);
}

void scan_state_open(const struct calculation *calculation, struct scan_state *state)
{
    const void *initial = calculation->initial;
    if (calculation->method == METHOD_USER) {
        user_line_open(calculation, state);
        return;
    }
    if (calculation->method == METHOD_EXACT) {
        for (int i = 0; i < state_exact_count(calculation); i++) exact_clear(&state->as.exact[i]);
        if (initial) exact_add_result(calculation, state->as.exact, initial);
        return;
    }
    const struct fold_steps *steps = steps_of(calculation);
    if (calculation->ordered) {
        state->as.block.position = state->as.block.based = 0;
        state->as.block.carried = initial != NULL;
        if (initial) fold_of_result(calculation, initial, &state->as.block.carry);
        return;
    }
    struct fold_value value;
    steps->identity(&state->as.fold);
    if (!initial) return;
    fold_of_result(calculation, initial, &value);
    fold_combine(calculation, &state->as.fold, &value);
}

int scan_finish(const struct calculation *calculation, const struct fold_value *value, void *out)
{
    const struct fold_steps *steps = steps_of(calculation);
    struct fold_value result = *value, zero;
    if (calculation->ordered && calculation->combine == COMBINE_ADD) {
        steps->identity(&zero);
        steps->combine(&result, &zero);
    }
    for (int p = steps->parts; p < FOLD_PARTS; p++) result.part[p].integer = 0; /* a complex result's other part */
    return fold_finish(calculation, &result, 1, out);
}

/* ---- ordered scans ---- */

void scan_prepend(const struct fold_steps *steps, const struct fold_value *left, struct fold_value *a)
{
    struct fold_value result;
    if (!left) return;
    result = *left;
    steps->combine(&result, a);
    *a = result;
}

void scan_runs(const struct fold_steps *steps, struct fold_value *run, int count)
{
    for (int distance = 1; distance < count; distance *= 2) {
        for (int r = count - 1; r >= distance; r--) scan_prepend(steps, &run[r - distance], &run[r]);
    }
}

int scan_block_base(const struct fold_steps *steps, const struct scan_block *block, struct fold_value *base)
{
    int runs = block->position % SCAN_GROUP / SCAN_RUN;
    int known = block->carried;
    if (known) *base = block->carry;
    if (block->position >= SCAN_GROUP) {
        if (known) steps->combine(base, &block->groups);
        else *base = block->groups;
        known = 1;
    }
    if (runs > 0) {
        struct fold_value run[SCAN_GROUP_RUNS];
        for (int r = 0; r < runs; r++) run[r] = block->run[r];
        scan_runs(steps, run, runs);
        if (known) steps->combine(base, &run[runs - 1]);
        else *base = run[runs - 1];
        known = 1;
    }
    return known;
}

void scan_block_close_group(const struct fold_steps *steps, struct scan_block *block, const struct fold_value *total)
{
    if (block->position == SCAN_GROUP) block->groups = *total;
    else steps->combine(&block->groups, total);
    if (block->position < SCAN_BLOCK) return;
    if (block->carried) steps->combine(&block->carry, &block->groups);
    else block->carry = block->groups;
    block->carried = 1;
    block->position = 0;
}

/* scan_block_base, found once for each run. */
static const struct fold_value *run_base(const struct fold_steps *steps, struct scan_block *block)
{
    if (!block->based) block->based = scan_block_base(steps, block, &block->base) ? 1 : 2;
    return block->based == 1 ? &block->base : NULL;
}

static int block_step(const struct calculation *calculation, struct scan_block *block, const void *x, void *out)
{
    const struct fold_steps *steps = steps_of(calculation);
    struct fold_value value;
    int inside = block->position % SCAN_RUN;
    int fits = 1;
    if (x) steps->lift(&value, x, x);
    else steps->identity(&value);
    if (inside) steps->combine(&block->local, &value);
    else block->local = value;
    if (out) {
        value = block->local;
        scan_prepend(steps, run_base(steps, block), &value);
        fits = scan_finish(calculation, &value, out);
    }
    int run = block->position % SCAN_GROUP / SCAN_RUN;
    block->position++;
    if (inside == SCAN_RUN - 1) {
        block->run[run] = block->local;
        block->based = 0;
    }
    if (block->position % SCAN_GROUP == 0) {
        scan_runs(steps, block->run, SCAN_GROUP_RUNS);
        value = block->run[SCAN_GROUP_RUNS - 1];
        scan_block_close_group(steps, block, &value);
    }
    return fits;
}

static int block_before(const struct calculation *calculation, struct scan_block *block, void *out)
{
    const struct fold_steps *steps = steps_of(calculation);
    const struct fold_value *base = run_base(steps, block);
    struct fold_value value;
    if (block->position % SCAN_RUN > 0) {
        value = block->local;
        scan_prepend(steps, base, &value);
    } else if (base) {
        value = *base;
    } else {
        steps->identity(&value);
    }
    return scan_finish(calculation, &value, out);
}

/* ---- all scans ---- */

int scan_state_before(const struct calculation *calculation, struct scan_state *state, void *out)
{
    if (calculation->method == METHOD_EXACT) return exact_finish_total(calculation, state->as.exact, out);
    if (calculation->ordered) return block_before(calculation, &state->as.block, out);
    return scan_finish(calculation, &state->as.fold, out);
}

static void add_exact(const struct calculation *calculation, struct exact *sums, const void *x)
{
    const struct type_row *row = type_row(calculation->type);
    if (row->kind & KIND_FLOAT) {
        for (int p = 0; p < state_exact_count(calculation); p++)
            exact_add_double_bits(&sums[p], double_bits(convert_to_real(calculation->type, x, p)));
        return;
    }
    uint64_t bits = convert_to_integer(calculation->type, x);
    int64_t high = row->kind == KIND_SIGNED ? (int64_t)bits >> 32 : (int64_t)(bits >> 32);
    exact_add_integer(&sums[0], high, 32);
    exact_add_integer(&sums[0], (int64_t)(bits & 0xffffffff), 0);
}

int scan_state_step(const struct calculation *calculation, struct scan_state *state, const void *x, void *out)
{
    if (calculation->method == METHOD_EXACT) {
        if (x) add_exact(calculation, state->as.exact, x);
        return !out || exact_finish_total(calculation, state->as.exact, out);
    }
    if (calculation->ordered) return block_step(calculation, &state->as.block, x, out);
    struct fold_value value;
    if (x) {
        fold_lift(calculation, &value, x, x);
        fold_combine(calculation, &state->as.fold, &value);
    }
    return !out || scan_finish(calculation, &state->as.fold, out);
}
