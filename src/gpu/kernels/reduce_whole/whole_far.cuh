/* SPDX-License-Identifier: MIT
 *
 * whole_far.cuh - the tiles of reduce_whole.cu whose numbers lie far apart. Every number is added to a place in dynamic
 * shared memory that follows from its exponent, and that no other thread uses meanwhile, so that nothing is atomic and
 * the numbers' sizes make no difference. Behind the long sums, the host gives room. No include guard. */
#if !TAKES_TURNS
DEVICE int64_t absorb_far(const struct array *a, struct open_state *open, int64_t chunk)
{
    (void)open;
    (void)chunk;
    return a->chunks;
}
#elif FAR_HAS_BINS
#include "whole_far_bins.cuh"
#else
/* Long sums, word by word: COPIES of them in a block, of which a warp's lanes share LONG_COPIES by taking turns. */
enum { COPIES = LONG_COPIES * WARPS, TURNS = 32 / LONG_COPIES, PART = (LONG_WORDS + TURNS - 1) / TURNS };
enum { IS_PRODUCT = !IS_NARROW && (LIFT_NUMBER == LIFT_PRODUCT || LIFT_NUMBER == LIFT_SQUARE) };

/* A word takes 2^10 numbers of 53 bits, of which 32 are below it. */
enum { CARRY_CHUNKS = 512 / (TURNS * TILE * (1 + IS_PRODUCT)) };

typedef unsigned long long long_word;

struct turn {
    long_word *copy;
    int32_t number; /* 0 to TURNS - 1 */
};

DEVICE struct turn turn_of(void)
{
    int32_t lane = (int32_t)threadIdx.x & 31, warp = (int32_t)threadIdx.x >> 5;
    struct turn turn = {(long_word *)(long_sums() + SUMS) + warp * LONG_COPIES + lane % LONG_COPIES,
                        lane / LONG_COPIES};
    return turn;
}

/* Adds m * 2^(LONG_LOW + at), of at most 53 bits. */
DEVICE void copy_add(long_word *copy, int64_t m, int32_t at)
{
    long_word *word = copy + (at >> 5) * COPIES;
    long_word low = (uint32_t)m << (at & 31), high = (long_word)(m >> (32 - (at & 31)));
    long_word first = word[0] + low, second = word[COPIES] + high;
    word[0] = first;
    word[COPIES] = second;
}

/* |x| in units of its last place, and how far above 2^LONG_LOW that is. */
DEVICE int64_t significand(double x, int32_t *at)
{
    uint64_t bits = double_bits(x) & ~(1ull << 63);
    int32_t field = (int32_t)(bits >> 52), above = field > 0 ? field - 1 : 0;
    *at = above - 1074 - LONG_LOW;
    return (int64_t)(bits - ((uint64_t)above << 52));
}

struct tile_doubles {
    double of[TILE];
};

/* Notes infinities and NaN; their significands are left out. */
DEVICE_CALL struct tile_doubles special_noted(struct tile_doubles x)
{
#pragma unroll 1
    for (int i = 0; i < TILE; i++) {
        if (is_finite(x.of[i])) continue;
        long_add_double(&long_sums()[0], x.of[i], 0);
        x.of[i] = 0;
    }
    return x;
}

/* The same of products with y: none of such numbers is finite. */
DEVICE_CALL struct tile_doubles special_products_noted(struct tile_doubles x, struct tile_doubles y)
{
#pragma unroll 1
    for (int i = 0; i < TILE; i++) {
        if (is_finite(x.of[i]) && is_finite(y.of[i])) continue;
        long_add_double(&long_sums()[0], x.of[i] * y.of[i], 0);
        x.of[i] = 0;
    }
    return x;
}

DEVICE int any_special(const struct tile_doubles *x)
{
    uint32_t most = 0;
#pragma unroll
    for (int i = 0; i < TILE; i++) {
        uint32_t size = (uint32_t)(double_bits(x->of[i]) >> 32) & 0x7fffffffu;
        most = size > most ? size : most;
    }
    return most >= 0x7ff00000u;
}

DEVICE void copies_add(struct turn turn, struct tile_doubles x)
{
    if (any_special(&x)) x = special_noted(x);
#pragma unroll
    for (int i = 0; i < TILE; i++) {
        int32_t at;
        int64_t m = significand(x.of[i], &at);
        if (LONG_LOW > -1074 && m == 0) at = 0;
        m = double_bits(x.of[i]) >> 63 ? -m : m;
#pragma unroll
        for (int t = 0; t < TURNS; t++) {
            if (turn.number == t) copy_add(turn.copy, m, at);
            __syncwarp();
        }
    }
}

