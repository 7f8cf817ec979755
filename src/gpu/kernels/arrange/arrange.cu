/* SPDX-License-Identifier: MIT
 *
 * arrange.cu - elements to where they lie in another order: a block takes a tile, which passes through shared memory,
 * and goes through it twice, in the order of either memory. The host defines
 *   SIZE      bytes of a part of an element
 *   T0 .. T3  steps of the tile in each of the first loops, of which loop 0 has its parts side by side in out
 *   X0 .. X3  the same loops in the order of x: X0 has its parts closest to each other
 *   X_RUN     parts of a tile that lie side by side in x, and
 *   OUT_RUN   in out
 *   SQUARES   1: parts are narrower than words, and both ways go by words, of which as many as a word has parts are
 *             turned at once; X0 is not 0
 *   STEP      not 0: parts are narrower than words, and so far apart in x that lie side by side in out: -1, 2 or -2
 *   X_WORDS   1: words of x that begin with a multiple of their parts are aligned, and whole
 *   OUT_WORDS 1: the same of out
 *   FAR       1: offsets within a tile need 64 bits
 *   MASK      absent elements give way to `fill`: 1 where x is read, 2 where out is written; 0: there are none
 *   MASK_WORDS  1: with OUT_WORDS, elements of the mask for a word of out are an aligned word there, too */
#include "copy_async.cuh"

#include "arrange_parameters.h"

#if SIZE == 1
typedef uint8_t part;
#elif SIZE == 2
typedef uint16_t part;
#elif SIZE == 4
typedef uint32_t part;
#else
typedef uint64_t part;
#endif

#if FAR
typedef int64_t offset;
#else
typedef int32_t offset;
#endif

enum {
    ALL = T0 * T1 * T2 * T3,
    ROWS = T1 * T2 * T3,
    WORD = 4,
    EACH = SIZE < WORD ? WORD / SIZE : 1,                                 /* parts of a word */
    PITCH = SIZE < WORD ? (((T0 + EACH - 1) / EACH) | 1) * EACH : T0 | 1, /* an odd number of words, for banks */
    SKEW_ROWS = 32, /* of narrow parts, rows that are so far apart lie a word further apart */
    /* A run of out; a word more is read behind the last one. */
    RUNS = ALL / OUT_RUN,
    RUN_PITCH = SIZE < WORD ? (((OUT_RUN + EACH - 1) / EACH) | 1) * EACH : 0,
    ROOM = STEP      ? EACH
           : SQUARES ? RUNS * RUN_PITCH + RUNS / SKEW_ROWS * EACH + EACH
                     : ROWS * PITCH + (SIZE < WORD ? ROWS / SKEW_ROWS * EACH : 0)
};

#if SIZE == 8
typedef uint64_t word_or_part;
#else
typedef uint32_t word_or_part;
#endif

DEVICE_UNUSED part part_of(word_or_part word, int32_t i)
{
    return (part)(word >> i % EACH * 8 * SIZE);
}

DEVICE_UNUSED word_or_part with_part(word_or_part word, int32_t i, part x)
{
    const int32_t bits = i % EACH * 8 * SIZE;
    if (EACH == 1) return x;
    return (word & ~((word_or_part)(part) ~(part)0 << bits)) | (word_or_part)x << bits;
}

/* A part's steps in the loops of a tile. */
struct steps {
    int32_t in[ARRANGE_TILED];
};

/* Where a tile lies, and the steps of it that there are. */
struct tile {
    const part *x;
    const unsigned char *where;
    part *out;
    int32_t here[ARRANGE_TILED];
    int is_whole;
    int32_t x_run, out_run; /* parts of a run that there are */
};

/* Parts of a run that goes through so many of a whole tile's, in the order of its loops. */
DEVICE int32_t run_here(const struct tile *t, const int32_t *order, int32_t run)
{
    const int32_t steps[ARRANGE_TILED] = {T0, T1, T2, T3};
    int32_t here = 1, all = 1;
#pragma unroll
    for (int d = 0; d < ARRANGE_TILED; d++) {
        if (all == run) break;
        here *= t->here[order[d]];
        all *= steps[order[d]];
    }
    return here;
}

