/* SPDX-License-Identifier: MIT
 *
 * strip_shift.cuh - units of 4 or 8 bytes that begin at any element: if elements are smaller, the two aligned units
 * that a unit lies in are read and shifted. No include guard. */
#define HAS_SHIFT (ELEMENT_SIZE < UNIT_BYTES)

#if UNIT_BYTES == 8
#include "shifted.cuh"

typedef uint64_t unit_word;
#else
typedef uint32_t unit_word;
#endif

/* No one writes to what is read here. */
DEVICE unit_word load_word(const char *address)
{
#if UNIT_BYTES == 8
    return load_eight(address);
#elif defined(TALLY_SIMT)
    unit_word word;
    check_aligned((uintptr_t)address, sizeof word);
    memcpy(&word, address, sizeof word);
    return word;
#else
    return __ldg((const unsigned int *)address);
#endif
}

/* Of units at the ends of the operand. */
DEVICE_CALL unit_word load_end(const char *x, const char *high)
{
    storage stored[UNIT_BYTES / sizeof(storage)];
    unit_word word;
    memset(stored, 0, sizeof stored);
    for (int i = 0; i < (int)(UNIT_BYTES / sizeof(storage)); i++) {
        if (x + i * sizeof(storage) < high) stored[i] = ((const storage *)x)[i];
    }
    memcpy(&word, stored, sizeof word);
    return word;
}

/* The unit at an address, out of the two aligned ones that it lies in. */
DEVICE_UNUSED unit_word shift_unit(unit_word low, unit_word high, uint32_t at)
{
#if UNIT_BYTES == 8
    return shift_eight(low, high, at);
#else
    (void)high, (void)at;
    return low;
#endif
}

/* Of the first of them. */
DEVICE const char *aligned_unit(const char *x)
{
    return (const char *)((uintptr_t)x & ~(uintptr_t)(UNIT_BYTES - 1));
}

/* Whether the operand has all of the aligned units that those at some addresses lie in. */
DEVICE int units_lie_inside(const struct walk *w, const char *const *x, int32_t count)
{
    int inside = 1;
#pragma unroll
    for (int d = 0; d < DEPTH && HAS_SHIFT; d++) {
        const char *first = aligned_unit(x[d]);
        inside &= d >= count || (first >= w->p->low && first + 2 * UNIT_BYTES <= w->p->high);
    }
    return inside;
}

/* The first `count` units, and zeros. */
DEVICE void load_units(const struct walk *w, const char *const *x, int32_t count, struct vector16 *v)
{
    unit_word low[DEPTH], high[DEPTH];
#pragma unroll
    for (int d = 0; d < DEPTH; d++) low[d] = high[d] = 0;
    if (w->inside || units_lie_inside(w, x, count)) {
#pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            const char *first = aligned_unit(x[d]);
            if (d < count) low[d] = load_word(first);
            if (d < count && HAS_SHIFT) high[d] = load_word(first + UNIT_BYTES);
        }
#pragma unroll
        for (int d = 0; d < DEPTH && HAS_SHIFT; d++) low[d] = shift_unit(low[d], high[d], (uint32_t)(uintptr_t)x[d]);
    } else {
#pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            if (d < count) low[d] = load_end(x[d], w->p->high);
        }
    }
#pragma unroll
    for (int d = 0; d < DEPTH; d++) {
        memset(&v[d], 0, sizeof v[d]);
        memcpy(&v[d], &low[d], sizeof low[d]);
    }
}
