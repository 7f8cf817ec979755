/* SPDX-License-Identifier: MIT
 *
 * method_fold.cuh - unordered folds, one or (minmax) two side by side: any order of elements gives the same bits.
 * METHOD_MINMAX chooses the second form. */
#ifndef TALLY_METHOD_CUH
#define TALLY_METHOD_CUH

#if defined(METHOD_MINMAX)
#include "finish.cuh"
#else
#include "finish_fold.cuh"
#endif

#if defined(METHOD_MINMAX)
#define FIRST_STEP(name) STEP(name, VALUE, MINIMUM)
#define SECOND_STEP(name) STEP(name, VALUE, MAXIMUM)
#else
#define FIRST_STEP(name) STEP(name, OP_LIFT, OP_COMBINE)
#endif

struct state {
    int64_t absent;
    struct FIRST_STEP(wide) first;
#if defined(METHOD_MINMAX)
    struct SECOND_STEP(wide) second;
#endif
};

DEVICE void state_open(struct state *s)
{
    s->absent = 0;
    s->first = FIRST_STEP(wide_identity)();
#if defined(METHOD_MINMAX)
    s->second = SECOND_STEP(wide_identity)();
#endif
}

/* A tile takes no more elements than a lane can hold. */
#define ABSORB(step, into)                                           \
    do {                                                             \
        struct step(lane) lane = step(lane_identity)();              \
        _Pragma("unroll") for (int i = 0; i < TILE; i++)             \
        {                                                            \
            struct step(lane) lifted = step(lift)(x[i], y[i]);       \
            if (!(present >> i & 1)) lifted = step(lane_identity)(); \
            step(lane_combine)(&lane, lifted);                       \
        }                                                            \
        step(wide_combine)(&(into), step(widen)(lane));              \
    } while (0)

DEVICE void state_absorb(struct state *s, const element *x, const element *y, const int64_t *place, tile_mask present)
{
    (void)place;
    ABSORB(FIRST_STEP, s->first);
#if defined(METHOD_MINMAX)
    ABSORB(SECOND_STEP, s->second);
#endif
}

/* Sums of bytes and of 16-bit integers, four or two to an instruction. */
#if CONTIGUOUS && defined(PICK_VALUE_ADD) && !defined(METHOD_MINMAX) && (!WITH_WHERE || IS_FILLED) && \
    (defined(ONLY_TYPE_i8) || defined(ONLY_TYPE_u8) || defined(ONLY_TYPE_i16) || defined(ONLY_TYPE_u16))
#define ABSORB_VECTORS
DEVICE void state_absorb_vectors(struct state *s, const struct vector16 *v) /* zeros count for nothing */
{
#if defined(ONLY_TYPE_i8) || defined(ONLY_TYPE_i16)
    int32_t sum = 0;
#else
    uint32_t sum = 0;
#endif
#pragma unroll
    for (int i = 0; i < 4 * VECTORS; i++) {
        uint32_t word = v[i / 4].word[i % 4];
#if defined(ONLY_TYPE_i8)
        sum = __dp4a((int)word, 0x01010101, sum);
#elif defined(ONLY_TYPE_u8)
        sum = __dp4a(word, 0x01010101u, sum);
#elif defined(ONLY_TYPE_i16)
        sum += (int32_t)(int16_t)word + ((int32_t)word >> 16);
#else
        sum += (word & 0xffff) + (word >> 16);
#endif
    }
    s->first.part[0] += (uint64_t)(int64_t)sum;
}
#endif

#include "pairs_of_bytes.cuh"

/* The largest or smallest of bytes, two to an instruction. */
#if CONTIGUOUS && (!WITH_WHERE || IS_FILLED) && defined(BETTER_OF_16) && \
    (defined(PICK_VALUE_MAXIMUM) || defined(PICK_VALUE_MINIMUM)) && !defined(METHOD_MINMAX)