DEVICE struct tile tile_of(const struct arrange_parameters *p)
{
    const int32_t steps[ARRANGE_TILED] = {T0, T1, T2, T3}, along_x[ARRANGE_TILED] = {X0, X1, X2, X3},
                  along_out[ARRANGE_TILED] = {0, 1, 2, 3};
    struct tile t = {(const part *)p->x, p->where, (part *)p->out, {1, 1, 1, 1}, 1, X_RUN, OUT_RUN};
    uint32_t number = blockIdx.x;
#pragma unroll
    for (int d = 0; d < ARRANGE_LOOPS; d++) {
        if (d >= p->count) break;
        const struct arrange_loop *loop = &p->loops[d];
        uint32_t tiles = (uint32_t)loop->tiles, next = number / tiles;
        int64_t each = d < ARRANGE_TILED ? steps[d & (ARRANGE_TILED - 1)] : 1, first = (number - next * tiles) * each;
        t.x += first * loop->x;
        t.out += first * loop->out;
        if (MASK) t.where += first * loop->where;
        if (d < ARRANGE_TILED) t.here[d] = (int32_t)(loop->extent - first < each ? loop->extent - first : each);
        t.is_whole &= loop->extent - first >= each;
        number = next;
    }
    if (!t.is_whole) {
        t.x_run = run_here(&t, along_x, X_RUN);
        t.out_run = run_here(&t, along_out, OUT_RUN);
    }
    return t;
}

/* Part number q of a tile in the order of x, and in that of out. */
DEVICE_UNUSED struct steps steps_along_x(int32_t q)
{
    const int32_t tile[ARRANGE_TILED] = {T0, T1, T2, T3};
    struct steps s;
    s.in[X0] = q % tile[X0], q /= tile[X0];
    s.in[X1] = q % tile[X1], q /= tile[X1];
    s.in[X2] = q % tile[X2], q /= tile[X2];
    s.in[X3] = q;
    return s;
}

DEVICE struct steps steps_along_out(int32_t q)
{
    struct steps s;
    s.in[0] = q % T0, q /= T0;
    s.in[1] = q % T1, q /= T1;
    s.in[2] = q % T2, q /= T2;
    s.in[3] = q;
    return s;
}

DEVICE int are_here(const struct tile *t, const struct steps *s)
{
    return s->in[0] < t->here[0] && (T1 == 1 || s->in[1] < t->here[1]) && (T2 == 1 || s->in[2] < t->here[2]) &&
           (T3 == 1 || s->in[3] < t->here[3]);
}

/* In a nest of strides. */
#define OFFSET_BY(stride)                                                                                           \
    ((offset)s->in[0] * (offset)p->loops[0].stride + (T1 > 1 ? (offset)s->in[1] * (offset)p->loops[1].stride : 0) + \
     (T2 > 1 ? (offset)s->in[2] * (offset)p->loops[2].stride : 0) +                                                 \
     (T3 > 1 ? (offset)s->in[3] * (offset)p->loops[3].stride : 0))

DEVICE_UNUSED offset offset_of_x(const struct arrange_parameters *p, const struct steps *s)
{
    return OFFSET_BY(x);
}

DEVICE offset offset_of_out(const struct arrange_parameters *p, const struct steps *s)
{
    return OFFSET_BY(out);
}

/* Whether a mask lets an element through. */
DEVICE_UNUSED int is_present(const struct arrange_parameters *p, const struct tile *t, const struct steps *s)
{
    return t->where[OFFSET_BY(where)] != 0;
}

#if MASK && (SQUARES || STEP)
/* A word of parts that lie along the first loop from a place on, some of which may give way to `fill`. */
DEVICE_UNUSED uint32_t masked_word(const struct arrange_parameters *p, const struct tile *t, const struct steps *s,
                                   uint32_t word)
{
    const unsigned char *where = t->where + OFFSET_BY(where);
#if SIZE == 1
    uint32_t bytes = *(const uint32_t *)where, fill = (part)p->fill * 0x01010101u;
    uint32_t present = (((((bytes & 0x7f7f7f7fu) + 0x7f7f7f7fu) | bytes) >> 7) & 0x01010101u) * 0xffu;
#else
    uint32_t bytes = *(const uint16_t *)where, fill = (part)p->fill * 0x00010001u;
    uint32_t present = (bytes & 0xff ? 0xffffu : 0) | (bytes >> 8 ? 0xffff0000u : 0);
#endif
    return (word & present) | (fill & ~present);
}
#endif

