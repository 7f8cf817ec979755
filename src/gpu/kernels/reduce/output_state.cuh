/* SPDX-License-Identifier: MIT
 *
 * output_state.cuh - writes a cell's state for the host to merge: see output_state.h. */
#ifndef TALLY_OUTPUT_STATE_CUH
#define TALLY_OUTPUT_STATE_CUH

#include "output_state.h"

#include "loops.cuh"

#define OUTPUT_PART(is_real, part) ((is_real) ? double_bits((double)(part)) : (uint64_t)(int64_t)(part))

#if defined(METHOD_EXACT)
#define OUTPUT_WORDS (1 + OUTPUT_SUM * SUMS)
#if EXACT_FAILED != OUTPUT_FAILED
#error "the host knows a failed sum by another bit"
#endif

DEVICE void output_value(const struct reduce_parameters *p, const struct state *s, int64_t cell, uint64_t *out)
{
    (void)p;
    (void)cell;
    for (int k = 0; k < SUMS; k++, out += OUTPUT_SUM) {
        const struct words *sum = &s->sum[k];
        out[0] = (uint64_t)(uint32_t)sum->low << 32 | sum->special;
        for (int i = 0; i + 1 < OUTPUT_SUM; i++)
            out[1 + i] = i < WORDS ? sum->w[i] : (uint64_t)((int64_t)sum->w[WORDS - 1] >> 63);
    }
}

#elif defined(METHOD_INDEX)
#define OUTPUT_WORDS 4

DEVICE void output_value(const struct reduce_parameters *p, const struct state *s, int64_t cell, uint64_t *out)
{
    int64_t at = cell_offsets(p, cell).x, i = s->index;
    out[0] = (uint64_t)s->index;
    out[1] = out[2] = 0;
    if (s->index < 0) return;
    for (int32_t d = p->reduced_count - 1; d >= 0; d--) {
        at += i % p->reduced[d].extent * p->reduced[d].x;
        i /= p->reduced[d].extent;
    }
    const char *from = (const char *)p->x + at * ELEMENT_SIZE;
    for (int k = 0; k < ELEMENT_SIZE; k++) ((char *)(out + 1))[k] = from[k];
}

#elif defined(METHOD_MINMAX)
#define OUTPUT_WORDS 3

DEVICE void output_value(const struct reduce_parameters *p, const struct state *s, int64_t cell, uint64_t *out)
{
    (void)p;
    (void)cell;
    out[0] = OUTPUT_PART(FIRST_STEP(is_real), s->first.part[0]);
    out[1] = OUTPUT_PART(SECOND_STEP(is_real), s->second.part[0]);
}

#else
#define OUTPUT_WORDS (1 + FIRST_STEP(parts))

DEVICE void output_value(const struct reduce_parameters *p, const struct state *s, int64_t cell, uint64_t *out)
{
    (void)p;
    (void)cell;
    for (int i = 0; i < FIRST_STEP(parts); i++) out[i] = OUTPUT_PART(FIRST_STEP(is_real), s->first.part[i]);
}
#endif

DEVICE void output_state(const struct reduce_parameters *p, const struct state *s, int64_t cell)
{
    uint64_t *out = (uint64_t *)p->out + cell * OUTPUT_WORDS;
    out[0] = (uint64_t)s->absent;
    output_value(p, s, cell, out + 1);
}

#endif
