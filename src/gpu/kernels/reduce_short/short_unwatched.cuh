/* SPDX-License-Identifier: MIT
 *
 * short_unwatched.cuh - the watch over what cannot fail on the way. No include guard. */

struct watch {
    uint32_t none;
};

DEVICE struct watch watch_begin(void)
{
    struct watch w = {0};
    return w;
}

DEVICE void watch_merge(struct watch *a, struct watch b)
{
    (void)a;
    (void)b;
}
