/* SPDX-License-Identifier: MIT
 *
 * mask_vectors.cuh - the masks of vectors of elements in shared memory, in registers, and how absent elements give way
 * to one that changes no total: for scan_wave.cu and scan_rows.cu. No include guard. */
#include "mask_words.cuh"

/* Mask bytes of the vectors of a warp's room: of vector k * 32 + lane. */
struct masks {
    uint32_t byte[VECTORS][PER_VECTOR > 4 ? PER_VECTOR / 4 : 1];
    int32_t are_whole; /* else they have not been read */
};

/* Reads those of a vector, which lie in a word of theirs. */
DEVICE void load_masks_of_vector(const unsigned char *from, uint32_t *byte)
{
#if ELEMENT_BYTES == 1
    struct vector16 v = load_vector(from);
    memcpy(byte, &v, sizeof v);
#elif ELEMENT_BYTES == 2
    uint64_t bytes = *(const uint64_t *)from;
    byte[0] = (uint32_t)bytes;
    byte[1] = (uint32_t)(bytes >> 32);
#elif ELEMENT_BYTES == 4
    byte[0] = *(const uint32_t *)from;
#else
    byte[0] = *(const uint16_t *)from;
#endif
}

/* Every lane calls it for the vectors of a room that is filled. */
DEVICE void mask_vectors(uint64_t fill, const struct masks *masks, struct vector16 *room)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
#pragma unroll
    for (int k = 0; k < VECTORS; k++) {
        struct vector16 v = room[k * 32 + lane];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            uint32_t present = present_bits(masks->byte[k], i);
            v.word[i] = (v.word[i] & present) | (filling_word(fill, i) & ~present);
        }
        room[k * 32 + lane] = v;
    }
    __syncwarp();
}
