/* SPDX-License-Identifier: MIT
 *
 * columns_skew.cuh - the way of a warp's part between global and shared memory in vectors, whatever rows are aligned
 * to: their pitches are alike modulo a vector in both, and so are the places of the first elements, so that what is a
 * vector's border in the one is one in the other. Vectors that cover one row in shared memory hold nothing of another.
 * A row's pieces go in turns, each to as many lanes as it has pieces, a power of two; the warp's other lanes have
 * rows below it. After some steps down, rows lie in their vectors as before, so that what a lane does repeats, and is
 * found once for each of these phases. Part of columns_chunk.cuh. No include guard. */
#define PHASES_OF(step, skew) ((step) * (skew) < 16 ? 16 / ((step) * (skew)) : 1)

/* Calls turn(..., first, lanes) for all of a row's pieces. */
#define TAKE_TURNS(pieces, turn, ...)                                                              \
    do {                                                                                           \
        for (int32_t first = 0; first + 32 <= (pieces); first += 32) turn(__VA_ARGS__, first, 32); \
        if ((pieces)&16) turn(__VA_ARGS__, (pieces) & ~31, 16);                                    \
        if ((pieces)&8) turn(__VA_ARGS__, (pieces) & ~15, 8);                                      \
        if ((pieces)&4) turn(__VA_ARGS__, (pieces) & ~7, 4);                                       \
        if ((pieces)&2) turn(__VA_ARGS__, (pieces) & ~3, 2);                                       \
        if ((pieces)&1) turn(__VA_ARGS__, (pieces) & ~1, 1);                                       \
    } while (0)

/* Rows in global and shared memory, and of how many bytes each is to be copied. */
struct skewed {
    int64_t pitch; /* in global memory */
    int32_t rows, present;
    int32_t lead; /* of the first row in the stage */
};

#if SKEW_IN
enum { ROW_IN = WIDTH * ELEMENT_SIZE, VECTORS_IN = (ROW_IN + 16 - SKEW_IN + 15) / 16 };

/* Of a vector that lies `at` bytes behind its row's beginning, what is present; negative: no vector of the row. */
DEVICE int32_t bytes_present(const struct skewed *s, int32_t at)
{
    int32_t left = s->present - at, most = left < 16 ? left : 16;
    return at >= ROW_IN ? -1 : most < 0 ? 0 : most;
}

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

/* All vectors of all rows, one after the other: lanes take turns at them, and each finds its next row and place. Slower
 * where rows' addresses are multiples of less than a word, faster elsewhere (on an H200, running maxima of f32 by a
 * quarter: why is not known). */
#if SKEW_IN < 4
DEVICE_CALL
#else
DEVICE
#endif
void load_in_order(struct skewed s, const char *input, const char *low, char *stage)
{
    int32_t lane = (int32_t)threadIdx.x & 31, unit = lane % VECTORS_IN;
    int32_t here = s.lead + lane / VECTORS_IN * IN_PITCH;
    const char *there = input + lane / VECTORS_IN * s.pitch;
#pragma unroll 4
    for (int32_t left = s.rows * VECTORS_IN - lane; left > 0; left -= 32) {
        int32_t at = 16 * unit - (here & (16 - SKEW_IN)), count = bytes_present(&s, at), rows = 32 / VECTORS_IN;
        if (at < 0 && there + at < low) load_lowest(stage + here + at, there + at, -at, count);
        else if (count >= 0) copy_async_some(stage + here + at, there + at, (uint32_t)count);
        unit += 32 % VECTORS_IN;
        if (unit >= VECTORS_IN) unit -= VECTORS_IN, rows++;
        here += rows * IN_PITCH;
        there += rows * s.pitch;
    }
}

#if SKEW_IN < 4
/* `lanes` vectors of each row, from `first` on. */
DEVICE void load_turn(const struct skewed *s, const char *input, char *stage, int32_t first, int32_t lanes)
{
    const int32_t step = 32 / lanes, phases = PHASES_OF(step, SKEW_IN);
    int32_t lane = (int32_t)threadIdx.x & 31, row = lane / lanes, at[16], count[16];
    char *to = stage + s->lead + row * IN_PITCH;
    const char *from = input + row * s->pitch;
#pragma unroll
    for (int i = 0; i < phases; i++) {
        at[i] = 16 * (first + lane % lanes) - ((s->lead + (row + i * step) * IN_PITCH) & (16 - SKEW_IN));
        count[i] = bytes_present(s, at[i]);
    }
#pragma unroll 2
    for (int32_t left = s->rows - row; left > 0; left -= phases * step) {
#pragma unroll
        for (int i = 0; i < phases; i++) {
            if (i * step >= left || count[i] < 0) continue;
            copy_async_some(to + i * step * IN_PITCH + at[i], from + i * step * s->pitch + at[i], (uint32_t)count[i]);
        }
        to += phases * step * IN_PITCH;
        from += phases * step * s->pitch;
    }
}

