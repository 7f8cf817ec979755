/* SPDX-License-Identifier: MIT
 *
 * finish_exact.cuh - from exact sums to the result: rounded once. The sums are natural numbers and signs; they serve as
 * working space. */
#ifndef TALLY_FINISH_EXACT_CUH
#define TALLY_FINISH_EXACT_CUH

#include "finish.cuh"
#if defined(WORDS)
#include "exact_words.cuh"
#endif

struct exact_sum {
    struct natural size;
    int negative;
    uint32_t special;
};

DEVICE uint32_t special_of(uint32_t special)
{
    uint32_t infinities = special & (EXACT_PLUS_INFINITY | EXACT_MINUS_INFINITY);
    int both = infinities == (EXACT_PLUS_INFINITY | EXACT_MINUS_INFINITY);
    return special & EXACT_NAN || both ? EXACT_NAN : infinities;
}

DEVICE struct exact_real special_real(uint32_t special)
{
    struct exact_real real = {0, 0, 0, 0, special};
    return real;
}

/* A total, mean or root of leading bits; none are zero's. */
DEVICE struct exact_real exact_finished(struct natural_leading leading, int negative, uint32_t specials, int64_t n)
{
    uint32_t special = special_of(specials);
    if (FINISH_NUMBER == FINISH_MEAN && n == 0) return special_real(EXACT_NAN);
    if (FINISH_NUMBER == FINISH_ROOT && special != EXACT_PLUS_INFINITY && (special || negative))
        return special_real(EXACT_NAN);
    if (special || leading.bits == 0) return special_real(special);
    if (FINISH_NUMBER == FINISH_MEAN) return exact_mean_of(leading, negative, (uint64_t)n);
    if (FINISH_NUMBER == FINISH_ROOT) return exact_root_of(leading);
    return exact_real_of(leading, negative);
}

#if defined(WORDS)
/* The words' value as a size and a sign. */
DEVICE void words_read(const struct words *a, struct exact_sum *sum)
{
    struct natural *r = &sum->size;
    sum->special = a->special & (EXACT_NAN | EXACT_PLUS_INFINITY | EXACT_MINUS_INFINITY);
    sum->negative = (int)(a->w[WORDS - 1] >> 63);
    uint64_t carry = (uint64_t)sum->negative;
    r->low = a->low == LOW_UNSET ? 0 : a->low;
    r->count = 0;
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        uint64_t w = sum->negative ? ~a->w[i] + carry : a->w[i];
        carry = carry && w == 0;
        r->limb[i] = w;
        if (w) r->count = i + 1;
    }
}

/* The leading bits of the words' value, with the words in registers. */
DEVICE struct natural_leading words_leading(const struct words *a)
{
    uint64_t size[WORDS], first = 0, second = 0, third = 0, carry = a->w[WORDS - 1] >> 63;
    uint64_t flip = 0 - carry;
    int32_t top = 0, rest = 0;
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        size[i] = (a->w[i] ^ flip) + carry;
        carry = carry && size[i] == 0;
        if (size[i]) top = i;
    }
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        if (i == top) first = size[i];
        if (i == top - 1) second = size[i];
        if (i == top - 2) third = size[i];
        if (i < top - 2) rest |= size[i] != 0;
    }
    int32_t shift = first ? exact_leading_zeros(first) : 0;
    if (shift) {
        first = first << shift | second >> (64 - shift);
        second = second << shift | third >> (64 - shift);
        third <<= shift;
    }
    struct natural_leading leading = {(uint128)first << 64 | second, 64 * (a->low + top - 1) - shift,
                                      rest | (third != 0)};
    return leading;
}

/* Writes a total, mean or root of words to a float result. */
DEVICE void finish_words(const struct words *sum, int64_t n, char *out)
{
    for (int part = 0; part < (RESULT_KIND == KIND_COMPLEX ? 2 : 1); part++) {
        int negative = (int)(sum[part].w[WORDS - 1] >> 63);
        struct exact_real real = exact_finished(words_leading(&sum[part]), negative, sum[part].special, n);
        finish_bits(exact_round(real, result_format()), part, out);
    }
}
#endif