/* Products of 106 bits in two halves. */
DEVICE void copies_add_products(struct turn turn, struct tile_doubles x, struct tile_doubles y)
{
    if (any_special(&x) || any_special(&y)) x = special_products_noted(x, y);
#pragma unroll
    for (int i = 0; i < TILE; i++) {
        int32_t at, at_too;
        uint64_t mx = (uint64_t)significand(x.of[i], &at), my = (uint64_t)significand(y.of[i], &at_too);
        uint64_t product = mx * my;
        int64_t low = (int64_t)(product & ((1ull << 53) - 1)),
                high = (int64_t)(__umul64hi(mx, my) << 11 | product >> 53);
        int negative = (int)((double_bits(x.of[i]) ^ double_bits(y.of[i])) >> 63);
        at += at_too + LONG_LOW;
#pragma unroll
        for (int t = 0; t < TURNS; t++) {
            if (turn.number == t) {
                copy_add(turn.copy, negative ? -low : low, at);
                copy_add(turn.copy, negative ? -high : high, at + 53);
            }
            __syncwarp();
        }
    }
}

DEVICE void copies_add_tile(struct turn turn, const struct tile *tile)
{
    struct tile_doubles x;
#pragma unroll
    for (int i = 0; i < TILE; i++) {
        x.of[i] = (double)chunk_element(&tile->x[i / VECTOR], i % VECTOR).v;
        if (LIFT_NUMBER == LIFT_MAGNITUDE) x.of[i] = fabs(x.of[i]);
    }
#if defined(PICK_PRODUCT) || defined(PICK_SQUARE)
    struct tile_doubles y;
#pragma unroll
    for (int i = 0; i < TILE; i++) {
#if WITH_SECOND
        y.of[i] = (double)chunk_element(&tile->y[i / VECTOR], i % VECTOR).v;
#else
        y.of[i] = x.of[i];
#endif
    }
    if (IS_PRODUCT) {
        copies_add_products(turn, x, y);
        return;
    }
#pragma unroll
    for (int i = 0; i < TILE; i++) x.of[i] *= y.of[i]; /* exact */
#endif
    copies_add(turn, x);
}

/* What is above 32 bits moves a word up, everywhere at once; each of the lanes that share a copy takes a PART. */
DEVICE void copies_carry(struct turn turn)
{
    int32_t begin = turn.number * PART;
    int64_t below = begin > 0 && begin <= LONG_WORDS ? (int64_t)turn.copy[(begin - 1) * COPIES] : 0;
    __syncwarp();
    for (int32_t i = begin; i < begin + PART && i < LONG_WORDS; i++) {
        int64_t word = (int64_t)turn.copy[i * COPIES];
        turn.copy[i * COPIES] = (long_word)((i < LONG_WORDS - 1 ? word & 0xffffffff : word) + (below >> 32));
        below = word;
    }
    __syncwarp();
}

DEVICE void copies_clear(struct turn turn)
{
    for (int32_t i = turn.number; i < LONG_WORDS; i += TURNS) turn.copy[i * COPIES] = 0;
    __syncwarp();
}

DEVICE_CALL int64_t far_chunks(struct array a, int64_t chunk, int run)
{
    struct turn turn = turn_of();
    struct tile next = load_tile(&a, chunk);
    for (int count = 1; count <= run && chunk < a.chunks; count++) {
        struct tile tile = next;
        int64_t following = chunk + gridDim.x;
        if (count < run && following < a.chunks) next = load_tile(&a, following);
        copies_add_tile(turn, &tile);
        if (count % CARRY_CHUNKS == 0) copies_carry(turn);
        chunk = following;
    }
    copies_carry(turn);
    return chunk;
}

DEVICE int64_t absorb_far(const struct array *a, struct open_state *open, int64_t chunk)
{
    if (!open->far_had) copies_clear(turn_of());
    open->far_had = 1;
    return far_chunks(*a, chunk, open->far_run);
}

/* All copies into the block's long sum; every thread of the block calls it. */
DEVICE void copies_gather(int had)
{
    if (!__syncthreads_or(had)) return;
    if (!had) copies_clear(turn_of());
    __syncthreads();
    const long_word *copies = (const long_word *)(long_sums() + SUMS);
    for (int32_t i = (int32_t)threadIdx.x; i < LONG_WORDS; i += THREADS) {
        long_word sum = 0;
#pragma unroll 4
        for (int32_t c = 0; c < COPIES; c++) sum += copies[i * COPIES + (c + i) % COPIES];
        long_sums()[0].word[i] += sum;
    }
    __syncthreads();
}
#endif
