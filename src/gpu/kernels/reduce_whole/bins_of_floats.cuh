/* SPDX-License-Identifier: MIT
 *
 * bins_of_floats.cuh - whole_far_bins.cuh for bf16, whose 8 bits leave room in floats. Half as wide as doubles, they
 * take half the time, which is that of shared memory. No include guard. */

/* Bins of the numbers of 8 binades, scaled so that sums of the largest ones stay finite and the smallest one is a float
 * still: integers of 15 bits in units of 2^(8 * bin - UNIT_BELOW). They leave room for 2^9 additions. */
enum { BINS = 32, BIN_BINADES = 8, BINS_NUMBERS = 1 << 9, FULL_TILES = BINS_NUMBERS / TILE };
enum { BINS_SCALE = 16, UNIT_BELOW = 134 + BINS_SCALE };

static_assert(BINS_NUMBERS % TILE == 0, "tiles fill bins");

DEVICE float *far_bins(void)
{
    return (float *)(long_sums() + SUMS) + threadIdx.x;
}

/* Two numbers, by their bits as floats, so that one need not wait for the other. */
DEVICE void bins_add_two(float *bins, uint32_t a, uint32_t b)
{
    const float scale = 1.0f / (1 << BINS_SCALE);
    float *to = bins + (a >> 26 & 31) * THREADS, *to_too = bins + (b >> 26 & 31) * THREADS;
    float before = *to, before_too = *to_too;
    float sum = __fmaf_rn(float_from_bits(a), scale, before);
    float sum_too = __fmaf_rn(float_from_bits(b), scale, to == to_too ? sum : before_too);
    *to = sum;
    *to_too = sum_too;
}

DEVICE void bins_add_tile(float *bins, const struct tile *tile)
{
    struct tile_bits bits = bits_of_tile(tile);
#pragma unroll
    for (int i = 0; i < TILE; i += 2) bins_add_two(bins, bits.of[i], bits.of[i + 1]);
}

/* Infinities and NaN of a bin are noted; nothing of it is added. */
DEVICE_CALL float special_noted(float bin)
{
    long_add_double(&long_sums()[0], (double)bin, 0);
    return 0;
}

/* Empties the bins of a warp: a lane has the sum of all threads' bins of its number, in their unit. */
DEVICE_CALL int32_t bins_take(void)
{
    int32_t lane = (int32_t)threadIdx.x & 31, exponent = UNIT_BELOW - BIN_BINADES * lane, half = exponent / 2, sum = 0;
    float *bins = far_bins() - lane + lane * THREADS;
    float first = float_from_bits((uint32_t)(half + 127) << 23);
    float second = float_from_bits((uint32_t)(exponent - half + 127) << 23);
    __syncwarp();
#pragma unroll 8
    for (int32_t i = 0; i < 32; i++) {
        float *bin = &bins[(lane + i) & 31]; /* of another bank than the others' */
        float value = *bin;
        *bin = 0;
        if (!(fabsf(value) < 0x1p127f)) value = special_noted(value);
        sum += __float2int_rn(value * first * second);
    }
    __syncwarp();
    return sum;
}

/* A run's sum in the bins' units, of the lane's bin, and the chunk after it. */
struct far_run {
    int64_t sum, chunk;
};

DEVICE_CALL struct far_run far_chunks(struct array a, int64_t chunk, int run)
{
    struct far_run result = {0, 0};
    struct tile next = load_tile(&a, chunk);
    for (int count = 1; count <= run && chunk < a.chunks; count++) {
        struct tile tile = next;
        int64_t following = chunk + gridDim.x;
        if (count < run && following < a.chunks) next = load_tile(&a, following);
        bins_add_tile(far_bins(), &tile);
        if (count % FULL_TILES == 0) result.sum += bins_take();
        chunk = following;
    }
    result.sum += bins_take();
    result.chunk = chunk;
    return result;
}

/* Tiles from a chunk on, whatever they hold; returns the chunk of the first that is left alone. */
DEVICE int64_t absorb_far(const struct array *a, struct open_state *open, int64_t chunk)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
    for (int i = 0; i < BINS && !open->far_had; i++) far_bins()[i * THREADS] = 0;
    open->far_had = 1;
    struct far_run run = far_chunks(*a, chunk, open->far_run);
    open->rare->sum[0] =
        words_add_double(open->rare->sum[0], (double)run.sum, BIN_BINADES * lane - UNIT_BELOW + BINS_SCALE);
    return run.chunk;
}

/* A run leaves nothing in the bins. */
DEVICE void far_end(struct open_state *open)
{
    (void)open;
}
