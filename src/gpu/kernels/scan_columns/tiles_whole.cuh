/* SPDX-License-Identifier: MIT
 *
 * tiles_whole.cuh - results of tiles of whole matrices, each of whose columns is a lane's down to the last row: nothing
 * stands above. Part of columns_tiles.cuh. No include guard. */

struct above {
    struct column columns[PACKS];
};

DEVICE void above_begin(const struct scan_parameters *given, struct above *above)
{
    const struct total nothing = total_identity();
    (void)given;
#pragma unroll
    for (int k = 0; k < PACKS; k++) above->columns[k] = column_below(&nothing);
}

/* The results of a pass of a tile that is in shared memory. */
DEVICE void finish_pass(const struct scan_parameters *given, const struct tile *t, int32_t pass, char *stage,
                        char *results, struct above *above)
{
    uint32_t seat = (uint32_t)pass * 32 + (threadIdx.x & 31), matrix = seat / ROW_SIDES, side = seat % ROW_SIDES;
    int32_t rows = (int32_t)given->reduce.length, row = (int32_t)matrix * rows + (BACKWARD ? rows - 1 : 0);
    struct strays strays;
    if ((int32_t)matrix >= t->matrices) return;
    strays_begin(given, &strays);
    run_results(above->columns, &strays, 0, stage + lead_of(t->input) + row * ROW + side * SIDE_BYTES, rows,
                results + lead_of(t->output) + row * RESULT_ROW + side * (SIDE * RESULT_SIZE));
}
