/* SPDX-License-Identifier: MIT
 *
 * bytes.cuh - sums of bytes, four to an instruction. */
#ifndef TALLY_BYTES_CUH
#define TALLY_BYTES_CUH

#if defined(ONLY_TYPE_bool) || defined(PICK_NONZERO_ADD)
#define COUNTS_NONZERO 1
#else
#define COUNTS_NONZERO 0
#endif

/* 1 in each byte that is not zero. */
DEVICE_UNUSED uint32_t nonzero_bytes(uint32_t word)
{
    return (((word & 0x7f7f7f7fu) + 0x7f7f7f7fu) | word) >> 7 & 0x01010101u;
}

/* The sizes of four bytes with signs, without them. */
DEVICE_UNUSED uint32_t bytes_without_signs(uint32_t word)
{
    uint32_t negative = word >> 7 & 0x01010101u;
    return (word ^ negative * 255) + negative;
}

/* Adds the products of the bytes of two words, which have signs if elements do. */
DEVICE_UNUSED int32_t add_products(int32_t sum, uint32_t a, uint32_t b)
{
#if defined(ONLY_TYPE_i8)
    return __dp4a((int)a, (int)b, sum);
#else
    return (int32_t)__dp4a(a, b, (uint32_t)sum);
#endif
}

/* Adds the bytes of a word that `pick` has ones for. */
DEVICE_UNUSED int32_t add_bytes(int32_t sum, uint32_t word, uint32_t pick)
{
#if COUNTS_NONZERO
    return (int32_t)__dp4a(nonzero_bytes(word), pick, (uint32_t)sum);
#elif defined(PICK_MAGNITUDE) && defined(ONLY_TYPE_i8)
    return (int32_t)__dp4a(bytes_without_signs(word), pick, (uint32_t)sum);
#else
    return add_products(sum, word, pick);
#endif
}

#endif
