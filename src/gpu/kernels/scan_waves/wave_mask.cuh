/* SPDX-License-Identifier: MIT
 *
 * wave_mask.cuh - masks of scan_wave.cu. In a warp's room, absent elements give way to one that changes no total, as
 * soon as they have arrived. No include guard. */

#if WITH_WHERE
#include "mask_vectors.cuh"

/* Whether the part's masks lie behind each other, and those of each vector in a word of theirs. */
DEVICE int masks_are_whole(const struct scan_parameters *given, const struct chunk *c, const struct part *part)
{
    if (MASK_STEP(given) != 1 || (part->begin | part->count) % PER_VECTOR) return 0;
    return (uintptr_t)(c->mask + part->offset) % PER_VECTOR == 0;
}

/* Has the masks of a chunk on their way to the L2 cache. */
DEVICE void prefetch_masks(const struct scan_parameters *given, const struct chunk *c)
{
    enum { LINE = 128 };
    struct part part = part_of(c);
    if (MASK_STEP(given) != 1) return;
    for (int32_t i = ((int32_t)threadIdx.x & 31) * LINE; i < part.count; i += 32 * LINE)
        prefetch(c->mask + part.offset + i);
}

/* Reads a chunk's masks if words will do; what is not there counts as present. */
DEVICE void load_masks(const struct scan_parameters *given, const struct chunk *c, struct masks *masks)
{
    struct part part = part_of(c);
    const unsigned char *from = c->mask + part.offset;
    int32_t lane = (int32_t)threadIdx.x & 31;
    masks->are_whole = masks_are_whole(given, c, &part);
    if (!masks->are_whole) return;
#pragma unroll
    for (int k = 0; k < VECTORS; k++) {
        int32_t first = (k * 32 + lane) * PER_VECTOR - part.begin;
        memset(masks->byte[k], 1, sizeof masks->byte[k]);
        if (first < 0 || first >= part.count) continue;
        load_masks_of_vector(from + first, masks->byte[k]);
    }
}

/* The same of masks that lie anyhow: byte by byte, several under way at once. */
DEVICE_CALL void mask_by_elements(const struct scan_parameters *given, struct chunk c, struct vector16 *room)
{
    enum { AT_ONCE = 8 };
    struct part part = part_of(&c);
    storage *to = (storage *)room + part.begin, filling;
    int64_t step = MASK_STEP(given);
    int32_t lane = (int32_t)threadIdx.x & 31;
    memcpy(&filling, &given->fill, sizeof filling);
    for (int32_t i = lane; i < part.count; i += AT_ONCE * 32) {
        unsigned char byte[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            byte[k] = 1;
            if (i + k * 32 < part.count) byte[k] = c.mask[(part.offset + i + k * 32) * step];
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            if (!byte[k]) to[i + k * 32] = filling;
        }
    }
    __syncwarp();
}

/* Every lane calls it once the part is in its room, and has met the others. */
DEVICE void mask_part(const struct scan_parameters *given, const struct chunk *c, const struct masks *masks,
                      struct vector16 *room)
{
    if (masks->are_whole) mask_vectors(given->fill, masks, room);
    else mask_by_elements(given, *c, room);
}
#endif
