/* SPDX-License-Identifier: MIT
 *
 * ordered_rows_linear.cuh - the way of a warp's runs to shared memory, and of their results out of it, where rows lie
 * behind each other: as they lie, in the vectors of memory, in which runs begin anywhere. No include guard.
 *   IN_SHIFTS   0: runs begin with vectors
 *   OUT_SHIFTS  the same of results */

static_assert(RESULT_SIZE >= 2, "words of two results at most");

/* The vectors of a tile, whatever runs begin with; neighbouring runs have theirs in different banks. */
enum { FRAME = (32 * RUN_VECTORS + 8) & ~7, RESULT_FRAME = (32 * RESULT_VECTORS + 8) & ~7 };

DEVICE int32_t place_of(int32_t i)
{
    return i ^ (i >> 3 & 7);
}

/* Of the lane's vector of 32, the k-th. */
DEVICE int32_t lane_place(int32_t k)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
    return (lane ^ lane >> 3 ^ (k & 1) * 4) + k * 32;
}

/* Whether the lane's k-th vector is one of so many. */
DEVICE int is_of(int32_t k, int32_t first, int32_t end)
{
    return (uint32_t)(((int32_t)threadIdx.x & 31) + k * 32 - first) < (uint32_t)max(end - first, 0);
}

/* The elements of a tile: those of the span that come before, how many there are, and those before the lane's run. */
struct tile {
    int32_t passed, all, before;
};

DEVICE struct tile tile_of(const struct span *span, const struct walk *w, int32_t count)
{
    int32_t end = __shfl_sync(FULL_WARP, count > 0 ? w->passed + count : span->all, 31);
    struct tile tile = {__shfl_sync(FULL_WARP, w->passed, 0), 0, 0};
    tile.all = max(end - tile.passed, 0);
    tile.before = w->passed - tile.passed;
    return tile;
}

/* A tile in an operand's memory. Places are bytes from its first vector on. */
struct frame {
    char *memory;      /* that vector */
    int32_t low, high; /* where the tile's elements begin, and end */
    int32_t own;       /* where the lane's run does */
};

/* Of the operand's span; DESCENDING: the first run of a tile is the one with the highest address. */
DEVICE struct frame frame_of(char *first, int32_t size, int shifts, const struct tile *tile)
{
    char *address = first + (int64_t)(DESCENDING ? 1 - 32 * RUN - tile->passed : tile->passed) * size;
    int32_t lead = shifts ? (int32_t)((uintptr_t)address & 15) : 0;
    struct frame frame = {address - lead, lead, lead + tile->all * size, lead + tile->before * size};
    if (DESCENDING) {
        frame.high = lead + 32 * RUN * size;
        frame.low = frame.high - tile->all * size;
        frame.own = lead + (31 * RUN - tile->before) * size;
    }
    return frame;
}

/* Of a vector that the operand begins or ends in, its elements. */
DEVICE_CALL void load_edge(char *to, const char *from, const char *low, const char *high)
{
    enum { EACH = sizeof(storage) };
#pragma unroll 1
    for (int32_t i = 0; i < 16; i += EACH) {
        if (from + i >= low && from + i < high) copy_unit(to + i, from + i, EACH);
    }
}

/* By all lanes, in the order of tiles, also for those beyond the last. */
DEVICE void begin_frame(const struct reduce_parameters *p, const struct frame *frame, struct vector16 *stage)
{
    const char *low = (const char *)p->low, *high = (const char *)p->high;
    int32_t first = frame->low >> 4, end = (frame->high + 15) >> 4;
    if (frame->low >= frame->high) return;
    int from_edge = frame->memory + 16 * first<low, to_edge = frame->memory + 16 * end> high;
    if (from_edge || to_edge) { /* one vector may be both */
        if (from_edge) load_edge((char *)&stage[place_of(first)], frame->memory + 16 * first, low, high);
        if (to_edge) load_edge((char *)&stage[place_of(end - 1)], frame->memory + 16 * end - 16, low, high);
        first += from_edge;
        end -= to_edge;
    }
    const char *from = frame->memory + 16 * ((int32_t)threadIdx.x & 31);
#pragma unroll
    for (int k = 0; k < RUN_VECTORS + (IN_SHIFTS ? 1 : 0); k++) {
        if (is_of(k, first, end)) copy_async((char *)&stage[lane_place(k)], from + 512 * k, 16);
    }
}

#if IN_SHIFTS
DEVICE uint32_t word_of(const struct vector16 *vectors, int i)
{
    return vectors[i / 4].word[i % 4];
}

/* The run that begins so many bytes, less than 16, behind the first of its vectors and the one behind them. */
DEVICE struct run shifted_down(const struct vector16 *vectors, int32_t at)
{
    enum { COUNT = 4 * RUN_VECTORS };
    uint32_t by_two[COUNT + 2], by_one[COUNT + 1];
    struct run run;
#pragma unroll
    for (int i = 0; i < COUNT + 2; i++) by_two[i] = at & 8 ? word_of(vectors, i + 2) : word_of(vectors, i);
#pragma unroll
    for (int i = 0; i < COUNT + 1; i++) by_one[i] = at & 4 && ELEMENT_SIZE < 8 ? by_two[i + 1] : by_two[i];
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        run.vectors[i / 4].word[i % 4] =
            ELEMENT_SIZE < 4 ? __funnelshift_r(by_one[i], by_one[i + 1], (uint32_t)at * 8) : by_one[i];
    return run;
}
#endif