#endif

/* The first bytes of each row, as many as are present, and zeros behind them. A row's first vector may begin before
 * it: that is read, too, unless it lies before all elements. */
DEVICE void load_skewed(const struct skewed *s, const char *input, const char *low, char *stage)
{
#if SKEW_IN < 4
    const char *last = input + (s->rows - 1) * s->pitch;
    if (input >= low + 16 && last >= low + 16) {
        TAKE_TURNS(VECTORS_IN, load_turn, s, input, stage);
        return;
    }
#endif
    load_in_order(*s, input, low, stage);
}
#endif

#if SKEW_OUT
/* Pieces of so many bytes: a thread's in row `row`, and `step` rows further down again and again. `at`: how far behind
 * its row's beginning it lies, in each phase; negative: there is none. */
DEVICE void store_pieces(const struct skewed *s, char *output, const char *stage, int32_t row, int32_t step,
                         int32_t phases, const int32_t *at, int32_t bytes)
{
    const int32_t at_once = phases < 4 ? 4 : phases;
    const char *from = stage + s->lead + row * OUT_PITCH;
    char *to = output + row * s->pitch;
#pragma unroll 1
    for (int32_t left = s->rows - row; left > 0; left -= at_once * step) {
        __align__(16) char v[16][16];
#pragma unroll
        for (int k = 0; k < at_once; k++) {
            if (k * step < left && at[k % phases] >= 0)
                copy_unit(v[k], from + k * step * OUT_PITCH + at[k % phases], bytes);
        }
#pragma unroll
        for (int k = 0; k < at_once; k++) {
            if (k * step < left && at[k % phases] >= 0)
                copy_unit(to + k * step * s->pitch + at[k % phases], v[k], bytes);
        }
        from += at_once * step * OUT_PITCH;
        to += at_once * step * s->pitch;
    }
}

#if UNIT_OUT >= 4
/* Units, of as many bytes as all rows' addresses are multiples of: a row's lie beside each other, and nothing is left
 * for edges. */
DEVICE void store_turn(const struct skewed *s, char *output, const char *stage, int32_t first, int32_t lanes)
{
    int32_t lane = (int32_t)threadIdx.x & 31, at = UNIT_OUT * (first + lane % lanes);
    if (at >= s->present) at = -1;
    store_pieces(s, output, stage, lane / lanes, 32 / lanes, 1, &at, UNIT_OUT);
}

DEVICE void store_skewed(const struct skewed *s, char *output, const char *stage)
{
    TAKE_TURNS(WIDTH * RESULT_SIZE / UNIT_OUT, store_turn, s, output, stage);
}
#else
/* Bytes of a row in the stage before its first whole vector. */
DEVICE int32_t bytes_before(const struct skewed *s, int32_t row)
{
    return -(s->lead + row * OUT_PITCH) & (16 - SKEW_OUT);
}

/* `lanes` of the vectors that lie in each row, from `first` on. */
DEVICE void store_turn(const struct skewed *s, char *output, const char *stage, int32_t first, int32_t lanes)
{
    const int32_t step = 32 / lanes, phases = PHASES_OF(step, SKEW_OUT);
    int32_t lane = (int32_t)threadIdx.x & 31, row = lane / lanes, at[16];
#pragma unroll
    for (int i = 0; i < phases; i++) {
        at[i] = 16 * (first + lane % lanes) + bytes_before(s, row + i * step);
        if (at[i] + 16 > s->present) at[i] = -1;
    }
    store_pieces(s, output, stage, row, step, phases, at, 16);
}

/* What lies before those vectors and behind them: together mostly a vector, of which each lane has a unit. `second`:
 * behind them, where the lane has one before them, too. */
DEVICE void store_edges(const struct skewed *s, char *output, const char *stage, int second)
{
    const int32_t lanes = 16 / UNIT_OUT, step = 32 / lanes, phases = PHASES_OF(step, SKEW_OUT);
    int32_t lane = (int32_t)threadIdx.x & 31, row = lane / lanes, place = lane % lanes * UNIT_OUT, at[16];
#pragma unroll
    for (int i = 0; i < phases; i++) {
        int32_t before = bytes_before(s, row + i * step), first = place + before - 16;
        int32_t last = before + (s->present > before ? (s->present - before) / 16 * 16 : 0) + place;
        at[i] = second ? last : first < 0 ? last : first;
        if (at[i] >= s->present || (second && first < 0)) at[i] = -1;
    }
    store_pieces(s, output, stage, row, step, phases, at, UNIT_OUT);
}

/* Where units are short, they are too many. */
DEVICE void store_skewed(const struct skewed *s, char *output, const char *stage)
{
    TAKE_TURNS(WIDTH * RESULT_SIZE / 16, store_turn, s, output, stage);
    store_edges(s, output, stage, 0);
    if (s->present % 16) store_edges(s, output, stage, 1);
}
#endif
#endif
