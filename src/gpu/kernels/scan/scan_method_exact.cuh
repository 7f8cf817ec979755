/* SPDX-License-Identifier: MIT
 *
 * scan_method_exact.cuh - what scan.cu carries along for exact running sums: words (exact_words.cuh), which are rounded
 * at every element. */
#ifndef TALLY_SCAN_METHOD_CUH
#define TALLY_SCAN_METHOD_CUH

#include "sums.cuh"
#include "words_of_type.cuh"

#if !defined(TILE)
#define TILE 16 /* a run is a tile */
#endif

#include "again.cuh"
#include "exact_tile.cuh"
#include "finish_exact.cuh"
#include "scan_carry.cuh"

struct state {
    struct words sum[SUMS];
};

/* Of rounds in which lanes pass states on: each takes a hundred instructions. */
#define ROUNDS_UNROLL _Pragma("unroll 1")

DEVICE struct state state_identity(void)
{
    struct state s;
    for (int i = 0; i < SUMS; i++) words_clear(&s.sum[i]);
    return s;
}

DEVICE void state_add(struct state *s, element x)
{
#if IS_COMPLEX
    s->sum[0] = words_add_double(s->sum[0], (double)x.re, 0);
    s->sum[1] = words_add_double(s->sum[1], (double)x.im, 0);
#elif IS_FLOAT
    s->sum[0] = words_add_double(s->sum[0], (double)x.v, 0);
#else
    uint64_t bits = ELEMENT_KIND == KIND_BOOLEAN ? x.v != 0 : (uint64_t)(int64_t)x.v;
    words_add(&s->sum[0], bits, ELEMENT_KIND == KIND_SIGNED && (int64_t)bits < 0 ? -1 : 0, 0);
#endif
}

DEVICE struct state state_initial(const struct reduce_parameters *p)
{
    struct state s = state_identity();
    if (!p->has_initial) return s;
#if IS_FLOAT
    for (int i = 0; i < SUMS; i++) s.sum[i] = words_add_double(s.sum[i], initial_real(p, i), 0);
#else
    if (RESULT_KIND & KIND_FLOAT) {
        s.sum[0] = words_add_double(s.sum[0], initial_real(p, 0), 0);
    } else {
        uint64_t bits = initial_integer(p);
        words_add(&s.sum[0], bits, RESULT_KIND == KIND_SIGNED && (int64_t)bits < 0 ? -1 : 0, 0);
    }
#endif
    return s;
}

/* What comes before a cell's first element. */
DEVICE_CALL struct state state_first(const struct scan_parameters *given, int64_t cell)
{
#if WITH_CARRY
    struct state s = state_identity();
    for (int i = 0; i < SUMS; i++) {
        struct carried_sum carried = carried_sum_of(given, cell, i);
        s.sum[i].special = carried.special;
#pragma unroll 1
        for (int64_t k = 0; k < carried.limbs; k++) {
            int32_t place = carried.place + (int32_t)k * CARRY_LIMB_BITS;
            int64_t limb = (int64_t)carried.limb[k];
            if (limb == 0) continue;
#if defined(FIXED_LOW)
            /* An initial value of a wider type may be in it. Elements alone stay far below the window's top. */
            int32_t bits = 64 - __clzll(limb < 0 ? -limb : limb);
            if (place < 64 * FIXED_LOW || place + bits > 64 * (FIXED_LOW + WORDS) - 8) {
                s.sum[i].special |= EXACT_FAILED;
                continue;
            }
#endif
            words_add_integer(&s.sum[i], limb, place);
        }
    }
    return s;
#else
    (void)cell;
    return state_initial(&given->reduce);
#endif
}

DEVICE void state_append(struct state *a, const struct state *b)
{
    for (int i = 0; i < SUMS; i++) words_merge(&a->sum[i], b->sum[i]);
}

#if IS_FLOAT
#include "scan_fast_run.cuh"
#endif

/* Writes a running sum; FAILED_... or 0. */
DEVICE_CALL uint32_t state_put(struct state s, int check_only, char *out)
{
    uint32_t special = 0;
    for (int i = 0; i < SUMS; i++) special |= s.sum[i].special;
    if (special & EXACT_FAILED) return FAILED_WINDOW;
    if (RESULT_KIND & KIND_FLOAT) {
        finish_words(s.sum, 1, out);
        return 0;
    }
    struct exact_sum sum;
    words_read(&s.sum[0], &sum);
    return finish_whole(&sum, check_only ? 0 : out);
}

DEVICE uint32_t state_store(const struct state *s, int check_only, char *out)
{
    return state_put(*s, check_only, out);
}

#endif
