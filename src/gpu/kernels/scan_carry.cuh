/* SPDX-License-Identifier: MIT
 *
 * scan_carry.cuh - the state that a scan starts from or leaves behind, as words of output_state.h without the count of
 * absent elements. Included after scan_method_*.cuh. */
#ifndef TALLY_SCAN_CARRY_CUH
#define TALLY_SCAN_CARRY_CUH

#include "output_state.h"

#include "program.cuh"

#if defined(METHOD_EXACT)
#define CARRY_WORDS (OUTPUT_SUM * SUMS)

DEVICE_UNUSED struct state carry_load(const uint64_t *from)
{
    struct state s = state_identity();
    for (int k = 0; k < SUMS; k++, from += OUTPUT_SUM) {
        s.sum[k].special = (uint32_t)from[0];
        s.sum[k].low = (int32_t)(uint32_t)(from[0] >> 32);
        for (int i = 0; i < WORDS; i++) s.sum[k].w[i] = from[1 + i];
    }
    return s;
}

DEVICE_UNUSED void carry_store(const struct state *s, uint64_t *to)
{
    for (int k = 0; k < SUMS; k++, to += OUTPUT_SUM) {
        to[0] = (uint64_t)(uint32_t)s->sum[k].low << 32 | s->sum[k].special;
        for (int i = 0; i + 1 < OUTPUT_SUM; i++)
            to[1 + i] = i < WORDS ? s->sum[k].w[i] : (uint64_t)((int64_t)s->sum[k].w[WORDS - 1] >> 63);
    }
}

#else
#define CARRY_WORDS FOLD(parts)

DEVICE_UNUSED struct state carry_load(const uint64_t *from)
{
    struct state s = state_identity();
    for (int i = 0; i < FOLD(parts); i++) {
        if (FOLD(is_real)) s.total.part[i] = double_from_bits(from[i]);
        else s.total.part[i] = from[i];
    }
    return s;
}

DEVICE_UNUSED void carry_store(const struct state *s, uint64_t *to)
{
    for (int i = 0; i < FOLD(parts); i++)
        to[i] = FOLD(is_real) ? double_bits((double)s->total.part[i]) : (uint64_t)(int64_t)s->total.part[i];
}
#endif

#endif
