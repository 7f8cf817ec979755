/* SPDX-License-Identifier: MIT
 *
 * column_powers.cuh - the steps of column_ordered.cuh, of logsumexp. No include guard. */
#include "powers_sum.cuh"

#include "ordered_standing.cuh"

struct column {
    struct sum local;                    /* of the run */
    struct standing base, groups, carry; /* before the run, of the block's complete groups, before the block */
    struct largest top;                  /* of all so far, nearly always */
};

DEVICE struct column column_first(struct left first)
{
    struct column column;
    column.local = no_sum();
    column.groups = nothing_left();
    column.base = column.carry = standing_of(first);
    column.top = largest_of(first.value.part[0]);
    return column;
}

/* All runs of the group up to this one, whose total is given. */
DEVICE struct sum group_left(struct sum total, uint32_t run, int column)
{
    DYNAMIC_SHARED(struct FOLD(wide), ring);
    struct FOLD(wide) *mine = ring + column * SLOTS * THREADS + (int32_t)threadIdx.x;
#pragma unroll
    for (uint32_t distance = 1; distance < 1 << LEVELS; distance *= 2, mine += distance / 2 * THREADS) {
        struct FOLD(wide) *slot = mine + (run & (distance - 1)) * THREADS, value = *slot;
        *slot = value_of(total);
        if (run % GROUP_RUNS < distance) continue;
        struct sum left = sum_of(value);
        sum_append(&left, total);
        total = left;
    }
    return total;
}

/* Ends run number `run` of the block: what stands left of the next one. */
DEVICE void end_run(struct column *column, uint32_t run, int k)
{
    struct sum runs = group_left(column->local, run, k);
    int group_ends = (run + 1) % GROUP_RUNS == 0, block_ends = run + 1 == BLOCK_RUNS;
    if (group_ends) standing_append(&column->groups, runs);
    if (block_ends) {
        standing_append(&column->carry, column->groups.value);
        column->groups = nothing_left();
    }
    column->base = column->carry;
    if (column->groups.some) standing_append(&column->base, column->groups.value);
    if (!group_ends) standing_append(&column->base, runs);
}

/* Takes an element, `is_first` of its run, and returns what the run was before. */
DEVICE struct sum column_enter(struct column *column, element x, int is_first)
{
    struct sum own = sum_of_element(x), before = column->local;
    if (SKIP_NAN && element_is_nan(x)) own = no_sum();
    if (!is_first) sum_append(&column->local, own);
    else column->local = own;
    return before;
}

/* Writes an element's result, too. */
DEVICE void column_step(struct column *column, element x, int is_first, char *out)
{
    struct sum before = column_enter(column, x, is_first), upto = column->base.value;
    if (!EXCLUSIVE || !is_first) sum_append(&upto, EXCLUSIVE ? before : column->local);
    if (upto.largest != column->top.value) column->top = largest_of(upto.largest);
    double result = log_of((double)upto.sum, &column->top);
    finish_real(is_finite(upto.largest) ? result : (double)upto.largest, 0, out);
}

#if SPLITS
/* What stands left of a thread's block, and of the next one. */
DEVICE void column_go_on(struct column *column, struct left left)
{
    column->base = column->carry = standing_of(left);
    column->top = largest_of(left.value.part[0]);
}

DEVICE struct left column_carry(const struct column *column)
{
    return left_of(column->carry);
}
#endif