#define ABSORB_FULL_VECTORS
DEVICE void open_absorb_full_vectors(struct state *s, const struct vector16 *v, const int64_t *place)
{
    (void)place;
    uint32_t even = v[0].word[0] << 8 & 0xff00ff00u, odd = v[0].word[0] & 0xff00ff00u;
    struct FIRST_STEP(lane) lane = FIRST_STEP(lane_identity)();
#pragma unroll
    for (int i = 1; i < 4 * VECTORS; i++) {
        uint32_t word = v[i / 4].word[i % 4];
        even = BETTER_OF_16(even, __byte_perm(word, 0, 0x2404));
        odd = BETTER_OF_16(odd, word & 0xff00ff00u);
    }
    even = BETTER_OF_16(even, odd);
#pragma unroll
    for (int half = 0; half < 2; half++) {
        storage byte = (storage)(even >> (8 + 16 * half));
        element x = load_element(&byte, 0);
        FIRST_STEP(lane_combine)(&lane, FIRST_STEP(lift)(x, x));
    }
    FIRST_STEP(wide_combine)(&s->first, FIRST_STEP(widen)(lane));
}
#endif

/* Both of bytes. */
#if defined(METHOD_MINMAX)
#include "pairs_of_both.cuh"
#if CONTIGUOUS && !WITH_WHERE && BOTH_IN_WORDS && ELEMENT_BYTES == 1
#define ABSORB_FULL_VECTORS
DEVICE void open_absorb_full_vectors(struct state *s, const struct vector16 *v, const int64_t *place)
{
    uint32_t least[2] = {NEVER_LEAST, NEVER_LEAST}, most[2] = {NEVER_MOST, NEVER_MOST};
    (void)place;
#pragma unroll
    for (int i = 0; i < 4 * VECTORS; i++) {
        uint32_t word = v[i / 4].word[i % 4];
        least[0] = LEAST_OF_PAIRS(least[0], word << 8), most[0] = MOST_OF_PAIRS(most[0], word << 8);
        least[1] = LEAST_OF_PAIRS(least[1], word), most[1] = MOST_OF_PAIRS(most[1], word);
    }
    uint32_t low = LEAST_OF_PAIRS(least[0], least[1]), high = MOST_OF_PAIRS(most[0], most[1]);
#pragma unroll
    for (int half = 0; half < 2; half++) {
        storage bytes[2] = {(storage)(low >> (8 + 16 * half)), (storage)(high >> (8 + 16 * half))};
        element x = load_element(bytes, 0), y = load_element(bytes, 1);
        FIRST_STEP(wide_combine)(&s->first, FIRST_STEP(widen)(FIRST_STEP(lift)(x, x)));
        SECOND_STEP(wide_combine)(&s->second, SECOND_STEP(widen)(SECOND_STEP(lift)(y, y)));
    }
}
#endif
#endif

#include "open_is_state.cuh"

DEVICE void state_merge(struct state *a, const struct state *b)
{
    a->absent += b->absent;
    FIRST_STEP(wide_combine)(&a->first, b->first);
#if defined(METHOD_MINMAX)
    SECOND_STEP(wide_combine)(&a->second, b->second);
#endif
}

#if defined(METHOD_MINMAX)
#define FINISH_SIDE(total, to)                                                            \
    do {                                                                                  \
        if (ELEMENT_KIND & KIND_FLOAT) finish_real((double)(total).part[0] + 0.0, 0, to); \
        else finish_integer((uint64_t)(total).part[0], ELEMENT_KIND == KIND_SIGNED, to);  \
    } while (0)

DEVICE uint32_t state_finish(const struct reduce_parameters *p, const struct state *s, int64_t n, int64_t cell,
                             char *out)
{
    char *other = out + p->step * RESULT_SIZE;
    (void)cell;
    if (n == 0) return finish_empty(p, 1, out) | finish_empty(p, 1, other);
    FINISH_SIDE(s->first, out);
    FINISH_SIDE(s->second, other);
    return 0;
}
#else
/* Writes the result of a cell of n present elements; FAILED_... or 0. */
DEVICE uint32_t state_finish(const struct reduce_parameters *p, const struct state *s, int64_t n, int64_t cell,
                             char *out)
{
    (void)cell;
    return finish_fold(p, s->first, n, out);
}
#endif

#endif
