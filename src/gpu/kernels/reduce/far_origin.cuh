/* SPDX-License-Identifier: MIT
 *
 * far_origin.cuh - doubles that lie close to each other and far from zero, relative to one of them: pairs would lose
 * what little they differ by. Where one of 32 tells that they do not, they are taken as they are. No include guard. */

/* Numbers whose upper words are `below` and up to `span` more are less than twice as large as `from` and more than
 * half: their distance from it is a double. */
struct far_origin {
    double from;
    uint32_t below, span;
};

/* Relative to a first number, of which each lane of a warp has another to tell; every warp has the same ones. */
DEVICE struct far_origin far_origin_of(element first, element number)
{
    enum { REACH = 0xfffff };
    struct far_origin o = {(double)first.v, 0, 0};
    uint32_t upper = (uint32_t)(double_bits(o.from) >> 32), other = (uint32_t)(double_bits((double)number.v) >> 32);
    o.below = upper - REACH;
    o.span = 2 * REACH;
    int large = fabs(o.from) > 0x1p-400 && fabs(o.from) < 0x1p1000; /* so that squares of distances are not too small */
    if (!__all_sync(FULL_WARP, large && other - o.below <= o.span)) {
        o.from = 0;
        o.below = 0;
        o.span = 0xffffffffu;
    }
    return o;
}

DEVICE uint32_t far_place(const struct far_origin *o, double x)
{
    return (uint32_t)(double_bits(x) >> 32) - o->below;
}

/* Whether all numbers are the same, if their distances' squares have a sum of nothing: elsewhere than at zero these are
 * too large for that, and at zero no number has a sign or upper bits, so that sums of any show. */
DEVICE int far_are_equal(const struct far_origin *o, const struct quick *q)
{
    return q->part[0] == 0 && (o->from != 0 || (q->most == 0 && q->part[SUM] == 0));
}

/* What the distance of a number that lies elsewhere loses counts in its square and sum. */
DEVICE void far_add_rest(struct quick *q, const struct far_origin *o, double x)
{
    double rest, d = two_sum(x, -o->from, &rest);
    if (far_place(o, x) <= o->span) return;
    q->part[LOW] += 2 * d * rest;
    q->part[SUM + LOW] += rest;
}
