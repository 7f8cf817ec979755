/* SPDX-License-Identifier: MIT
 *
 * layers.cuh - exact sums of doubles that a block's threads have in registers, layer by layer. A layer takes from all
 * numbers what lies within some 90 binades of the largest one: in two bins, 48 binades apart, each a double so large
 * that it stays in its binade. Adding to the first is free of error, what it could not take goes to the second, and
 * what is left then are numbers again, for the next layer. Nearly always nothing is left. The bins' bit patterns are
 * their sums as integers. (Demmel and Nguyen, "Parallel reproducible summation", have such bins.) No include guard.
 *   NUMBERS   of a thread at once, at most: 16 or fewer */

/* Sums of pieces over all lanes and warps have 32 bits. */
enum { LAYER_BITS = NUMBERS <= 4 ? 2 : NUMBERS <= 8 ? 3 : 4, BINS_APART = 48, PIECES = 5, PIECE_BITS = 22 };

/* Exponent fields of the largest number: with the one, bins reach down to where doubles end; above the other, the first
 * might become infinite, as numbers may be rounded up to the next power of two on their way into it. */
enum {
    ABOVE_TOP = LAYER_BITS + 2,
    LEAST_TOP = BINS_APART + 1 - ABOVE_TOP,
    MOST_TOP = 2045 - ABOVE_TOP,
    SHIFT_DOWN = 8
};

/* What warps tell each other, in turns. */
struct layer_room {
    uint32_t piece[2][PIECES][32];
    int32_t top[2][32];
};

/* One long sum of layers. Where a block is alone, what the first one took stays out of it, in all of the first warp. */
struct layers {
    struct layer_room *room;
    uint32_t turn;
    struct long_sum *sum;
    struct span alone;
    int32_t is_alone, count;
};

DEVICE struct layers layers_begin(struct long_sum *sum)
{
    __shared__ struct layer_room room;
    struct layers l = {&room, 0, sum, span_none(), gridDim.x == 1, 0};
    return l;
}

/* The exponent field; 0 only of zero. */
DEVICE int32_t top_of(double x)
{
    int32_t field = (int32_t)((uint32_t)(double_bits(x) >> 32) << 1 >> 21);
    return !IS_NARROW && field == 0 && x != 0 ? 1 : field;
}

/* Of the largest of some numbers. */
DEVICE int32_t top_of_all(const double *x, int count)
{
    uint32_t most = 0;
    uint64_t any = 0;
#pragma unroll
    for (int k = 0; k < count; k++) {
        uint32_t size = (uint32_t)(double_bits(x[k]) >> 32) & 0x7fffffffu;
        most = size > most ? size : most;
    }
    if (IS_NARROW || most >> 20 != 0) return (int32_t)(most >> 20);
#pragma unroll
    for (int k = 0; k < count; k++) any |= double_bits(x[k]) << 1;
    return any != 0;
}

/* The most of the block's, in all threads, and a barrier. */
DEVICE int32_t layers_most(struct layers *l, int32_t x)
{
    int32_t lane = (int32_t)threadIdx.x & 31, *tops = l->room->top[l->turn];
    x = most_of_lanes(x);
    if (lane == 0) tops[threadIdx.x >> 5] = x;
    __syncthreads();
    l->turn ^= 1;
    return most_of_lanes(lane < WARPS ? tops[lane] : 0);
}

/* Two bins below a number, and what they took. */
struct bins {
    int32_t field; /* of the first one */
    uint64_t first, second;
    int64_t upper, lower;
};

DEVICE struct bins bins_below(int32_t top)
{
    struct bins b = {top + ABOVE_TOP, 0, 0, 0, 0};
    b.first = (uint64_t)b.field << 52 | 1ull << 51;
    b.second = b.first - ((uint64_t)BINS_APART << 52);
    return b;
}

/* What the bins' last place weighs. */
DEVICE int32_t bins_place(const struct bins *b)
{
    return b->field - 1075 - BINS_APART;
}

/* Adds `count` numbers; what is left of them is in their place. Numbers may have to be made smaller on the way: those
 * that this rounds are so small that bins leave them alone. Where numbers are larger than bins hold, what these took is
 * of no use, and may be anything. Without conditions, so that steps of all numbers overlap. */
