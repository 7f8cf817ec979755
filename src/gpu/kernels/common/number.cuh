/* SPDX-License-Identifier: MIT
 *
 * number.cuh - narrow floats on their way into doubles. A multiprocessor converts 16 a cycle, which is too few: a
 * float's bits are moved to where a double has them instead, which makes a double that is a power of two too small
 * (subnormal ones, too), and a fused multiplication and addition makes up for that, exactly. Infinities and NaN become
 * numbers: who adds them looks for them. Of 2-byte floats two are looked at at once. No include guard. */
#define HAS_HALVES (ELEMENT_BYTES == 2 && IS_NARROW)

/* Where an element that is shifted to the top of a word goes in the upper word of a double, and how much too small that
 * is. */
#if defined(ONLY_TYPE_f16)
#define NUMBER_SHIFT 6
#define NUMBER_BITS_KEPT 0x81fffc00u
#define NUMBER_SCALE 0x1p1008
#define HALF_INFINITY 0x7c00u
#else
#define NUMBER_SHIFT 3
#define NUMBER_BITS_KEPT (HAS_HALVES ? 0x8fffe000u : 0x8fffffffu)
#define NUMBER_SCALE (IS_NARROW ? 0x1p896 : 1.0)
#define HALF_INFINITY 0x7f80u
#endif

/* An element as a double that is NUMBER_SCALE times too small. */
struct number {
    double scaled;
};

#if HAS_HALVES
/* `upper` has the element in its upper half, and anything in its lower one. */
DEVICE struct number number_of_upper(uint32_t upper)
{
    uint32_t high = (uint32_t)((int32_t)upper >> NUMBER_SHIFT) & NUMBER_BITS_KEPT;
    struct number x = {double_from_bits((uint64_t)high << 32)};
    return x;
}

/* The same, but zero for NaN if these are left out. */
DEVICE uint32_t upper_counted(uint32_t upper)
{
    return SKIP_NAN && (upper & 0x7fff0000u) > HALF_INFINITY << 16 ? 0 : upper;
}

/* Two neighbours in one word. */
DEVICE uint32_t halves_counted(uint32_t word)
{
    return SKIP_NAN ? (upper_counted(word) & 0xffff0000u) | upper_counted(word << 16) >> 16 : word;
}

/* What is known of the sizes of numbers, two at a time: with their signs set, the largest, and the smallest but zeros,
 * less one. */
struct halves {
    uint32_t most, least;
};

DEVICE struct halves halves_begin(void)
{
    struct halves h = {0x80008000u, 0x7fff7fffu};
    return h;
}

DEVICE void halves_see(struct halves *h, uint32_t word)
{
    uint32_t sizes = word | 0x80008000u;
    h->most = max_u16x2(h->most, sizes);
    h->least = min_s16x2(h->least, sizes - 0x00010001u);
}

/* The largest one's bits. */
DEVICE uint32_t halves_most(const struct halves *h)
{
    uint32_t low = h->most & 0x7fff, high = h->most >> 16 & 0x7fff;
    return low > high ? low : high;
}

DEVICE int halves_special(const struct halves *h)
{
    return halves_most(h) >= HALF_INFINITY;
}

/* The smallest one's bits less one; 0xffff if there are only zeros. */
DEVICE uint32_t halves_least(const struct halves *h)
{
    int32_t low = (int16_t)h->least, high = (int32_t)h->least >> 16, least = low < high ? low : high;
    return least < 0 ? (uint32_t)least & 0x7fff : 0xffff;
}
#else
DEVICE struct number number_of_element(element x)
{
#if IS_NARROW
    uint32_t bits = __float_as_uint(x.v), high = (uint32_t)((int32_t)bits >> NUMBER_SHIFT) & NUMBER_BITS_KEPT;
    struct number number = {double_from_bits((uint64_t)high << 32 | (uint32_t)(bits << (32 - NUMBER_SHIFT)))};
#else
    struct number number = {x.v};
#endif
    return number;
}
#endif

/* sum + x, rounded once. */
DEVICE double number_plus(double sum, struct number x)
{
#if IS_NARROW
    return __fma_rn(x.scaled, NUMBER_SCALE, sum);
#else
    return sum + x.scaled;
#endif
}

DEVICE_UNUSED double number_value(struct number x)
{
    return x.scaled * NUMBER_SCALE;
}
