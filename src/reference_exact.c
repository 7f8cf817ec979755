/* SPDX-License-Identifier: MIT
 *
 * reference_exact.c - one element into exact accumulators. */
#include "complex_norm.h"
#include "reference.h"

struct integer {
    uint64_t magnitude;
    int negative;
};

static struct integer read_integer(tally_type type, const void *x)
{
    uint64_t bits = convert_to_integer(type, x);
    int negative = type_row(type)->kind == KIND_SIGNED && (int64_t)bits < 0;
    return (struct integer){negative ? 0 - bits : bits, negative};
}

/* Adds +- magnitude * 2^exponent, in halves: 64 bits do not fit a signed word. */
static void add_magnitude(struct exact *sum, uint64_t magnitude, int negative, int32_t exponent)
{
    int64_t low = (int64_t)(magnitude & 0xffffffff), high = (int64_t)(magnitude >> 32);
    exact_add_integer(sum, negative ? -low : low, exponent);
    exact_add_integer(sum, negative ? -high : high, exponent + 32);
}

static void add_integer_product(struct exact *sum, struct integer x, struct integer y)
{
    int negative = x.negative != y.negative;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            uint64_t part = (x.magnitude >> 32 * i & 0xffffffff) * (y.magnitude >> 32 * j & 0xffffffff);
            add_magnitude(sum, part, negative, 32 * (i + j));
        }
    }
}

static void add_integer(const struct calculation *calculation, struct exact *sums, const void *x, const void *y)
{
    struct integer v = read_integer(calculation->type, x);
    switch (calculation->op->lift) {
    case LIFT_VALUE: add_magnitude(&sums[0], v.magnitude, v.negative, 0); break;
    case LIFT_MAGNITUDE: add_magnitude(&sums[0], v.magnitude, 0, 0); break;
    case LIFT_SQUARE: add_integer_product(&sums[0], v, v); break;
    case LIFT_PRODUCT: add_integer_product(&sums[0], v, read_integer(calculation->type, y)); break;
    case LIFT_MOMENTS:
        add_magnitude(&sums[0], v.magnitude, v.negative, 0);
        add_integer_product(&sums[1], v, v);
        break;
    default: break;
    }
}

static void add_norm(struct exact *sum, double re, double im)
{
    struct complex_norm norm = complex_norm(re, im);
    exact_add_scaled_double_bits(sum, double_bits(norm.hi), norm.exponent);
    exact_add_scaled_double_bits(sum, double_bits(norm.lo), norm.exponent);
}

static void add_product(struct exact *sum, double x, double y)
{
    exact_add_product_bits(sum, double_bits(x), double_bits(y));
}

void reference_add_exact(const struct calculation *calculation, struct exact *sums, const void *x, const void *y)
{
    int32_t kind = type_row(calculation->type)->kind;
    int is_complex = kind == KIND_COMPLEX;
    if (!(kind & KIND_FLOAT)) {
        add_integer(calculation, sums, x, y);
        return;
    }
    double re = convert_to_real(calculation->type, x, 0), im = convert_to_real(calculation->type, x, 1);
    switch (calculation->op->lift) {
    case LIFT_MOMENTS:
        add_product(&sums[is_complex ? 2 : 1], re, re);
        if (is_complex) add_product(&sums[2], im, im);
        /* fall through */
    case LIFT_VALUE:
        exact_add_double_bits(&sums[0], double_bits(re));
        if (is_complex) exact_add_double_bits(&sums[1], double_bits(im));
        break;
    case LIFT_MAGNITUDE: add_norm(&sums[0], re, im); break;
    case LIFT_SQUARE:
        add_product(&sums[0], re, re);
        if (is_complex) add_product(&sums[0], im, im);
        break;
    case LIFT_PRODUCT: {
        double yr = convert_to_real(calculation->type, y, 0), yi = convert_to_real(calculation->type, y, 1);
        add_product(&sums[0], re, yr);
        if (is_complex) {
            add_product(&sums[0], -im, yi);
            add_product(&sums[1], re, yi);
            add_product(&sums[1], im, yr);
        }
        break;
    }
    default: break;
    }
}
