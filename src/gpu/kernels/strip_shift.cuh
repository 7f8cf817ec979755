/* SPDX-License-Identifier: MIT
 *
 * strip_shift.cuh - units of 4 or 8 bytes that begin at any element: if elements are smaller, the two aligned units
 * that a unit lies in are read and shifted. No include guard. */
#define HAS_SHIFT (ELEMENT_SIZE < UNIT_BYTES)

#if UNIT_BYTES == 8
typedef uint64_t unit_word;
#else
typedef uint32_t unit_word;
#endif

/* No one writes to what is read here. */
DEVICE unit_word load_word(const char *address)
{
    unit_word word;
#if defined(TALLY_SIMT)
    memcpy(&word, address, sizeof word);
#elif UNIT_BYTES == 8
    asm("ld.global.nc.u64 %0, [%1];" : "=l"(word) : "l"(address));
#else
    asm("ld.global.nc.u32 %0, [%1];" : "=r"(word) : "l"(address));
#endif
    return word;
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

DEVICE void load_units(const struct walk *w, const char *const *x, struct vector16 *v)
{
    unit_word low[DEPTH], high[DEPTH];
    int inside = 1;
#pragma unroll
    for (int d = 0; d < DEPTH && HAS_SHIFT; d++) {
        const char *first = x[d] - ((uintptr_t)x[d] & (UNIT_BYTES - 1));
        inside &= (first >= w->p->low) & (first + 2 * UNIT_BYTES <= w->p->high);
    }
    if (inside) {
#pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            const char *first = x[d] - ((uintptr_t)x[d] & (UNIT_BYTES - 1));
            low[d] = load_word(first);
            high[d] = HAS_SHIFT ? load_word(first + UNIT_BYTES) : 0;
        }
#pragma unroll
        for (int d = 0; d < DEPTH && HAS_SHIFT; d++) {
            uint32_t shift = (uint32_t)((uintptr_t)x[d] & (UNIT_BYTES - 1)) * 8;
            low[d] = low[d] >> shift | high[d] << 1 << (8 * UNIT_BYTES - 1 - shift);
        }
    } else {
#pragma unroll
        for (int d = 0; d < DEPTH; d++) low[d] = load_end(x[d], w->p->high);
    }
#pragma unroll
    for (int d = 0; d < DEPTH; d++) {
        memset(&v[d], 0, sizeof v[d]);
        memcpy(&v[d], &low[d], sizeof low[d]);
    }
}
