/* SPDX-License-Identifier: MIT
 *
 * whole_span.cuh - an exact sum on its way to the result of a whole array: an integer of 192 bits and the place of its
 * last one. No include guard. */

#include "lanes.cuh"

#define NO_PLACE INT32_MAX /* of nothing */

struct span {
    uint64_t v[3]; /* two's complement */
    int32_t place; /* v[0]'s bit 0 weighs 2^place */
};

DEVICE struct span span_none(void)
{
    struct span s = {{0, 0, 0}, NO_PLACE};
    return s;
}

/* (high : low) * 2^place. */
DEVICE struct span span_of(uint64_t low, int64_t high, int32_t place)
{
    struct span s = {{low, (uint64_t)high, (uint64_t)(high >> 63)}, (low | (uint64_t)high) != 0 ? place : NO_PLACE};
    return s;
}

/* Bits of the number's size, or one less. */
DEVICE int32_t span_bits(const struct span *s)
{
    uint64_t sign = (uint64_t)((int64_t)s->v[2] >> 63);
    uint64_t high = s->v[2] ^ sign, middle = s->v[1] ^ sign, low = s->v[0] ^ sign;
    if (high) return 192 - exact_leading_zeros(high);
    if (middle) return 128 - exact_leading_zeros(middle);
    return 64 - exact_leading_zeros(low | 1);
}

enum { SPAN_BITS = 190 }; /* of two numbers that are added, at most */

/* Writes the number with a lower place; returns whether it has more bits there than it may. */
DEVICE int span_lower(struct span *s, int32_t place)
{
    if (s->place == place || s->place == NO_PLACE) return span_bits(s) > SPAN_BITS;
    int32_t shift = s->place - place;
    if (shift > SPAN_BITS || span_bits(s) + shift > SPAN_BITS) return 1;
    s->place = place;
    if (shift >= 128) {
        s->v[2] = s->v[0];
        s->v[1] = s->v[0] = 0;
    } else if (shift >= 64) {
        s->v[2] = s->v[1];
        s->v[1] = s->v[0];
        s->v[0] = 0;
    }
    shift &= 63;
    if (shift) {
        s->v[2] = s->v[2] << shift | s->v[1] >> (64 - shift);
        s->v[1] = s->v[1] << shift | s->v[0] >> (64 - shift);
        s->v[0] <<= shift;
    }
    return 0;
}

struct span_and_loss {
    struct span span;
    int lost; /* it is too wide */
};

DEVICE_CALL struct span_and_loss spans_added(struct span a, struct span b)
{
    struct span_and_loss sum;
    int32_t place = a.place < b.place ? a.place : b.place;
    sum.lost = span_lower(&a, place) | span_lower(&b, place);
    uint128 low = ((uint128)a.v[1] << 64 | a.v[0]) + ((uint128)b.v[1] << 64 | b.v[0]);
    int carry = low < ((uint128)b.v[1] << 64 | b.v[0]);
    sum.span.v[0] = (uint64_t)low;
    sum.span.v[1] = (uint64_t)(low >> 64);
    sum.span.v[2] = a.v[2] + b.v[2] + (uint64_t)carry;
    sum.span.place = place;
    return sum;
}

/* a += b; returns whether the sum is too wide. */
DEVICE int span_add(struct span *a, struct span b)
{
    struct span_and_loss sum = spans_added(*a, b);
    *a = sum.span;
    return sum.lost;
}

/* The leading bits of the number's size; none of nothing. */
DEVICE struct natural_leading span_leading(const struct span *s)
{
    uint64_t flip = (uint64_t)((int64_t)s->v[2] >> 63);
    uint128 lower = (((uint128)(s->v[1] ^ flip) << 64) | (s->v[0] ^ flip)) + (flip & 1);
    uint64_t first = (s->v[2] ^ flip) + (flip && lower == 0), second = (uint64_t)(lower >> 64), third = (uint64_t)lower;
    struct natural_leading none = {0, 0, 0};
    if (s->place == NO_PLACE) return none;
    int32_t place = s->place + 64;
    for (int i = 0; i < 2; i++) {
        if (first) break;
        first = second;
        second = third;
        third = 0;
        place -= 64;
    }
    int32_t shift = first ? exact_leading_zeros(first) : 0;
    if (shift) {
        first = first << shift | second >> (64 - shift);
        second = second << shift | third >> (64 - shift);
        third <<= shift;
    }
    struct natural_leading leading = {(uint128)first << 64 | second, place - shift, third != 0};
    return leading;
}

/* The number as a pair of doubles, whose low one has an odd significand where bits are missing, so that rounding the
 * pair rounds the number; returns whether it lies in their range. */
DEVICE int span_pair(const struct span *s, struct pair *pair)
{
    struct natural_leading leading = span_leading(s);
    pair->high = pair->low = 0;
    if (leading.bits == 0) return 1;
    if (leading.exponent < -900 || leading.exponent > 800) return 0;
    uint64_t low = (uint64_t)(leading.bits >> 22) & ((1ull << 53) - 1);
    low |= (leading.bits & 0x3fffff) != 0 || leading.sticky;
    double unit = double_from_bits((uint64_t)(leading.exponent + 22 + 1023) << 52);
    double sign = s->v[2] >> 63 ? -unit : unit;
    pair->high = two_sum((double)(uint64_t)(leading.bits >> 75) * 0x1p53 * sign, (double)low * sign, &pair->low);
    return 1;
}
