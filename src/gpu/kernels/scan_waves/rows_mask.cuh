/* SPDX-License-Identifier: MIT
 *
 * rows_mask.cuh - masks of scan_rows.cu. In a tile's stage, absent elements give way to one that changes no total, as
 * soon as they have arrived. No include guard. */

#if WITH_WHERE
#include "mask_vectors.cuh"

/* Bytes from an element's mask to that of the one whose result lies behind its own. */
DEVICE int64_t mask_step(const struct reduce_parameters *p)
{
    return BACKWARD ? -p->reduced[0].where : p->reduced[0].where;
}

/* Of all rows, that of the element whose result lies lowest. */
DEVICE const unsigned char *first_mask(const struct reduce_parameters *p)
{
    return p->where - (BACKWARD ? (p->length - 1) * mask_step(p) : 0);
}

/* Whether masks lie behind each other as results do, where these have no gaps. */
DEVICE int masks_are_dense(const struct reduce_parameters *p)
{
    return mask_step(p) == 1 && p->kept[0].where == p->length;
}

/* The masks of such a tile: of its element 0, which the span may not have. */
DEVICE const unsigned char *masks_of_tile(const struct reduce_parameters *p, const struct span *s, const struct tile *t)
{
    return first_mask(p) + (t->at - s->shift);
}

/* Has a tile's masks on their way to the L2 cache. */
DEVICE void prefetch_masks(const struct reduce_parameters *p, const struct span *s, int32_t number)
{
    enum { LINE = 128 };
    if (number >= s->tiles || !masks_are_dense(p)) return;
    struct tile t = tile_of(s, number);
    const unsigned char *from = masks_of_tile(p, s, &t);
    for (int32_t i = t.low + ((int32_t)threadIdx.x & 31) * LINE; i < t.high; i += 32 * LINE) prefetch(from + i);
}

/* Reads those of a tile's whole vectors if words will do; others count as present. */
DEVICE void load_masks(const struct reduce_parameters *p, const struct span *s, const struct tile *t,
                       struct masks *masks)
{
    const unsigned char *from = masks_of_tile(p, s, t);
    masks->are_whole = masks_are_dense(p) && (uintptr_t)from % PER_VECTOR == 0;
    if (!masks->are_whole) return;
#pragma unroll
    for (int k = 0; k < VECTORS; k++) {
        int32_t first = (k * 32 + ((int32_t)threadIdx.x & 31)) * PER_VECTOR;
        memset(masks->byte[k], 1, sizeof masks->byte[k]);
        if (first >= t->bulk_low && first < t->bulk_high) load_masks_of_vector(from + first, masks->byte[k]);
    }
}

/* The same for elements [low, high) of a tile, the first of which is element `first` of all rows, whose masks lie
 * anyhow: byte by byte, several under way at once. */
DEVICE void mask_range(const struct scan_parameters *given, int64_t first, int32_t low, int32_t high, storage *stage)
{
    enum { AT_ONCE = 8 };
    const struct reduce_parameters *p = &given->reduce;
    int64_t at = first + low + ((int32_t)threadIdx.x & 31), row = at / p->length, step = mask_step(p);
    struct hop hop = hop_at(p, (int32_t)(at - row * p->length), 32);
    const unsigned char *from = first_mask(p) + row * p->kept[0].where;
    storage filling;
    memcpy(&filling, &given->fill, sizeof filling);
#pragma unroll 1
    for (int32_t i = low + ((int32_t)threadIdx.x & 31); i < high; i += AT_ONCE * 32) {
        unsigned char byte[AT_ONCE];
#pragma unroll
        for (int32_t k = 0; k < AT_ONCE; k++, hop_on(p, &hop)) {
            byte[k] = 1;
            if (i + k * 32 < high) byte[k] = from[hop.row * p->kept[0].where + hop.in_row * step];
        }
#pragma unroll
        for (int32_t k = 0; k < AT_ONCE; k++) {
            if (!byte[k]) stage[i + k * 32] = filling;
        }
    }
}

/* All elements but whole vectors; t.at is of all rows. */
DEVICE_CALL void mask_by_elements(const struct scan_parameters *given, struct tile t, struct vector16 *stage)
{
    mask_range(given, t.at, t.low, t.bulk_low < t.high ? t.bulk_low : t.high, (storage *)stage);
    mask_range(given, t.at, t.bulk_high, t.high, (storage *)stage);
    __syncwarp();
}

/* Every lane calls it once the tile is in its stage. */
DEVICE void mask_tile(const struct scan_parameters *given, const struct span *s, struct tile t,
                      const struct masks *masks, struct vector16 *stage)
{
    if (masks->are_whole) {
        mask_vectors(given->fill, masks, stage);
        if (t.low == t.bulk_low && t.high == t.bulk_high) return;
    } else {
        t.bulk_low = t.bulk_high = t.high;
    }
    t.at -= s->shift;
    mask_by_elements(given, t, stage);
}
#endif
