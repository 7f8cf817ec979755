/* SPDX-License-Identifier: MIT
 *
 * bins_of_doubles.cuh - whole_far_bins.cuh for f32. No include guard. */

/* Bins of a thread: doubles, each of the numbers of 16 binades. A narrow float's bits, moved to those of a double, are
 * that number 2^896 times smaller, subnormal ones too. Numbers of 24 bits leave room for 2^13 additions. */
enum { BINS = 16, BINS_SCALE = 896, BINS_NUMBERS = 1 << 13 };

DEVICE double *far_bins(void)
{
    return (double *)(long_sums() + SUMS) + threadIdx.x;
}

DEVICE double small_double(uint32_t bits)
{
    uint32_t high = (uint32_t)((int32_t)bits >> 3) & 0x8fffffffu;
    return double_from_bits((uint64_t)high << 32 | bits << 29);
}

/* Two numbers, by their bits as floats, so that one need not wait for the other. */
DEVICE void bins_add_two(double *bins, uint32_t a, uint32_t b)
{
    double x = small_double(a), y = small_double(b);
    double *to = bins + (a >> 27 & 15) * THREADS, *to_too = bins + (b >> 27 & 15) * THREADS;
    double sum = *to + x, sum_too = *to_too + (to == to_too ? x + y : y);
    *to = sum;
    *to_too = sum_too;
}

/* Notes infinities and NaN; nothing of them is added. */
DEVICE_CALL struct tile_bits special_noted(struct tile_bits bits)
{
#pragma unroll 1
    for (int i = 0; i < TILE; i++) {
        if ((bits.of[i] & 0x7f800000u) != 0x7f800000u) continue;
        long_add_double(&long_sums()[0], (double)float_from_bits(bits.of[i]), 0);
        bits.of[i] = 0;
    }
    return bits;
}

DEVICE void bins_add_tile(double *bins, const struct tile *tile)
{
    struct tile_bits bits = bits_of_tile(tile);
    float special = 0; /* becomes NaN */
#pragma unroll
    for (int i = 0; i < TILE; i++) special = __fmaf_rn(float_from_bits(bits.of[i]), 0, special);
    if (!(special == 0)) bits = special_noted(bits);
#pragma unroll
    for (int i = 0; i < TILE; i += 2) bins_add_two(bins, bits.of[i], bits.of[i + 1]);
}

/* The bins into the words, and empty. */
DEVICE_CALL struct words bins_empty(struct words sum, double *bins)
{
#pragma unroll 1
    for (int i = 0; i < BINS; i++) {
        sum = words_add_double(sum, bins[i * THREADS], BINS_SCALE);
        bins[i * THREADS] = 0;
    }
    return sum;
}

DEVICE void far_begin(struct open_state *open)
{
    if (open->far_had > 0 && open->far_had <= BINS_NUMBERS - open->far_run * TILE) return;
    if (open->far_had > 0) {
        open->rare->sum[0] = bins_empty(open->rare->sum[0], far_bins());
    } else {
        for (int i = 0; i < BINS; i++) far_bins()[i * THREADS] = 0;
    }
    open->far_had = 0;
}

DEVICE void far_end(struct open_state *open)
{
    if (open->far_had) open->rare->sum[0] = bins_empty(open->rare->sum[0], far_bins());
}

DEVICE_CALL int64_t far_chunks(struct array a, int64_t chunk, int run)
{
    struct tile next = load_tile(&a, chunk);
    for (int count = 1; count <= run && chunk < a.chunks; count++) {
        struct tile tile = next;
        int64_t following = chunk + gridDim.x;
        if (count < run && following < a.chunks) next = load_tile(&a, following);
        bins_add_tile(far_bins(), &tile);
        chunk = following;
    }
    return chunk;
}

/* Tiles from a chunk on, whatever they hold; returns the chunk of the first that is left alone. */
DEVICE int64_t absorb_far(const struct array *a, struct open_state *open, int64_t chunk)
{
    far_begin(open);
    open->far_had += open->far_run * TILE;
    return far_chunks(*a, chunk, open->far_run);
}