DEVICE int32_t row_in_room(int32_t row)
{
    return row * PITCH + (SIZE < WORD ? row / SKEW_ROWS * EACH : 0);
}

DEVICE int32_t place_in_room(const struct steps *s)
{
    return row_in_room(s->in[1] + T1 * (s->in[2] + T2 * s->in[3])) + s->in[0];
}

#if SQUARES || STEP
/* The steps of a run of out, that of its first part. */
DEVICE struct steps steps_of_run(int32_t run)
{
    const int32_t tile[ARRANGE_TILED] = {T0, T1, T2, T3};
    struct steps s = {{0, 0, 0, 0}};
    int32_t all = T0, runs = RUNS;
#pragma unroll
    for (int d = 1; d < ARRANGE_TILED; d++) {
        all *= tile[d];
        if (all <= OUT_RUN) continue;
        runs /= tile[d];
        s.in[d] = runs > 1 ? run % tile[d] : run;
        run /= tile[d];
    }
    return s;
}

/* Where the parts of a whole tile lie: the lowest, and the highest. */
DEVICE void find_reach(const struct arrange_parameters *p, const struct tile *t, const part **first, const part **last)
{
    const int32_t steps[ARRANGE_TILED] = {T0, T1, T2, T3};
    *first = *last = t->x;
#pragma unroll
    for (int d = 0; d < ARRANGE_TILED; d++) {
        offset reach = steps[d] > 1 ? (offset)(steps[d] - 1) * (offset)p->loops[d].x : 0;
        if (reach < 0) *first += reach;
        else *last += reach;
    }
}

/* An aligned word of x, of which (at_ends) not all may be the operand's. */
DEVICE uint32_t load_word(const struct arrange_parameters *p, const part *at, int at_ends)
{
    uint32_t word = 0;
    if (!at_ends || (at >= (const part *)p->low && at + EACH <= (const part *)p->high)) return *(const uint32_t *)at;
#pragma unroll
    for (int32_t i = 0; i < EACH; i++) {
        if (at + i >= (const part *)p->low && at + i < (const part *)p->high) word = with_part(word, i, at[i]);
    }
    return word;
}

#endif

#if SQUARES
#include "arrange_squares.cuh"
#elif STEP
#include "arrange_rows.cuh"
#else
/* Parts of a unit: those of a word, or one where runs are short. */
#define UNIT_OF(run) ((run) >= 2 * EACH ? EACH : 1)
#define UNITS_OF(run) (((run) + 2 * UNIT_OF(run) - 2) / UNIT_OF(run)) /* that a run lies in, wherever it begins */

/* Of a run that begins at an address, the first part of its unit number n: less than 0 if the unit begins before. */
DEVICE int32_t first_of_unit(const part *begin, int32_t n, int32_t unit)
{
    return unit == 1 ? n : n * EACH - (int32_t)((uintptr_t)begin % WORD) / SIZE;
}

DEVICE_UNUSED word_or_part load_unit(const part *begin, int32_t first, int32_t run)
{
    enum { UNIT = UNIT_OF(X_RUN) };
    word_or_part word = 0;
    if (UNIT > 1 && first >= 0 && first + UNIT <= run) return *(const word_or_part *)(begin + first);
#pragma unroll
    for (int32_t i = 0; i < UNIT; i++) {
        if (first + i >= 0 && first + i < run) word = with_part(word, i, begin[first + i]);
    }
    return word;
}

