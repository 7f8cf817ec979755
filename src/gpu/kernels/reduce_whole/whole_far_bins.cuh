/* SPDX-License-Identifier: MIT
 *
 * whole_far_bins.cuh - the tiles of whole_far.cuh of narrow floats: bins of a thread, of which each takes the numbers
 * of a few binades. No include guard. */

/* A tile's numbers as floats' bits. */
struct tile_bits {
    uint32_t of[TILE];
};

DEVICE struct tile_bits bits_of_tile(const struct tile *tile)
{
    const uint32_t kept = LIFT_NUMBER == LIFT_MAGNITUDE ? 0x7fffffffu : 0xffffffffu;
    struct tile_bits bits;
#pragma unroll
    for (int i = 0; i < TILE; i++) {
        uint32_t word = tile->x[i / VECTOR].word[i % VECTOR * ELEMENT_SIZE / 4];
        if (ELEMENT_SIZE == 2) word = i % 2 ? word & 0xffff0000u : word << 16;
        bits.of[i] = word & kept;
    }
    return bits;
}

#if defined(ONLY_TYPE_bf16)
#include "bins_of_floats.cuh"
#else
#include "bins_of_doubles.cuh"
#endif