DEVICE void bins_add(struct bins *b, double *x, int count, int is_large)
{
    const double down = 1.0 / (1 << SHIFT_DOWN);
    double first = double_from_bits(b->first), second = double_from_bits(b->second);
#pragma unroll
    for (int k = 0; k < count; k++) {
        double own = is_large ? x[k] * down : x[k];
        double next = first + own, rest = own - (next - first);
        first = next;
        next = second + rest;
        rest = rest - (next - second);
        second = next;
        if (!is_large) x[k] = rest;
        else if (rest != own) x[k] = rest * (1 << SHIFT_DOWN);
    }
    b->upper = (int64_t)((uint64_t)b->upper + double_bits(first) - b->first);
    b->lower = (int64_t)((uint64_t)b->lower + double_bits(second) - b->second);
}

/* What bins took, piece by piece, of each warp. */
DEVICE void leave_pieces(const struct layers *l, const struct bins *b)
{
    uint64_t low = ((uint64_t)b->upper << BINS_APART) + (uint64_t)b->lower;
    int64_t high = (b->upper >> (64 - BINS_APART)) + (b->lower >> 63) + (low < (uint64_t)b->lower);
#pragma unroll
    for (int k = 0; k < PIECES; k++) {
        uint32_t piece = sum_of_lanes(k < PIECES - 1 ? (uint32_t)low & ((1u << PIECE_BITS) - 1) : (uint32_t)low);
        if ((threadIdx.x & 31) == 0) l->room->piece[l->turn][k][threadIdx.x >> 5] = piece;
        low = low >> PIECE_BITS | (uint64_t)high << (64 - PIECE_BITS);
        high >>= PIECE_BITS;
    }
}

/* Adds to a word of layers' long sum. In global memory, which the compiler does not know it to be, nobody waits for it.
 */
DEVICE void word_add(unsigned long long *word, unsigned long long x)
{
#if !defined(TALLY_SIMT) && CLUSTER_BLOCKS == 1
    if (gridDim.x > 1) {
        asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" : : "l"(word), "l"(x) : "memory");
        return;
    }
#endif
    atomicAdd(word, x);
}

/* The pieces of all warps; each goes to the long sum by a lane of the first warp. */
DEVICE void take_pieces(struct layers *l, uint32_t turn, int32_t place)
{
    int32_t lane = (int32_t)threadIdx.x & 31, at = place - LONG_LOW + lane * PIECE_BITS;
    int64_t own = 0;
    uint128 sum = 0;
#pragma unroll
    for (int k = PIECES - 1; k >= 0; k--) {
        uint32_t piece = sum_of_lanes(lane < WARPS ? l->room->piece[turn][k][lane] : 0);
        int64_t number = k == PIECES - 1 ? (int64_t)(int32_t)piece : (int64_t)piece;
        if (lane == k) own = number;
        sum = (sum << PIECE_BITS) + (uint128)(__int128)number;
    }
    if (l->is_alone && l->count++ == 0) {
        l->alone = span_of((uint64_t)sum, (int64_t)(sum >> 64), place);
        return;
    }
    if (own == 0) return;
    own = (int64_t)((uint64_t)own << (at & 31));
    unsigned long long *word = &l->sum->word[at >> 5];
    if ((uint32_t)own != 0) word_add(&word[0], (uint32_t)own);
    if (own >> 32 != 0) word_add(&word[1], (unsigned long long)(own >> 32));
}

/* The layer below `top`, an exponent field; returns that of what is left. All threads call it. */
DEVICE int32_t add_layer(struct layers *l, double *x, int count, int32_t top)
{
    int is_large = !IS_NARROW && top > MOST_TOP;
    uint32_t turn = l->turn;
    struct bins b = bins_below(top < LEAST_TOP ? LEAST_TOP : is_large ? top - SHIFT_DOWN : top);
    if (is_large) bins_add(&b, x, count, 1);
    else bins_add(&b, x, count, 0);
    leave_pieces(l, &b);
    int32_t left = layers_most(l, top_of_all(x, count));
    if (threadIdx.x < 32) take_pieces(l, turn, bins_place(&b) + (is_large ? SHIFT_DOWN : 0));
    return left;
}

/* All of the numbers, none of which is infinite or NaN. All threads call it. */
DEVICE void layers_add(struct layers *l, double *x, int count, int32_t top)
{
    while (top > 0) top = add_layer(l, x, count, top);
}
