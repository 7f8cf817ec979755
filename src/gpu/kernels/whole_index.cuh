/* SPDX-License-Identifier: MIT
 *
 * whole_index.cuh - argmin and argmax of reduce_whole.cu: threads and blocks merge their best values with the numbers
 * of the chunks where these stand first; the last block goes through that chunk again. No include guard. */

/* The place of a tile's first element that is as good as `best`; -1: there is none. */
DEVICE_CALL int64_t find_in_tile(struct array a, int64_t chunk, element best)
{
    struct tile tile = load_tile(&a, chunk);
    int32_t at = -1;
#pragma unroll
    for (int i = TILE - 1; i >= 0; i--) {
        element x = chunk_element(&tile.x[i / VECTOR], i % VECTOR);
        int counts = (tile.inside >> i & 1) != 0 && !(SKIP_NAN && element_is_nan(x));
        if (counts && !index_beats(best, x)) at = i;
    }
    if (at < 0) return -1;
    return a.first + (chunk * CHUNK + (int64_t)threadIdx.x + at / VECTOR * THREADS) * VECTOR + at % VECTOR;
}

/* With the chunk's number as its index. */
DEVICE struct state close_with_chunk(const struct array *a, const struct open_state *open)
{
    struct state s = open->s;
    if (open->tile == NO_TILE) return s;
    s.value = open->best;
    s.index = (open->tile - a->first) / VECTOR / CHUNK;
    return s;
}

/* From the state of the whole array, in thread 0, to the same with the element's index; every thread of the block comes
 * here. */
DEVICE struct state locate(const struct array *a, struct state s)
{
    __shared__ struct state all;
    if (threadIdx.x == 0) all = s;
    __syncthreads();
    struct state found = {0, -1, all.value};
    if (all.index >= 0) found.index = find_in_tile(*a, all.index, all.value);
    found = merge_block(found);
    found.absent = all.absent;
    return found;
}
