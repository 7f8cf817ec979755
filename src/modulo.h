/* SPDX-License-Identifier: MIT
 *
 * modulo.h - arithmetic modulo a number p of 2 to 2^64 - 1, prime or not. Residues are canonical: 0 to p - 1. Read by
 * the C compiler and by NVRTC. Divisions by p are multiplications by numbers found once: one word by Barrett's method,
 * two words by Moeller and Granlund, "Improved division by invariant integers", IEEE Transactions on Computers 60
 * (2011), algorithm 4. No branch depends on an element. */
#ifndef TALLY_MODULO_H
#define TALLY_MODULO_H

#if !defined(__CUDACC_RTC__)
#include <stdint.h>
#endif

#ifndef MODULO_FUNCTION
#define MODULO_FUNCTION static inline
#endif

__extension__ typedef unsigned __int128 uint128;

struct modulus {
    uint64_t p;        /* 0: none */
    uint64_t quotient; /* floor((2^64 - 1) / p) */
    uint64_t inverse;  /* floor((2^128 - 1) / (p * 2^shift)) - 2^64 */
    int32_t shift;     /* zero bits above the highest one of p */
};

#define IS_SHORT_MODULUS(m) ((m).p >> 31 == 0)

/* Whether sums of residues are known to fit 32 bits, and had better be taken in those: in kernels, whose modulus is a
 * constant. */
#ifndef MODULO_FITS_HALF
#define MODULO_FITS_HALF(m) 0
#endif

/* A number below 2p, of which p is taken where that can be. */
MODULO_FUNCTION uint32_t modulo_reduced_half(struct modulus m, uint32_t x)
{
    uint32_t less = x - (uint32_t)m.p;
    return less < x ? less : x;
}

/* The residue of a word. The quotient by multiplication is right or one too small. */
MODULO_FUNCTION uint64_t modulo_word(struct modulus m, uint64_t x)
{
    uint64_t r = x - (uint64_t)((uint128)x * m.quotient >> 64) * m.p;
    return r >= m.p ? r - m.p : r;
}

/* The residue of a number of 32 bits, by products of such, which vectors have. */
MODULO_FUNCTION uint64_t modulo_half(struct modulus m, uint32_t x)
{
    uint64_t q = (uint64_t)x * (uint32_t)(m.quotient >> 32) >> 32;
    if (MODULO_FITS_HALF(m)) return modulo_reduced_half(m, x - (uint32_t)q * (uint32_t)m.p);
    uint64_t r = x - q * (uint32_t)m.p;
    return r >= m.p ? r - m.p : r;
}

/* The residue of high * 2^64 + low, for a residue high. */
MODULO_FUNCTION uint64_t modulo_pair(struct modulus m, uint64_t high, uint64_t low)
{
    uint64_t divisor = m.p << m.shift;
    uint128 x = ((uint128)high << 64 | low) << m.shift;
    uint128 q = (uint128)m.inverse * (uint64_t)(x >> 64) + x;
    uint64_t r = (uint64_t)x - ((uint64_t)(q >> 64) + 1) * divisor;
    if (r > (uint64_t)q) r += divisor;
    if (r >= divisor) r -= divisor;
    return r >> m.shift;
}

/* A residue, or its negative. */
MODULO_FUNCTION uint64_t modulo_signed(struct modulus m, uint64_t a, int negative)
{
    return negative && a ? m.p - a : a;
}

/* The residue of an integer in two's complement, its lowest word first. */
MODULO_FUNCTION uint64_t modulo_words(struct modulus m, const uint64_t *word, int count)
{
    uint64_t r = 0, flip = 0 - (word[count - 1] >> 63); /* of a negative one, the size less one is ~word */
    for (int i = count - 1; i >= 0; i--) r = modulo_pair(m, r, word[i] ^ flip);
    return flip ? m.p - 1 - r : r;
}

/* For p of k <= 31 bits, of which the quotient takes the upper ones of the product: it is right or up to 3 too small.
 */
MODULO_FUNCTION uint64_t modulo_multiply_short(struct modulus m, uint32_t a, uint32_t b)
{
    uint64_t product = (uint64_t)a * b, twice = 2 * m.p;
    uint32_t reciprocal = (uint32_t)(m.quotient >> ((2 * m.shift - 64) & 63)); /* floor((2^2k - 1) / p) */
    uint64_t q = (uint64_t)(uint32_t)(product >> ((63 - m.shift) & 63)) * reciprocal >> ((65 - m.shift) & 63);
    uint64_t r = product - (uint64_t)(uint32_t)q * (uint32_t)m.p;
    r = r >= twice ? r - twice : r;
    return r >= m.p ? r - m.p : r;
}

/* Sums and products of residues; a sum of large ones may leave a word, so it is compared before it is made. */
MODULO_FUNCTION uint64_t modulo_add(struct modulus m, uint64_t a, uint64_t b)
{
    if (MODULO_FITS_HALF(m)) return modulo_reduced_half(m, (uint32_t)a + (uint32_t)b);
    uint64_t room = m.p - b;
    return a >= room ? a - room : a + b;
}

MODULO_FUNCTION uint64_t modulo_multiply(struct modulus m, uint64_t a, uint64_t b)
{
    if (IS_SHORT_MODULUS(m)) return modulo_multiply_short(m, (uint32_t)a, (uint32_t)b);
    uint128 product = (uint128)a * b;
    return modulo_pair(m, (uint64_t)(product >> 64), (uint64_t)product);
}

#if !defined(__CUDACC_RTC__) && !defined(TALLY_SIMT)

/* p >= 2, or 0 for none. */
MODULO_FUNCTION struct modulus modulus_of(uint64_t p)
{
    struct modulus m = {p, 0, 0, 0};
    if (p == 0) return m;
    m.quotient = UINT64_MAX / p;
    m.shift = __builtin_clzll(p);
    m.inverse = (uint64_t)(~(uint128)0 / (p << m.shift));
    return m;
}

#endif
#endif
