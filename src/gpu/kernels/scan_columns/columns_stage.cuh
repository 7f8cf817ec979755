/* SPDX-License-Identifier: MIT
 *
 * columns_stage.cuh - elements and results of SIDE neighbouring columns where they lie, for scan_columns.cu; of chunks
 * (WALK 0) that is shared memory, in rows. No include guard. */

/* Results of SIDE neighbouring columns. */
struct __align__(16) results
{
    char bytes[SIDE * RESULT_SIZE];
};

enum { PACKS = SIDE / PACK };

#if WALK
enum { RESULTS_ALIGN = 16 };
#elif TILES
enum {
    IN_PITCH = (BACKWARD ? -1 : 1) * WIDTH * ELEMENT_SIZE,
    OUT_PITCH = (BACKWARD ? -1 : 1) * WIDTH * RESULT_SIZE,
    RESULTS_ALIGN = 16
};
#else
enum {
    IN_PITCH = SKEW_IN ? PITCH_IN : WIDTH * ELEMENT_SIZE, /* from row to row */
    OUT_PITCH = SKEW_OUT ? PITCH_OUT : WIDTH * RESULT_SIZE,
    RESULTS_ALIGN = SKEW_OUT ? SKEW_OUT : 16
};
#endif

/* Rows of a run, where chunks have all of them, and of its batch from row `i` on. */
#if TILES
#define ROWS_OF_RUN(present) (present)
#define ROWS_OF_BATCH(count, i) ((count) - (i) < DEPTH ? (count) - (i) : DEPTH)
#else
#define ROWS_OF_RUN(present) RUN
#define ROWS_OF_BATCH(count, i) DEPTH
#endif

#include "store_bytes.cuh"

#if WALK && OVERLAPS
enum {
    PER_SECTOR = 32 / RESULT_SIZE,
    OWN_COLUMNS = 33 - PER_SECTOR /* that a warp has before those that the next one has, too */
};

/* Whether the result's sector is this warp's, which then has all of it: two warps that write parts of a sector take
 * longer than the columns that both go down. (Results that come one by one are stored by both.) */
DEVICE int is_own_sector(const char *to)
{
    uint32_t before = ((uint32_t)(uintptr_t)to & 31) / RESULT_SIZE;
    return (threadIdx.x & 31) - before < OWN_COLUMNS;
}
#endif

DEVICE void store_results(char *to, const struct results *results)
{
#if WALK && OVERLAPS
    if (!is_own_sector(to)) return;
#endif
    store_bytes(to, results->bytes, SIDE * RESULT_SIZE, RESULTS_ALIGN);
}

#if !WALK && !TILES && SKEW_IN && SKEW_IN < SIDE * ELEMENT_BYTES
#define LOAD_AS(type, to, from)            \
    do {                                   \
        type word = *(const type *)(from); \
        memcpy(to, &word, sizeof word);    \
    } while (0)

/* Rows begin between sides. */
DEVICE struct side side_load(const char *from)
{
    struct side side;
#pragma unroll
    for (int i = 0; i < SIDE_BYTES; i += SKEW_IN) {
        if (SKEW_IN == 8) LOAD_AS(uint64_t, (char *)&side + i, from + i);
        if (SKEW_IN == 4) LOAD_AS(uint32_t, (char *)&side + i, from + i);
        if (SKEW_IN == 2) LOAD_AS(uint16_t, (char *)&side + i, from + i);
        if (SKEW_IN == 1) LOAD_AS(uint8_t, (char *)&side + i, from + i);
    }
    return side;
}

DEVICE void side_store(char *to, const struct side *side)
{
    store_bytes(to, (const char *)side, SIDE_BYTES, SKEW_IN);
}
#elif !WALK
DEVICE struct side side_load(const char *from)
{
    return *(const struct side *)from;
}

DEVICE void side_store(char *to, const struct side *side)
{
    *(struct side *)to = *side;
}
#endif

#if !WALK
/* Of a column. */
DEVICE struct offsets column_offsets(const struct reduce_parameters *p, int64_t matrix, int64_t column)
{
    struct offsets at = {0, 0, 0, 0};
    if (p->kept_count > 2) at = offsets_of(p->kept, p->kept_count - 1, matrix);
    else if (p->kept_count > 1) offsets_move(&at, &p->kept[0], matrix);
    offsets_move(&at, &p->kept[p->kept_count - 1], column);
    return at;
}
#endif
