/* SPDX-License-Identifier: MIT
 *
 * vector_part.cuh - vectors of which only some elements belong to a run: a range is from | to << 8. No include guard.
 */

/* What stands in for an element that is not there: zero, or one where elements are multiplied, or another that is
 * there, where the same number may come twice, or is what all are relative to. */
#if (defined(METHOD_EXACT) && !HAS_ORIGINS) || defined(QUICK_IS_WIDE) || defined(PICK_VALUE_XOR)
#define ZERO_IS_NOTHING 1
#else
#define ZERO_IS_NOTHING 0
#endif
#if defined(PICK_VALUE_MULTIPLY) || defined(PICK_VALUE_MULTIPLY_MODULO)
#define ONE_IS_NOTHING 1
#else
#define ONE_IS_NOTHING 0
#endif

enum { WHOLE = IN_VECTOR << 8 }; /* elements [0, IN_VECTOR) */

DEVICE int32_t elements_ahead(const char *address)
{
    return (int32_t)((uintptr_t)address & 15) / ELEMENT_SIZE;
}

/* Of a vector that begins at element `first` of a run; 0: none. */
DEVICE_UNUSED int32_t range_within(int64_t first, int64_t length)
{
    int64_t left = length - first;
    int32_t from = first < 0 ? (int32_t)-first : 0, to = left < IN_VECTOR ? (int32_t)left : IN_VECTOR;
    return from < to ? from | to << 8 : 0;
}

/* A vector of what may stand in for elements, if that is always the same; else a copy of another vector. */
DEVICE_UNUSED struct vector16 nothing_or(const struct vector16 *other)
{
    struct vector16 v = *other;
#if ONE_IS_NOTHING
    storage ones[16 / sizeof(storage)];
#pragma unroll
    for (int i = 0; i < (int)(16 / sizeof(storage)); i++) ones[i] = 1;
    memcpy(&v, ones, sizeof v);
#elif ZERO_IS_NOTHING
    memset(&v, 0, sizeof v);
#endif
    return v;
}

/* What may stand in for elements that are not there: zeros, ones, or one that is. */
DEVICE_UNUSED struct vector16 nothing_of(const char *x)
{
    storage stored[16 / sizeof(storage)];
    struct vector16 v;
    memset(stored, 0, sizeof stored);
#pragma unroll
    for (int i = 0; i < (int)(16 / sizeof(storage)) && !ZERO_IS_NOTHING; i++)
        stored[i] = ((const storage *)x)[i % (int)(ELEMENT_SIZE / sizeof(storage))];
    memcpy(&v, stored, sizeof v);
    return nothing_or(&v);
}

/* Elements of a vector of which not all may be read. */
DEVICE_CALL __attribute__((unused)) struct vector16 load_elements(const char *x, int32_t range)
{
    enum { PARTS = ELEMENT_SIZE / sizeof(storage) };
    storage stored[16 / sizeof(storage)];
    struct vector16 v;
    memset(stored, 0, sizeof stored);
#pragma unroll
    for (int i = 0; i < (int)(16 / sizeof(storage)); i++) {
        if (i / PARTS >= (range & 255) && i / PARTS < range >> 8) stored[i] = ((const storage *)x)[i];
    }
    memcpy(&v, stored, sizeof v);
    return v;
}

/* Ones in the bytes of a word that lie before byte `end` of its vector. */
DEVICE_UNUSED uint32_t bytes_before(int32_t end, int word)
{
    int32_t bits = 8 * end - 32 * word;
    bits = bits < 0 ? 0 : bits;
#if defined(TALLY_SIMT)
    return bits < 32 ? (1u << bits) - 1 : 0xffffffffu;
#else
    uint32_t mask;
    asm("bmsk.clamp.b32 %0, 0, %1;" : "=r"(mask) : "r"(bits));
    return mask;
#endif
}

DEVICE_UNUSED struct vector16 vector_between(struct vector16 v, int32_t range, const struct vector16 *nothing)
{
#pragma unroll
    for (int i = 0; i < 4; i++) {
        uint32_t mask = bytes_before((range >> 8) * ELEMENT_SIZE, i) & ~bytes_before((range & 255) * ELEMENT_SIZE, i);
        v.word[i] = (v.word[i] & mask) | (nothing->word[i] & ~mask);
    }
    return v;
}

/* The vector at an address with what lies around the range, as far as that is the operand's. */
DEVICE_UNUSED struct vector16 load_range(const struct reduce_parameters *p, const char *x, int32_t range)
{
    if (x >= p->low && x + 16 <= p->high) return load_vector(x);
    return load_elements(x, range);
}
