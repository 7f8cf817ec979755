/* SPDX-License-Identifier: MIT
 *
 * exact.c - finishing an exact accumulator: its value, quotients, roots and variances by exact_real.h; portable bytes.
 */
#include "exact_real.h"

#include <string.h>

__extension__ typedef __int128 int128;

static const struct exact_real zero = {0, 0, 0, 0, 0};
static const struct exact_real not_a_number = {0, 0, 0, 0, EXACT_NAN};

static uint32_t special_of(const struct exact *a)
{
    uint32_t infinities = a->special & (EXACT_PLUS_INFINITY | EXACT_MINUS_INFINITY);
    int both = infinities == (EXACT_PLUS_INFINITY | EXACT_MINUS_INFINITY);
    return a->special & EXACT_NAN || both ? EXACT_NAN : infinities;
}

/* Reads the size of the accumulated value; returns whether it is negative. a is carried. */
static int natural_read(struct natural *r, struct exact *a)
{
    exact_carry(a);
    int32_t first = a->low, last = a->high;
    while (last > first && a->limb[last - 1] == 0) last--;
    while (first < last && a->limb[first] == 0) first++;
    r->low = first / 2 + EXACT_LOWEST / 64;
    r->count = 0;
    if (first == last) return 0;
    int negative = a->limb[last - 1] < 0; /* all others are not */
    int128 carry = 0;
    for (int32_t i = first & ~1; i < last; i += 2) {
        int64_t even = i < first ? 0 : a->limb[i];
        int64_t odd = i + 1 < last ? a->limb[i + 1] : 0;
        int128 pair = (int128)odd * ((int64_t)1 << 32) + even;
        carry += negative ? -pair : pair;
        r->limb[r->count++] = (uint64_t)carry;
        carry >>= 64;
    }
    r->limb[r->count++] = (uint64_t)carry;
    natural_trim(r);
    return negative;
}

struct exact_real exact_value(struct exact *a)
{
    struct natural value;
    uint32_t special = special_of(a);
    if (special) return (struct exact_real){0, 0, 0, 0, special};
    int negative = natural_read(&value, a);
    return value.count ? exact_real_of(natural_leading(&value), negative) : zero;
}

struct exact_real exact_mean(struct exact *a, uint64_t n)
{
    struct natural value;
    uint32_t special = special_of(a);
    if (n == 0) return not_a_number;
    if (special) return (struct exact_real){0, 0, 0, 0, special};
    int negative = natural_read(&value, a);
    return value.count ? exact_mean_of(natural_leading(&value), negative, n) : zero;
}

struct exact_real exact_root(struct exact *a)
{
    struct natural value;
    uint32_t special = special_of(a);
    if (special == EXACT_PLUS_INFINITY) return (struct exact_real){0, 0, 0, 0, special};
    if (special || natural_read(&value, a)) return not_a_number;
    return value.count ? exact_root_of(natural_leading(&value)) : zero;
}

struct exact_real exact_variance(struct exact *squares, struct exact *sum_re, struct exact *sum_im, uint64_t n,
                                 double correction, int deviation)
{
    struct natural numerator, sum, square;
    uint32_t special = squares->special | sum_re->special | (sum_im ? sum_im->special : 0);
    uint128 freedom = n ? degrees_of_freedom(n, correction) : 0;
    if (special || freedom == 0) return not_a_number;
    int negative = natural_read(&numerator, squares);
    natural_scale(&numerator, n);
    natural_read(&sum, sum_re);
    negative |= exact_variance_subtract(&numerator, &sum, &square);
    if (sum_im) {
        natural_read(&sum, sum_im);
        negative |= exact_variance_subtract(&numerator, &sum, &square);
    }
    if (negative) return not_a_number; /* these are not the sums of any numbers */
    return numerator.count ? exact_variance_quotient(&numerator, n, freedom, deviation) : zero;
}

uint64_t exact_integer(struct exact *a, int *fits_signed, int *fits_unsigned)
{
    struct natural value;
    int finite = special_of(a) == 0;
    int negative = natural_read(&value, a);
    int32_t length = value.count ? natural_length(&value) + 64 * value.low : 0;
    uint64_t size = finite ? natural_word(&value, -64 * value.low) : 0;
    int lowest = negative && length == 64 && size == (uint64_t)1 << 63;
    if (fits_signed) *fits_signed = finite && (length <= 63 || lowest);
    if (fits_unsigned) *fits_unsigned = finite && length <= 64 && !negative;
    return negative ? 0 - size : size;
}

/* Layout: u16 index of the first 32-bit digit, u16 number of digits, u8 negative, u8 special, two zero bytes; then the
 * digits of the size, least significant first, neither the first nor the last of them zero. All little-endian.
 * A special value has no digits. */
#define PACK_HEADER 8

/* Sums that exact_add_integer allows stay below 2^2240; more in packed bytes would eat the room for later merges. */
#define PACK_LIMBS (EXACT_LIMBS - 2)

static void write_little(unsigned char *bytes, uint32_t value, int count)
{
    for (int i = 0; i < count; i++) bytes[i] = (unsigned char)(value >> 8 * i);
}

static uint32_t read_little(const unsigned char *bytes, int count)
{
    uint32_t value = 0;
    for (int i = 0; i < count; i++) value |= (uint32_t)bytes[i] << 8 * i;
    return value;
}

size_t exact_pack(struct exact *a, unsigned char *bytes)
{
    struct natural value;
    uint32_t special = special_of(a);
    int negative = natural_read(&value, a);
    if (special) value.count = negative = 0;
    int32_t first = 0, last = 2 * value.count;
    while (last > 0 && natural_word(&value, 32 * (last - 1)) == 0) last--;
    while (first < last && (uint32_t)natural_word(&value, 32 * first) == 0) first++;
    int32_t origin = 2 * value.low - EXACT_LOWEST / EXACT_LIMB_BITS;
    write_little(bytes, last ? (uint32_t)(origin + first) : 0, 2);
    write_little(bytes + 2, (uint32_t)(last - first), 2);
    write_little(bytes + 4, (uint32_t)negative, 1);
    write_little(bytes + 5, special, 3);
    for (int32_t i = first; i < last; i++) {
        write_little(bytes + PACK_HEADER + 4 * (i - first), (uint32_t)natural_word(&value, 32 * i), 4);
    }
    return PACK_HEADER + 4 * (size_t)(last - first);
}

size_t exact_unpack(struct exact *a, const unsigned char *bytes, size_t size)
{
    if (size < PACK_HEADER) return 0;
    uint32_t low = read_little(bytes, 2), count = read_little(bytes + 2, 2);
    uint32_t negative = bytes[4], special = read_little(bytes + 5, 3);
    size_t used = PACK_HEADER + 4 * (size_t)count;
    if (used > size || low + count > PACK_LIMBS || negative > 1) return 0;
    if (special & (special - 1) || special > EXACT_MINUS_INFINITY || (special && count)) return 0;
    if (count == 0 && (low || negative)) return 0;
    if (count && (read_little(bytes + PACK_HEADER, 4) == 0 || read_little(bytes + used - 4, 4) == 0)) return 0;
    exact_clear(a);
    exact_cover(a, (int32_t)low, (int32_t)(low + count));
    for (uint32_t i = 0; i < count; i++) {
        int64_t digit = read_little(bytes + PACK_HEADER + 4 * i, 4);
        a->limb[low + i] = negative ? -digit : digit;
    }
    a->pending = 1;
    a->special = special;
    return used;
}
