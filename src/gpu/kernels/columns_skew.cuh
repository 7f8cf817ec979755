/* SPDX-License-Identifier: MIT
 *
 * columns_skew.cuh - the way of a warp's part between global and shared memory in vectors, whatever rows are aligned
 * to: their pitches are alike modulo a vector in both, and so are the places of the first elements, so that what is a
 * vector's border in the one is one in the other. Vectors that cover one row in shared memory hold nothing of another.
 * Part of columns_chunk.cuh. No include guard. */

/* A place among those of a part's rows, `per_row` in each, at which lanes take turns. */
struct spot {
    int32_t unit;  /* of its row */
    int32_t here;  /* of its row's first element, from the stage's beginning on */
    int64_t there; /* of the same in global memory, from the part's first element on */
};

DEVICE struct spot spot_begin(int32_t per_row, int32_t lead, int32_t stage_pitch, int64_t pitch)
{
    int32_t lane = (int32_t)threadIdx.x & 31, row = lane / per_row;
    struct spot spot = {lane % per_row, lead + row * stage_pitch, row * pitch};
    return spot;
}

DEVICE void spot_next(struct spot *spot, int32_t per_row, int32_t stage_pitch, int64_t pitch)
{
    int32_t rows = 32 / per_row;
    spot->unit += 32 % per_row;
    if (spot->unit >= per_row) spot->unit -= per_row, rows++;
    spot->here += rows * stage_pitch;
    spot->there += rows * pitch;
}

#if SKEW_IN
/* A vector's bytes from `first` to `end`, and zeros behind them: of the vector in which all elements begin. */
DEVICE_CALL void load_lowest(char *to, const char *from, int32_t first, int32_t end)
{
    enum { EACH = sizeof(storage) };
#pragma unroll 1
    for (int32_t i = first; i < 16; i += EACH) {
        if (i < end) copy_unit(to + i, from + i, EACH);
        else memset(to + i, 0, EACH);
    }
}

/* `present` bytes of each row, and zeros behind them. A row's first vector may begin before it: that is read, too,
 * unless it lies before all elements. */
DEVICE void load_skewed(const struct reduce_parameters *p, const char *input, int32_t rows, int32_t present,
                        char *stage, int32_t lead)
{
    enum { ROW = WIDTH * ELEMENT_SIZE, PER_ROW = (ROW + 16 - SKEW_IN + 15) / 16 };
    int64_t pitch = p->reduced[0].x * ELEMENT_SIZE;
    struct spot spot = spot_begin(PER_ROW, lead, IN_PITCH, pitch);
#pragma unroll 4
    for (int32_t left = rows * PER_ROW - ((int32_t)threadIdx.x & 31); left > 0; left -= 32) {
        int32_t before = spot.here & (16 - SKEW_IN), at = 16 * spot.unit - before, count = present - at;
        count = count < 0 ? 0 : count < 16 ? count : 16;
        const char *from = input + spot.there + at;
        char *to = stage + spot.here + at;
        if (at < 0 && from < p->low) load_lowest(to, from, -at, count);
        else if (at < ROW) copy_async_some(to, from, (uint32_t)count);
        spot_next(&spot, PER_ROW, IN_PITCH, pitch);
    }
}
#endif

#if SKEW_OUT
#define VECTORS_AT_ONCE 4

#if UNIT_OUT >= 4
/* Units, of as many bytes as all rows' addresses are multiples of: a row's lie beside each other, and nothing is left
 * for edges. */
DEVICE void store_skewed(char *output, int64_t pitch, int32_t rows, int32_t present, const char *stage, int32_t lead)
{
    enum { PER_ROW = WIDTH * RESULT_SIZE / UNIT_OUT };
    struct spot spot = spot_begin(PER_ROW, lead, OUT_PITCH, pitch);
#pragma unroll 1
    for (int32_t left = rows * PER_ROW - ((int32_t)threadIdx.x & 31); left > 0; left -= 32 * VECTORS_AT_ONCE) {
        __align__(16) char v[VECTORS_AT_ONCE][UNIT_OUT];
        char *to[VECTORS_AT_ONCE];
        int is_there[VECTORS_AT_ONCE];
#pragma unroll
        for (int k = 0; k < VECTORS_AT_ONCE; k++) {
            int32_t at = UNIT_OUT * spot.unit;
            is_there[k] = 32 * k < left && at < present;
            to[k] = output + spot.there + at;
            if (is_there[k]) copy_unit(v[k], stage + spot.here + at, UNIT_OUT);
            spot_next(&spot, PER_ROW, OUT_PITCH, pitch);
        }
#pragma unroll
        for (int k = 0; k < VECTORS_AT_ONCE; k++) {
            if (is_there[k]) copy_unit(to[k], v[k], UNIT_OUT);
        }
    }
}
#else
/* The vectors that lie in the rows' first `present` bytes. */
DEVICE void store_vectors(char *output, int64_t pitch, int32_t rows, int32_t present, const char *stage, int32_t lead)
{
    enum { PER_ROW = WIDTH * RESULT_SIZE / 16 };
    struct spot spot = spot_begin(PER_ROW, lead, OUT_PITCH, pitch);
#pragma unroll 1
    for (int32_t left = rows * PER_ROW - ((int32_t)threadIdx.x & 31); left > 0; left -= 32 * VECTORS_AT_ONCE) {
        struct vector16 v[VECTORS_AT_ONCE];
        char *to[VECTORS_AT_ONCE];
        int is_whole[VECTORS_AT_ONCE];
#pragma unroll
        for (int k = 0; k < VECTORS_AT_ONCE; k++) {
            int32_t at = 16 * spot.unit + (-spot.here & (16 - SKEW_OUT));
            is_whole[k] = 32 * k < left && at + 16 <= present;
            to[k] = output + spot.there + at;
            if (is_whole[k]) v[k] = *(const struct vector16 *)(stage + spot.here + at);
            spot_next(&spot, PER_ROW, OUT_PITCH, pitch);
        }
#pragma unroll
        for (int k = 0; k < VECTORS_AT_ONCE; k++) {
            if (is_whole[k]) *(struct vector16 *)to[k] = v[k];
        }
    }
}

/* What lies before those vectors and behind them: together mostly a vector, of which each lane has a unit. */
DEVICE void store_edges(char *output, int64_t pitch, int32_t rows, int32_t present, const char *stage, int32_t lead)
{
    enum { PER_ROW = 16 / UNIT_OUT, ROWS_AT_ONCE = 32 / PER_ROW };
    int32_t lane = (int32_t)threadIdx.x & 31, place = lane % PER_ROW * UNIT_OUT;
#pragma unroll 4
    for (int32_t row = lane / PER_ROW; row < rows; row += ROWS_AT_ONCE) {
        const char *from = stage + lead + row * OUT_PITCH;
        char *to = output + row * pitch;
        int32_t before = -(lead + row * OUT_PITCH) & (16 - SKEW_OUT), first = place + before - 16;
        int32_t last = before + (present > before ? (present - before) / 16 * 16 : 0) + place;
        int32_t at = first < 0 ? last : first;
        if (at < present) copy_unit(to + at, from + at, UNIT_OUT);
        if (present % 16 && first >= 0 && last < present) copy_unit(to + last, from + last, UNIT_OUT);
    }
}

/* Where units are short, they are too many. */
DEVICE void store_skewed(char *output, int64_t pitch, int32_t rows, int32_t present, const char *stage, int32_t lead)
{
    store_vectors(output, pitch, rows, present, stage, lead);
    store_edges(output, pitch, rows, present, stage, lead);
}
#endif
#endif
