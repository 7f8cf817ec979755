/* SPDX-License-Identifier: MIT
 *
 * column_steps_ordered.cuh - the steps of column_ordered.cuh, of states. No include guard. */

struct column {
    struct FOLD(lane) local;         /* of the run */
    struct left base, groups, carry; /* before the run, of the block's complete groups, before the block */
};

DEVICE struct column column_first(struct left first)
{
    struct column column;
    column.local = FOLD(lane_identity)();
    column.groups = no_left();
    column.base = column.carry = first;
    return column;
}

/* All runs of the group up to this one, whose total is given. */
DEVICE struct FOLD(wide) group_left(struct FOLD(wide) total, uint32_t run, int column)
{
    DYNAMIC_SHARED(struct FOLD(wide), ring);
    struct FOLD(wide) *mine = ring + column * SLOTS * THREADS + (int32_t)threadIdx.x;
#pragma unroll
    for (uint32_t distance = 1; distance < 1 << LEVELS; distance *= 2, mine += distance / 2 * THREADS) {
        struct FOLD(wide) *slot = mine + (run & (distance - 1)) * THREADS, left = *slot;
        *slot = total;
        if (run % GROUP_RUNS < distance) continue;
        FOLD(wide_combine)(&left, total);
        total = left;
    }
    return total;
}

/* Ends run number `run` of the block: what stands left of the next one. */
DEVICE void end_run(struct column *column, uint32_t run, int k)
{
    struct FOLD(wide) runs = group_left(FOLD(widen)(column->local), run, k);
    int group_ends = (run + 1) % GROUP_RUNS == 0, block_ends = run + 1 == BLOCK_RUNS;
    if (group_ends) left_append(&column->groups, runs);
    if (block_ends) {
        left_append(&column->carry, column->groups.value);
        column->groups = no_left();
    }
    column->base = column->carry;
    if (column->groups.some) left_append(&column->base, column->groups.value);
    if (!group_ends) left_append(&column->base, runs);
}

/* Takes an element, `is_first` of its run, and returns what the run was before. */
DEVICE struct FOLD(lane) column_enter(struct column *column, element x, int is_first)
{
    struct FOLD(lane) lifted = FOLD(lane_identity)(), before = column->local;
    if (!(SKIP_NAN && element_is_nan(x))) lifted = FOLD(lift)(x, x);
    if (!is_first) FOLD(lane_combine)(&column->local, lifted);
    else column->local = lifted;
    return before;
}

/* Writes an element's result, too. */
DEVICE void column_step(struct column *column, element x, int is_first, char *out)
{
    struct FOLD(lane) before = column_enter(column, x, is_first);
    struct left value = column->base;
    if (!EXCLUSIVE || !is_first) left_append(&value, FOLD(widen)(EXCLUSIVE ? before : column->local));
    store_value(value.value, out);
}

#if SPLITS
/* What stands left of a thread's block or group, and the total that it leaves. */
DEVICE void column_go_on(struct column *column, struct left left)
{
    column->base = column->carry = left;
}

DEVICE struct left column_carry(const struct column *column)
{
    return CHAINS_GROUPS ? column->groups : column->carry;
}
#endif
