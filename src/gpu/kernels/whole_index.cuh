/* SPDX-License-Identifier: MIT
 *
 * whole_index.cuh - argmin and argmax of reduce_whole.cu: once the best values are known, where they stand. No include
 * guard. */
struct candidate {
    element best;
    int32_t known;
};

SHUFFLE(candidate)

/* The place of a tile's first best element. */
DEVICE_CALL struct state search_tile(struct array a, int64_t chunk)
{
    struct tile tile = load_tile(&a, chunk);
    struct state s;
    element x[TILE];
    state_open(&s);
#pragma unroll
    for (int i = 0; i < TILE; i++) {
        x[i] = chunk_element(&tile.x[i / VECTOR], i % VECTOR);
        if (SKIP_NAN && element_is_nan(x[i])) tile.inside &= ~((tile_mask)1 << i);
    }
    state_absorb(&s, x, x, tile.place, tile.inside);
    return s;
}

DEVICE struct state open_close(const struct open_state *open)
{
    return open->s;
}

/* Lanes that have a value as good as the best of their warp look for its place; the others cannot win. */
DEVICE void locate(const struct array *a, struct open_state *open)
{
    struct candidate warp = {open->best, open->tile != NO_TILE};
    for (uint32_t lanes = 16; lanes > 0; lanes /= 2) {
        struct candidate other = candidate_xor(warp, lanes);
        if (other.known && (!warp.known || index_beats(other.best, warp.best))) warp = other;
    }
    if (open->tile == NO_TILE || index_beats(warp.best, open->best)) return;
    struct state found = search_tile(*a, (open->tile - a->first) / VECTOR / CHUNK);
    open->s.value = found.value;
    open->s.index = found.index;
}
