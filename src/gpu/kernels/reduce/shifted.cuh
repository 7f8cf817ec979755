/* SPDX-License-Identifier: MIT
 *
 * shifted.cuh - eight bytes that begin at any element narrower than a word: the two aligned ones that they lie in are
 * read and shifted. No include guard. */

/* Of the first of the two. */
DEVICE const char *aligned_eight(const char *x)
{
    return (const char *)((uintptr_t)x & ~(uintptr_t)7);
}

/* No one writes to what is read here. */
DEVICE uint64_t load_eight(const char *address)
{
    check_aligned((uintptr_t)address, 8);
#if defined(TALLY_SIMT)
    uint64_t word;
    memcpy(&word, address, sizeof word);
    return word;
#else
    return __ldg((const unsigned long long *)address);
#endif
}

/* The eight bytes at an address, out of both. */
DEVICE uint64_t shift_eight(uint64_t low, uint64_t high, uint32_t at)
{
    int upper = (at & 4) != 0;
    uint32_t first = upper ? (uint32_t)(low >> 32) : (uint32_t)low;
    uint32_t middle = upper ? (uint32_t)high : (uint32_t)(low >> 32);
    uint32_t last = upper ? (uint32_t)(high >> 32) : (uint32_t)high;
    return (uint64_t)__funnelshift_r(middle, last, at * 8) << 32 | __funnelshift_r(first, middle, at * 8);
}