/* Whether aligning the square of a sum with the sum of squares needs more limbs than there are. */
DEVICE int variance_is_too_long(const struct natural *squares, const struct natural *sum)
{
    if (sum->count == 0 || squares->count == 0) return 0;
    int32_t low = 2 * sum->low < squares->low ? 2 * sum->low : squares->low;
    int32_t end = squares->low + squares->count + 1, square_end = 2 * (sum->low + sum->count);
    return (end > square_end ? end : square_end) - low > NATURAL_LIMBS;
}

/* As exact_variance in exact.c. Sets *failed when the working space is too small. */
DEVICE struct exact_real exact_spread(struct exact_sum *sum, int sums, int64_t n, double correction,
                                      struct natural *square, int *failed)
{
    struct exact_sum *squares = &sum[sums - 1];
    uint128 freedom = n ? degrees_of_freedom((uint64_t)n, correction) : 0;
    uint32_t special = 0;
    int negative = 0;
    for (int i = 0; i < sums; i++) special |= sum[i].special;
    if (special || freedom == 0) return special_real(EXACT_NAN);
    natural_scale(&squares->size, (uint64_t)n);
    for (int i = 0; i < sums - 1; i++) {
        if (variance_is_too_long(&squares->size, &sum[i].size)) {
            *failed = 1;
            return special_real(EXACT_NAN);
        }
        negative |= exact_variance_subtract(&squares->size, &sum[i].size, square);
    }
    if (negative) return special_real(EXACT_NAN);
    if (squares->size.count == 0) return special_real(0);
    return exact_variance_quotient(&squares->size, (uint64_t)n, freedom, FINISH_NUMBER == FINISH_DEVIATION);
}

/* Writes nothing where `out` is null. */
DEVICE uint32_t finish_whole(const struct exact_sum *sum, char *out)
{
    int finite = special_of(sum->special) == 0;
    int32_t length = sum->size.count ? natural_length(&sum->size) + 64 * sum->size.low : 0;
    uint64_t size = finite ? natural_word(&sum->size, -64 * sum->size.low) : 0;
    uint64_t bits = sum->negative ? 0 - size : size;
    if (CHECKED) {
        int lowest = sum->negative && length == 64 && size == 1ull << 63;
        int fits_signed = finite && (length <= 63 || lowest), fits_unsigned = finite && length <= 64 && !sum->negative;
        if (!fits_signed && !fits_unsigned) return FAILED_OVERFLOW;
        if (!finish_fits(bits, fits_signed)) return FAILED_OVERFLOW;
    }
    if (out) finish_integer(bits, 1, out);
    return 0;
}

/* square: working space, of use to variances alone. */
DEVICE uint32_t finish_exact(const struct reduce_parameters *p, struct exact_sum *sum, int sums, struct natural *square,
                             int64_t n, char *out)
{
    if (!(RESULT_KIND & KIND_FLOAT)) return finish_whole(&sum[0], out);
    if (FINISH_NUMBER == FINISH_VARIANCE || FINISH_NUMBER == FINISH_DEVIATION) {
        int failed = 0;
        struct exact_real real = exact_spread(sum, sums, n, p->correction, square, &failed);
        if (failed) return FAILED_WINDOW;
        finish_bits(exact_round(real, result_format()), 0, out);
        return 0;
    }
    for (int part = 0; part < (RESULT_KIND == KIND_COMPLEX ? 2 : 1); part++) {
        struct natural_leading none = {0, 0, 0};
        struct natural_leading leading = sum[part].size.count ? natural_leading(&sum[part].size) : none;
        struct exact_real real = exact_finished(leading, sum[part].negative, sum[part].special, n);
        finish_bits(exact_round(real, result_format()), part, out);
    }
    return 0;
}

#endif
