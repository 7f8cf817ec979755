/* SPDX-License-Identifier: MIT
 *
 * tall_whole.cuh - blocks of reduce_tall.cu that stay, and go from tile to tile of matrices: threads have columns from
 * the first row to the last, so that nobody merges, and what one warp fetches goes on to the next tile while others
 * take the last one. No include guard. */
#if HAS_WORDS
/* Columns that a thread's bits in `open` tell of once more, by its warp, in three doubles; these and those in `lost`,
 * of which that is not enough, in words. */
DEVICE_CALL void settle_again(const struct reduce_parameters *p, struct place place, struct walk walk, uint32_t open,
                              uint32_t lost)
{
    struct words sums[STRIP_TOTALS];
    int32_t lane = (int32_t)threadIdx.x & 31;
#pragma unroll 1
    for (int32_t k = 0; k < IN_VECTOR; k++) {
#pragma unroll 1
        for (uint32_t rest = __ballot_sync(FULL_WARP, open >> k & 1); rest; rest &= rest - 1) {
            int32_t owner = __ffs((int)rest) - 1,
                    column = __shfl_sync(FULL_WARP, lane_column(p, &place, &walk, k), owner);
            const char *x = place.x + ((int64_t)place.tile * p->width + column) * ELEMENT_SIZE;
            struct near_sum sum = near_sum_from(near_of_cell(p, x, lane, 32), 0);
            char *out = (char *)p->out + out_of_cell(p, cell_of_column(p, &place, column)) * RESULT_SIZE;
            if (lane == owner && !near_store(p, &sum, p->length, out)) lost |= 1u << k;
        }
    }
    if (!lost) return;
    walk_words(&walk, sums);
#pragma unroll 1
    for (int32_t k = 0; k < IN_VECTOR; k++) {
        if (lost >> k & 1)
            finish_with_words(p, sums[k], 0, cell_of_column(p, &place, lane_column(p, &place, &walk, k)));
    }
}
#endif

/* Writes the results of a thread's columns. */
DEVICE void finish_columns(const struct reduce_parameters *p, const struct place *place, const struct walk *walk,
                           const struct strip *strip)
{
    struct total totals[IN_VECTOR];
    uint32_t open = 0, lost = 0;
    strip_end(strip, totals);
#pragma unroll
    for (int k = 0; k < IN_VECTOR; k++) {
        int32_t column = lane_column(p, place, walk, k);
        if (column < 0) continue;
        int64_t cell = cell_of_column(p, place, column);
#if HAS_WORDS
        if (total_is_lost(&totals[k])) lost |= 1u << k;
        else if (!total_settle(p, totals[k], cell)) open |= 1u << k;
#else
        total_finish(p, &totals[k], cell);
#endif
    }
#if HAS_WORDS
    if (__any_sync(FULL_WARP, (open | lost) != 0)) settle_again(p, *place, *walk, open, lost);
#else
    (void)open, (void)lost;
#endif
}

DEVICE void reduce_whole_columns(const struct reduce_parameters *p)
{
    DYNAMIC_SHARED_LINES(struct vector16, room);
    __shared__ struct stages stages;
    struct turn_of_stage turn = {0, 0};
    open_stages(&stages, room);
#pragma unroll 1
    for (int64_t piece = p->first_block + blockIdx.x; piece < p->pieces; piece += gridDim.x) {
        struct place place = place_of(p, piece);
        struct walk walk = walk_of(p, &place);
        if (threadIdx.x / 32 == TAKERS) {
            fetch_bundles(&walk, &stages, (char *)room, &turn);
            continue;
        }
        struct strip strip;
        strip_begin(&strip);
        take_bundles(&walk, &strip, &stages, (const char *)room, &turn);
        finish_columns(p, &place, &walk, &strip);
    }
}