#if SIZE < 4 || MASK == 1
/* What no asynchronous copy is narrow enough for, or what a mask may replace, waits in registers. */
DEVICE void load_tile(const struct arrange_parameters *p, const struct tile *t, part *room, int is_whole)
{
    enum { UNIT = UNIT_OF(X_RUN), UNITS = UNITS_OF(X_RUN), COUNT = ALL / X_RUN * UNITS, AT_ONCE = SIZE < 4 ? 8 : 4 };
    const int32_t here = is_whole ? X_RUN : t->x_run;
#pragma unroll 1
    for (int32_t q = (int32_t)threadIdx.x; q < COUNT; q += AT_ONCE * THREADS) {
        word_or_part held[AT_ONCE];
        int32_t first[AT_ONCE];
#pragma unroll
        for (int32_t k = 0; k < AT_ONCE; k++) {
            int32_t run = (q + k * THREADS) / UNITS;
            struct steps s = steps_along_x(run * X_RUN);
            const part *begin = t->x + offset_of_x(p, &s);
            held[k] = 0;
            first[k] = here;
            if (q + k * THREADS >= COUNT || !(is_whole || are_here(t, &s))) continue;
            first[k] = first_of_unit(begin, q + k * THREADS - run * UNITS, UNIT);
            held[k] = load_unit(begin, first[k], here);
        }
#pragma unroll
        for (int32_t k = 0; k < AT_ONCE; k++) {
            int32_t run = (q + k * THREADS) / UNITS;
#pragma unroll
            for (int32_t i = 0; i < UNIT; i++) {
                struct steps s = steps_along_x(run * X_RUN + first[k] + i);
                if (first[k] + i < 0 || first[k] + i >= here) continue;
#if MASK == 1
                if (!is_present(p, t, &s)) held[k] = with_part(held[k], i, (part)p->fill);
#endif
                room[place_in_room(&s)] = part_of(held[k], i);
            }
        }
    }
}
#else
DEVICE void load_tile(const struct arrange_parameters *p, const struct tile *t, part *room, int is_whole)
{
#pragma unroll 4
    for (int32_t q = (int32_t)threadIdx.x; q < ALL; q += THREADS) {
        struct steps s = steps_along_x(q);
        if (!(is_whole || are_here(t, &s))) continue;
        copy_async((char *)&room[place_in_room(&s)], (const char *)(t->x + offset_of_x(p, &s)), SIZE);
    }
    copy_group();
    COPY_AWAIT_BUT(0);
}
#endif

DEVICE void store_tile(const struct arrange_parameters *p, const struct tile *t, const part *room, int is_whole)
{
    enum { UNIT = UNIT_OF(OUT_RUN), UNITS = UNITS_OF(OUT_RUN), COUNT = ALL / OUT_RUN * UNITS };
    const int32_t here = is_whole ? OUT_RUN : t->out_run;
#pragma unroll 2
    for (int32_t q = (int32_t)threadIdx.x; q < COUNT; q += THREADS) {
        int32_t run = q / UNITS;
        struct steps s = steps_along_out(run * OUT_RUN);
        part *begin = t->out + offset_of_out(p, &s);
        int32_t first = first_of_unit(begin, q - run * UNITS, UNIT);
        word_or_part word = 0;
        if (!(is_whole || are_here(t, &s))) continue;
#pragma unroll
        for (int32_t i = 0; i < UNIT; i++) {
            if (first + i < 0 || first + i >= here) continue;
            s = steps_along_out(run * OUT_RUN + first + i);
            word = with_part(word, i, room[place_in_room(&s)]);
#if MASK == 2
            if (!is_present(p, t, &s)) word = with_part(word, i, (part)p->fill);
#endif
        }
        if (UNIT > 1 && first >= 0 && first + UNIT <= here) {
            *(word_or_part *)(begin + first) = word;
            continue;
        }
#pragma unroll
        for (int32_t i = 0; i < UNIT; i++) {
            if (first + i >= 0 && first + i < here) begin[first + i] = part_of(word, i);
        }
    }
}
#endif

#if !STEP
DEVICE void move_tile(const struct arrange_parameters *p, const struct tile *t, part *room, int is_whole)
{
    load_tile(p, t, room, is_whole);
    __syncthreads();
    store_tile(p, t, room, is_whole);
}
#endif

KERNEL(arrange, struct arrange_parameters, p)
{
    __shared__ struct vector16 room[(ROOM * SIZE + 15) / 16];
    struct tile t = tile_of(&p);
    int is_whole = t.is_whole;
#if SQUARES || STEP
    is_whole &= reads_inside(&p, &t);
#endif
    if (is_whole) move_tile(&p, &t, (part *)room, 1);
    else move_tile(&p, &t, (part *)room, 0);
}