DEVICE struct run run_of_frame(const struct frame *frame, const struct vector16 *stage)
{
    enum { READ = RUN_VECTORS + (IN_SHIFTS ? 1 : 0) };
    struct vector16 read[READ];
    int32_t first = frame->own >> 4;
#pragma unroll
    for (int i = 0; i < READ; i++) read[i] = stage[place_of(first + i)];
#if IN_SHIFTS
    return shifted_down(read, frame->own & 15);
#else
    struct run run;
    memcpy(&run, read, sizeof run);
    return run;
#endif
}

/* Results around their vectors: so many bytes further up, the last ones first. */
DEVICE struct results turned_up(const struct results *results, int32_t at)
{
    enum { COUNT = 4 * RESULT_VECTORS };
    uint32_t by_part[COUNT], by_one[COUNT];
    struct results turned;
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        int before = (i + COUNT - 1) % COUNT;
        by_part[i] = results->vectors[i / 4].word[i % 4];
        if (RESULT_SIZE < 4)
            by_part[i] = __funnelshift_l(results->vectors[before / 4].word[before % 4], by_part[i], (uint32_t)at * 8);
    }
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        by_one[i] = at & 4 && RESULT_SIZE < 8 ? by_part[(i + COUNT - 1) % COUNT] : by_part[i];
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        turned.vectors[i / 4].word[i % 4] = at & 8 ? by_one[(i + COUNT - 2) % COUNT] : by_one[i];
    return turned;
}

/* All of a run, which begins `at` bytes behind the vector: the first vector and the one behind the last are shared with
 * the neighbours' results. */
DEVICE void leave_turned(const struct results *turned, int32_t first, int32_t at, struct vector16 *stage)
{
    struct vector16 *low = &stage[place_of(first)], *high = &stage[place_of(first + RESULT_VECTORS)];
    uint32_t split = 0;
#pragma unroll
    for (int i = 1; i < RESULT_VECTORS; i++) stage[place_of(first + i)] = turned->vectors[i];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        uint32_t word = turned->vectors[0].word[i];
        if (i == at >> 2) split = word;
        if (RESULT_SIZE >= 4 || !(at & 3) || i != at >> 2) (4 * i < at ? high : low)->word[i] = word;
    }
    if (RESULT_SIZE >= 4 || !(at & 3)) return;
    ((uint16_t *)high)[at / 4 * 2] = (uint16_t)split;
    ((uint16_t *)low)[at / 4 * 2 + 1] = (uint16_t)(split >> 16);
}

/* Of runs that end early, what is left behind their end makes way for the run behind, which is a whole one, as no row
 * is shorter, or lies behind the tile's elements. Every lane of the warp calls it. */
DEVICE void leave_shifted(const struct results *results, int32_t own, int32_t count, struct vector16 *stage)
{
    int32_t first = own >> 4, at = own & 15, ends_early = !TOGETHER && count < RUN;
    struct results turned = turned_up(results, at);
    if (__any_sync(FULL_WARP, ends_early)) {
        if (ends_early && count > 0) leave_turned(&turned, first, at, stage);
        __syncwarp();
    }
    if (!ends_early) leave_turned(&turned, first, at, stage);
}

/* The same where runs begin with vectors. */
DEVICE void leave_whole(const struct results *results, int32_t own, int32_t count, struct vector16 *stage)
{
    int32_t absent = (RUN - count) * RESULT_SIZE;
#pragma unroll
    for (int i = 0; i < RESULT_VECTORS; i++) {
        int is_there = OUT_BACKWARD ? 16 * i + 16 > absent : 16 * i < RESULTS_BYTES - absent;
        if (is_there) stage[place_of((own >> 4) + i)] = results->vectors[i];
    }
}

/* Elements of the tile's first and last vector, where these are others', too. */
DEVICE void store_edges(const struct frame *frame, const struct vector16 *stage)
{
    int32_t lane = (int32_t)threadIdx.x & 31, inner = min((frame->low + 15) & ~15, frame->high);
    int32_t behind = max(frame->high & ~15, inner);
    int32_t at = frame->low + lane * RESULT_SIZE, last = behind + lane * RESULT_SIZE;
    if (at < inner) copy_result(frame->memory + at, (const char *)&stage[place_of(at >> 4)] + (at & 15));
    if (last < frame->high) copy_result(frame->memory + last, (const char *)&stage[place_of(last >> 4)] + (last & 15));
}

DEVICE void store_frame(const struct frame *frame, const struct vector16 *stage)
{
    char *to = frame->memory + 16 * ((int32_t)threadIdx.x & 31);
#pragma unroll
    for (int k = 0; k < RESULT_VECTORS; k++) {
        if (is_of(k, (frame->low + 15) >> 4, frame->high >> 4))
            *(struct vector16 *)(to + 512 * k) = stage[lane_place(k)];
    }
    if (OUT_SHIFTS || TOGETHER) store_edges(frame, stage);
}
