/* SPDX-License-Identifier: MIT
 *
 * ordered_standing.cuh - left operands in the form that ordered_sums*.cuh combine. No include guard. */

/* A left operand, which may not exist. */
struct standing {
    struct sum value;
    int32_t some;
};

DEVICE struct standing nothing_left(void)
{
    struct standing none = {no_sum(), 0};
    return none;
}

DEVICE struct standing standing_of(struct left left)
{
    struct standing standing = {sum_of(left.value), left.some};
    return standing;
}

DEVICE struct left left_of(struct standing standing)
{
    struct left left = {value_of(standing.value), standing.some};
    return left;
}

/* a becomes a * b. */
DEVICE void standing_append(struct standing *a, struct sum b)
{
    if (a->some) sum_append(&a->value, b);
    else a->value = b;
    a->some = 1;
}
